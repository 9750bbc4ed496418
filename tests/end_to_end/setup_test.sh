#!/usr/bin/env bash
# setup_test.sh PROJECT CASE: tests of launch/setup.sh, offline, on a copy with lists of tiny wheels of its own.
# Each function case_* below is one test; tests/end_to_end/CMakeLists.txt registers them.
set -euo pipefail

project=$1 name=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LIBTORCH_ROOT CMAKE_PREFIX_PATH CUDACXX CUDA_HOME PYTHONPATH
copy=$work/project house=$work/wheels output=$work/output

fail() {
  echo "$name: $*"
  [ ! -e "$output" ] || sed 's/^/  | /' "$output"
  exit 1
}
run_setup() { # run_setup STATUS OPTIONS...: expects this exit status, keeps what was printed
  local expected=$1 status=0
  shift
  "$copy/launch/setup.sh" --no-apt "$@" > "$output" 2>&1 < /dev/null || status=$?
  [ "$status" -eq "$expected" ] || fail "setup.sh $* ended with $status, expected $expected"
}
expect_text() { grep -qF -- "$1" "$output" || fail "expected the text: $1"; }
expect_no_text() { ! grep -qF -- "$1" "$output" || fail "unexpected text: $1"; }
expect_file() { [ -f "$copy/.deps/$1" ] || fail "$1 is missing in .deps"; }
expect_no_file() { [ ! -e "$copy/.deps/$1" ] || fail "$1 should not be in .deps"; }

# make_wheel WHEEL FILE...: each file holds its own name.
make_wheel() {
  python3 - "$house/$1" "${@:2}" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for name in sys.argv[2:]:
        archive.writestr(name, name * 50)
END
}
# list_wheel LIST GROUP LIBRARY WHEEL: a line with the true size and SHA-256.
list_wheel() {
  echo "$2 $3 $(stat -c %s "$house/$4") $(sha256sum "$house/$4" | cut -d' ' -f1) $4" >> "$copy/launch/deps/$1"
}

