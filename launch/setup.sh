#!/usr/bin/env bash
# Installs what ringpose needs to be built: system packages through apt, and LibTorch from PyPI's wheels into <project>/.deps.
# Tested on Debian 12 and Ubuntu 24.04. See --help. Safe to run again at any time; a second run changes nothing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
lists=$root/launch/deps
deps=$root/.deps

usage() {
  cat <<'END'
launch/setup.sh [options]: installs what ringpose needs to be built and run

System packages (launch/deps/apt*.txt) come through apt-get; LibTorch comes from PyPI's wheels into .deps inside the project, only
the parts that C++ needs. Nothing else is touched. A machine without a GPU fetches 545 MB. With a GPU the driver decides: 580 and
newer get LibTorch 2.11 for CUDA 13.0, 525 to 579 get LibTorch 2.10 for CUDA 12.8; libraries and nvcc that the system has are used.
A LibTorch 2.9 or newer named by LIBTORCH_ROOT or CMAKE_PREFIX_PATH, or that of `python3 -c "import torch"`, is used as it is.

  --check           change nothing: list what is missing; exit status 1 if anything is
  --no-apt          leave system packages alone (clusters, users without root)
  --wheelhouse DIR  take the wheels from DIR, fetch nothing (--check lists them; `pip download` on another machine fetches them)
  --cpu             LibTorch for CPUs, also where there is a GPU
  --cuda            LibTorch for GPUs, also where there is none (login nodes, CI)
  --driver VERSION  with --cuda: the driver of the machines that have the GPUs, for example 570 (default: 580)
  --fetch           fetch LibTorch even where the system offers one
  --lint            also the packages that .ci/lint needs
  --help            this text

Examples:
  launch/setup.sh                                   a workstation, as root or with sudo
  launch/setup.sh --no-apt --cuda --driver 570      a cluster's login node, CUDA 12.x and MPI loaded as modules
  launch/setup.sh --check --cuda                    what is missing for GPUs, and which wheels to bring along
  launch/setup.sh --no-apt --wheelhouse ~/wheels    a machine without network
END
}

say() { echo "setup: $*"; }
fail() {
  echo "setup: error: $*" >&2
  exit 1
}

check=no apt=yes wheelhouse="" target=auto driver="" fetch=no package_lists=("$lists/apt.txt")
while [ $# -gt 0 ]; do
  case $1 in
    --check) check=yes ;;
    --no-apt) apt=no ;;
    --wheelhouse) [ $# -gt 1 ] || fail "--wheelhouse needs a folder"; wheelhouse=$2; shift ;;
    --cpu | --cuda) target=${1#--} ;;
    --driver) [ $# -gt 1 ] || fail "--driver needs a version"; driver=$2; shift ;;
    --fetch) fetch=yes ;;
    --lint) package_lists+=("$lists/apt-lint.txt") ;;
    --help | -h) usage; exit 0 ;;
    *) fail "unknown option $1 (--help lists them)" ;;
  esac
  shift
done
[ -z "$wheelhouse" ] || [ -d "$wheelhouse" ] || fail "--wheelhouse $wheelhouse: no such folder"
[[ -z "$driver" || "$driver" =~ ^[0-9]+(\.[0-9]+)*$ ]] || fail "--driver $driver: expected a version like 580 or 570.124.06"
[ "$target" != cpu ] || [ -z "$driver" ] || fail "--driver says which GPU libraries to take; it does not go with --cpu"
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || fail "found $(uname -s) on $(uname -m), expected Linux on x86_64"

# --- System packages -------------------------------------------------------------------------------------------------

