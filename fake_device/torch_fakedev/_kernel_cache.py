# SPDX-License-Identifier: BSD-3-Clause
"""A cache of kernels, which a real device would compile at first use and store for later processes.

One line of text stands for the kernels of this device. If FAKEDEV_KERNELS does not name a folder, nothing is cached.
Serves: LOAD-014.
"""

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path

from .build_facts import TORCH_VERSION, VERSION


def build():
    """Builds the cache once for all processes that share the folder. The other processes wait for the build."""
    folder = os.environ.get("FAKEDEV_KERNELS")
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    built = Path(folder, "kernels.txt")
    with alone(Path(folder, "kernels.lock")):
        if not built.exists():
            _write(built, f"kernels of {VERSION} for torch {TORCH_VERSION}\n")


@contextlib.contextmanager
def alone(lock):
    """An exclusive lock. The system releases the lock when its owner ends or is killed, so no other process hangs."""
    with open(lock, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write(path, text):
    """Writes the file atomically: if this process is killed, no other process reads an incomplete file."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.replace(file.name, path)
