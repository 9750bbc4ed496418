"""Writes tests/golden/augmentation/: what DeepLabCut 3.0.2 with albumentations 1.4.3 makes of small images, its motion blur
kernels, and the distributions of all its random choices. Runs offline: python make_augmentation.py

cases.json   Augmentations with known parameters: image, parameters, augmented image, keypoints before and after.
             "affine", "crop" and "blur" cases run one albumentations transform each; "chain" cases run the whole pipeline of
             deeplabcut.pose_estimation_pytorch.data.transforms.build_transforms and record what it drew (noise off).
kernels.json Pixels of every line that MotionBlur can draw, for kernel sizes 3, 5 and 7.
draws.json   24,000 runs of the real pipeline for each setting. Continuous parameters: 1,000 order statistics, evenly spaced in
             rank. Discrete parameters: counts of each value.
"""

import importlib
import json
import random
from pathlib import Path
from unittest import mock

import albumentations as A
import albumentations.random_utils as random_utils
import cv2
import numpy as np
from deeplabcut.pose_estimation_pytorch.data.dlcloader import DLCLoader
from deeplabcut.pose_estimation_pytorch.data.transforms import KeypointAwareCrop, build_transforms
from deeplabcut.pose_estimation_pytorch.data.utils import apply_transform

# albumentations.augmentations hides its sub-packages behind names that it imports from them.
blur_transforms = importlib.import_module("albumentations.augmentations.blur.transforms")

OUT = Path(__file__).parent / "augmentation"
WIDTH, HEIGHT = 160, 120
# The third is unlabelled, the last lies outside the image; the first two are neighbours in the sense of "density".
KEYPOINTS = [[52.25, 40.5], [58.0, 44.75], None, [120.5, 88.125], [12.0, 101.5], [-3.0, 20.0]]
DRAWS = 24000
QUANTILES = 1000


class Recorder:
    """Wraps the random parts of the pipeline and keeps what they drew in `seen`; the draws themselves are untouched."""

    def __init__(self, silence_noise=False):
        self.seen = {}
        affine, crop, blur = (
            A.Affine.get_params_dependent_on_targets,
            KeypointAwareCrop.get_params_dependent_on_targets,
            A.MotionBlur.get_params,
        )
        normal, line = random_utils.normal, cv2.line
        seen = self.seen

        def affine_params(self, params):
            result = affine(self, params)
            height, width = params["image"].shape[:2]
            centre = np.array([(width - 1) / 2, (height - 1) / 2, 1.0])
            shift = (result["matrix"].params @ centre - centre)[:2]
            seen["affine"] = {
                "rotation_deg": result["rotate"],
                "scale": result["scale"]["x"],
                "translation_x_px": round(float(shift[0])),
                "translation_y_px": round(float(shift[1])),
            }
            return result

        def crop_params(self, params):
            result = crop(self, params)
            seen["crop"] = {"fraction_x": float(result["w_start"]), "fraction_y": float(result["h_start"])}
            return result

        def blur_params(self):
            result = blur(self)
            seen["blur"]["kernel"] = result["kernel"]
            return result

        def record_line(kernel, start, end, *args, **kwargs):
            seen["blur"] = {"size_px": len(kernel), "line": [*start, *end]}
            return line(kernel, start, end, *args, **kwargs)

        def record_normal(loc, scale, size):
            seen["noise"] = {"variance": scale**2}
            return np.zeros(size) if silence_noise else normal(loc, scale, size)

        module_cv2 = mock.MagicMock(wraps=cv2)
        module_cv2.line = record_line
        self.patches = [
            mock.patch.object(A.Affine, "get_params_dependent_on_targets", affine_params),
            mock.patch.object(KeypointAwareCrop, "get_params_dependent_on_targets", crop_params),
            mock.patch.object(A.MotionBlur, "get_params", blur_params),
            mock.patch.object(blur_transforms, "cv2", module_cv2),
            mock.patch.object(random_utils, "normal", record_normal),
        ]

    def __enter__(self):
        for patch in self.patches:
            patch.start()
        return self.seen

    def __exit__(self, *_):
        for patch in self.patches:
            patch.stop()


def camera_like(seed):
    """Soft shapes, a few straight edges and a little sensor noise."""
    rng = np.random.default_rng(seed)
    image = np.zeros((HEIGHT, WIDTH, 3))
    for sigma, weight in ((24, 900), (8, 260), (3, 60)):
        image += weight * cv2.GaussianBlur(rng.normal(size=image.shape), (0, 0), sigma)
    image += 125
    for _ in range(5):
        corner = rng.integers([0, 0], [WIDTH, HEIGHT])
        colour = rng.uniform(60, 190, 3)
        cv2.rectangle(image, corner.tolist(), (corner + rng.integers(10, 40, 2)).tolist(), colour.tolist(), -1)
    image = cv2.GaussianBlur(image, (0, 0), 1.0) + rng.normal(0, 1.5, image.shape)
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)


