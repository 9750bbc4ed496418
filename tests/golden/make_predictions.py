"""Writes tests/golden/predictions: prediction files as DeepLabCut writes them, by its own create_df_from_prediction.

usage: python tests/golden/make_predictions.py    (DeepLabCut 3.0.2; versions in predictions/VERSIONS.txt)

The values are a formula of (frame, column), float32 as the network's predictions are, with the extremes that change how numpy
prints a float32: below 1e-4, 1e6 and above, whole numbers, negative, NaN.
"""

import importlib.metadata
import pathlib
import tempfile

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent / "predictions"
SCORER = "DLC_Resnet50_openfieldOct30shuffle1_snapshot_best-120"
CASES = {"open_field": ["snout", "leftear", "rightear", "tailbase"], "names": ["Nase µ", "a,b", 'quo"te', "right eye"]}
EXTREMES = [1e-4, 9.9e-5, 1.0001e-4, 1e-7, 999999.9, 1e6, 1234567.1, 16777216.0, 0.0, -3.25, 100.0, np.nan, 1 / 3, 0.1]


def values(frames: int, parts: int) -> np.ndarray:
    """[frames, parts, 3] float32."""
    frame, part, coordinate = np.meshgrid(np.arange(frames), np.arange(parts), np.arange(3), indexing="ij")
    table = (np.sin(frame * 1.7 + part * 0.9 + coordinate) * 300 + 320).astype(np.float32)
    table[..., 2] = 1 / (1 + np.exp(-table[..., 2] / 40 + 6))
    flat = table.reshape(-1)
    flat[: len(EXTREMES)] = np.array(EXTREMES, dtype=np.float32)
    return table


def main() -> None:
    import deeplabcut.pose_estimation_pytorch.apis.videos as videos

    FOLDER.mkdir(exist_ok=True)
    for name, bodyparts in CASES.items():
        table = values(9, len(bodyparts))
        config = {"metadata": {"bodyparts": bodyparts, "unique_bodyparts": [], "individuals": ["animal"]}}
        predictions = [{"bodyparts": frame[np.newaxis]} for frame in table]
        with tempfile.TemporaryDirectory() as scratch:
            videos.create_df_from_prediction(predictions, SCORER, False, config, scratch, name, save_as_csv=True)
            for ending in (".h5", ".csv"):
                (FOLDER / (name + ending)).write_bytes((pathlib.Path(scratch) / (name + ending)).read_bytes())
        table.astype("<f4").tofile(FOLDER / f"{name}.f32")
    packages = ("deeplabcut", "pandas", "numpy", "tables")
    (FOLDER / "VERSIONS.txt").write_text("".join(f"{p} {importlib.metadata.version(p)}\n" for p in packages))


if __name__ == "__main__":
    main()
