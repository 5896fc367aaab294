# SPDX-License-Identifier: BSD-3-Clause
"""Backend metadata: marks of a tensor that torch.save keeps and torch.load gives back.

A backend's marks may have names of its own: the profile says how a tensor is given some (`marks:`).
Without that, one that drops marks of our names is asked no further, unless it claims the capability.
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
    return torch._utils.get_tensor_metadata(tensor)  # looked up late: a backend may replace it


def ways_to_mark():
    """Functions that give a tensor marks: by the profile's call with all values, or by our names."""
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
        """Tensors with marks; each has some unless the backend keeps none at all."""
        tensors = [self.counting() for _ in ways_to_mark()]
        for tensor, mark in zip(tensors, ways_to_mark(), strict=True):
            mark(tensor)
        claimed = report.active() and report.capability("meta") == report.YES
        if not OWN and not claimed and get_tensor_metadata(tensors[0]) == {}:
            self.lacks("meta", "marks given to a tensor are dropped")
        return tensors

    def test_plain(self):
        """serialization.plain_tensor_has_no_metadata"""
        self.expect_equal(
            get_tensor_metadata(self.on_device(self.sample(12))), {}, "a plain tensor has no metadata"
        )

    def test_set_and_get(self):
        """serialization.metadata_can_be_set_and_read"""
        seen = [get_tensor_metadata(tensor) for tensor in self.marked()]
        if OWN:
            self.expect_true(any(seen), "a tensor that was marked has marks", f"all are {{}}: {OWN}")
        else:
            self.expect_equal(seen, [MARKS], "the marks given to a tensor are its marks")

    def test_saved(self):
        """serialization.metadata_survives_saving"""
        for tensor in self.marked():
            self.expect_equal(
                get_tensor_metadata(reloaded(tensor)), get_tensor_metadata(tensor) if OWN else MARKS,
                "what the get function wrote reaches the set function on load",
            )

    def test_to_cpu(self):
        """serialization.metadata_is_not_applied_on_the_cpu"""
        loaded = reloaded(self.marked()[0], map_location="cpu")
        self.expect_equal(
            get_tensor_metadata(loaded), {}, "marks are not applied to a tensor loaded to the CPU"
        )
        self.expect_tensor(loaded, torch.arange(12.0), "its values are loaded")

    def test_fake(self):
        """serialization.fake_tensors_drop_metadata"""
        from torch._subclasses import FakeTensorMode

        fake = FakeTensorMode().from_tensor(self.marked()[0])
        self.note("metadata of a fake tensor", get_tensor_metadata(fake))
        self.expect_device(fake, self.device, "a fake tensor tells the device")


if __name__ == "__main__":
    unittest.main()
