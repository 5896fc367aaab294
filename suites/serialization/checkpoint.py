# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the checks of saving and loading: tensors to save, and save and load in memory or in a file.

Used by suites/serialization/test_*.py. The devices come from assay.checks.Case.
"""

import io
import os
import tempfile

import torch
from assay.checks import Case, processes


class Saving(Case):
    def setUp(self):
        super().setUp()
        module = self.device_module
        if module is None or not hasattr(module, "device"):
            self.lacks("serialization", f"torch.{self.device_name} has no device()")

    def counting(self, count=12, dtype=torch.float32, number=0):
        """0, 1, 2 ... on the device. All elements differ and are exact in every dtype."""
        return self.on_device(torch.arange(count).to(dtype), number)

    def transposed(self, number=0):
        """A non-contiguous view with a storage offset and different values."""
        return self.op("aten::as_strided", self.counting(13, number=number).as_strided, (3, 4), (1, 3), 1)

    def need_tensors_with_storage(self):
        """Ends the check if the backend's tensors have no storage, which is legal (SER-020)."""
        if not torch._C._has_storage(self.counting(1)):
            self.lacks("storage", "tensors of the device have no storage")

    def need_core_pickling(self):
        """Ends the check if the tensor class has its own pickling, because then PyTorch's pickling is not used."""
        kind = type(self.counting(1))
        if kind.__reduce_ex__ is not torch.Tensor.__reduce_ex__:
            self.lacks("storage", f"a {kind.__name__} has its own pickling function")

    def need_moving_storages(self):
        """Ends the check if no storage can be moved to the device. Must be called before the device is first used,
        because this function forks.

        Without an allocator, the move ends the process. The check serialization.storage_moves... reports that.
        """

        def move():
            try:
                torch.ones(2).untyped_storage().to(device=self.device)
            except NotImplementedError as error:
                return str(error)
            except Exception:
                return ""  # the check itself reports this exception

        try:
            refused = processes.in_forked_child(move, self.seconds_left / 4).get("value")
        except processes.Dead as death:
            refused = f"moving a storage to the device ends the process: {death}"
        if refused:
            self.lacks("storage", refused)

    def refusal_in(self, error):
        """Returns the means that is clearly refused, by PyTorch's words or by a NotImplementedError."""
        not_there = isinstance(error, NotImplementedError)
        return self.refused_means(error) or ("saving and loading" if not_there else None)

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
