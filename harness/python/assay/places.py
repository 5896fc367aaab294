# SPDX-License-Identifier: BSD-3-Clause
"""Finds the data folder of assay (conformance.yaml, suites/ and ci/targets), its program and its caches. Needs no
torch."""

import functools
import os
import stat
import sys
import tempfile
from pathlib import Path


@functools.cache
def data():
    """The data folder: this checkout, or share/assay in the environment in which assay is installed."""
    for folder in Path(__file__).resolve().parents:
        for found in (folder, folder / "share/assay"):
            if (found / "conformance.yaml").is_file():
                return found
    raise ImportError(f"{__file__} finds no share/assay above it: install assay into this environment")


def is_data(folder):
    """True if the path is a data folder of any installation."""
    return Path(folder, "conformance.yaml").is_file()


@functools.cache
def program():
    """The assay program that started this process, or else the program of this installation, or of the build folder."""
    if os.environ.get("ASSAY_PROGRAM"):
        return os.environ["ASSAY_PROGRAM"]
    for folder in (data().parents[1], Path(os.environ.get("ASSAY_BUILD") or data() / "build")):
        if (folder / "bin/assay").is_file():
            return str(folder / "bin/assay")
    raise ImportError(f"{__file__} finds no program assay: build it, or name it in ASSAY_PROGRAM")


def wanted_cache():
    return Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~"), ".cache"), "assay")


@functools.cache
def cache_folder():
    """The folder of all caches. If the user's cache folder is read-only, as in containers, returns a private folder in
    the temporary folder. Returns None if that folder belongs to another user, who could put programs into it."""
    wanted, private = wanted_cache(), Path(tempfile.gettempdir(), f"assay-cache-{os.getuid()}")
    if wanted.is_absolute() and _is_writable(wanted):
        return wanted
    found = private if _is_writable(private) and _is_private(private) else None
    print(f"assay: {wanted} cannot be written: "
          f"{f'caches are in {found}' if found else f'nothing is cached, because {private} is not a private folder of this user'}; "
          "set XDG_CACHE_HOME to a folder that can be written", file=sys.stderr, flush=True)  # fmt: skip
    return found


def _is_writable(folder):
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _is_private(folder):
    facts = folder.lstat()
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o077
