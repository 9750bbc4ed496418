#!/usr/bin/env bash
# The whole way once, from nothing to a labelled video of a synthetic mouse face; see --help.
set -euo pipefail
export LC_ALL=C # decimal points, whatever the language

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/demo
mark=$out/.ringpose-demo

usage() {
  cat <<'END'
launch/demo.sh [options]: sets up, builds, and trains a synthetic DeepLabCut project on 2 ranks

Leaves in demo/: the project, the packed data, the run folder with the snapshots, the tables of the video in DeepLabCut's formats, a
labelled video and a plot. A demo/ of an earlier run is replaced; any other folder of that name is refused. After set-up and
build it takes under 5 minutes on 2 CPU cores; with a GPU for every rank each uses one. Each step's whole output is in demo/logs.
The last line is "demo: test error X px, video PATH"; the exit status is 0 only when the test error is below 3 px and at least 5
times smaller than that of guessing each bodypart's mean training position.

  --no-setup   do not run launch/setup.sh first
  --preset P   CMake preset to build (default: release)
  --no-build   use build/<preset> as it is
  --ranks N    MPI ranks (default: 2)
  --help       this text
END
}

fail() {
  echo "demo: error: $*" >&2
  exit 1
}

setup=yes build=yes preset=release ranks=2
while [ $# -gt 0 ]; do
  case $1 in
    --no-setup) setup=no ;;
    --no-build) build=no ;;
    --preset) [ $# -gt 1 ] || fail "--preset needs a name"; preset=$2; shift ;;
    --ranks) [ $# -gt 1 ] || fail "--ranks needs a number"; ranks=$2; shift ;;
    --help | -h) usage; exit 0 ;;
    *) fail "unknown option $1 (--help lists them)" ;;
  esac
  shift
done
[[ "$ranks" =~ ^[1-8]$ ]] || fail "--ranks $ranks: expected 1 to 8"

# A folder is ours when it carries our mark; nothing else is ever removed.
if [ -e "$out" ] && [ ! -f "$mark" ]; then
  fail "$out exists, and was not made by this script: move it away first"
fi

[ "$setup" = no ] || "$root/launch/setup.sh"
if [ "$build" = yes ]; then
  (cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset" --target ringpose --parallel "$(nproc)")
fi
ringpose=$root/build/$preset/launch/ringpose
[ -x "$ringpose" ] || fail "$ringpose is missing: run without --no-build"

rm -rf "$out"
mkdir -p "$out/logs"
: > "$mark"

# Open MPI refuses root unless told; ranks on a small machine share cores, and waiting ranks must not burn them.
mpi=(mpirun --oversubscribe --bind-to none -n "$ranks")
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export OMPI_MCA_mpi_yield_when_idle=1

# One rank per GPU; with fewer GPUs than ranks all ranks use the CPU.
gpus=$({ nvidia-smi -L 2> /dev/null || true; } | grep -c '^GPU' || true)
if [ -n "${CUDA_VISIBLE_DEVICES+set}" ]; then
  gpus=$(printf '%s' "$CUDA_VISIBLE_DEVICES" | awk -F, '{ print NF }')
fi
if [ "${gpus:-0}" -lt "$ranks" ]; then
  [ "${gpus:-0}" = 0 ] || echo "demo: $gpus GPU(s) for $ranks ranks: using the CPU (--ranks $gpus uses them)"
  export CUDA_VISIBLE_DEVICES=
fi

started=$SECONDS
step() { # step NAME COMMAND...: runs it with its output shown and kept; stops the demo when it fails
  local name=$1
  shift
  echo
  echo "demo: [$((SECONDS - started)) s] $name: $(printf '%q ' "$@" | sed "s|$root/||g")"
  # In the background and waited for, so that a signal to this script is seen at once and passed on.
  "$@" > >(tee "$out/logs/$name.log") 2>&1 < /dev/null &
  running=$!
  wait "$running" || fail "$name failed; its output is in $out/logs/$name.log"
  running=
}
running=
stop() { # stop EXIT_STATUS: ends the running step, mpirun its ranks
  trap - INT TERM HUP
  echo "demo: stopped"
  [ -z "$running" ] || kill -TERM "$running" 2> /dev/null || true
  [ -z "$running" ] || wait "$running" 2> /dev/null || true
  exit "$1"
}
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP
report() { # report FILE KEY...: one value of a JSON report
  python3 -c 'import functools, json, sys
print(functools.reduce(lambda node, key: node[int(key) if isinstance(node, list) else key], sys.argv[2:], json.load(open(sys.argv[1]))))' "$@"
}

step synth "$ringpose" synth "$out" --frames 600 --labelled 200 --seed 1 --json "$out/synth.json"
project=$(report "$out/synth.json" project)
video=$(report "$out/synth.json" video)
step pack "$ringpose" pack "$project" -o "$out/face.h5" --json "$out/pack.json"
step train "${mpi[@]}" "$ringpose" train "$out/face.h5" --output "$out/run" --config "$root/launch/configs/demo.yaml" --json "$out/train.json"
snapshot=$(report "$out/train.json" last_snapshot)
step evaluate "${mpi[@]}" "$ringpose" evaluate "$snapshot" "$out/face.h5" --json "$out/evaluate.json"
step analyze "${mpi[@]}" "$ringpose" analyze "$video" --model "$snapshot" --destfolder "$out/results" --json "$out/analyze.json"
predictions=$(report "$out/analyze.json" videos 0 h5)
step label "$ringpose" label "$video" --predictions "$predictions" --config "$project" --trailpoints 5 -o "$out/face_labeled.mp4" --json "$out/label.json"
step plot "$ringpose" plot "$predictions" -o "$out/face_plot.png" --json "$out/plot.json"

labelled=$(report "$out/label.json" output)
error=$(report "$out/evaluate.json" test rmse_px)
guess=$(report "$out/evaluate.json" test baseline_rmse_px)
[ -s "$labelled" ] || fail "the labelled video $labelled is missing"
echo
echo "demo: took $((SECONDS - started)) s after set-up and build; results in $out"
printf "demo: test error %.2f px; guessing each bodypart's mean training position: %.2f px\n" "$error" "$guess"
# awk compares fractions; a missing error (None) is no number and fails.
awk -v error="$error" -v guess="$guess" 'BEGIN { exit !(error ~ /^[0-9.e-]+$/ && error < 3 && 5 * error <= guess) }' ||
  fail "expected a test error below 3 px and at most a fifth of the guess"
printf 'demo: test error %.2f px, video %s\n' "$error" "$labelled"
