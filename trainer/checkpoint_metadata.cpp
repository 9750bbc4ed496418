#include "trainer/checkpoint_metadata.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "data/project_facts.hpp"

namespace ringpose::trainer {

namespace {

using nlohmann::json;

json number_or_null(double value) {
  return std::isnan(value) ? json(nullptr) : json(value);
}

double number_or_nan(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

/// The packed file's text for the facts, and the skeleton, which stands apart there.
json project_json(const data::ProjectFacts& project) {
  json root = json::parse(data::project_facts_to_json(project));
  root["bodyparts"] = project.skeleton.bodyparts;
  root["skeleton"] = project.skeleton.links;
  return root;
}

data::ProjectFacts project_from(const json& root) {
  data::ProjectFacts project = data::project_facts_from_json(root.dump());
  root.at("bodyparts").get_to(project.skeleton.bodyparts);
  root.at("skeleton").get_to(project.skeleton.links);
  return project;
}

}  // namespace

std::string metadata_to_json(const Checkpoint& checkpoint) {
  const json root = {{"net_type", checkpoint.net_type},
                     {"epoch", checkpoint.epoch},
                     {"step", checkpoint.step},
                     {"global_step", checkpoint.global_step},
                     {"optimizer_steps", checkpoint.optimizer_steps},
                     {"seed", checkpoint.seed},
                     {"global_batch", checkpoint.global_batch},
                     {"world_size", checkpoint.world_size},
                     {"cpu_threads", checkpoint.cpu_threads},
                     {"dataset_digest", checkpoint.dataset_digest},
                     {"config_yaml", checkpoint.config_yaml},
                     {"best_test_rmse_px", number_or_null(checkpoint.best_metric)},
                     {"best_epoch", checkpoint.best_epoch},
                     {"epoch_sums", checkpoint.epoch_sums},
                     {"project", project_json(checkpoint.project)}};
  return root.dump();
}

Checkpoint metadata_from_json(const std::string& text) {
  const json root = json::parse(text);
  Checkpoint checkpoint;
  root.at("net_type").get_to(checkpoint.net_type);
  root.at("epoch").get_to(checkpoint.epoch);
  root.at("step").get_to(checkpoint.step);
  root.at("global_step").get_to(checkpoint.global_step);
  root.at("optimizer_steps").get_to(checkpoint.optimizer_steps);
  root.at("seed").get_to(checkpoint.seed);
  root.at("global_batch").get_to(checkpoint.global_batch);
  root.at("world_size").get_to(checkpoint.world_size);
  root.at("cpu_threads").get_to(checkpoint.cpu_threads);
  root.at("dataset_digest").get_to(checkpoint.dataset_digest);
  root.at("config_yaml").get_to(checkpoint.config_yaml);
  checkpoint.best_metric = number_or_nan(root.at("best_test_rmse_px"));
  root.at("best_epoch").get_to(checkpoint.best_epoch);
  root.at("epoch_sums").get_to(checkpoint.epoch_sums);
  checkpoint.project = project_from(root.at("project"));
  return checkpoint;
}

}  // namespace ringpose::trainer
