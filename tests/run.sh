#!/usr/bin/env bash
# Sets up, builds and runs the tests; see --help.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'END'
tests/run.sh [options] [-- ctest options]: sets up, builds and runs all tests

  --label NAME    only tests with this label: unit, mpi, gpu, e2e (may be given again: any of them)
  --preset NAME   CMake preset to build (default: release)
  --no-setup      do not run launch/setup.sh first
  --help          this text

Tests on real DeepLabCut data look in RINGPOSE_TEST_DATA (default: the folder shared/ beside the project) and are skipped without it;
GPU tests are skipped without a GPU. The last lines are ctest's summary; the exit status is 0 only when no test failed.

Examples:
  tests/run.sh
  tests/run.sh --label unit -- -R Packed
END
}

fail() {
  echo "tests: error: $*" >&2
  exit 1
}

preset=release setup=yes labels=() extra=()
while [ $# -gt 0 ]; do
  case $1 in
    --label) [ $# -gt 1 ] || fail "--label needs a name"; labels+=("$2"); shift ;;
    --preset) [ $# -gt 1 ] || fail "--preset needs a name"; preset=$2; shift ;;
    --no-setup) setup=no ;;
    --help | -h) usage; exit 0 ;;
    --) shift; extra=("$@"); break ;;
    *) fail "unknown option $1 (--help lists them)" ;;
  esac
  shift
done
if [ ${#labels[@]} -gt 0 ]; then
  extra+=(-L "^($(IFS='|'; echo "${labels[*]}"))\$")
fi

[ "$setup" = no ] || "$root/launch/setup.sh"
cd "$root"
jobs=$(nproc)
cmake --preset "$preset"
cmake --build --preset "$preset" --parallel "$jobs"

export RINGPOSE_TEST_DATA=${RINGPOSE_TEST_DATA:-$root/../shared}
[ -d "$RINGPOSE_TEST_DATA/data" ] || echo "tests: no test data in $RINGPOSE_TEST_DATA: tests on real projects are skipped (RINGPOSE_TEST_DATA names the folder)"
[ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidiactl ] || echo "tests: no NVIDIA GPU: GPU tests are skipped"
ctest --test-dir "build/$preset" --parallel "$jobs" --output-on-failure --no-tests=error ${extra[@]+"${extra[@]}"} < /dev/null
