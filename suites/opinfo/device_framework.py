# SPDX-License-Identifier: BSD-3-Clause
"""Reports how PyTorch's test machinery for device types treats the loaded backend. Imported by a process of its own,
in which nothing of torch.testing was imported before (test_device_framework.py)."""

import os
import unittest

import torch
from assay.operators import torch_testing

torch_testing.prepare()
from torch.testing._internal import common_device_type as framework  # noqa: E402
from torch.testing._internal.common_utils import TestCase  # noqa: E402

BASE = framework.PrivateUse1TestBase


def bases():
    return [one.__name__ for one in framework.get_device_type_test_bases()]


def desired(settings):
    """Returns the test bases that the machinery selects under each of these environment settings (variable, value). The
    machinery reads the variables on each call."""
    return [_desired_under(*setting) for setting in settings]


def _desired_under(variable, value):
    os.environ[variable] = value
    try:
        return [one.__name__ for one in framework.get_desired_device_type_test_bases()]
    finally:
        del os.environ[variable]


def devices():
    BASE.setUpClass()
    return [BASE.device_type, BASE.get_primary_device(), BASE.get_all_devices()]


def names():
    """Returns the name of the generated class and the names of its tests, for a first and a second test class."""
    return [_names_of(title) for title in ("First", "Second")]


def _names_of(title):
    scope = {title: type(title, (TestCase,), {"test_it": lambda self, device: None, "__module__": __name__})}
    framework.instantiate_device_type_tests(scope[title], scope, only_for=torch._C._get_privateuse1_backend_name())
    for made in scope.values():
        made.setUpClass()  # setUpClass renames the base
    return {made: [word for word in vars(case) if word.startswith("test_it")] for made, case in scope.items()}


def ran():
    """The decorated tests that ran on the backend. The class of these tests is created after the base class got its
    name."""
    BASE.setUpClass()
    seen = []

    class Asked(TestCase):
        @framework.onlyPRIVATEUSE1
        def test_only(self, device):
            seen.append(("only", device))

        @framework.onlyNativeDeviceTypes
        def test_native(self, device):
            seen.append(("native", device))

        @framework.skipPRIVATEUSE1If(True, "tests whether this decorator skips")
        def test_skipped(self, device):
            seen.append(("skipped", device))

        @framework.dtypes(torch.int8)
        @framework.dtypesIfPRIVATEUSE1(torch.int16)
        def test_dtype(self, device, dtype):
            seen.append((str(dtype), device))

    scope = {"Asked": Asked}
    framework.instantiate_device_type_tests(Asked, scope)
    for case in scope.values():
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(unittest.TestResult())
    return sorted(word for word, device in seen if not device.startswith("cpu"))
