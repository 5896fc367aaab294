# SPDX-License-Identifier: BSD-3-Clause
"""Products with an added term: a fault of one kernel breaks several tests."""

import torch
from torch.testing import make_tensor
from torch.testing._internal.common_device_type import dtypes, instantiate_device_type_tests
from torch.testing._internal.common_utils import TestCase, parametrize, run_tests


class TestProducts(TestCase):
    @parametrize("size", [2, 3, 5])
    @dtypes(torch.float32)
    def test_scaled_sum(self, device, dtype, size):
        made = [make_tensor((size, size), dtype=dtype, device="cpu", low=1, high=5) for _ in range(3)]
        there = torch.addmm(*made, beta=2)
        self.assertEqual(torch.addmm(*(one.to(device) for one in made), beta=2).cpu(), there)


instantiate_device_type_tests(TestProducts, globals())

if __name__ == "__main__":
    run_tests()
