# SPDX-License-Identifier: BSD-3-Clause
"""Backend metadata: marks of a tensor that torch.save keeps and torch.load gives back.

No backend's own marks are known here: one that drops every mark is asked no further, unless the
target says that it has the capability.
"""

import unittest

import torch
from assay_host import report
from checkpoint import Saving, reloaded


def get_tensor_metadata(tensor):
    return torch._utils.get_tensor_metadata(tensor)  # looked up late: a backend may replace it


MARKS = {"assay_first": True, "assay_second": False}


class Metadata(Saving):
    def marked(self):
        tensor = self.counting()
        torch._utils.set_tensor_metadata(tensor, dict(MARKS))
        claimed = report.active() and report.capability("meta") == report.YES
        if not claimed and get_tensor_metadata(tensor) == {}:
            self.lacks("meta", "marks given to a tensor are dropped")
        return tensor

    def test_plain(self):
        """serialization.plain_tensor_has_no_marks"""
        self.expect_equal(
            get_tensor_metadata(self.counting()), {}, "a plain tensor has no metadata"
        )

    def test_set_and_get(self):
        """serialization.marks_are_kept"""
        self.expect_equal(
            get_tensor_metadata(self.marked()), MARKS, "the marks given to a tensor are its marks"
        )

    def test_saved(self):
        """serialization.marks_survive_saving"""
        self.expect_equal(
            get_tensor_metadata(reloaded(self.marked())), MARKS,
            "what the get function wrote reaches the set function on load",
        )

    def test_to_cpu(self):
        """serialization.marks_stay_off_the_cpu"""
        loaded = reloaded(self.marked(), map_location="cpu")
        self.expect_equal(
            get_tensor_metadata(loaded), {}, "marks are not applied to a tensor loaded to the CPU"
        )
        self.expect_tensor(loaded, torch.arange(12.0), "its values are loaded")

    def test_fake(self):
        """serialization.fake_tensors_drop_marks"""
        from torch._subclasses import FakeTensorMode

        fake = FakeTensorMode().from_tensor(self.marked())
        self.note("metadata of a fake tensor", get_tensor_metadata(fake))
        self.expect_device(fake, self.device, "a fake tensor tells the device")


if __name__ == "__main__":
    unittest.main()
