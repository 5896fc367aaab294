# SPDX-License-Identifier: BSD-3-Clause
"""The functions with which compiled models make, view, copy and read tensors. Results are compared with the same calls
in Python."""

import ctypes
import unittest

import torch
from assay.checks.asking import each
from suites.stable_abi.shim import STRIDED, Handle, Int32, Int64, ShimCase, code_of, handle_of, integers, tensor_of


def made_and_dropped(x):
    """Makes a tensor like x, and returns x."""
    torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
    return x


class Functions(ShimCase):
    def setUp(self):
        super().setUp()
        self.x = self.on_device(self.sample())

    # Each of these functions returns a tensor that the C function creates from self.x.

    def made_by(self, name, *arguments):
        """Calls a function whose first argument is the handle of self.x and whose last argument receives the result.
        Returns the result."""
        x = handle_of(self.x)
        made = Handle(self.value(Handle, name, x, *arguments))
        self.delete(x)
        return tensor_of(made)

    def zeroed(self):
        y = self.x.clone()
        handle = handle_of(y)
        self.call("aoti_torch_zero_", handle)
        self.delete(handle)
        return y

    def strided(self):
        part = handle_of(self.x.as_strided((2,), (1,), 1))
        made = Handle(self.value(Handle, "aoti_torch_as_strided", part, integers([1]), integers([1])))
        self.delete(part)
        return tensor_of(made)

    def reinterpreted(self):
        return self.made_by("aoti_torch__reinterpret_tensor", Int64(1), integers([2]), integers([1]), Int64(1))

    def pooled(self):
        return self.made_by("aoti_torch__alloc_from_pool", Int64(self.x.element_size()), code_of(self.x.dtype), Int64(1), integers([2]), integers([1]))

    def assigned(self):
        y = self.empty(self.device, [*self.x.shape], dtype=self.x.dtype)
        x = handle_of(self.x)
        self.call("aoti_torch_assign_tensors", x, y)
        self.delete(x)
        return tensor_of(y)

    def cloned_by_elements(x):
        x.new_empty(x.numel())  # PyTorch copies the elements as a tensor of one dimension
        return x.clone()

    # Name: (operator, the same call in Python (a means), the call in C, whether the results share memory with self.x).
    TABLE = {
        "aoti_torch_clone": ("aten::clone", lambda x: x.clone(), lambda case: case.made_by("aoti_torch_clone"), False),
        "aoti_torch_clone_preserve_strides": ("aten::clone", cloned_by_elements, lambda case: case.made_by("aoti_torch_clone_preserve_strides"), False),
        "aoti_torch_zero_": ("aten::zero_", lambda x: x.clone().zero_(), zeroed, False),
        "aoti_torch_as_strided": ("aten::as_strided", lambda x: x.as_strided((2,), (1,), 1).as_strided((1,), (1,)), strided, True),
        "aoti_torch__reinterpret_tensor": ("aten::as_strided", lambda x: x.as_strided((2,), (1,), 1), reinterpreted, True),
        "aoti_torch__alloc_from_pool": ("aten::as_strided", lambda x: x.as_strided((2,), (1,), 1), pooled, True),
        "aoti_torch_assign_tensors": ("aten::empty_strided", made_and_dropped, assigned, True),
        "aoti_torch_assign_tensors_out": ("aten::detach", lambda x: x.detach(), lambda case: case.made_by("aoti_torch_assign_tensors_out"), True),
    }

    def test_made(self):
        """stable_abi.functions_of_compiled_models_match_python"""
        self.need_storage()
        for name, (operator, in_python, in_c, is_shared), one in each(self, self.TABLE):
            with one:
                self.op(operator, in_python, self.x)
                with self.asks_a_special_case():
                    seen = in_c(self)
                    self.expect_device(seen, self.device, f"the result of {name} is on the device of its argument")
                    self.expect_tensor(seen, in_python(self.sample()), f"the result of {name} has the values of the CPU")
                    shares = seen.untyped_storage().data_ptr() == self.x.untyped_storage().data_ptr()
                    self.expect_equal(shares, is_shared, f"the result of {name} shares the memory of its argument, or has its own")

    def test_read(self):
        """stable_abi.facts_of_a_tensor_match_python"""
        self.need_storage()
        view = self.op("aten::as_strided", self.x.as_strided, (2,), (1,), 1)
        for x in (self.x, view):
            handle = handle_of(x)
            self.expect_equal(self.value(Int64, "aoti_torch_get_storage_offset", handle), x.storage_offset(), "C reads the storage offset")
            self.expect_equal(self.value(Int64, "aoti_torch_get_storage_size", handle), x.untyped_storage().nbytes(), "C reads the size of the storage")
            self.expect_equal(self.value(Int32, "aoti_torch_get_layout", handle), STRIDED, "C reads the layout")
            self.expect_equal(self.value(Int64, "aoti_torch_get_size", handle, Int64(-1)), x.size(-1), "C reads the last size")
            self.expect_equal(self.value(Int64, "aoti_torch_get_stride", handle, Int64(-1)), x.stride(-1), "C reads the last stride")
            self.expect_equal(self.value(Handle, "aoti_torch_get_data_ptr", handle), x.data_ptr(), "C reads the address")
            self.delete(handle)

    def test_items(self):
        """stable_abi.single_numbers_are_read"""
        self.need_any_kind()
        numbers = {torch.float32: (ctypes.c_float, -1.5), torch.float64: (ctypes.c_double, 1 / 3), torch.int32: (ctypes.c_int32, -7),
                   torch.int64: (ctypes.c_int64, 2**53 + 1), torch.uint8: (ctypes.c_uint8, 200), torch.bool: (ctypes.c_bool, True)}  # fmt: skip
        for name, (dtype, kind, number), one in each(self, {str(dtype): (dtype, *rest) for dtype, rest in numbers.items()}):
            with one:
                x = self.op("aten::_copy_from", torch.tensor(number, dtype=dtype).to, self.device)
                self.op("aten::_local_scalar_dense", x.item)
                with self.asks_a_special_case():
                    handle = handle_of(x)
                    seen = self.value(kind, f"aoti_torch_item_{name.removeprefix('torch.')}", handle)
                    self.expect_equal(seen, number, f"aoti_torch_item reads a tensor of {name}")
                    self.delete(handle)


if __name__ == "__main__":
    unittest.main()
