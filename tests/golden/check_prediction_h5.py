"""Checks with pandas that the prediction files written by the unit tests equal DeepLabCut's own (tests/golden/predictions).

usage: python check_prediction_h5.py ANALYSIS_TESTS    (the test executable; it writes the files when RINGPOSE_KEEP_PREDICTIONS
names a folder). Exit code 77: pandas or PyTables is missing.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import pandas as pd
    import tables  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

GOLDEN = pathlib.Path(__file__).resolve().parent / "predictions"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, RINGPOSE_KEEP_PREDICTIONS=folder)
        subprocess.run([sys.argv[1], "--gtest_filter=PredictionH5.KeptForPandas"], env=environment, check=True)
        for name in ("open_field", "names"):
            ours = pd.read_hdf(pathlib.Path(folder) / f"{name}.h5")
            dlc = pd.read_hdf(GOLDEN / f"{name}.h5")
            pd.testing.assert_frame_equal(ours, dlc, check_exact=True)
            part = pd.read_hdf(pathlib.Path(folder) / f"{name}.h5", key="df_with_missing", start=2, stop=5)
            pd.testing.assert_frame_equal(part, dlc.iloc[2:5], check_exact=True)
            some = pd.read_hdf(pathlib.Path(folder) / f"{name}.h5", where="index > 6")
            pd.testing.assert_frame_equal(some, dlc.iloc[7:], check_exact=True)
    print("pandas reads the same values, names and types from our files as from DeepLabCut's")


if __name__ == "__main__":
    main()
