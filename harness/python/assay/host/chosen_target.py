# SPDX-License-Identifier: BSD-3-Clause
"""The module that loads the target: target.py, unless ASSAY_HOST_TARGET names another. For the Python
host and for one check alone, so that both load the same."""

import importlib
import os


def module():
    return importlib.import_module(os.environ.get("ASSAY_HOST_TARGET", f"{__package__}.target"))
