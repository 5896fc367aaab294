# SPDX-License-Identifier: BSD-3-Clause
"""Storages that tensors share, and calls that copy storages. The bytes are compared on the host."""

import copy
import io
import unittest
import warnings

import torch
from suites.storage.data_assignment import expect_moved_or_refused
from suites.storage.storages import Storages

BYTES = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9]  # an odd number of bytes


class StorageSharing(Storages):
    def test_set_tensor(self):
        """storage.set_to_a_tensor_shares_memory"""
        x = self.counting()
        y = x.new_empty(0)
        self.laid_over(y, x[2:])
        self.expect_same_storage(x, y, "set_(tensor) shares the tensor's storage")
        self.expect_equal(y.storage_offset(), 2, "set_(tensor) uses the tensor's offset")
        self.expect_written_through(x, y, "set_(tensor)")

    def test_set_storage(self):
        """storage.set_to_a_storage_shares_memory"""
        self.clause("STOR-012")
        x = self.counting()
        storage = x.untyped_storage()
        y = x.new_empty(0)
        self.laid_over(y, storage)
        self.expect_same_storage(x, y, "set_(storage) shares the storage")
        self.expect_tensor(y, torch.arange(6.0), "set_(storage) covers the whole storage")
        z = x.new_empty(0)
        self.laid_over(z, storage, 2, (4,), (1,))
        self.expect_same_storage(x, z, "set_(storage, offset, size, stride) shares the storage")
        self.expect_written_through(x, z, "set_(storage, offset, size, stride)")

        self.expect_set_again(self.counting())

    def expect_set_again(self, x):
        """Tests set_ on a tensor that already has the shape, and with storages that are too small."""
        for strides in ((1, 2), (3, 1)):
            y = self.on_device(torch.zeros(2, 3))
            self.laid_over(y, x.untyped_storage(), 0, (2, 3), strides)
            what = f"set_(storage, 0, (2, 3), {strides}) of a tensor of that shape"
            self.expect_equal(y.stride(), strides, f"{what} sets the strides")
            self.expect_tensor(y, torch.arange(6.0).as_strided((2, 3), strides), f"{what} shows the elements in this layout")
        with self.clause("STOR-029"):
            for offset, strides in ((0, (3, 1)), (2, (3, 1)), (0, (1, 2)), (1, (4, 1))):
                small, there = torch.UntypedStorage(0, device=self.device), torch.UntypedStorage(0)
                self.laid_over(x.new_empty(0), small, offset, (2, 3), strides)
                torch.empty(0).set_(there, offset, (2, 3), strides)
                what = f"set_(storage, {offset}, (2, 3), {strides}) grows an empty storage to the bytes that it covers"
                self.expect_equal(small.nbytes(), there.nbytes(), what)

    def expect_written_through(self, x, y, name):
        self.expect_place(y, self.device, f"the result of {name}")
        self.expect_tensor(y, torch.arange(2.0, 6.0), f"{name} shows the elements from its offset on")
        y.copy_(torch.full((4,), 7.0).to(self.device))
        wanted = torch.tensor([0.0, 1, 7, 7, 7, 7])
        self.expect_tensor(x, wanted, f"a write through the result of {name} changes the source")

    def test_settable(self):
        """storage.tensor_can_be_set_to_a_storage"""
        y = self.counting(2)
        self.laid_over(y, self.counting().untyped_storage())
        self.expect_equal(tuple(y.shape), (6,), "set_(storage) covers all six elements of the storage")

    def test_refused_set(self):
        """storage.unsupported_set_changes_nothing"""
        x, y = self.on_device(self.sample(6)), self.on_device(self.sample(2))
        before = y.shape
        try:
            y.set_(x.untyped_storage())
        except NotImplementedError as error:
            said = error
        else:
            self.has_all_the_same("tensor.set", "set_() on a storage works")
        self.note("set_() is refused with", str(said).split("\n")[0])
        self.expect_equal(y.shape, before, "a refused set_() does not change the shape")
        self.expect_tensor(y, self.sample(2), "a refused set_() does not change the elements")

    def test_set_host(self):
        """storage.set_rejects_a_cpu_storage"""
        x = self.counting()
        self.laid_over(x.new_empty(0), x.untyped_storage(), 0, (2,), (1,))
        host = torch.UntypedStorage(24)
        what = "set_() of a device tensor refuses a storage of the host"
        self.expect_raises(RuntimeError, what, x.new_empty(0).set_, host, 0, (2,), (1,))
        self.expect_raises(RuntimeError, what, x.new_empty(0).set_, host)

    def test_copies(self):
        """storage.copies_are_byte_exact"""
        made = torch.UntypedStorage(len(BYTES), device=self.device)
        made.copy_(torch.tensor(BYTES, dtype=torch.uint8).untyped_storage())
        self.expect_equal(self.bytes_of(made), BYTES, "copy_() from the host copies every byte")
        other = torch.UntypedStorage(len(BYTES), device=self.device).copy_(made)
        self.expect_equal(self.bytes_of(other), BYTES, "copy_() on the device copies every byte")
        host = torch.UntypedStorage(len(BYTES)).copy_(made)
        self.expect_equal(list(host), BYTES, "copy_() to the host copies every byte")

    def test_copy_sizes(self):
        """storage.copy_of_another_size_is_rejected"""
        storage = self.bytes_on(BYTES)
        longer = torch.UntypedStorage(len(BYTES) + 1)
        what = "copy_() between storages of two sizes is refused"
        self.expect_raises(RuntimeError, what, storage.copy_, longer)
        self.expect_raises(RuntimeError, what, longer.copy_, storage)

    def test_moves(self):
        """storage.device_moves_keep_the_bytes"""
        last = self.devices[-1]
        self.leave_the_first_current()
        storage = torch.tensor(BYTES, dtype=torch.uint8).untyped_storage().to(device=last)
        self.expect_device(storage, last, "to(device=...) moves a storage to the device")
        for name, moved, place in (
            ("cpu()", storage.cpu(), torch.device("cpu")),
            ("clone()", storage.clone(), last),
            ("to() of the first device", storage.to(device=self.device), self.device),
        ):
            self.expect_device(moved, place, f"{name} of a storage is on the right device")
            self.expect_equal(self.bytes_of(moved), BYTES, f"{name} of a storage keeps the bytes")
        self.expect_first_current("moving storages does not change the current device")

    def test_own_memory(self):
        """storage.copies_have_separate_memory"""
        last = self.devices[-1]
        self.leave_the_first_current()
        storage = self.bytes_on(BYTES, -1)
        self.ask_special_cases()  # copies to the device have worked, so an exception below is a failure
        buffer = io.BytesIO()
        torch.save(storage, buffer)
        buffer.seek(0)
        copies = {
            "clone": storage.clone(),
            "copy.deepcopy": copy.deepcopy(storage),
            "torch.load": torch.load(buffer, map_location=str(last), weights_only=False),
        }
        for name, made in copies.items():
            made = getattr(made, "_untyped_storage", made)
            self.expect_device(made, last, f"{name} creates a storage on the device of the original")
            self.expect_true(
                made.data_ptr() not in (0, storage.data_ptr()),
                f"{name} creates a storage with its own memory", f"its address is {made.data_ptr()}",
            )
            self.expect_equal(self.bytes_of(made), BYTES, f"{name} creates a storage with equal bytes")

    def test_one_storage(self):
        """storage.views_share_a_storage_and_copies_do_not"""
        x = self.counting()
        views = {
            "detach()": x.detach(), "a slice": x[2:], "view()": self.op("aten::view", x.view, 2, 3),
        }
        for name, view in views.items():
            self.expect_same_storage(x, view, f"{name} has the storage of its base")
        x.copy_(torch.arange(10.0, 16.0).to(self.device))
        for name, view in views.items():
            wanted = torch.arange(16.0 - view.numel(), 16.0).reshape(view.shape)
            self.expect_tensor(view, wanted, f"a write to the base changes {name}")
        other = self.op("aten::clone", x.clone)
        apart = other.untyped_storage()._cdata != x.untyped_storage()._cdata
        self.expect_true(apart, "clone() has its own storage", "it has the storage of the source")
        other.copy_(torch.zeros(6).to(self.device))
        self.expect_tensor(x, torch.arange(10.0, 16.0), "a write to a clone does not change the source")

    def test_swap(self):
        """storage.swap_tensors_swaps_the_storages"""
        first, last = self.counting(), self.counting(3, number=-1)
        storages = first.untyped_storage()._cdata, last.untyped_storage()._cdata
        torch.utils.swap_tensors(first, last)
        self.expect_place(first, self.devices[-1], "a tensor that was swapped")
        self.expect_place(last, self.device, "a tensor that was swapped")
        swapped = last.untyped_storage()._cdata, first.untyped_storage()._cdata
        self.expect_equal(swapped, storages, "swapped tensors have each other's storage")
        self.expect_tensor(first, torch.arange(3.0), "a swapped tensor has the values of the other tensor")

    def test_data_of_host(self):
        """storage.data_assignment_across_device_types_moves_or_raises"""
        here, there = self.sample_of(1, 6), lambda: self.on_device(self.sample(6))
        for x, y in ((here.clone(), there()), (there(), here)):
            if expect_moved_or_refused(self, x, y):
                self.expect_same_storage(x, y, "x.data = y gives x the storage of y")

    def test_data_elsewhere(self):
        """storage.data_assignment_across_device_indices_moves_the_tensor"""
        first, last = self.counting(), self.counting(3, number=-1)
        first.data = last
        self.expect_place(first, self.devices[-1], "x.data = y moves x to the device of y")
        self.expect_same_storage(first, last, "x.data = y gives x the storage of y")
        self.expect_tensor(first, torch.arange(3.0), "x.data = y gives x the values of y")

    def test_typed(self):
        """storage.typed_storage_reports_its_device"""
        last = self.devices[-1]
        x = self.counting(number=-1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # storage() is deprecated, but programs still call it
            typed = x.storage()
            self.expect_equal(typed.size(), 6, "x.storage() counts elements")
            self.expect_device(typed, last, "x.storage() is on the device of the tensor")
            mark = f"is_{self.device_name}"
            for storage in (typed, x.untyped_storage()):
                if not hasattr(storage, mark):
                    self.lacks("methods", f"storages have no {mark}")
                self.expect_equal(getattr(storage, mark), True, f"{mark} of a storage of the device")
            host = torch.ones(1).untyped_storage()
            self.expect_equal(getattr(host, mark), False, f"{mark} of a storage of the host")

    def test_shared_memory(self):
        """storage.share_memory_is_a_no_op"""
        x = self.on_device(self.sample(6))
        address = x.data_ptr()
        for name, thing in (("tensor", x), ("storage", x.untyped_storage())):
            self.expect_true(thing.share_memory_() is thing, f"share_memory_() returns the {name}",
                             "it returned another object")
            self.expect_equal(thing.is_shared(), True, f"is_shared() of a device {name}")
        self.expect_equal(x.data_ptr(), address, "share_memory_() does not move a tensor")
        self.expect_tensor(x, self.sample(6), "share_memory_() does not change the values")

    def test_bytes(self):
        """storage.bytes_can_be_read_and_written"""
        storage = self.bytes_on(BYTES)
        self.expect_equal(storage[3], BYTES[3], "storage[i] is the byte")
        storage[3] = 200
        wanted = BYTES[:3] + [200] + BYTES[4:]
        self.expect_equal(storage.tolist(), wanted, "storage[i] = v writes only that byte")
        self.ask_special_cases()
        part = storage[2:5]
        self.expect_device(part, self.device, "a slice of a storage is on its device")
        self.expect_equal(part.tolist(), wanted[2:5], "a slice of a storage shows its bytes")
        self.expect_equal(storage.fill_(9).tolist(), [9] * len(BYTES), "fill_() writes every byte")
        self.expect_equal(part.tolist(), [9] * 3, "a slice of a storage shares its memory")


if __name__ == "__main__":
    unittest.main()
