"""training_*.safetensors: three steps of DeepLabCut's PoseTrainingRunner in float64, without augmentation; the last batch is smaller.

Parts are unevenly visible, so the counts of location-refinement cells differ from image to image.
"""

import pathlib
import types

import dlc_model
import golden_values as golden
import torch
from deeplabcut.pose_estimation_pytorch.runners.train import PoseTrainingRunner

K, H, W = 3, 64, 96
BATCHES = [3, 3, 2]
nan = float("nan")
KEYPOINTS_BK2 = torch.tensor(
    [
        [[20.0, 30.0], [nan, nan], [nan, nan]],
        [[50.5, 10.25], [70.0, 60.0], [5.0, 5.0]],
        [[nan, nan], [90.0, 2.0], [33.3, 44.4]],
        [[nan, nan], [nan, nan], [nan, nan]],
        [[12.0, 52.0], [13.5, 51.0], [14.0, 50.5]],
        [[80.0, 20.0], [nan, nan], [60.0, 32.0]],
        [[95.9, 63.9], [48.0, 32.0], [nan, nan]],
        [[0.0, 0.0], [nan, nan], [nan, nan]],
    ]
)


def run(net_type: str) -> None:
    model = dlc_model.build_double(net_type, K)
    config = dlc_model.config(net_type, K)
    optimizer = dlc_model.build_optimizer(model, config["runner"]["optimizer"])
    runner = PoseTrainingRunner(model, optimizer, snapshot_manager=types.SimpleNamespace(model_folder=pathlib.Path()), device="cpu")
    losses, first = [], 0
    for step, size in enumerate(BATCHES):
        batch = {
            "image": golden.tensor(f"images {step}", (size, 3, H, W), -2, 2),
            "annotations": dlc_model.labels(KEYPOINTS_BK2[first : first + size]),
            "context": {},
        }
        result = runner.step(batch, "train")
        losses.append([float(result[name]) for name in ("bodypart_heatmap", "bodypart_locref", "total_loss")])
        first += size
    print(net_type, losses)
    golden.save(
        f"training_{net_type}.safetensors",
        {"keypoints": KEYPOINTS_BK2, "losses": torch.tensor(losses, dtype=torch.float64)}
        | golden.digest(dict(model.named_parameters()), "weight"),
        net_type=net_type,
        size=[H, W],
        batches=BATCHES,
        learning_rate=config["runner"]["optimizer"]["params"]["lr"],
    )


for name in ("resnet_50", "resnet_18"):
    run(name)
