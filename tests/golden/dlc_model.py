"""DeepLabCut's own pose model, optimizer and schedule, built by DeepLabCut's code from its default configuration. No download."""

import functools
import tempfile

import timm
import torch

_create_model = timm.create_model


def _create_offline(name, *args, **kwargs):
    kwargs["pretrained"] = False
    if name == "resnet18":  # DeepLabCut has no resnet_18 with GroupNorm: timm's, by the same argument that makes resnet50_gn
        kwargs["norm_layer"] = "groupnorm"
    return _create_model(name, *args, **kwargs)


timm.create_model = _create_offline
import deeplabcut.pose_estimation_pytorch.models.backbones.resnet as resnet_module  # noqa: E402
from deeplabcut.pose_estimation_pytorch.config.make_pose_config import make_pytorch_pose_config  # noqa: E402
from deeplabcut.pose_estimation_pytorch.models import PoseModel  # noqa: E402
from deeplabcut.pose_estimation_pytorch.runners.schedulers import build_scheduler  # noqa: E402, F401
from deeplabcut.pose_estimation_pytorch.runners.train import build_optimizer  # noqa: E402, F401

import golden_values as golden  # noqa: E402

resnet_module.timm.create_model = _create_offline
torch.set_num_threads(1)
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)


@functools.cache
def _default_config(keypoints: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        project = {
            "Task": "golden", "scorer": "golden", "date": "Jan1", "multianimalproject": False, "identity": None, "project_path": folder,
            "engine": "pytorch", "video_sets": {}, "bodyparts": [f"part{i}" for i in range(keypoints)], "TrainingFraction": [0.95],
            "iteration": 0, "default_net_type": "resnet_50", "default_augmenter": "albumentations", "batch_size": 8, "pcutoff": 0.6,
        }
        return make_pytorch_pose_config(project, f"{folder}/pytorch_config.yaml", net_type="resnet_50")


def config(net_type: str, keypoints: int, **target_options) -> dict:
    """DeepLabCut's default configuration as a plain dictionary."""
    import copy

    made = _default_config(keypoints)
    result = copy.deepcopy(made if isinstance(made, dict) else made.to_dict())
    head = result["model"]["heads"]["bodypart"]
    head["target_generator"] |= target_options
    if net_type == "resnet_18":
        result["model"]["backbone"]["model_name"] = "resnet18"
        result["model"]["backbone_output_channels"] = 512
        head["heatmap_config"]["channels"][0] = 512
        head["locref_config"]["channels"][0] = 512
    return result


def build(net_type: str, keypoints: int, **target_options) -> PoseModel:
    """The model with weights of golden_values.weight."""
    model = PoseModel.build(config(net_type, keypoints, **target_options)["model"])
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(golden.weight(name, tuple(parameter.shape)))
    return model.train()


def _doubled(value):
    if isinstance(value, dict):
        return {key: _doubled(entry) for key, entry in value.items()}
    return value.double() if torch.is_tensor(value) and value.dtype == torch.float32 else value


def build_double(net_type: str, keypoints: int) -> PoseModel:
    """The same in float64, which takes float32 images: what no processor's order of additions disturbs."""
    model = build(net_type, keypoints).double()
    model.register_forward_pre_hook(lambda _, arguments: _doubled(dict(enumerate(arguments))).popitem()[1])
    get_target = model.get_target
    model.get_target = lambda outputs, annotations: _doubled(get_target(outputs, annotations))
    return model


def smallest_relu_input(model: PoseModel, images: torch.Tensor) -> float:
    """Of all ReLUs of a forward pass, in parts of the standard deviation of that ReLU's inputs."""
    margins = []

    def look(_, arguments):
        margins.append((arguments[0].abs().min() / arguments[0].std()).item())

    handles = [module.register_forward_pre_hook(look) for module in model.modules() if isinstance(module, torch.nn.ReLU)]
    with torch.no_grad():
        model(images)
    for handle in handles:
        handle.remove()
    assert len(margins) > 16, "the network's ReLUs were not found"
    return min(margins)


def labels(keypoints_NK2: torch.Tensor) -> dict:
    """DeepLabCut's annotations: visibility 2, or 0 where NaN."""
    visibility = torch.where(keypoints_NK2.isnan().any(-1, keepdim=True), 0.0, 2.0)
    return {"keypoints": torch.cat([keypoints_NK2, visibility], -1).unsqueeze(1)}
