// The table of pytorch_config.yaml's keys. Sources: the files DeepLabCut 3.0.0rc10 and 3.0.2 write for resnet_50, and
// deeplabcut/pose_estimation_pytorch/{config,data/transforms.py,runners}.
#include "launch/dlc_config.hpp"

namespace ringpose::launch {

namespace {

constexpr auto kObeyed = DlcTreatment::obeyed;
constexpr auto kRequired = DlcTreatment::required;
constexpr auto kIgnored = DlcTreatment::ignored;
constexpr const char* kOff = "[null, false]";
constexpr const char* kNoTransform = "ringpose has no such transform";
constexpr const char* kNoInference = "training does not use it; 'ringpose analyze' has options of its own";
constexpr const char* kTopDown = "for top-down models";

std::vector<DlcKey> general_keys() {
  return {
      {"config_version", kRequired, "[0]", "the version of the file's form that is known here"},
      {"net_type", kObeyed, "model.net_type", "resnet_50"},
      {"method", kRequired, "[bu, BU]", "bottom-up, which single-animal projects use"},
      {"device", kObeyed, "run.device", "auto, cuda or cpu; a GPU number is the ranks' business"},
      {"metadata.project_path", kIgnored, "", "images come from the packed file"},
      {"metadata.pose_config_path", kIgnored, "", "images come from the packed file"},
      {"metadata.bodyparts", kRequired, "", "must be those of the packed file, in the same order"},
      {"metadata.unique_bodyparts", kRequired, "[[]]", "multi-animal projects are not supported"},
      {"metadata.individuals", kRequired, "", "one name; multi-animal projects are not supported"},
      {"metadata.with_identity", kRequired, kOff, "multi-animal projects are not supported"},
      {"with_center_keypoints", kRequired, kOff, "multi-animal projects are not supported"},
      {"detector", kRequired, "[null]", "top-down models are not supported"},
      {"logger", kIgnored, "", "metrics go to learning_stats.csv in the run folder", true},
      {"resume_training_from", kRequired, "[null]", "use --resume"},
      {"inference", kIgnored, "", kNoInference},
  };
}

std::vector<DlcKey> model_keys() {
  return {
      {"model.backbone.type", kRequired, "[ResNet]", ""},
      {"model.backbone.model_name", kRequired, "[resnet50_gn]", ""},
      {"model.backbone.output_stride", kRequired, "[16]", ""},
      {"model.backbone.freeze_bn_stats", kIgnored, "", "the network has GroupNorm, which keeps no statistics"},
      {"model.backbone.freeze_bn_weights", kIgnored, "", "concerns BatchNorm; the network has GroupNorm"},
      {"model.backbone_output_channels", kRequired, "[2048]", ""},
      {"model.neck", kRequired, "[null]", ""},
      {"model.pose_model", kRequired, "[null]", ""},
      {"model.heads.bodypart.type", kRequired, "[HeatmapHead]", ""},
      {"model.heads.bodypart.weight_init", kRequired, "[normal]", "N(0, 0.001), bias 0"},
      {"model.heads.bodypart.predictor.type", kRequired, "[HeatmapPredictor]", ""},
      {"model.heads.bodypart.predictor.apply_sigmoid", kRequired, "[false]", ""},
      {"model.heads.bodypart.predictor.clip_scores", kRequired, "[true]", ""},
      {"model.heads.bodypart.predictor.location_refinement", kRequired, "[true]", ""},
      {"model.heads.bodypart.predictor.locref_std", kRequired, "", "must equal target_generator.locref_std"},
      {"model.heads.bodypart.target_generator.type", kRequired, "[HeatmapGaussianGenerator]", ""},
      {"model.heads.bodypart.target_generator.num_heatmaps", kRequired, "", "must be the number of bodyparts"},
      {"model.heads.bodypart.target_generator.pos_dist_thresh", kObeyed, "targets.pos_dist_thresh_px", ""},
      {"model.heads.bodypart.target_generator.heatmap_mode", kRequired, "[KEYPOINT]", ""},
      {"model.heads.bodypart.target_generator.gradient_masking", kObeyed, "targets.gradient_masking", ""},
      {"model.heads.bodypart.target_generator.background_weight", kObeyed, "targets.background_weight", ""},
      {"model.heads.bodypart.target_generator.generate_locref", kRequired, "[true]", ""},
      {"model.heads.bodypart.target_generator.locref_std", kObeyed, "targets.locref_std", ""},
      {"model.heads.bodypart.criterion.heatmap.type", kRequired, "[WeightedMSECriterion]", ""},
      {"model.heads.bodypart.criterion.heatmap.weight", kObeyed, "loss.heatmap_weight", ""},
      {"model.heads.bodypart.criterion.locref.type", kRequired, "[WeightedHuberCriterion]", ""},
      {"model.heads.bodypart.criterion.locref.weight", kObeyed, "loss.locref_weight", ""},
      {"model.heads.bodypart.heatmap_config.channels", kRequired, "", "must be [2048, bodyparts]"},
      {"model.heads.bodypart.heatmap_config.kernel_size", kRequired, "[[3]]", ""},
      {"model.heads.bodypart.heatmap_config.strides", kRequired, "[[2]]", ""},
      {"model.heads.bodypart.locref_config.channels", kRequired, "", "must be [2048, 2 * bodyparts]"},
      {"model.heads.bodypart.locref_config.kernel_size", kRequired, "[[3]]", ""},
      {"model.heads.bodypart.locref_config.strides", kRequired, "[[2]]", ""},
  };
}

std::vector<DlcKey> data_keys() {
  return {
      {"data.bbox_margin", kIgnored, "", "bottom-up training has no boxes"},
      {"data.colormode", kIgnored, "", "DeepLabCut's training reads RGB whatever it says, and so does ringpose"},
      {"data.gen_sampling", kRequired, kOff, kTopDown},
      {"data.loader", kRequired, "[null]", "the packed file is the only source of images"},
      {"data.inference", kIgnored, "", "test images are normalised and otherwise left as they are"},
      {"data.train.affine", kObeyed, "augmentation.affine", "null or false: off"},
      {"data.train.affine.p", kObeyed, "augmentation.affine_p", "0.9 when left out"},
      {"data.train.affine.rotation", kObeyed, "augmentation.rotation_deg", "0 when left out"},
      {"data.train.affine.scaling", kObeyed, "augmentation.scaling", "[1, 1] when left out"},
      {"data.train.affine.translation", kObeyed, "augmentation.translation_px", "0 when left out"},
      {"data.train.crop_sampling", kObeyed, "augmentation.crop", "null or false: off"},
      {"data.train.crop_sampling.width", kObeyed, "augmentation.crop_width_px", ""},
      {"data.train.crop_sampling.height", kObeyed, "augmentation.crop_height_px", ""},
      {"data.train.crop_sampling.max_shift", kObeyed, "augmentation.crop_max_shift", ""},
      {"data.train.crop_sampling.method", kObeyed, "augmentation.crop_method", ""},
      {"data.train.motion_blur", kObeyed, "augmentation.motion_blur", "probability 0.5"},
      {"data.train.gaussian_noise", kObeyed, "augmentation.gaussian_noise", "true means 12.75, as in DeepLabCut"},
      {"data.train.normalize_images", kRequired, "[true]", ""},
      {"data.train.scale_to_unit_range", kRequired, kOff, kNoTransform},
      {"data.train.resize", kRequired, kOff, kNoTransform},
      {"data.train.longest_max_size", kRequired, kOff, kNoTransform},
      {"data.train.hflip", kRequired, kOff, kNoTransform},
      {"data.train.random_bbox_transform", kRequired, kOff, kTopDown},
      {"data.train.hist_eq", kRequired, kOff, kNoTransform},
      {"data.train.covering", kRequired, kOff, kNoTransform},
      {"data.train.elastic_transform", kRequired, kOff, kNoTransform},
      {"data.train.grayscale", kRequired, kOff, kNoTransform},
      {"data.train.auto_padding", kRequired, kOff, kNoTransform},
      {"data.train.top_down_crop", kRequired, kOff, kTopDown},
      {"data.train.collate", kRequired, kOff, "images of a batch get one size by crop_sampling"},
  };
}

std::vector<DlcKey> runner_keys() {
  return {
      {"runner.type", kRequired, "[PoseTrainingRunner]", ""},
      {"runner.gpus", kIgnored, "", "GPUs are the ranks' business: mpirun -n N uses N GPUs, one per rank", true},
      {"runner.device", kObeyed, "run.device", "auto, cuda or cpu; a GPU number is the ranks' business"},
      {"runner.key_metric", kIgnored, "",
       "the best snapshot has the lowest test RMSE; test.mAP leaves out frames with fewer than two labelled points",
       true},
      {"runner.key_metric_asc", kIgnored, "", "see runner.key_metric"},
      {"runner.eval_interval", kObeyed, "training.eval_interval", ""},
      {"runner.optimizer.type", kRequired, "[AdamW]", ""},
      {"runner.optimizer.params.lr", kObeyed, "optimizer.learning_rate", ""},
      {"runner.optimizer.params.betas", kObeyed, "optimizer.beta1, optimizer.beta2", ""},
      {"runner.optimizer.params.eps", kObeyed, "optimizer.epsilon", ""},
      {"runner.optimizer.params.weight_decay", kObeyed, "optimizer.weight_decay", ""},
      {"runner.optimizer.params.amsgrad", kRequired, "[false]", ""},
      {"runner.scheduler", kObeyed, "optimizer.milestones, optimizer.rates", "null: the rate never changes"},
      {"runner.scheduler.type", kRequired, "[LRListScheduler]", ""},
      {"runner.scheduler.params.lr_list", kObeyed, "optimizer.rates", "one rate per milestone, as [[1e-4], [1e-5]]"},
      {"runner.scheduler.params.milestones", kObeyed, "optimizer.milestones", ""},
      {"runner.snapshots.max_snapshots", kObeyed, "training.max_snapshots", ""},
      {"runner.snapshots.save_epochs", kObeyed, "training.save_epochs", ""},
      {"runner.snapshots.save_optimizer_state", kIgnored, "", "always saved, so that --resume is exact"},
      {"runner.snapshot_prefix", kIgnored, "", "snapshots are called snapshot-<epoch>", true},
      {"runner.load_weights_only", kIgnored, "", "concerns the loading of pickles; there are none here"},
      {"runner.load_scheduler_state_dict", kIgnored, "", "the rate follows from the epoch alone"},
      {"train_settings.batch_size", kObeyed, "training.global_batch", "over all ranks together"},
      {"train_settings.epochs", kObeyed, "training.epochs", ""},
      {"train_settings.seed", kObeyed, "training.seed", ""},
      {"train_settings.display_iters", kIgnored, "", "progress is shown about once a second"},
      {"train_settings.dataloader_workers", kIgnored, "", "image threads: loader.threads; they change no result"},
      {"train_settings.dataloader_pin_memory", kIgnored, "", "a matter of speed, decided by ringpose"},
      {"train_settings.weight_init", kRequired, "[null]", "give initial weights with --weights"},
  };
}

}  // namespace

const std::vector<DlcKey>& dlc_keys() {
  static const std::vector<DlcKey> keys = [] {
    std::vector<DlcKey> all;
    for (const auto& part : {general_keys(), model_keys(), data_keys(), runner_keys()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return keys;
}

}  // namespace ringpose::launch
