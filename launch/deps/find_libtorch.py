#!/usr/bin/env python3
"""Prints the first LibTorch 2.9 or newer that the environment offers: folder, version and CUDA version ("-" without CUDA), by tabs.

Looked at in turn: LIBTORCH_ROOT, CMAKE_PREFIX_PATH (a LibTorch, a prefix that holds torch/, or torch.utils.cmake_prefix_path),
then the torch package of this Python, which is found without importing it. Others are named on stderr. Exit status 1 when there is none.
"""
import importlib.util
import os
import re
import sys
from pathlib import Path

LEAST = (2, 9)


def candidates():
    if os.environ.get("LIBTORCH_ROOT"):
        yield Path(os.environ["LIBTORCH_ROOT"])
    for prefix in filter(None, re.split("[:;]", os.environ.get("CMAKE_PREFIX_PATH", ""))):
        yield from (Path(prefix), Path(prefix, "torch"), Path(prefix, "..", ".."))
    spec = importlib.util.find_spec("torch")
    if spec and spec.origin:
        yield Path(spec.origin).parent


def version_of(root):
    for header in ("torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"):
        path = root / "include" / header
        if path.exists():
            numbers = dict(re.findall(r"#define TORCH_VERSION_(MAJOR|MINOR|PATCH) (\d+)", path.read_text()))
            if len(numbers) == 3:
                return tuple(int(numbers[part]) for part in ("MAJOR", "MINOR", "PATCH"))
    return None


def cuda_of(root):
    """13 for a LibTorch whose libc10_cuda asks for libcudart.so.13."""
    try:
        found = re.search(rb"libcudart[-0-9a-f]*\.so\.(\d+)", (root / "lib" / "libc10_cuda.so").read_bytes())
        return found.group(1).decode() if found else "-"
    except OSError:
        return "-"


def main():
    for root in candidates():
        version = version_of(root)
        if not version or not (root / "lib" / "libtorch_cpu.so").exists():
            continue
        text = ".".join(map(str, version))
        if version[:2] >= LEAST:
            print(os.path.normpath(root), text, cuda_of(root), sep="\t")
            return 0
        print(f"setup: LibTorch {text} in {root} is older than {LEAST[0]}.{LEAST[1]}, not used", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
