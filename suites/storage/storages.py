# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the checks of storages: tensors that have a storage, resizing, and the devices of a tensor and its
storage.

Used by suites/storage/test_*.py. The devices come from assay.checks.Case.
"""

import torch
from assay.checks import Case
from assay.values.closeness import works

RESIZE = "hooks.resizePrivateUse1Bytes"
GROW, SET = "aten::resize_", "aten::set_.source_"


class Storages(Case):
    def setUp(self):
        super().setUp()
        self.need_storage()

    def counting(self, count=6, number=0):
        """0, 1, 2 ... on the device."""
        return self.on_device(torch.arange(float(count)), number)

    def bytes_on(self, values, number=0):
        """A storage on the device with these bytes."""
        return self.on_device(torch.tensor(values, dtype=torch.uint8), number).untyped_storage()

    def bytes_of(self, storage):
        """The bytes of a storage, copied to the host by PyTorch."""
        return list(storage.cpu())

    def resized(self, storage, size):
        """Returns the resized storage. A backend without the hook raises, and then lacks the capability."""
        try:
            return storage.resize_(size)
        except RuntimeError as error:
            if self.refused_means(error) == RESIZE:
                self.lacks("storage.resize", error)
            raise

    def grown(self, tensor, *shape):
        """Returns the tensor, resized in place. A backend without this kernel lacks the capability."""
        plain = lambda: torch.empty(2, device=self.device).resize_(1)  # noqa: E731
        return self._offered("tensor.resize", GROW, plain, tensor.resize_, *shape)

    def laid_over(self, tensor, *source):
        """Returns the tensor, set to another tensor's storage. A backend without this kernel lacks the capability."""
        plain = lambda: torch.empty(1, device=self.device).set_(torch.empty(2, device=self.device))  # noqa: E731
        return self._offered("tensor.set", SET, plain, tensor.set_, *source)

    def _offered(self, capability, means, plain, call, *arguments):
        """If the plain form of the call works, an exception of the given form is a failure and not a refusal."""
        try:
            return call(*arguments)
        except NotImplementedError as error:
            if (self.refused_means(error) or means).startswith(means):
                self.lacks(capability, error)
            raise
        except Exception as error:
            error.assay_special = works(plain)
            if not error.assay_special and self.refused_means(error):
                self.lacks(capability, error)
            raise

    def expect_place(self, tensor, device, what):
        """Expects that the tensor and its storage are on this device."""
        self.expect_device(tensor, device, f"{what}: the tensor")
        self.expect_device(tensor.untyped_storage(), device, f"{what}: its storage")

    def expect_same_storage(self, tensor, other, what):
        mine, others = tensor.untyped_storage(), other.untyped_storage()
        self.expect_true(mine._cdata == others._cdata, what, "they have two storages")

    def leave_the_first_current(self):
        """Makes the first device current, because the check uses the last device."""
        torch.accelerator.set_device_index(self.device.index)

    def expect_first_current(self, what):
        self.expect_equal(torch.accelerator.current_device_index(), self.device.index, what)
