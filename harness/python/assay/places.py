# SPDX-License-Identifier: BSD-3-Clause
"""Folder with the data of assay (conformance.yaml, suites/ and ci/targets), and its program. Needs no torch."""

import functools
import os
from pathlib import Path


@functools.cache
def data():
    """This checkout, or share/assay of the environment that assay is installed in."""
    for folder in Path(__file__).resolve().parents:
        for found in (folder, folder / "share/assay"):
            if (found / "conformance.yaml").is_file():
                return found
    raise ImportError(f"{__file__} finds no share/assay above it: install assay into this environment")


def is_data(folder):
    """Whether it is such a folder, of this installation or of another one."""
    return Path(folder, "conformance.yaml").is_file()


@functools.cache
def program():
    """The program assay that started this process, else that of this installation, else that of the build folder."""
    if os.environ.get("ASSAY_PROGRAM"):
        return os.environ["ASSAY_PROGRAM"]
    for folder in (data().parents[1], Path(os.environ.get("ASSAY_BUILD") or data() / "build")):
        if (folder / "bin/assay").is_file():
            return str(folder / "bin/assay")
    raise ImportError(f"{__file__} finds no program assay: build it, or name it in ASSAY_PROGRAM")
