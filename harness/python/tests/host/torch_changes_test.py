# SPDX-License-Identifier: BSD-3-Clause
"""Changes in torch are reported if the backend made them, and not if torch made them."""

import functools
import unittest
from unittest import mock

import torch
from assay.host import torch_changes


def changes_with(owner, name, value):
    before = torch_changes.take()
    with mock.patch.object(owner, name, value):
        return torch_changes.differences(before, torch_changes.take())


class Changes(unittest.TestCase):
    def test_wrapper_of_torch_is_no_change_of_the_backend(self):
        """torch._dynamo wraps torch.manual_seed when it is imported."""
        self.assertEqual(changes_with(torch, "relu", torch._disable_dynamo(torch.relu)), [])

    def test_wrapper_of_a_backend_is_a_change(self):
        @functools.wraps(torch.relu)
        def wrapped(values):
            return values

        self.assertEqual(changes_with(torch, "relu", wrapped), ["torch.relu was replaced"])

    def test_replaced_method_that_tensors_inherit_is_named(self):
        self.assertEqual(changes_with(torch.Tensor, "to", lambda self, *_: self), ["torch.Tensor.to was replaced"])


if __name__ == "__main__":
    unittest.main()
