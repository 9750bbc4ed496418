"""Does DeepLabCut itself open a project that `ringpose synth` wrote?

usage: check_dlc_opens_project.py RINGPOSE_BINARY

Writes a small project in a temporary folder, reads its config.yaml with DeepLabCut, compares CollectedData .h5 (read by
pandas) with the .csv (read by DeepLabCut's own converter), and lets create_training_dataset make a PyTorch shuffle.
Prints one line for each check; exit code 0: all passed, 77: deeplabcut is not installed here.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import deeplabcut
except ImportError as error:
    print(f"skipped: deeplabcut cannot be imported by {sys.executable}: {error}")
    sys.exit(77)

import numpy as np
import pandas as pd
import timm
from deeplabcut.utils import auxiliaryfunctions

_create_model = timm.create_model


def create_model_without_download(*args, **kwargs):
    kwargs["pretrained"] = False
    return _create_model(*args, **kwargs)


timm.create_model = create_model_without_download

FRAMES, LABELLED = 60, 20


def check(what, passed):
    print(("ok: " if passed else "FAILED: ") + what)
    if not passed:
        sys.exit(1)


def check_config(project, config):
    check("config.yaml names Task, scorer and date", (config["Task"], config["scorer"], config["date"]) == ("face", "ringpose", "Jul1"))
    check("project_path is the project", pathlib.Path(config["project_path"]) == project)
    check("bodyparts and skeleton", list(config["bodyparts"]) == ["lefteye", "righteye", "nose"]
          and [list(link) for link in config["skeleton"]] == [["lefteye", "nose"], ["nose", "righteye"]])
    videos = [pathlib.Path(video) for video in config["video_sets"]]
    check("video_sets names the video", videos == [project / "videos" / "face.mp4"] and videos[0].exists())


def check_labels(project, config_file):
    labels = project / "labeled-data" / "face"
    written = pd.read_hdf(labels / "CollectedData_ringpose.h5")
    check("CollectedData.h5 has a row for each labelled frame", written.shape == (LABELLED, 6))
    check("rows are sorted as DeepLabCut sorts them", written.index.equals(written.sort_index().index))
    # DeepLabCut's own converter reads the csv and writes an h5 from it.
    deeplabcut.convertcsv2h5(str(config_file), userfeedback=False)
    converted = pd.read_hdf(labels / "CollectedData_ringpose.h5")
    pd.testing.assert_frame_equal(written, converted, check_exact=True)
    check("CollectedData.h5 equals what DeepLabCut makes of the csv", True)
    check("some labels are missing (blinks), none of the nose",
          bool(written.isna().to_numpy().any()) and not written.xs("nose", axis=1, level="bodyparts").isna().to_numpy().any())
    return written


def check_training_set(project, config_file, labels):
    deeplabcut.create_training_dataset(str(config_file), num_shuffles=1, net_type="resnet_50",
                                       engine=deeplabcut.Engine.PYTORCH, userfeedback=False)
    merged = list(project.glob("training-datasets/iteration-0/*/CollectedData_ringpose.h5"))
    check("create_training_dataset wrote the merged labels", len(merged) == 1)
    table = pd.read_hdf(merged[0])
    check("the merged labels are ours", np.array_equal(table.to_numpy(), labels.to_numpy(), equal_nan=True))
    check("create_training_dataset wrote pytorch_config.yaml", len(list(project.rglob("pytorch_config.yaml"))) == 1)


def main(binary):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "synth", folder, "--date", "2026-07-01", "--frames", str(FRAMES), "--labelled", str(LABELLED),
                        "--width", "160", "--height", "120"], check=True)
        project = pathlib.Path(folder).resolve() / "face-ringpose-2026-07-01"
        config_file = project / "config.yaml"
        check_config(project, auxiliaryfunctions.read_config(str(config_file)))
        labels = check_labels(project, config_file)
        check_training_set(project, config_file, labels)
    print(f"DeepLabCut {deeplabcut.__version__} opens the project")


if __name__ == "__main__":
    main(sys.argv[1])