# Whether one sign of a package (cmd:, pc:, file:; see apt.txt) is there.
sign_seen() {
  local prefix
  case $1 in
    cmd:*) command -v "${1#cmd:}" > /dev/null ;;
    pc:*) pkg-config --exists "${1#pc:}" 2> /dev/null ;;
    file:/*) [ -e "${1#file:}" ] ;;
    file:*)
      local prefixes=${CMAKE_PREFIX_PATH:-}
      for prefix in ${prefixes//[:;]/ } /usr /usr/local; do
        [ -e "$prefix/${1#file:}" ] && return 0
      done
      return 1 ;;
    *) return 1 ;;
  esac
}

package_there() {
  local name=$1 sign
  shift
  for sign in "$@"; do sign_seen "$sign" && return 0; done
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2> /dev/null)" = installed ]
}

missing_packages() {
  local name signs
  while read -r name signs; do
    # pip only fetches wheels, and any python3 with pip will do.
    if [ "$name" = python3-pip ] && { [ -n "$wheelhouse" ] || python3 -m pip --version > /dev/null 2>&1; }; then continue; fi
    # shellcheck disable=SC2086  # the signs are words
    package_there "$name" $signs || echo "$name"
  done < <(grep -hv -e '^#' -e '^$' "${package_lists[@]}")
}

system_packages() {
  local listing missing as_root=()
  listing=$(missing_packages)
  read -r -d '' -a missing <<< "$listing" || true
  if [ ${#missing[@]} -eq 0 ]; then
    say "system packages: all there"
    return
  fi
  say "system packages missing: ${missing[*]}"
  if [ "$check" = yes ]; then
    anything_missing=yes
  elif [ "$apt" = no ] || ! command -v apt-get > /dev/null; then
    say "not installed by this script here: ask the administrator, load modules, or point CMAKE_PREFIX_PATH and PKG_CONFIG_PATH at them"
  else
    if [ "$(id -u)" -ne 0 ]; then
      command -v sudo > /dev/null || fail "neither root nor sudo. Ask the administrator for: apt-get install ${missing[*]} (or run with --no-apt)"
      as_root=(sudo)
    fi
    say "apt-get update and install (OpenCV brings many others: about 1 GB on a bare machine)"
    "${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300 update < /dev/null
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
      install --no-install-recommends "${missing[@]}" < /dev/null > /dev/null || fail "apt-get could not install them (see its message above)"
    say "system packages installed"
  fi
}

# --- GPU, driver, toolkit --------------------------------------------------------------------------------------------

find_driver() {
  local found=""
  if command -v nvidia-smi > /dev/null; then
    found=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2> /dev/null | head -n 1 || true)
  fi
  if ! [[ "$found" =~ ^[0-9]+\. ]] && [ -r /proc/driver/nvidia/version ]; then
    found=$(sed -nE 's/^NVRM version:.* ([0-9]+\.[0-9.]+) .*/\1/p' /proc/driver/nvidia/version | head -n 1)
  fi
  if [[ "$found" =~ ^[0-9]+\. ]]; then echo "$found"; fi
}

# Sets set_name to cpu, cuda13 or cuda12.
choose_set() {
  local found=$driver
  [ -n "$found" ] || found=$(find_driver)
  if [ "$target" = cpu ] || { [ "$target" = auto ] && [ -z "$found" ]; }; then
    set_name=cpu
    [ "$target" = cpu ] || say "no NVIDIA driver here: CPU build (--cuda fetches the GPU libraries all the same)"
    return
  fi
  [ -n "$found" ] || say "no NVIDIA driver here: taking the set for drivers 580 and newer (--driver names another)"
  local major=${found%%.*}
  if [ -z "$found" ] || [ "$major" -ge 580 ]; then
    set_name=cuda13
  elif [ "$major" -ge 525 ]; then
    set_name=cuda12
  else
    fail "NVIDIA driver $found is too old: LibTorch needs 525 or newer (CUDA 12.8), better 580 or newer (CUDA 13.0). Install one from" \
      "your distribution or NVIDIA, or build for CPUs with --cpu"
  fi
  say "${found:+NVIDIA driver $found: }CUDA ${set_name#cuda}.x"
}

# Sets nvcc and nvcc_version to the system's toolkit of the major version $1, if it has one with headers.
find_toolkit() {
  local candidate version
  nvcc="" nvcc_version=""
  for candidate in "${CUDACXX:-}" "${CUDA_HOME:-/nowhere}/bin/nvcc" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "/usr/local/cuda-$1/bin/nvcc"; do
    [ -x "$candidate" ] || continue
    version=$("$candidate" --version 2> /dev/null | sed -nE 's/.*release ([0-9]+\.[0-9]+).*/\1/p' || true)
    if [ -z "$version" ]; then
      say "$candidate does not run: not used"
    elif [ "${version%%.*}" != "$1" ]; then
      say "$candidate is CUDA $version, expected $1.x: not used"
    elif [ ! -e "$(dirname "$candidate")/../include/cublas_v2.h" ] && [ ! -e /usr/include/cublas_v2.h ]; then
      say "$candidate comes without cublas_v2.h: not used"
    else
      nvcc=$candidate nvcc_version=$version
      return
    fi
  done
}

at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# --- LibTorch --------------------------------------------------------------------------------------------------------

