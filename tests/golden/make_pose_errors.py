"""Writes pose_errors.json: labels, predictions and DeepLabCut 3.0.2's own errors for them. usage: make_pose_errors.py [OUTPUT]"""
import json
import pathlib
import sys

import numpy as np
from deeplabcut.core.metrics import compute_metrics

FRAMES, PARTS, PCUTOFF = 12, 3, 0.6
random = np.random.default_rng(7)
truth = random.uniform(10, 300, (FRAMES, PARTS, 2)).round(3)
missing = random.random((FRAMES, PARTS)) < 0.3
missing[0] = [True, True, False]  # a frame with one labelled point counts
missing[1] = True                 # a frame with none does not
predictions = truth + random.normal(0, 4, truth.shape).round(3)
likelihood = random.random((FRAMES, PARTS)).round(4)
likelihood[2, 0], missing[2, 0] = PCUTOFF, False  # at the cutoff: counts

ground_truth, poses = {}, {}
for frame in range(FRAMES):
    visibility = np.where(missing[frame], 0, 2)[:, None]
    ground_truth[str(frame)] = np.concatenate([truth[frame], visibility], axis=1)[None]
    poses[str(frame)] = np.concatenate([predictions[frame], likelihood[frame][:, None]], axis=1)[None]
metrics = compute_metrics(ground_truth, poses, single_animal=True, pcutoff=PCUTOFF, per_keypoint_rmse=True)
output = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("pose_errors.json"))
output.write_text(json.dumps({
    "pcutoff": PCUTOFF, "parts": PARTS,
    "truth": [[None if missing[f, k] else truth[f, k].tolist() for k in range(PARTS)] for f in range(FRAMES)],
    "predictions": [[[*predictions[f, k].tolist(), likelihood[f, k]] for k in range(PARTS)] for f in range(FRAMES)],
    "rmse": metrics["rmse"], "rmse_pcutoff": metrics["rmse_pcutoff"],
    "rmse_keypoint": [metrics[f"rmse_keypoint_{k}"] for k in range(PARTS)],
}) + "\n")
print(output, metrics)
