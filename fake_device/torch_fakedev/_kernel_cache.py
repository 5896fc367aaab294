# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that a real device compiles at first use and keeps for later processes; here one line in their place.

Only where FAKEDEV_KERNELS names a folder: else nothing is kept. Serves: LOAD-014.
"""

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path

from .build_facts import TORCH_VERSION, VERSION


def build():
    """Once for all processes that share the folder; the others wait for the one that builds."""
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
    """The system opens the lock when its owner ends, however that was: a killed process stops nobody."""
    with open(lock, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _write(path, text):
    """Whole or not at all: nobody reads what a killed process left half written."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.replace(file.name, path)
