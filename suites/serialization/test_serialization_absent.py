# SPDX-License-Identifier: BSD-3-Clause
"""How a backend says that it cannot save and load, or keeps no marks: the refusal checks.

A refusal is an exception that changes nothing. What is worse is a load that seems to work.
"""

import unittest

import assay
import torch
from checkpoint import saved

COUNTED = torch.arange(12.0)
MARKS = {"assay_first": True, "assay_second": False}
REFUSALS = (RuntimeError, AttributeError)  # the second is PyTorch's: no torch.<name>.device


class Absence(assay.Case):
    def view(self):
        """Of a storage that is larger, transposed: a path that guesses gets it wrong."""
        flat = self.on_device(COUNTED.clone())
        return self.op("aten::as_strided", flat.as_strided, (3, 4), (1, 3), 0)

    def expect_clean_refusal(self, error, view, file):
        said = str(error).split("\n")[0]
        self.expect_true(said, "the refusal says something", "its message is empty")
        self.note("refused with", f"{type(error).__name__}: {said}")
        values = COUNTED.as_strided((3, 4), (1, 3)).contiguous()
        on_cpu = self.on_cpu(view.contiguous())
        self.expect_tensor(on_cpu, values, "a refusal leaves the tensor as it was")
        if file is not None:
            file.seek(0)
            on_cpu = torch.load(file, map_location="cpu")
            self.expect_tensor(on_cpu, values, "what was saved can be loaded to the CPU")

    def test_serialization(self):
        """serialization.absence_is_said"""
        view, file = self.view(), None
        try:
            file = saved(view)
            loaded = torch.load(file)
        except REFUSALS as error:
            self.expect_clean_refusal(error, view, file)
            return
        except Exception as error:
            seen = f"{type(error).__name__}: {error}"
            self.expect(False, "saving or loading is refused with a RuntimeError", seen)
            return
        self.expect_device(loaded, view.device, "a load that is not refused restores the device")
        self.expect_equal(loaded.stride(), view.stride(), "and the strides")
        self.require(self.expect_tensor(loaded, view, "and the values"))
        self.has_all_the_same("serialization", "torch.load restores a device tensor")

    def test_marks(self):
        """serialization.marks_nobody_keeps_change_nothing"""
        tensor = self.on_device(COUNTED.clone())
        before = torch._utils.get_tensor_metadata(tensor)
        self.require(self.expect_equal(before, {}, "a plain tensor has no metadata"))
        torch._utils.set_tensor_metadata(tensor, dict(MARKS))
        kept = torch._utils.get_tensor_metadata(tensor)
        self.expect_tensor(tensor, COUNTED, "marks leave the values as they were")
        if kept == MARKS:
            self.has_all_the_same("meta", "marks that were given are kept")
        self.expect_equal(kept, {}, "marks that are not kept are dropped, all of them")


if __name__ == "__main__":
    unittest.main()
