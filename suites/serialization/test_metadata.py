# SPDX-License-Identifier: BSD-3-Clause
"""Backend metadata: marks of a tensor that torch.save stores and torch.load restores.

A backend may have its own names of marks. Then the profile says how a tensor gets marks (`marks:`). If the profile has
no `marks:`, and the backend drops marks with our names, the check is skipped unless the profile claims the capability.
"""

import ast
import builtins
import functools
import itertools
import os
import unittest

import torch
from assay.host import report
from suites.serialization.checkpoint import Saving, reloaded

MARKS = {"assay_first": True, "assay_second": False}
OWN = os.environ.get("ASSAY_MARKS", "")  # `marks:` of the profile


def get_tensor_metadata(tensor):
    return torch._utils.get_tensor_metadata(tensor)  # looked up on each use, because a backend may replace the function


def ways_to_mark():
    """Functions that give a tensor marks: the call of the profile with each value, or our own names."""
    if not OWN:
        return [lambda tensor: torch._utils.set_tensor_metadata(tensor, dict(MARKS))]
    tree = ast.parse(OWN, mode="eval")
    free = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"torch", "tensor"}
    names, call = sorted(free - set(dir(builtins))), compile(tree, "marks of the profile", "eval")

    def mark(values, tensor):
        eval(call, {"torch": torch, "tensor": tensor, **values})

    choices = itertools.product((True, False), repeat=len(names))
    return [functools.partial(mark, dict(zip(names, choice, strict=True))) for choice in choices]


class Metadata(Saving):
    def marked(self):
        """Returns tensors with marks, or ends the check if the backend stores no marks."""
        tensors = [self.counting() for _ in ways_to_mark()]
        for tensor, mark in zip(tensors, ways_to_mark(), strict=True):
            mark(tensor)
        claimed = report.active() and report.capability("meta") == report.YES
        if not OWN and not claimed and get_tensor_metadata(tensors[0]) == {}:
            self.lacks("meta", "marks given to a tensor are dropped")
        return tensors

    def test_plain(self):
        """serialization.plain_tensor_has_no_metadata"""
        self.expect_equal(get_tensor_metadata(self.on_device(self.sample(12))), {}, "a plain tensor has no metadata")

    def test_set_and_get(self):
        """serialization.metadata_can_be_set_and_read"""
        seen = [get_tensor_metadata(tensor) for tensor in self.marked()]
        if OWN:
            self.expect_true(any(seen), "a marked tensor has marks", f"all are {{}}: {OWN}")
        else:
            self.expect_equal(seen, [MARKS], "the marks given to a tensor are its marks")

    def test_beside_bits(self):
        """serialization.metadata_is_added_to_the_bits_of_core"""
        if OWN:
            self.does_not_apply("the marks of the profile may not fit a negated view")
        self.marked()
        view = self.op("aten::_neg_view", torch._neg_view, self.counting())
        torch._utils.set_tensor_metadata(view, dict(MARKS))
        seen = get_tensor_metadata(view)
        self.expect_true(seen.get("neg"), "the metadata of a marked negated view has the key neg", f"it is {seen}")

    def test_saved(self):
        """serialization.metadata_survives_saving"""
        for tensor in self.marked():
            self.expect_equal(
                get_tensor_metadata(reloaded(tensor)), get_tensor_metadata(tensor) if OWN else MARKS,
                "the set function gets the marks of the get function on load",
            )

    def test_to_cpu(self):
        """serialization.metadata_is_not_applied_on_the_cpu"""
        loaded = reloaded(self.marked()[0], map_location="cpu")
        self.expect_equal(get_tensor_metadata(loaded), {}, "marks are not applied to a tensor loaded to the CPU")
        self.expect_tensor(loaded, torch.arange(12.0), "the values are loaded")

    def test_fake(self):
        """serialization.fake_tensors_drop_metadata"""
        from torch._subclasses import FakeTensorMode

        fake = FakeTensorMode().from_tensor(self.marked()[0])
        self.note("metadata of a fake tensor", get_tensor_metadata(fake))
        self.expect_device(fake, self.device, "a fake tensor has the device")


if __name__ == "__main__":
    unittest.main()
