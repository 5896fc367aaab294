# SPDX-License-Identifier: BSD-3-Clause
"""Tensors as handles: made, copied, shared, described and borrowed."""

import ctypes
import gc
import unittest

import torch
from assay.checks.asking import each
from assay.checks.memory_in_use import bytes_in_use, settle
from suites.stable_abi.shim import CORE, DTYPES, STRIDED, Handle, Int32, Int64, ShimCase, code_of, handle_of, integers, tensor_of


class Tensors(ShimCase):
    def made_in_c(self, device):
        model = self.made_in_python(device)
        return model, self.empty(device, [*model.shape], [*model.stride()], model.dtype)

    def expect_like(self, handle, model, place, what):
        """Expects that C describes a tensor as Python describes `model`, on the device `place`."""
        device = self.value(Int32, "aoti_torch_get_device_type", handle), self.value(Int32, "aoti_torch_get_device_index", handle)
        self.expect_equal(device, (CORE.aoti_torch_device_type_privateuse1(), place.index), f"{what} is on the requested device")
        self.expect_equal(self.value(Int32, "aoti_torch_get_dtype", handle), code_of(model.dtype), f"{what} has the requested dtype")
        dim = self.value(Int64, "aoti_torch_get_dim", handle)
        self.require(self.expect_equal(dim, model.dim(), f"{what} has the requested number of dims"))
        self.expect_equal(self.numbers("sizes", handle, dim), [*model.shape], f"{what} has the requested sizes")
        self.expect_equal(self.numbers("strides", handle, dim), [*model.stride()], f"{what} has the requested strides")
        self.expect_equal(self.value(ctypes.c_bool, "aoti_torch_is_contiguous", handle), model.is_contiguous(), f"{what} has the contiguity of its strides")
        self.expect_equal(self.value(Int64, "aoti_torch_get_numel", handle), model.numel(), f"{what} has the requested number of elements")

    def numbers(self, which, handle, dim):
        address = self.value(Handle, f"aoti_torch_get_{which}", handle)
        return list((ctypes.c_int64 * dim).from_address(address)) if dim else []

    def test_made(self):
        """stable_abi.empty_strided_makes_the_requested_tensor"""
        self.put_device_back()
        for device in {self.devices[0], self.devices[-1]}:
            model, handle = self.made_in_c(device)
            self.expect_like(handle, model, device, "a tensor of aoti_torch_empty_strided")
            self.delete(handle)
        torch.accelerator.set_device_index(self.devices[-1].index)
        handle = self.empty(self.bare_device, [*model.shape], [*model.stride()], model.dtype)
        index = self.value(Int32, "aoti_torch_get_device_index", handle)
        self.expect_equal(index, self.devices[-1].index, "the index -1 means the current device")
        self.delete(handle)

    def test_forms(self):
        """stable_abi.empty_strided_keeps_strides_and_storage_size"""
        self.need_any_kind()
        self.need_storage()
        forms = (((3, 5), (5, 1)), ((3, 5), (1, 3)), ((2, 3), (8, 2)), ((), ()), ((0, 4), (4, 1)), ((4, 3), (0, 1)))
        for what, (sizes, strides), one in each(self, {f"a tensor of sizes {form[0]} and strides {form[1]}": form for form in forms}):
            with one:
                self.op("aten::empty_strided", torch.empty_strided, sizes, strides, device=self.device)
                with self.asks_a_special_case():
                    self.expect_form(what, sizes, strides)

    def expect_form(self, what, sizes, strides):
        model = torch.empty_strided(sizes, strides)
        handle = self.empty(self.device, [*sizes], [*strides])
        self.expect_like(handle, model, self.device, what)
        size = self.value(Int64, "aoti_torch_get_storage_size", handle)
        self.expect_equal(size, model.untyped_storage().nbytes(), f"{what} has the storage size of the CPU's tensor")
        self.expect_equal(bool(self.value(Handle, "aoti_torch_get_data_ptr", handle)), model.numel() > 0, f"{what} has an address if it has elements")
        self.delete(handle)

    def test_shared(self):
        """stable_abi.memory_is_freed_after_the_last_handle"""
        bytes_in_use(self)
        self.put_device_back()
        for device in {self.devices[0], self.devices[-1]}:
            self.op("guard.setDevice", torch.accelerator.set_device_index, self.devices[0].index)
            self.delete(self.made_in_c(device)[1])
            before = self.settled(device)
            first = self.made_in_c(device)[1]
            second = self.copy_of(first)
            self.delete(first)
            self.expect_true(self.settled(device) > before, "the memory stays allocated while a handle lives", self.settled(device))
            self.delete(second, Handle())
            self.expect_equal(self.settled(device), before, f"deleting the last handle frees the memory of {device}, whatever device is current")

    def settled(self, device):
        gc.collect()
        settle(self, device)
        return torch.accelerator.memory_allocated(device.index)

    def test_copied(self):
        """stable_abi.copy_keeps_every_bit_of_every_dtype"""
        self.need_any_kind()
        for name, dtype, one in each(self, {str(dtype): dtype for dtype in DTYPES}):
            with one:
                bits = torch.arange(48, dtype=torch.uint8).remainder(2 if dtype == torch.bool else 120)
                there = bits.view(dtype)
                self.op("aten::_copy_from", there.to, self.device)
                for device in {self.devices[0], self.devices[-1]}:
                    self.expect_equal(self.there_and_back(there, device).tolist(), bits.tolist(), f"{name} keeps every bit on the way to the device and back")

    def there_and_back(self, there, device):
        """The bytes of a CPU tensor after aoti_torch_copy_ to the device and back."""
        back = torch.zeros_like(there)
        on_host, on_device, result = handle_of(there), self.empty(device, [*there.shape], dtype=there.dtype), handle_of(back)
        self.call("aoti_torch_copy_", on_device, on_host, 0)
        self.call("aoti_torch_copy_", result, on_device, 0)
        self.delete(on_host, on_device, result)
        return back.view(torch.uint8)

    def test_borrowed(self):
        """stable_abi.pointers_to_sizes_stay_valid"""
        model, handle = self.made_in_c(self.device)
        pointers = [self.value(Handle, f"aoti_torch_get_{which}", handle) for which in ("sizes", "strides")]
        self.require(self.expect_true(all(pointers), "the pointers to sizes and strides are not null", pointers))
        other = self.copy_of(handle)
        for _ in range(64):
            self.delete(self.empty(self.device, [*model.shape], [*model.stride()], model.dtype))
        for pointer, expected in zip(pointers, (model.shape, model.stride())):
            self.expect_equal(list((ctypes.c_int64 * model.dim()).from_address(pointer)), [*expected], "a borrowed pointer keeps its numbers while the handle lives")
        self.delete(handle, other)

    def test_addresses(self):
        """stable_abi.const_and_mutable_addresses_are_equal"""
        self.need_storage()
        x = self.on_device(self.sample())
        handle, empty = handle_of(x), handle_of(self.op("aten::view", lambda: x.flatten()[:0]))
        const, mutable = (self.value(Handle, f"torch_get_{kind}_data_ptr", handle) for kind in ("const", "mutable"))
        self.expect_equal((const, mutable), (x.data_ptr(),) * 2, "both addresses are that of the tensor")
        for kind in ("const", "mutable"):
            self.expect_equal(self.value(Handle, f"torch_get_{kind}_data_ptr", empty), None, f"the {kind} address of a tensor without elements is null")
        self.delete(handle, empty)

    def test_lent(self):
        """stable_abi.lent_memory_is_given_back_once"""
        self.need_storage()
        self.put_device_back()
        deleted = []
        deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda data, _: deleted.append(data))
        for device in {self.devices[0], self.devices[-1]}:
            memory = self.sample().to(device)
            torch.accelerator.set_device_index(self.devices[0].index)
            for index in (device.index, -1):
                deleted.clear()
                handle = Handle()
                self.need_success(self.lend(memory, index, handle, deleter), "torch_from_blob")
                self.expect_equal(self.value(Int32, "aoti_torch_get_device_index", handle), device.index, f"lent memory with index {index} is on its device")
                self.expect_equal(self.value(Handle, "torch_get_const_data_ptr", handle), memory.data_ptr(), "lent memory has its address")
                other = self.copy_of(handle)
                self.delete(handle)
                self.expect_equal(deleted, [], "memory is not given back while a handle lives")
                seen = tensor_of(other)
                self.expect_tensor(seen, self.sample(), "a tensor of lent memory shows its values")
                del seen
                self.expect_equal(deleted, [memory.data_ptr()], "the deleter is called once after the last handle")
        for other in self.devices[:1] if len(self.devices) > 1 else ():
            self.expect_error(f"memory of {device} lent as memory of {other} is an error", self.lend(memory, other.index, Handle(), deleter))

    def lend(self, memory, index, handle, deleter):
        return CORE.torch_from_blob(
            Handle(memory.data_ptr()), Int64(memory.dim()), integers(memory.shape), integers(memory.stride()), Int64(0),
            code_of(memory.dtype), CORE.aoti_torch_device_type_privateuse1(), index, ctypes.byref(handle), STRIDED, None,
            Int64(0), deleter, None)  # fmt: skip


if __name__ == "__main__":
    unittest.main()
