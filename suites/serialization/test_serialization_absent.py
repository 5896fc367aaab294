# SPDX-License-Identifier: BSD-3-Clause
"""The refusal checks of a backend that cannot save and load, or that stores no marks.

A refusal is an exception that changes nothing. A load that only seems to work is worse.
"""

import unittest

import torch
from assay.checks import Case
from suites.serialization.checkpoint import Saving, saved

COUNTED = torch.arange(12.0)
MARKS = {"assay_first": True, "assay_second": False}


class Absence(Saving):
    def setUp(self):
        Case.setUp(self)  # skips Saving.setUp, which needs device() of the device module

    def view(self):
        """Returns a transposed tensor if possible, because a wrong load often restores wrong strides."""
        if not self.known_kind.is_common:
            return self.on_device(self.sample()), self.sample()
        flat = self.on_device(COUNTED.clone())
        try:
            view = flat.as_strided((3, 4), (1, 3), 0)
            view.cpu()
            return view, COUNTED.as_strided((3, 4), (1, 3)).contiguous()
        except NotImplementedError:
            return flat, COUNTED

    def expect_clean_refusal(self, error, view, values, file):
        said = f"{type(error).__name__}: {str(error).splitlines()[:1]}"
        what = "saving or loading is refused as not implemented, or in PyTorch's words"
        self.require(self.expect_true(self.refusal_in(error), what, said))
        self.note("refused with", said)
        self.expect_tensor(self.on_cpu(view), values, "a refusal does not change the tensor")
        if file is not None:
            file.seek(0)
            on_cpu = torch.load(file, map_location="cpu")
            self.expect_tensor(on_cpu, values, "a saved tensor can be loaded to the CPU")

    def test_serialization(self):
        """serialization.unsupported_save_or_load_changes_nothing"""
        (view, values), file = self.view(), None
        try:
            file = saved(view)
            loaded = torch.load(file)
        except Exception as error:
            self.expect_clean_refusal(error, view, values, file)
            return
        self.expect_equal(loaded.device.type, self.device_name, "a load that is not refused restores the device")
        self.expect_equal(loaded.stride(), view.stride(), "the strides are the saved ones")
        self.require(self.expect_tensor(loaded, view, "the values are the saved ones"))
        self.has_all_the_same("serialization", "torch.load restores a device tensor")

    def test_marks(self):
        """serialization.unsupported_metadata_changes_nothing"""
        tensor = self.on_device(self.sample(12))
        before = torch._utils.get_tensor_metadata(tensor)
        self.require(self.expect_equal(before, {}, "a plain tensor has no metadata"))
        torch._utils.set_tensor_metadata(tensor, dict(MARKS))
        kept = torch._utils.get_tensor_metadata(tensor)
        self.expect_tensor(tensor, self.sample(12), "marks do not change the values")
        if kept == MARKS:
            self.has_all_the_same("meta", "all given marks are restored")
        self.expect_equal(kept, {}, "if some marks are dropped, all are dropped")


if __name__ == "__main__":
    unittest.main()
