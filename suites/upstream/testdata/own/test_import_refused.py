# SPDX-License-Identifier: BSD-3-Clause
"""Queries the backend during its import, and the query fails."""

import os

import torch
from torch.testing._internal.common_device_type import instantiate_device_type_tests
from torch.testing._internal.common_utils import TestCase

if "privateuse1" in os.environ.get("PYTORCH_TESTING_DEVICE_ONLY_FOR", "privateuse1"):
    getattr(torch, torch._C._get_privateuse1_backend_name()).a_name_that_no_backend_has()


class TestNever(TestCase):
    def test_never(self, device):
        pass


instantiate_device_type_tests(TestNever, globals())
