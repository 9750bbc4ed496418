#!/usr/bin/env python3
"""Fetches the wheels of a list (cuda13.txt, cuda12.txt) and unpacks the parts that a C++ build needs into one folder.

    wheels.py status  LIST --deps DIR --groups torch,base[,gpu][,toolkit] [--all]
    wheels.py install LIST --deps DIR --groups torch,base[,gpu][,toolkit] [--all] [--wheelhouse DIR]

Every wheel is checked against the SHA-256 in the list before anything of it is unpacked. Files appear under a temporary name
and are renamed; DIR/stamps/WHEEL, written last, names them with their sizes. So a run may be killed at any time and started again.
Exit status: 0 when nothing is missing (status) or everything is there (install), 1 otherwise.
"""
import argparse
import ctypes
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

VERSION_CALLS = {"libnccl.so.2": "ncclGetVersion", "libcudnn.so.9": "cudnnGetVersion"}


class SetupError(RuntimeError):
    """Something the user has to see; the message says what to do."""


class Wheel(NamedTuple):
    group: str
    library: str
    size_bytes: int
    sha256: str
    file: str

    @property
    def requirement(self):
        name, version = self.file.split("-")[:2]
        return f"{name.replace('_', '-')}=={version}"


def read_list(path):
    wheels = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fields = line.split("#")[0].split()
        if fields and len(fields) != 5:
            raise SetupError(f"{path}:{number}: expected group, library, bytes, sha256 and wheel, found {len(fields)} fields")
        if fields:
            wheels.append(Wheel(fields[0], fields[1], int(fields[2]), fields[3], fields[4]))
    return wheels


def loader_has(library):
    """Whether the dynamic loader finds `libx.so.N` or, asked as `libx.so.N>=VERSION`, one that reports at least this version."""
    name, _, least = library.partition(">=")
    if name == "-":
        return False
    if not least:
        ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
        known = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
        folders = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))
        return f"\t{name} " in known or any(Path(folder, name).exists() for folder in folders)
    try:
        loaded = ctypes.CDLL(name)
    except OSError:
        return False
    if name == "libcudnn.so.9":
        loaded.cudnnGetVersion.restype = ctypes.c_size_t
        return loaded.cudnnGetVersion() >= int(least)
    version = ctypes.c_int(0)
    return getattr(loaded, VERSION_CALLS[name])(ctypes.byref(version)) == 0 and version.value >= int(least)


class Store:
    """The folder that receives the files, and the record of what is in it."""

    def __init__(self, folder, with_gpu):
        self.folder = folder
        self.temporary = folder / "tmp"
        self.stamps = folder / "stamps"
        self.parts = "all" if with_gpu else "cpu"

    def has(self, wheel):
        try:
            head, *files = (self.stamps / wheel.file).read_text().splitlines()
            sha256, parts = head.split()
            pairs = [line.split(" ", 1) for line in files]
            return sha256 == wheel.sha256 and parts in ("all", self.parts) and all(
                os.stat(self.folder / name).st_size == int(size) for size, name in pairs)
        except (OSError, ValueError):
            return False

    def wanted(self, name):
        """Python files and tests stay out; without a GPU so does what only libtorch_cuda needs."""
        if name.startswith("torch/"):
            library = name[len("torch/lib/"):] if name.startswith("torch/lib/") else None
            if library is None:
                return name.startswith(("torch/include/", "torch/share/cmake/")) or name == "torch/version.py"
            cuda_only = library == "libtorch.so" or any(word in library for word in ("cuda", "nvrtc", "nvshmem"))
            return "python" not in library and not (cuda_only and self.parts == "cpu")
        return name.startswith("nvidia/") and not name.endswith(".py")

    def put(self, archive, entry):
        target = self.folder / entry.filename
        if not same_content(target, entry):
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(target.name + ".part")
            with archive.open(entry) as source, open(partial, "wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
            partial.chmod(0o755 if (entry.external_attr >> 16) & 0o111 else 0o644)
            partial.rename(target)
        return f"{entry.file_size} {entry.filename}"

    def unpack(self, wheel, path):
        with zipfile.ZipFile(path) as archive:
            lines = [self.put(archive, entry) for entry in archive.infolist() if not entry.is_dir() and self.wanted(entry.filename)]
        self.stamps.mkdir(parents=True, exist_ok=True)
        partial = self.stamps / (wheel.file + ".part")
        partial.write_text("\n".join([f"{wheel.sha256} {self.parts}", *lines]) + "\n")
        partial.rename(self.stamps / wheel.file)


def same_content(path, entry):
    if not path.is_file() or path.stat().st_size != entry.file_size:
        return False
    crc = 0
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            crc = zlib.crc32(block, crc)
    return crc == entry.CRC


def check_sha256(wheel, path):
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != wheel.sha256:
        raise SetupError(f"{path}: the SHA-256 is {digest.hexdigest()}, expected {wheel.sha256}. Nothing of it was unpacked. "
                         "The file is damaged or another build of the same version: fetch it again.")


def download(wheel, temporary):
    """Fetches one wheel with pip into a folder of its own and returns its path; nothing is left in pip's cache."""
    folder = temporary / "download"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--python-version", "3.11",
               "--disable-pip-version-check", "--dest", str(folder), wheel.requirement]
    if not sys.stderr.isatty():
        command.append("--quiet")
    environment = {**os.environ, "TMPDIR": str(folder)}
    if subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise SetupError(f"pip could not fetch {wheel.requirement} (see its message above). Offline: fetch {wheel.file} elsewhere "
                         "and name its folder with --wheelhouse DIR.")
    if not (folder / wheel.file).exists():
        found = ", ".join(os.path.basename(name) for name in glob.glob(str(folder / "*.whl")))
        raise SetupError(f"pip fetched {found or 'nothing'} for {wheel.requirement}, expected {wheel.file}")
    return folder / wheel.file


