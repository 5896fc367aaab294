# SPDX-License-Identifier: BSD-3-Clause
"""What checks of saving and loading share: tensors to save, a save and load in memory or in a file.

For test_*.py of suites/serialization. Knows nothing of one backend: devices come from assay.Case.
"""

import io
import os
import tempfile

import assay
import torch


class Saving(assay.Case):
    def setUp(self):
        super().setUp()
        module = self.device_module
        if module is None or not hasattr(module, "device"):
            self.lacks("serialization", f"torch.{self.device_name} has no device()")

    def counting(self, count=12, dtype=torch.float32, number=0):
        """0, 1, 2 ... on the device: every element is different, and exact in every dtype."""
        return self.on_device(torch.arange(count).to(dtype), number)

    def transposed(self, number=0):
        """A view that is not contiguous, begins behind its storage, and values of its own."""
        return self.op("aten::as_strided", self.counting(13, number=number).as_strided,
                       (3, 4), (1, 3), 1)

    def file(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return os.path.join(folder.name, "checkpoint.pt")


def saved(thing, **options):
    buffer = io.BytesIO()
    torch.save(thing, buffer, **options)
    buffer.seek(0)
    return buffer


def reloaded(thing, **options):
    return torch.load(saved(thing), **options)
