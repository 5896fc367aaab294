# SPDX-License-Identifier: BSD-3-Clause
"""Selects the module that loads the target: target.py, or the module that ASSAY_HOST_TARGET names. The Python host and
a single check use the same module."""

import importlib
import os


def module():
    return importlib.import_module(os.environ.get("ASSAY_HOST_TARGET", f"{__package__}.target"))