def deeplabcut_keypoints(keypoints):
    """(x, y, visibility) as DLCLoader makes them of labels: unlabelled at (0, 0), both kinds of missing with visibility 0."""
    rows = [[np.nan, np.nan, 0.0] if k is None else [*k, 2.0] for k in keypoints]
    array = np.array(rows)
    inside = (array[:, 0] > 0) & (array[:, 0] < WIDTH) & (array[:, 1] > 0) & (array[:, 1] < HEIGHT)
    array[:, 2] = np.where(inside, 2.0, 0.0)
    DLCLoader._remove_nans({"annotations": [{"keypoints": array}]})
    return array if inside.any() else np.zeros((0, 3))  # the data set drops an animal without a visible part


def run(pipeline, image, keypoints):
    """The pipeline through DeepLabCut's own entry; keypoints that end invisible become None."""
    labels = [str(i) for i in range(len(keypoints))]
    array = deeplabcut_keypoints(keypoints)
    result = apply_transform(pipeline, image, array, np.zeros((0, 4)), class_labels=labels)
    moved = [[float(x), float(y)] if float(v) > 0 else None for x, y, v in np.array(result["keypoints"])[:, :3]]
    return result["image"], moved


def compose(*transforms):
    return A.Compose(
        list(transforms),
        keypoint_params=A.KeypointParams("xy", remove_invisible=False, label_fields=["class_labels"]),
        bbox_params=A.BboxParams(format="coco", label_fields=["bbox_labels"]),
    )


class FixedCrop(KeypointAwareCrop):
    """DeepLabCut's crop at a given place."""

    def __init__(self, width, height, fraction_x, fraction_y):
        super().__init__(width, height)
        self.place = {"w_start": fraction_x, "h_start": fraction_y}

    def get_params_dependent_on_targets(self, params):
        return self.place


def affine_cases():
    parameters = [(0, 1.25, 0, 0), (13, 0.7, 0, 0), (-25, 1.2, 0, 0), (30, 0.5, 0, 0), (-7.5, 1.0, 9, -4), (90, 1.0, 0, 0)]
    for rotation, scale, dx, dy in parameters:
        # Affine negates the angle that it is given.
        transform = A.Affine(
            scale=(scale, scale),
            rotate=(-rotation, -rotation),
            translate_px={"x": (dx, dx), "y": (dy, dy)},
            keep_ratio=True,
            p=1,
        )
        affine = {"rotation_deg": rotation, "scale": scale, "translation_x_px": dx, "translation_y_px": dy}
        yield "affine", {"affine": affine}, compose(transform)


def crop_cases():
    for width, height, x, y in [(96, 80, 0.4, 0.75), (200, 100, 0.3, 0.5), (101, 151, 0.999999, 0.0), (191, 131, 0.5, 0.5)]:
        pad = A.PadIfNeeded(height, width, border_mode=cv2.BORDER_CONSTANT, always_apply=True)
        crop = {"width_px": width, "height_px": height, "fraction_x": x, "fraction_y": y}
        yield "crop", {"crop": crop}, compose(pad, FixedCrop(width, height, x, y))


def blur_cases():
    for size, line in [(3, [0, 1, 2, 1]), (5, [4, 0, 1, 4]), (7, [0, 1, 6, 4]), (7, [5, 6, 5, 0]), (7, [6, 6, 4, 6])]:
        kernel = np.zeros((size, size), np.uint8)
        cv2.line(kernel, line[:2], line[2:], 1, 1)
        transform = A.MotionBlur(p=1)
        transform.get_params = lambda kernel=kernel: {"kernel": kernel.astype(np.float32) / kernel.sum()}
        yield "blur", {"blur": {"size_px": size, "line": line}}, compose(transform)


def settings(method, width, height, max_shift=0.1, translation=0):
    return {
        "affine": {"p": 0.5, "rotation": 30, "scaling": [0.5, 1.25], "translation": translation},
        "crop_sampling": {"width": width, "height": height, "max_shift": max_shift, "method": method},
        "motion_blur": True,
        "gaussian_noise": 12.75,
    }


def chain_cases():
    crops = [("hybrid", 96, 80), ("density", 200, 100), ("keypoints", 128, 96), ("uniform", 96, 150)]
    for seed, (method, width, height) in enumerate(crops + crops):
        config = settings(method, width, height, translation=15) | {"gaussian_noise": False}
        config["affine"]["p"] = 1.0
        random.seed(seed)
        np.random.seed(seed)
        yield "chain", {"crop": {"width_px": width, "height_px": height}}, build_transforms(config)


