# SPDX-License-Identifier: BSD-3-Clause
"""Cache of dumps in the folder drift of the caches (assay.places).

The key covers the name, size and time of each file that is read, and the program that reads the files. If a header is
edited, the key changes.
"""

import hashlib
import os
from pathlib import Path

from assay.places import cache_folder

KEPT = 24  # number of dumps; the oldest are deleted first


def stamp_of(paths):
    """Stamps of single files and of all files below folders."""
    digest = hashlib.sha256()
    for path in paths:
        for folder, folders, files in os.walk(path, followlinks=True) if path.is_dir() else [(path.parent, [], [path.name])]:
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(files):
                state = os.stat(os.path.join(folder, name))
                digest.update(f"{folder}/{name} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def cached_dump(side, settings):
    """Path of the cached dump of a side, even if the dump does not exist yet. None if there is no cache. A wheel is
    identified by its file."""
    if cache_folder() is None:
        return None
    unpacked = [side.path] if side.kind == "wheel" else [*side.roots, *side.libraries]
    read = [*unpacked, Path(__file__).parent]
    if side.python and side.kind != "wheel":
        read += [side.python / "torch", side.python / "torchgen"]
    program = os.environ.get("ASSAY_FACTS")
    read += [Path(program)] if program else []
    read = [path for path in read if path.exists()]
    key = hashlib.sha256(f"{stamp_of(read)} {settings} {side.path}".encode()).hexdigest()[:32]
    folder = cache_folder() / "drift"
    folder.mkdir(exist_ok=True)
    return folder / f"{key}.drift.xz"


def forget_old(folder):
    """Deletes the oldest dumps. Another process may delete the same dump at the same time."""
    stored = sorted(folder.glob("*.drift.xz"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in stored[KEPT:]:
        path.unlink(missing_ok=True)
