#!/usr/bin/env bash
# Builds, tests and measures ringpose on a bare machine with GPUs (Ubuntu 24.04, torch in Python, no network).
# usage: gpu_machine.sh STAGE...     stages: check build test open_field seeds video repeat
# environment: KIT     archive with OpenCV and FFmpeg (headers, libraries, CMake and pkg-config files), unpacked to /tmp/kit
#              PROJECT folder of the open-field project            OUT  results (default ./gpu-out)
#              RANKS   ranks to train on (default: number of GPUs) SEEDS (default "42 43 44")
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
OUT=${OUT:-$root/gpu-out}
RANKS=${RANKS:-$(nvidia-smi -L | wc -l)}
SEEDS=${SEEDS:-42 43 44}
work=/tmp/ringpose-gpu
mkdir -p "$work" "$OUT"
# The distribution's compiler and its shared C++ runtime: a static one beside the one LibTorch loads crashes at exit.
export CC=/usr/bin/gcc CXX=/usr/bin/g++ CUDAHOSTCXX=/usr/bin/g++
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=${OMP_NUM_THREADS:-4}
if [ -n "${KIT:-}" ] && [ ! -d /tmp/kit/lib ]; then mkdir -p /tmp/kit && tar xJf "$KIT" -C /tmp/kit; fi
export PKG_CONFIG_PATH=/tmp/kit/lib/pkgconfig:${PKG_CONFIG_PATH:-} LD_LIBRARY_PATH=/tmp/kit/lib:${LD_LIBRARY_PATH:-}
ringpose=$root/build/release/launch/ringpose

stage_check() {
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
  nvidia-smi topo -m | head -4
  bash launch/setup.sh --check --no-apt || echo "set-up check: exit $?"
}
stage_build() {
  time cmake --preset release -DCMAKE_PREFIX_PATH=/tmp/kit > "$work/configure.log" 2>&1 || { tail -30 "$work/configure.log"; return 1; }
  grep "ringpose:" "$work/configure.log" || true
  time cmake --build --preset release --target ${BUILD_TARGETS:-all} -- -k 0 > "$work/build.log" 2>&1 || { grep -E "error|FAILED|undefined" "$work/build.log" | head -30; tail -5 "$work/build.log"; return 1; }
  "$ringpose" --version
}
stage_test() {
  (cd build/release && RINGPOSE_TEST_DATA=${RINGPOSE_TEST_DATA:-$root/.carry} ctest -j 8 --timeout 200 --output-on-failure ${CTEST_ARGS:-}) > "$OUT/ctest.log" 2>&1 || true
  tail -25 "$OUT/ctest.log"
}
train_seed() {  # seed folder
  "$ringpose" pack "$PROJECT" -o "$work/open_field.h5" --test-rows '%20==7' > "$work/pack.log"
  mpirun -n "$RANKS" --bind-to none "$ringpose" train "$work/open_field.h5" --output "$2" --set "training.seed=$1" ${TRAIN_ARGS:-} > "$OUT/train_$1.log" 2>&1 || { tail -20 "$OUT/train_$1.log"; return 1; }
  # The last snapshot, as DeepLabCut's own figures are for; the best one beside it.
  mpirun -n "$RANKS" --bind-to none "$ringpose" evaluate "$2/snapshot-200.safetensors" "$work/open_field.h5" --json "$OUT/evaluate_$1.json"
  mpirun -n "$RANKS" --bind-to none "$ringpose" evaluate "$2" "$work/open_field.h5" | grep -E "snapshot|all  |far off"
}
stage_seeds() {
  for seed in $SEEDS; do
    rm -rf "$work/run$seed" "$work/open_field.h5"
    start=$(date +%s.%N); train_seed "$seed" "$work/run$seed"
    echo "seed $seed: training and evaluation $(echo "$(date +%s.%N) - $start" | bc 2>/dev/null || python3 -c "import time,sys;print(round(time.time()-$start,1))") s, start-up included"
    tail -4 "$OUT/train_$seed.log"
  done
}
stage_video() {
  seed=${SEEDS%% *}
  for ranks in 1 "$RANKS"; do
    rm -rf "$work/video$ranks"; mkdir -p "$work/video$ranks"
    time mpirun -n "$ranks" --bind-to none "$ringpose" analyze "$PROJECT"/videos/*.mp4 --model "$work/run$seed" --destfolder "$work/video$ranks" | tail -5
  done
  for file in "$work"/video1/*.h5 "$work"/video1/*.csv; do
    cmp "$file" "$work/video$RANKS/$(basename "$file")" && echo "identical on 1 and $RANKS ranks: $(basename "$file")"
  done
  "$ringpose" label "$PROJECT"/videos/*.mp4 --predictions "$work"/video1/*.h5 -o "$OUT/labeled.mp4" --codec libx264 | tail -3
  cp "$work"/video1/*.csv "$OUT/predictions.csv"
}
for stage in "$@"; do
  echo "== $stage"
  "stage_$stage"
done