wheels() { # wheels ACTION GROUPS [options]: see launch/deps/wheels.py
  local list=cuda13.txt
  [ "$set_name" != cuda12 ] || list=cuda12.txt
  local action=$1 groups=$2
  shift 2
  python3 "$lists/wheels.py" "$action" "$lists/$list" --deps "$deps" --groups "$groups" "$@"
}

# Fetches the groups, or lists them when only checking.
wheels_needed() {
  local listing
  if listing=$(wheels status "$@"); then
    say "$(describe "$1"): all there in .deps"
  elif [ -z "$listing" ]; then
    exit 1
  elif [ "$check" = yes ]; then
    say "$(describe "$1"): missing these wheels"
    echo "$listing"
    anything_missing=yes
  else
    wheels install "$@" ${wheelhouse:+--wheelhouse "$wheelhouse"}
  fi
}

describe() {
  case $1 in
    toolkit) echo "CUDA compiler" ;;
    *) if [ "$set_name" = cpu ]; then echo "LibTorch for CPUs"; else echo "LibTorch for CUDA ${set_name#cuda}"; fi ;;
  esac
}

# Sets existing to "folder<tab>version<tab>CUDA major" of a LibTorch that serves the chosen set.
find_existing() {
  existing=""
  [ "$fetch" = no ] || return 0
  # What an earlier run put into .deps comes before the torch of a Python that happens to be on the PATH, as in CMake.
  if [ -e "$deps/stamps" ] && [ -z "${LIBTORCH_ROOT:-}${CMAKE_PREFIX_PATH:-}" ]; then return 0; fi
  existing=$(python3 "$lists/find_libtorch.py" || true)
  if [ -n "$existing" ] && [ "$set_name" != cpu ] && [ "${existing##*$'\t'}" = - ]; then
    say "LibTorch in ${existing%%$'\t'*} is built without CUDA: not used"
    existing=""
  fi
}

use_existing() {
  local folder version cuda
  IFS=$'\t' read -r folder version cuda <<< "$existing"
  say "LibTorch $version (CUDA $cuda) in $folder is used; nothing is fetched in its place (--fetch would)"
  if [ "$set_name" != cpu ]; then
    set_name=cuda$cuda
    find_toolkit "$cuda"
    if [ -n "$nvcc" ]; then
      say "CUDA compiler $nvcc_version: $nvcc"
    else
      no_toolkit base,toolkit
    fi
  fi
}

no_toolkit() { # no_toolkit GROUPS: what to fetch where the system has no toolkit
  [ "$set_name" = cuda13 ] || fail "CUDA 12 needs a CUDA 12 toolkit (12.8 is best; on clusters: module load cuda), found none with nvcc and" \
    "headers: PyPI has no nvcc for CUDA 12. Or install a driver 580 or newer, or build for CPUs with --cpu"
  wheels_needed "$1" --all
}

libtorch() {
  command -v python3 > /dev/null || { say "python3 is missing: LibTorch cannot be looked for"; anything_missing=yes; return; }
  choose_set
  find_existing
  if [ -n "$existing" ]; then
    use_existing
  elif [ "$set_name" = cpu ]; then
    wheels_needed torch,base
  else
    find_toolkit "${set_name#cuda}"
    local built_for=13.0
    [ "$set_name" = cuda13 ] || built_for=12.8
    if [ -z "$nvcc" ]; then
      no_toolkit torch,base,gpu,toolkit
    elif at_least "$nvcc_version" "$built_for"; then
      say "CUDA compiler $nvcc_version: $nvcc"
      wheels_needed torch,base,gpu
    else
      say "CUDA compiler $nvcc_version: $nvcc (its libraries are older than $built_for: taking LibTorch's)"
      wheels_needed torch,base,gpu --all
    fi
  fi
}

# ---------------------------------------------------------------------------------------------------------------------

anything_missing=no
# shellcheck disable=SC1091
. /etc/os-release 2> /dev/null || true
case ${ID:-}-${VERSION_ID:-} in
  debian-12 | ubuntu-24.04) ;;
  *) say "${PRETTY_NAME:-this system} is untested (Debian 12 and Ubuntu 24.04 are tested)" ;;
esac
if [ "$check" = no ]; then
  mkdir -p "$deps"
  exec 9> "$deps/lock"
  flock 9
fi
system_packages
libtorch
if [ "$anything_missing" = yes ]; then
  say "something is missing: run launch/setup.sh without --check"
  exit 1
fi
say "ready"