def write_cases():
    cases = []
    cv2.imwrite(str(OUT / "source.png"), image := camera_like(1))
    for number, (kind, parameters, pipeline) in enumerate([*affine_cases(), *crop_cases(), *blur_cases()]):
        cases.append((f"{kind}_{number:02d}", kind, parameters, *run(pipeline, image, KEYPOINTS)))
    for number, (kind, parameters, pipeline) in enumerate(chain_cases()):  # lazily: each case seeds before it runs
        with Recorder() as seen:
            augmented, keypoints = run(pipeline, image, KEYPOINTS)
        parameters["affine"] = seen["affine"]
        parameters["crop"] |= seen["crop"]
        if "blur" in seen:
            parameters["blur"] = {key: seen["blur"][key] for key in ("size_px", "line")}
        cases.append((f"{kind}_{number:02d}", kind, parameters, augmented, keypoints))
    entries = []
    for name, kind, parameters, augmented, keypoints in cases:
        cv2.imwrite(str(OUT / f"{name}.png"), augmented, [cv2.IMWRITE_PNG_COMPRESSION, 9])
        entries.append({"name": name, "kind": kind} | parameters | {"keypoints_after": keypoints})
    document = {"versions": versions(), "source": "source.png", "keypoints": KEYPOINTS, "cases": entries}
    (OUT / "cases.json").write_text(json.dumps(document, indent=1) + "\n")


def write_kernels():
    """Row-major pixels of each line as a hexadecimal number, the first pixel its highest bit; order x0, y0, x1, y1."""
    kernels = {}
    for size in (3, 5, 7):
        lines = []
        for x0, y0, x1, y1 in np.ndindex(size, size, size, size):
            kernel = np.zeros((size, size), np.uint8)
            cv2.line(kernel, (x0, y0), (x1, y1), 1, thickness=1)
            lines.append(f"{int(''.join(map(str, kernel.ravel())), 2):x}")
        kernels[str(size)] = lines
    (OUT / "kernels.json").write_text(json.dumps(kernels) + "\n")


def draw_settings():
    """Name, options, and the keypoints that DeepLabCut is given."""
    none_visible = [None, [-3.0, 20.0], None]
    yield "hybrid", settings("hybrid", 96, 80, translation=20), KEYPOINTS
    yield "uniform", settings("uniform", 96, 80), KEYPOINTS
    yield "keypoints", settings("keypoints", 96, 80), KEYPOINTS
    yield "density", settings("density", 96, 80), KEYPOINTS
    yield "padded", settings("density", 200, 100), KEYPOINTS
    yield "clamped_shift", settings("keypoints", 96, 80, max_shift=0.7), KEYPOINTS
    yield "none_visible", settings("density", 96, 80), none_visible


def measure(seen):
    """The numbers that describe one run; the kernel by its size, its pixels and their mean place."""
    values = {"affine_applied": int("affine" in seen), "blur_applied": int("blur" in seen), "noise_applied": int("noise" in seen)}
    values |= seen.get("affine", {})
    values["crop_x"], values["crop_y"] = seen["crop"]["fraction_x"], seen["crop"]["fraction_y"]
    values["crop_sum"] = values["crop_x"] + values["crop_y"]
    if "blur" in seen:
        rows, columns = np.nonzero(seen["blur"]["kernel"])
        size = seen["blur"]["size_px"]
        values["blur_size_px"] = size
        values["blur_pixels"] = len(rows)
        values["blur_mean_x"] = round(float(columns.mean()) - size // 2, 6)
        values["blur_mean_y"] = round(float(rows.mean()) - size // 2, 6)
        values["blur_width"] = int(np.ptp(columns))
        values["blur_slope"] = round(float(((columns - columns.mean()) * (rows - rows.mean())).sum()), 6)
    if "noise" in seen:
        values["noise_variance"] = seen["noise"]["variance"]
    return values


def summary(values):
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= 400:
        return {"n": len(values), "values": distinct.tolist(), "counts": counts.tolist()}
    ranks = ((np.arange(QUANTILES) + 0.5) / QUANTILES * len(values)).astype(int)
    return {"n": len(values), "quantiles": [float(f"{v:.6g}") for v in np.sort(values)[ranks]]}


def write_draws():
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    document = {"versions": versions(), "draws": DRAWS, "settings": {}}
    for name, config, keypoints in draw_settings():
        random.seed(name)
        np.random.seed(len(name))
        pipeline = build_transforms(config)
        columns = {}
        array = deeplabcut_keypoints(keypoints)
        labels = [str(i) for i in range(len(array))]
        with Recorder(silence_noise=True) as seen:
            for _ in range(DRAWS):
                seen.clear()
                apply_transform(pipeline, image, array.copy(), np.zeros((0, 4)), class_labels=labels)
                for key, value in measure(seen).items():
                    columns.setdefault(key, []).append(value)
        if name != "hybrid":  # the other parts draw alike in every setting
            columns = {key: columns[key] for key in ("crop_x", "crop_y", "crop_sum")}
        document["settings"][name] = {
            "keypoints": keypoints,
            "crop_sampling": config["crop_sampling"],
            "translation": config["affine"]["translation"],
            "parameters": {key: summary(values) for key, values in columns.items()},
        }
    (OUT / "draws.json").write_text(json.dumps(document) + "\n")


def versions():
    import deeplabcut

    return {
        "deeplabcut": deeplabcut.__version__,
        "albumentations": A.__version__,
        "opencv": cv2.__version__,
        "numpy": np.__version__,
    }


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    write_cases()
    write_kernels()
    write_draws()
