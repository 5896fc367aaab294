# SPDX-License-Identifier: BSD-3-Clause
"""A file for another version of PyTorch: it imports a name that does not exist."""

from torch.testing._internal.common_device_type import instantiate_device_type_tests
from torch.testing._internal.common_utils import TestCase, a_name_of_another_version  # noqa: F401


class TestNever(TestCase):
    def test_never(self, device):
        pass


instantiate_device_type_tests(TestNever, globals())
