// What `ringpose plot` shows: predictions over frames, a training run over epochs. Pure.
#pragma once
#include <string>

#include "analysis/drawing_facts.hpp"
#include "analysis/plot_layout.hpp"
#include "analysis/prediction_table.hpp"

namespace ringpose::analysis {

/// Panels x, y and likelihood over the frame number, a colour per bodypart, pcutoff as a dashed line. x and y are
/// interrupted where the likelihood is not above pcutoff. Throws data::ConfigError on an unknown colormap.
[[nodiscard]] Figure prediction_figure(const PredictionTable& table, const DrawingFacts& drawing);

/// Panels loss and test error over the epoch, from the text of learning_stats.csv (metrics_sink.hpp). `name` is for the
/// title and messages. Throws data::FormatError when a column is missing or a number malformed.
[[nodiscard]] Figure training_figure(const std::string& csv_text, const std::string& name);

}  // namespace ringpose::analysis
