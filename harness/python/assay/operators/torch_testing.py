# SPDX-License-Identifier: BSD-3-Clause
"""Loads PyTorch's own test machinery from the installed wheel. This machinery has samples for every operator.

The machinery imports `expecttest`, a package for PyTorch's own tests. assay does not use that package. If `expecttest`
is not installed, an empty module replaces it. The import takes seconds and runs no operator.
"""

import importlib
import importlib.util
import random
import sys
import types
import unittest
import warnings

import torch

FIRST_USE = ["torch._decomp.decompositions_for_jvp", "torch.autograd.forward_ad", "torch._dynamo"]


def seed(number=1):
    """Seeds the generators that samples use. torch.manual_seed would seed every backend and format a stack each time."""
    torch.default_generator.manual_seed(number)
    random.seed(number)


def prepare():
    """Must be called before the first import of a module of torch.testing._internal."""
    if "expecttest" not in sys.modules and importlib.util.find_spec("expecttest") is None:
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase
        sys.modules["expecttest"] = stand_in


def warm():
    """Imports the modules that PyTorch would otherwise import on first use."""
    for name in FIRST_USE:
        importlib.import_module(name)


def _be_quick():
    """Disables two slow steps of each sample: PyTorch seeds every backend, and searches the stack for the test."""
    from torch.testing._internal import common_utils
    from torch.testing._internal.opinfo import core

    common_utils.set_rng_seed = lambda number=None: seed()
    core.extract_test_fn = common_utils.extract_test_fn = lambda: None


def operators():
    """Every OpInfo of the installed torch by its unique name, for example {"nn_functional_conv2d": OpInfo}."""
    prepare()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    _be_quick()
    return {operator.formatted_name.replace("-", "_"): operator for operator in op_db}


def elementwise():
    """The OpInfo classes of elementwise operators."""
    from torch.testing._internal.opinfo import core

    return core.UnaryUfuncInfo, core.BinaryUfuncInfo
