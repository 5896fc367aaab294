# SPDX-License-Identifier: BSD-3-Clause
"""Folder with the data of assay: conformance.yaml, suites/ and ci/targets. Needs no torch."""

import functools
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
