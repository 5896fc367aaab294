# SPDX-License-Identifier: BSD-3-Clause
"""Lazy clones: two storages share memory until one of them is written."""

import ctypes
import unittest

import torch
from suites.storage.storages import Storages

_address = torch._C._data_address  # these calls only read the address; data_ptr() also announces a write


def _through_c(name, tensor):
    """Calls a function of PyTorch's stable C interface that returns the address of a tensor's data."""
    function = getattr(ctypes.CDLL(torch._C.__file__), name)
    handle = ctypes.c_void_p(tensor._cdata)  # an at::Tensor is a pointer, and a handle is the address of such a pointer
    answer = ctypes.c_void_p()
    return function(ctypes.byref(handle), ctypes.byref(answer)), answer.value


class LazyClones(Storages):
    def lazy(self, x):
        clone = self.supported("storage.cow", torch._lazy_clone, x)
        if not torch._C._is_cow_tensor(clone):
            self.lacks("storage.cow", "_lazy_clone copies immediately")
        return clone

    def test_diverge(self):
        """storage.lazy_clone_diverges_when_written"""
        values = torch.arange(13, dtype=torch.uint8)
        for written in ("clone", "source"):
            x = self.on_device(values)
            clone = self.lazy(x)
            self.expect_equal(_address(clone), _address(x), "a lazy clone shares the memory")
            target, other = (clone, x) if written == "clone" else (x, clone)
            self.op("aten::fill_.Scalar", target[:1].fill_, 77)
            wanted = torch.cat([torch.tensor([77], dtype=torch.uint8), values[1:]])
            self.expect_tensor(target, wanted, f"a write to the {written} of a lazy clone does not change other elements")
            self.expect_tensor(other, values, f"a write to the {written} of a lazy clone does not change the other tensor")
            self.expect_place(target, self.device, f"the {written} that was written")

    def test_c_interface(self):
        """storage.reading_the_address_does_not_copy_a_lazy_clone"""
        for name, lazy in (
            ("torch_get_const_data_ptr", True),
            ("torch_get_mutable_data_ptr", False),
            ("aoti_torch_get_data_ptr", False),
        ):
            clone = self.lazy(self.counting())
            status, address = _through_c(name, clone)
            self.expect_equal(status, 0, f"{name}() of a lazy clone succeeds")
            self.expect_equal(torch._C._is_cow_tensor(clone), lazy, f"after {name}() a clone is lazy")
            self.expect_equal(address, _address(clone), f"{name}() gives the address of the data")


if __name__ == "__main__":
    unittest.main()
