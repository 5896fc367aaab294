# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own test machinery, which the installed wheel has: every operator with samples for it.

It imports `expecttest`, a package for tests of PyTorch itself of which nothing here uses anything; where it
is not installed, an empty one stands in. Importing takes seconds and runs no operator.
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
    """Of what makes samples. torch.manual_seed tells every backend there is, and formats a stack for it."""
    torch.default_generator.manual_seed(number)
    random.seed(number)


def prepare():
    """To be called before anything of torch.testing._internal is imported."""
    if "expecttest" not in sys.modules and importlib.util.find_spec("expecttest") is None:
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase
        sys.modules["expecttest"] = stand_in


def warm():
    """Imports what PyTorch imports on first use."""
    for name in FIRST_USE:
        importlib.import_module(name)


def _be_quick():
    """Two things that are done for each sample: to seed every backend, and to look for the test on the stack."""
    from torch.testing._internal import common_utils
    from torch.testing._internal.opinfo import core

    common_utils.set_rng_seed = lambda number=None: seed()
    core.extract_test_fn = common_utils.extract_test_fn = lambda: None


def operators():
    """Every OpInfo of the installed torch, by a name that is unique: {"nn_functional_conv2d": OpInfo}."""
    prepare()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    _be_quick()
    return {operator.formatted_name.replace("-", "_"): operator for operator in op_db}


def elementwise():
    """The classes of OpInfos that compute each element from one of each operand."""
    from torch.testing._internal.opinfo import core

    return core.UnaryUfuncInfo, core.BinaryUfuncInfo
