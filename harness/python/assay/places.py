# SPDX-License-Identifier: BSD-3-Clause
"""Finds the data folder of assay (conformance.yaml, suites/ and ci/targets) and its program. Needs no torch."""

import functools
import os
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
    """The assay program that started this process, or that of this installation, or that of the build folder."""
    if os.environ.get("ASSAY_PROGRAM"):
        return os.environ["ASSAY_PROGRAM"]
    for folder in (data().parents[1], Path(os.environ.get("ASSAY_BUILD") or data() / "build")):
        if (folder / "bin/assay").is_file():
            return str(folder / "bin/assay")
    raise ImportError(f"{__file__} finds no program assay: build it, or name it in ASSAY_PROGRAM")