mkdir -p "$copy/launch/deps" "$house"
cp "$project/launch/setup.sh" "$copy/launch/"
cp "$project"/launch/deps/*.py "$copy/launch/deps/"
echo "g++ cmd:sh" > "$copy/launch/deps/apt.txt"
torch=torch-2.11.0-cp311-cp311-linux_x86_64.whl runtime=nvidia_cuda_runtime-13.0.96-py3-none-any.whl
special=nvidia_special-1.0-py3-none-any.whl known=nvidia_known-1.0-py3-none-any.whl older=torch-2.10.0-cp311-cp311-linux_x86_64.whl
make_wheel $torch torch/include/a.h torch/lib/libtorch_cpu.so torch/lib/libtorch_cuda.so torch/lib/libtorch_python.so torch/nn.py torch/version.py \
  torch/share/cmake/Torch.cmake torch-2.11.0.dist-info/RECORD
make_wheel $runtime nvidia/cu13/lib/libcudart.so.13 nvidia/cu13/lib/__init__.py
make_wheel $special nvidia/special/lib/libspecial.so.1
make_wheel $known nvidia/known/lib/libc.so.6
make_wheel $older torch/include/old.h
list_wheel cuda13.txt torch - $torch
list_wheel cuda13.txt base - $runtime
list_wheel cuda13.txt gpu libringpose_special.so.1 $special
list_wheel cuda13.txt gpu libc.so.6 $known
list_wheel cuda12.txt torch - $older

make_toolkit() { # make_toolkit VERSION: an nvcc that tells this version, named by CUDACXX
  mkdir -p "$work/toolkit/bin" "$work/toolkit/include"
  touch "$work/toolkit/include/cublas_v2.h"
  printf '#!/bin/sh\necho "Cuda compilation tools, release %s, V%s.0"\n' "$1" "$1" > "$work/toolkit/bin/nvcc"
  chmod +x "$work/toolkit/bin/nvcc"
  export CUDACXX=$work/toolkit/bin/nvcc
}
# A pip that takes wheels from the folder FAKE_PIP_HOUSE, notes each in FAKE_PIP_LOG, and never returns for FAKE_PIP_HANG.
make_pip() {
  mkdir -p "$work/python/pip"
  touch "$work/python/pip/__init__.py"
  cat > "$work/python/pip/__main__.py" <<'END'
import glob, os, shutil, sys, time
if "--version" in sys.argv:
    sys.exit(print("pip 24.0 from nowhere"))
name, version = next(word for word in sys.argv if "==" in word).split("==")
with open(os.environ["FAKE_PIP_LOG"], "a") as log:
    print(name, file=log)
if name == os.environ.get("FAKE_PIP_HANG"):
    time.sleep(600)
wheel, = glob.glob(f"{os.environ['FAKE_PIP_HOUSE']}/{name.replace('-', '_')}-{version}-*.whl")
shutil.copy(wheel, sys.argv[sys.argv.index("--dest") + 1])
END
  export PYTHONPATH=$work/python FAKE_PIP_HOUSE=$house FAKE_PIP_LOG=$work/pip.log
}
make_python_torch() { # make_python_torch MINOR: a torch package 2.MINOR.0, without CUDA
  local folder=$work/python/torch
  mkdir -p "$folder/lib" "$folder/include/torch/csrc/api/include/torch"
  touch "$folder/__init__.py" "$folder/lib/libtorch_cpu.so"
  printf '#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR %s\n#define TORCH_VERSION_PATCH 0\n' "$1" \
    > "$folder/include/torch/csrc/api/include/torch/version.h"
  export PYTHONPATH=$work/python
}

case_check_lists_and_changes_nothing() {
  echo "ringpose-no-such-package cmd:ringpose-no-such-command" >> "$copy/launch/deps/apt.txt"
  local before after
  before=$(find "$copy" -printf '%p %T@ %s\n' | sort)
  run_setup 1 --check --cpu --fetch
  after=$(find "$copy" -printf '%p %T@ %s\n' | sort)
  [ "$before" = "$after" ] || fail "--check changed the project"
  expect_text "missing: ringpose-no-such-package"
  expect_text $torch
  expect_text nvidia-cuda-runtime==13.0.96
  expect_no_text $special
}

case_wheelhouse_installs_the_parts_needed_once() {
  run_setup 0 --cpu --fetch --wheelhouse "$house"
  expect_file torch/include/a.h
  expect_file torch/lib/libtorch_cpu.so
  expect_file torch/share/cmake/Torch.cmake
  expect_file nvidia/cu13/lib/libcudart.so.13
  expect_no_file torch/lib/libtorch_cuda.so
  expect_no_file torch/lib/libtorch_python.so
  expect_no_file torch/nn.py
  expect_no_file nvidia/cu13/lib/__init__.py
  local before after
  before=$(find "$copy/.deps" -type f ! -name lock -printf '%p %T@ %s\n' | sort)
  run_setup 0 --cpu --fetch
  expect_text "all there in .deps"
  after=$(find "$copy/.deps" -type f ! -name lock -printf '%p %T@ %s\n' | sort)
  [ "$before" = "$after" ] || fail "a second run changed .deps"
  run_setup 0 --check --cpu --fetch
  rm "$copy/.deps/torch/include/a.h"
  run_setup 1 --check --cpu --fetch
  expect_text $torch
}

case_cuda_adds_what_the_loader_lacks() {
  make_toolkit 13.0
  run_setup 0 --cpu --fetch --wheelhouse "$house"
  run_setup 0 --cuda --fetch --driver 580.65.06 --wheelhouse "$house"
  expect_file torch/lib/libtorch_cuda.so
  expect_file nvidia/special/lib/libspecial.so.1
  expect_no_file nvidia/known/lib/libc.so.6
  run_setup 0 --check --cpu --fetch
}

case_wheelhouse_names_a_missing_wheel() {
  rm "$house/$runtime"
  run_setup 1 --cpu --fetch --wheelhouse "$house"
  expect_text "lacks 1 of 2 wheels"
  expect_text $runtime
  expect_no_file torch
}

case_other_sha256_is_refused() {
  make_wheel $runtime nvidia/cu13/lib/libcudart.so.13 nvidia/cu13/lib/evil.so
  run_setup 1 --cpu --fetch --wheelhouse "$house"
  expect_text "the SHA-256 is $(sha256sum "$house/$runtime" | cut -d' ' -f1), expected"
  expect_no_file nvidia
  run_setup 1 --check --cpu --fetch
  expect_text $runtime
  expect_no_text $torch
}

case_killed_run_resumes() {
  make_pip
  FAKE_PIP_HANG=nvidia-cuda-runtime setsid "$copy/launch/setup.sh" --no-apt --cpu --fetch > "$output" 2>&1 < /dev/null &
  local first=$!
  for _ in $(seq 300); do
    ! grep -qs nvidia-cuda-runtime "$FAKE_PIP_LOG" || break
    sleep 0.1
  done
  grep -qs nvidia-cuda-runtime "$FAKE_PIP_LOG" || fail "the run never came to the second wheel"
  kill -KILL -- "-$first"
  wait "$first" 2> /dev/null || true
  expect_file torch/lib/libtorch_cpu.so
  # What a kill in the middle of a file leaves behind: a part of it, and no stamp.
  echo half > "$copy/.deps/torch/include/a.h.part"
  mkdir -p "$copy/.deps/nvidia/cu13/lib"
  echo other > "$copy/.deps/nvidia/cu13/lib/libcudart.so.13"
  run_setup 0 --cpu --fetch
  expect_text "[1/1] nvidia-cuda-runtime==13.0.96"
  [ "$(grep -c torch "$FAKE_PIP_LOG")" -eq 1 ] || fail "torch was fetched again"
  grep -q '^nvidia/cu13' "$copy/.deps/nvidia/cu13/lib/libcudart.so.13" || fail "a file of the killed run was kept"
  expect_no_file tmp
}

case_old_pip_or_none_is_named() {
  mkdir -p "$work/python/pip"
  touch "$work/python/pip/__init__.py"
  echo 'import sys; sys.exit(1)' > "$work/python/pip/__main__.py"
  PYTHONPATH=$work/python run_setup 1 --cpu --fetch
  expect_text "has no pip 21 or newer"
  expect_text "--wheelhouse DIR"
}

case_existing_libtorch_is_used() {
  make_python_torch 9
  run_setup 0 --cpu
  expect_text "LibTorch 2.9.0 (CUDA -) in $work/python/torch is used"
  expect_no_file torch
  make_python_torch 8
  run_setup 1 --check --cpu
  expect_text "LibTorch 2.8.0 in $work/python/torch is older than 2.9, not used"
  expect_text $torch
}

case_driver_decides() {
  make_toolkit 12.8
  run_setup 1 --check --fetch --cuda --driver 570.124.06
  expect_text $older
  expect_no_text $torch
  run_setup 1 --check --fetch --cuda --driver 470.82
  expect_text "NVIDIA driver 470.82 is too old"
  expect_text "580 or newer"
  make_toolkit 13.0
  run_setup 1 --check --fetch --cuda --driver 580
  expect_text $torch
  run_setup 1 --check --cuda --driver new
  expect_text "expected a version"
}

"case_$name"
echo "$name: passed"
