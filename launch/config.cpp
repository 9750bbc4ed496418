#include "launch/config.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "data/atomic_file.hpp"
#include "data/error.hpp"

namespace ringpose::launch {

void RunConfig::validate() const {
  training.validate();
  if (cpu_threads < 0)
    throw data::ConfigError(fmt::format("run.cpu_threads is {}, expected 0 (automatic) or more.", cpu_threads));
}

namespace {

std::vector<ConfigField> learning_fields(trainer::TrainingOptions& t) {
  return {
      {"model.net_type", &t.net_type, "resnet_50 (DeepLabCut's) or resnet_18 (the same design, for small machines)"},
      {"training.epochs", &t.epochs, "passes over the training images"},
      {"training.global_batch", &t.global_batch, "images of one update, over all ranks"},
      {"training.seed", &t.seed, "initial weights, order, augmentation"},
      {"training.eval_interval", &t.eval_interval, "epochs between evaluations of the test images"},
      {"training.save_epochs", &t.save_epochs, "epochs between snapshots"},
      {"training.max_snapshots", &t.max_snapshots, "snapshots kept, the best one not counted"},
      {"training.eval_pcutoff", &t.eval_pcutoff, "likelihood from which a point counts in test.rmse_pcutoff"},
      {"optimizer.learning_rate", &t.schedule.learning_rate, "AdamW's rate until the first milestone"},
      {"optimizer.milestones", &t.schedule.milestones, "finished epochs at which the rate changes"},
      {"optimizer.rates", &t.schedule.rates, "the rate from each milestone on"},
      {"optimizer.beta1", &t.adamw.beta1, "decay of the mean gradient"},
      {"optimizer.beta2", &t.adamw.beta2, "decay of the mean squared gradient"},
      {"optimizer.epsilon", &t.adamw.epsilon, "added to the denominator"},
      {"optimizer.weight_decay", &t.adamw.weight_decay, "decoupled weight decay"},
      {"loss.heatmap_weight", &t.loss.heatmap_weight, "of the heatmap's squared error"},
      {"loss.locref_weight", &t.loss.locref_weight, "of the location refinement's Huber loss"},
      {"targets.pos_dist_thresh_px", &t.targets.pos_dist_thresh_px, "radius of a point's disc; sigma is 2/3 of it"},
      {"targets.locref_std", &t.targets.locref_std, "scale of the location refinement, px"},
      {"targets.gradient_masking", &t.targets.gradient_masking, "weaken channels of unlabelled points"},
      {"targets.background_weight", &t.targets.background_weight, "weight of such a channel"},
  };
}

std::vector<ConfigField> augmentation_fields(data::AugmentationOptions& a) {
  return {
      {"augmentation.affine", &a.affine, "rotate, scale, shift"},
      {"augmentation.affine_p", &a.affine_p, "probability"},
      {"augmentation.rotation_deg", &a.rotation_deg, "largest angle"},
      {"augmentation.scaling", &a.scaling, "range of the factor"},
      {"augmentation.translation_px", &a.translation_px, "largest shift"},
      {"augmentation.crop", &a.crop, "cut out a part; needed when images differ in size"},
      {"augmentation.crop_width_px", &a.crop_width_px, "of the part"},
      {"augmentation.crop_height_px", &a.crop_height_px, "of the part"},
      {"augmentation.crop_max_shift", &a.crop_max_shift, "from the chosen point, in parts of the crop"},
      {"augmentation.crop_method", &a.crop_method, "uniform, keypoints, density or hybrid"},
      {"augmentation.motion_blur", &a.motion_blur, "blur along a line"},
      {"augmentation.motion_blur_p", &a.motion_blur_p, "probability"},
      {"augmentation.gaussian_noise", &a.gaussian_noise, "largest standard deviation in grey levels, 0: none"},
      {"augmentation.gaussian_noise_p", &a.gaussian_noise_p, "probability"},
  };
}

std::vector<ConfigField> machine_fields(RunConfig& config) {
  trainer::TrainingOptions& t = config.training;
  return {
      {"loader.threads", &t.read_ahead.threads, "image threads of a rank, 0: automatic"},
      {"loader.prefetch_batches", &t.read_ahead.prefetch_batches, "batches made ahead"},
      {"loader.cache_decoded", &t.read_ahead.cache_decoded, "keep decoded images in memory"},
      {"loader.cache_limit_mib", &t.read_ahead.cache_limit_mib, "memory for them, per rank"},
      {"run.device", &config.device, "auto (a GPU where there is one), cuda or cpu"},
      {"run.cpu_threads", &config.cpu_threads, "computing threads of a rank, 0: its share of the cores"},
      {"run.precision", &t.precision, "convolutions on the GPU: tf32 (PyTorch's default) or fp32"},
      {"run.deterministic", &t.deterministic, "deterministic cuDNN algorithms, as DeepLabCut"},
      {"run.bucket_bytes", &t.reducer.bucket_bytes, "gradients summed in one message"},
      {"run.first_bucket_bytes", &t.reducer.first_bucket_bytes,
       "of the first message, which starts while backward runs"},
      {"run.overlap", &t.reducer.overlap, "sum gradients while backward runs; false: after it"},
  };
}

}  // namespace

std::vector<ConfigField> config_fields(RunConfig& config) {
  std::vector<ConfigField> fields = learning_fields(config.training);
  for (auto&& more : {augmentation_fields(config.training.augmentation), machine_fields(config)})
    fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

void apply_config_file(RunConfig& config, const std::filesystem::path& file) {
  apply_config_text(config, read_text_file(file), file.string());
}

std::string read_text_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || std::filesystem::is_directory(file)) throw data::IoError(data::io_message("read", file, errno));
  return text;
}

}  // namespace ringpose::launch
