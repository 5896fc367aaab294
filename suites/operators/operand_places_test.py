# SPDX-License-Identifier: BSD-3-Clause
"""Tests that operand_places.py names the operator with operands on several devices, and the device of each operand."""

import unittest

import torch
from suites.operators.operand_places import mixed_call

HERE, THERE = torch.zeros(2, 2), torch.zeros(2, 2, device="meta")


class Places(unittest.TestCase):
    def test_each_operand_is_named_as_the_schema_does(self):
        def where(x, other):
            return torch.where(x == x, x, other)

        self.assertEqual(mixed_call(where, (HERE, THERE)), ("aten::where.self", "condition on cpu, self on cpu, other on meta"))

    def test_a_list_is_named_by_its_place(self):
        seen = mixed_call(lambda x, other: torch.cat([x, other]), (THERE, HERE))
        self.assertEqual(seen, ("aten::cat", "tensors[0] on meta, tensors[1] on cpu"))

    def test_a_call_on_one_device_names_nothing(self):
        self.assertEqual(mixed_call(torch.add, (HERE, HERE)), (None, ""))

    def test_a_copy_may_have_two_devices(self):
        self.assertEqual(mixed_call(lambda x, other: other.copy_(x), (HERE, THERE)), (None, ""))


if __name__ == "__main__":
    unittest.main()
