"""targets.safetensors: DeepLabCut's target maps, weights and losses; decode.safetensors: its keypoints from maps."""

import dlc_model
import golden_values as golden
import torch
from deeplabcut.pose_estimation_pytorch.models.predictors.single_predictor import HeatmapPredictor
from deeplabcut.pose_estimation_pytorch.models.target_generators.heatmap_targets import HeatmapGaussianGenerator

N, K, h, w, STRIDE = 3, 4, 13, 17, 8.0
nan = float("nan")
KEYPOINTS_NK2 = torch.tensor(
    [
        # on a cell; 17 px from cells (the disc's border, hit exactly); not labelled; only one coordinate known
        [[36.0, 28.0], [53.0, 44.0], [nan, nan], [20.0, nan]],
        # corners of the map, and outside of it
        [[0.0, 0.0], [135.5, 103.5], [-12.0, 50.0], [400.0, 300.0]],
        [[64.123, 51.987], [nan, nan], [4.0, 100.0], [nan, 7.0]],
    ]
)
MASKINGS = {"plain": {}, "masked": {"gradient_masking": True, "background_weight": 0.1}, "removed": {"gradient_masking": True, "background_weight": 0.0}}


def make_targets() -> None:
    outputs = {"heatmap": golden.tensor("heatmap", (N, K, h, w)), "locref": golden.tensor("locref", (N, 2 * K, h, w), -3, 3)}
    tensors = {"keypoints": KEYPOINTS_NK2}
    for name, options in MASKINGS.items():
        model = dlc_model.build("resnet_18", K, **options)
        target = model.heads["bodypart"].target_generator(STRIDE, outputs, dlc_model.labels(KEYPOINTS_NK2))
        losses = model.get_loss({"bodypart": outputs}, {"bodypart": target})
        if name == "plain":
            tensors |= {"heatmap": target["heatmap"]["target"], "locref": target["locref"]["target"]}
            tensors["locref_weights"] = target["locref"]["weights"].to(torch.uint8)
        tensors[f"{name}_heatmap_weights"] = target["heatmap"]["weights"]
        tensors[f"{name}_losses"] = torch.tensor([losses[x].item() for x in ("bodypart_heatmap", "bodypart_locref", "total_loss")])
    golden.save("targets.safetensors", tensors, stride=STRIDE, size=[h, w])


def make_border() -> None:
    """Counts of DeepLabCut's location-refinement cells for keypoints near the border of discs and maps."""
    generator = HeatmapGaussianGenerator(num_heatmaps=1, pos_dist_thresh=17)
    count = 2000
    angle = golden.uniform("angle", count) * 2 * torch.pi
    radius = torch.from_numpy(17 + (golden.uniform("radius", count) - 0.5) * 4e-6)
    cell = torch.from_numpy((golden.bits("cell", 2 * count).reshape(count, 2) % 17).astype("int64")) * 8 + 4
    points = (cell + torch.stack([torch.from_numpy(angle).cos() * radius, torch.from_numpy(angle).sin() * radius], 1)).float()
    triples = torch.tensor([[8.0, 15.0], [15.0, 8.0], [0.0, 17.0], [17.0, 0.0], [-8.0, 15.0], [-15.0, -8.0]])  # 17 px exactly
    points[: 6 * 17] = (cell[: 6 * 17].reshape(17, 6, 2) + triples).reshape(-1, 2).float()
    points[500:600] = golden.tensor("far", (100, 2), -60, 200)
    maps = {"heatmap": torch.zeros(count, 1, h, w), "locref": torch.zeros(count, 2, h, w)}
    target = generator(STRIDE, maps, dlc_model.labels(points.unsqueeze(1)))
    cells = target["locref"]["weights"].sum(dim=(1, 2, 3)).to(torch.int32)
    golden.save("disc_cells.safetensors", {"keypoints": points, "locref_cells": cells}, stride=STRIDE, size=[h, w])


def make_decode() -> None:
    heatmap = golden.tensor("decode heatmap", (N, K, h, w), -0.5, 1.2)
    heatmap[0, 0] = -0.25  # all cells equal: the first one wins
    heatmap[0, 1, 3, 5] = heatmap[0, 1, 7, 2] = 1.5  # a tie above 1
    heatmap[1, 2, h - 1, w - 1] = 2.0
    locref = golden.tensor("decode locref", (N, 2 * K, h, w), -2, 2)
    tensors = {"heatmap": heatmap, "locref": locref}
    for clip in (True, False):
        predictor = HeatmapPredictor(apply_sigmoid=False, clip_scores=clip, location_refinement=True, locref_std=7.2801)
        poses = predictor(STRIDE, {"heatmap": heatmap, "locref": locref})["poses"]
        tensors["clipped" if clip else "raw"] = poses[:, 0]
    golden.save("decode.safetensors", tensors, stride=STRIDE)


make_targets()
make_border()
make_decode()