def check_pip():
    probe = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True, check=False)
    words = probe.stdout.split()
    if probe.returncode != 0 or int(words[1].split(".")[0]) < 21:
        raise SetupError(f"{sys.executable} has no pip 21 or newer. Install python3-pip, or fetch the wheels elsewhere and name "
                         "their folder with --wheelhouse DIR (launch/setup.sh --check lists them).")


def megabytes(size_bytes):
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes < 10e6 else f"{size_bytes / 1e6:.0f} MB"


def missing_wheels(arguments, store):
    groups = arguments.groups.split(",")
    chosen = [wheel for wheel in read_list(arguments.list) if wheel.group in groups]
    return [wheel for wheel in chosen if not store.has(wheel) and (arguments.all or not loader_has(wheel.library))]


def check_space(wheels, store):
    needed = sum(3 * wheel.size_bytes for wheel in wheels)
    free = shutil.disk_usage(store.folder).free
    if free < needed:
        raise SetupError(f"{store.folder}: {megabytes(free)} free, about {megabytes(needed)} needed to fetch and unpack")


def install(arguments, store, wheels):
    store.folder.mkdir(parents=True, exist_ok=True)
    house = arguments.wheelhouse
    if house:
        absent = [wheel for wheel in wheels if not (house / wheel.file).is_file()]
        if absent:
            names = "".join(f"\n  {wheel.file} ({megabytes(wheel.size_bytes)}, {wheel.requirement})" for wheel in absent)
            raise SetupError(f"{house} lacks {len(absent)} of {len(wheels)} wheels:{names}")
    elif wheels:
        check_pip()
    check_space(wheels, store)
    for number, wheel in enumerate(wheels, 1):
        start = time.monotonic()
        print(f"setup: [{number}/{len(wheels)}] {wheel.requirement}, {megabytes(wheel.size_bytes)}", flush=True)
        path = house / wheel.file if house else download(wheel, store.temporary)
        check_sha256(wheel, path)
        store.unpack(wheel, path)
        print(f"setup: [{number}/{len(wheels)}] {wheel.requirement} unpacked, {time.monotonic() - start:.0f} s", flush=True)
    shutil.rmtree(store.temporary, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["status", "install"])
    parser.add_argument("list", type=Path)
    parser.add_argument("--deps", type=Path, required=True)
    parser.add_argument("--groups", required=True)
    parser.add_argument("--all", action="store_true", help="also what the loader knows already")
    parser.add_argument("--wheelhouse", type=Path)
    arguments = parser.parse_args()
    store = Store(arguments.deps, "gpu" in arguments.groups.split(","))
    try:
        wheels = missing_wheels(arguments, store)
        if arguments.action == "install":
            install(arguments, store, wheels)
            return 0
        for wheel in wheels:
            print(f"  {wheel.file} ({megabytes(wheel.size_bytes)}, {wheel.requirement})")
        return 1 if wheels else 0
    except (SetupError, OSError, zipfile.BadZipFile) as error:
        print(f"setup: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
