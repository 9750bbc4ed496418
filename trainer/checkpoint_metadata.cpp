#include "trainer/checkpoint_metadata.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace ringpose::trainer {

namespace {

using nlohmann::json;

json number_or_null(double value) {
  return std::isnan(value) ? json(nullptr) : json(value);
}

double number_or_nan(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json project_json(const data::ProjectFacts& project) {
  return {{"task", project.task},
          {"scorer", project.scorer},
          {"date", project.date},
          {"bodyparts", project.skeleton.bodyparts},
          {"skeleton", project.skeleton.links},
          {"pcutoff", project.pcutoff},
          {"dotsize", project.dotsize},
          {"alphavalue", project.alphavalue},
          {"colormap", project.colormap},
          {"skeleton_color", project.skeleton_color},
          {"train_fraction", project.train_fraction},
          {"shuffle", project.shuffle},
          {"iteration", project.iteration}};
}

data::ProjectFacts project_from(const json& root) {
  data::ProjectFacts project;
  root.at("task").get_to(project.task);
  root.at("scorer").get_to(project.scorer);
  root.at("date").get_to(project.date);
  root.at("bodyparts").get_to(project.skeleton.bodyparts);
  root.at("skeleton").get_to(project.skeleton.links);
  root.at("pcutoff").get_to(project.pcutoff);
  root.at("dotsize").get_to(project.dotsize);
  root.at("alphavalue").get_to(project.alphavalue);
  root.at("colormap").get_to(project.colormap);
  root.at("skeleton_color").get_to(project.skeleton_color);
  root.at("train_fraction").get_to(project.train_fraction);
  root.at("shuffle").get_to(project.shuffle);
  root.at("iteration").get_to(project.iteration);
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
