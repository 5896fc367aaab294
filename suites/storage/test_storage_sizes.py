# SPDX-License-Identifier: BSD-3-Clause
"""The size of a storage in bytes, and its contents after it or its tensor is resized."""

import unittest

import torch
from suites.storage.storages import Storages

LAYOUTS = {
    "contiguous": ((2, 3), (3, 1), 24),
    "strided": ((2, 3), (10, 2), 60),
    "empty": ((0, 3), (3, 1), 0),
}


class StorageSizes(Storages):
    def test_sizes(self):
        """storage.nbytes_cover_all_elements"""
        x = self.op("aten::empty.memory_format", torch.empty, 2, 3, device=self.device)
        what = "the storage of torch.empty(2, 3) has 24 bytes"
        self.expect_equal(x.untyped_storage().nbytes(), 24, what)
        for name, (sizes, strides, needed) in LAYOUTS.items():
            x = torch.empty_strided(sizes, strides, device=self.device)
            what = f"the storage of a {name} tensor has the {needed} bytes of its elements"
            self.expect_equal(x.untyped_storage().nbytes(), needed, what)

    def test_made_by_size(self):
        """storage.can_be_created_from_a_byte_size"""
        last = self.devices[-1]
        self.leave_the_first_current()
        storage = torch.UntypedStorage(10, device=last)
        self.expect_device(storage, last, "UntypedStorage(10, device=...) is on that device")
        self.expect_equal(storage.nbytes(), 10, "UntypedStorage(10) has 10 bytes")
        self.expect_true(storage.data_ptr(), "UntypedStorage(10) has memory", "its address is 0")
        tag = torch.serialization.location_tag(storage)
        self.expect_equal(tag, str(last), "the location tag of a storage names its device")
        self.expect_first_current("creating a storage does not change the current device")

    def test_resize(self):
        """storage.resize_keeps_the_first_bytes"""
        x = self.counting()
        storage = self.resized(x.untyped_storage(), 400)
        self.expect_equal(storage.nbytes(), 400, "resize_(400) gives a storage of 400 bytes")
        self.expect_place(x, self.device, "a storage that grew is on its device")
        self.expect_tensor(x, torch.arange(6.0), "a storage that grew keeps its bytes")
        self.resized(storage, 8)
        self.expect_equal(storage.nbytes(), 8, "resize_(8) gives a storage of 8 bytes")
        x.set_(storage, 0, (2,), (1,))
        self.expect_tensor(x, torch.arange(2.0), "a storage that shrank keeps its first bytes")

    def test_refused(self):
        """storage.unsupported_resize_changes_nothing"""
        x = self.on_device(self.sample(6))
        storage = x.untyped_storage()
        before = storage.nbytes(), storage.data_ptr(), storage.device
        try:
            storage.resize_(400)
        except RuntimeError as error:
            said = error
        else:
            self.has_all_the_same("storage.resize", "a storage can be resized")
        self.note("resize_() is refused with", str(said).split("\n")[0])
        self.expect_true(
            "INTERNAL ASSERT" not in str(said), "resize_() of a storage is refused with a clear message", str(said)[:300]
        )
        after = storage.nbytes(), storage.data_ptr(), storage.device
        self.expect_equal(after, before, "a refused resize_() does not change size, address and device")
        self.expect_tensor(x, self.sample(6), "a refused resize_() does not change the bytes")

    def test_emptied(self):
        """storage.storage_resized_to_zero_can_grow_again"""
        x = self.counting()
        storage = self.resized(x.untyped_storage(), 0)
        self.expect_equal(storage.nbytes(), 0, "resize_(0) gives a storage of 0 bytes")
        self.expect_equal(storage.data_ptr(), 0, "resize_(0) frees the memory")
        self.expect_device(storage, self.device, "a storage without bytes is on its device")
        self.resized(storage, 24)
        x.copy_(torch.arange(6.0, 12.0).to(self.device))
        self.expect_tensor(x, torch.arange(6.0, 12.0), "a storage that was resized to 0 can be used again")

    def test_huge(self):
        """storage.impossible_size_is_rejected"""
        x = self.counting()
        storage = self.resized(x.untyped_storage(), 48)
        before = storage.nbytes(), storage.data_ptr(), storage.device
        for size in (-1, 1 << 62):  # the hook gets -1 as 2**64 - 1
            self.expect_raises(RuntimeError, f"resize_({size}) is refused", storage.resize_, size)
            after = storage.nbytes(), storage.data_ptr(), storage.device
            self.expect_equal(after, before, f"a refused resize_({size}) does not change size, address and device")
        self.expect_tensor(x, torch.arange(6.0), "a refused size does not change the bytes")

    def foreign(self):
        """A tensor over memory that another object owns. The tensor must keep that memory."""
        owner = self.counting()
        try:
            borrower = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(owner))
        except (RuntimeError, NotImplementedError, BufferError, TypeError) as error:
            self.lacks("dlpack", error)
        if borrower.untyped_storage().resizable() or borrower.data_ptr() != owner.data_ptr():
            self.lacks("dlpack", "from_dlpack copies into new memory")
        return owner, borrower

    def test_foreign_storage(self):
        """storage.imported_memory_is_not_resized"""
        self.resized(self.counting().untyped_storage(), 48)
        owner, borrower = self.foreign()
        what = "resize_() of a storage over foreign memory is refused"
        self.expect_raises(RuntimeError, what, borrower.untyped_storage().resize_, 4000)
        self.expect_still_shared(owner, borrower)

    def test_foreign_tensor(self):
        """storage.tensor_over_imported_memory_does_not_grow"""
        self.grown(self.counting(0), 2)
        owner, borrower = self.foreign()
        what = "resize_() of a tensor over foreign memory is refused"
        self.expect_raises(RuntimeError, what, borrower.resize_, 1000)
        self.expect_still_shared(owner, borrower)

    def expect_still_shared(self, owner, borrower):
        same = owner.data_ptr() == borrower.data_ptr()
        self.expect_true(same, "a tensor that is not resized keeps its owner's memory", "its address has changed")

    def test_grow(self):
        """storage.grown_tensor_keeps_its_elements"""
        x = self.counting()
        self.grown(x, 5, 40)
        held = x.untyped_storage().nbytes()
        self.expect_true(held >= 800, "a tensor of 5 x 40 floats has 800 bytes", f"its storage has {held} bytes")
        front = self.on_cpu(x).reshape(-1)[:6]
        self.expect_equal(front.tolist(), [0, 1, 2, 3, 4, 5], "a tensor that grew keeps its elements")
        values = torch.arange(200.0).reshape(5, 40)
        x.copy_(values.to(self.device))
        self.expect_tensor(x, values, "a tensor that grew can be written everywhere")

    def test_resizable(self):
        """storage.tensor_can_be_resized"""
        x = self.counting()
        self.grown(x, 2)  # other checks test growing, which some backends refuse
        self.expect_equal(tuple(x.shape), (2,), "resize_(2) gives the tensor that shape")
        for before in ((120,), (2, 3, 4, 5)):
            for layout in (torch.channels_last, torch.contiguous_format):
                x = self.on_device(torch.arange(120.0).reshape(before))
                there = torch.arange(120.0).reshape(before).resize_(2, 3, 4, 5, memory_format=layout)
                what = f"resize_(2, 3, 4, 5, memory_format={layout}) of a tensor of shape {before}"
                with self.asks_a_special_case():
                    returned = x.resize_(2, 3, 4, 5, memory_format=layout)
                self.expect_true(returned is x, f"{what} returns the tensor", "it returned another tensor")
                self.expect_equal((tuple(x.shape), x.stride()), (tuple(there.shape), there.stride()), f"{what} has the CPU's strides")
                self.expect_tensor(x, there.contiguous(), f"{what} does not move the bytes")

    def test_refused_growth(self):
        """storage.unsupported_tensor_resize_changes_nothing"""
        x = self.on_device(self.sample(6))
        before = x.shape
        try:
            x.resize_(2)
        except NotImplementedError as error:
            said = error
        else:
            self.has_all_the_same("tensor.resize", "a tensor can be resized")
        self.note("resize_() is refused with", str(said).split("\n")[0])
        self.expect_equal(x.shape, before, "a refused resize_() does not change the shape")
        self.expect_tensor(x, self.sample(6), "a refused resize_() does not change the elements")

    def test_shrink(self):
        """storage.shrunk_tensor_keeps_its_storage"""
        x = self.counting()
        storage, address = x.untyped_storage(), x.data_ptr()
        self.grown(x, 3)
        self.expect_equal(x.data_ptr(), address, "a tensor that shrinks keeps its address")
        self.expect_equal(storage.nbytes(), 24, "the storage of a tensor that shrinks keeps its size")
        self.expect_tensor(x, torch.arange(3.0), "a tensor that shrinks keeps its first elements")
        rear = self.counting()[3:]
        try:
            rear.untyped_storage().resize_(0)
        except (RuntimeError, NotImplementedError) as error:
            self.note("a storage is not resized", str(error).split("\n")[0])
            return
        self.grown(rear, 0)
        what = "a view of an empty storage needs no memory when it is resized to no elements"
        self.expect_equal(rear.untyped_storage().nbytes(), 0, what)

    def test_view(self):
        """storage.resized_view_keeps_its_offset"""
        base = self.counting(10)
        view = base[4:6]
        self.grown(view, 12)
        self.expect_equal(view.storage_offset(), 4, "a view that grows keeps its offset")
        held = view.untyped_storage().nbytes()
        self.expect_true(held >= 64, "12 floats behind 4 others need 64 bytes", f"the storage has {held} bytes")
        self.expect_tensor(base, torch.arange(10.0), "a view that grows does not change other elements")
        view.copy_(torch.arange(100.0, 112.0).to(self.device))
        self.expect_tensor(view, torch.arange(100.0, 112.0), "a view that grew can be written")
        wanted = torch.cat([torch.arange(4.0), torch.arange(100.0, 106.0)])
        self.expect_tensor(base, wanted, "a view that grew still shares its storage")

    def test_empty_elsewhere(self):
        """storage.empty_tensor_grows_on_its_device"""
        last = self.devices[-1]
        self.leave_the_first_current()
        x = self.op("aten::empty.memory_format", torch.empty, 0, device=last)
        self.grown(x, 100)
        self.expect_place(x, last, "an empty tensor of another device grows on its device")
        self.expect_first_current("resize_() does not change the current device")

    def test_elsewhere(self):
        """storage.tensor_grows_on_its_device"""
        last = self.devices[-1]
        self.leave_the_first_current()
        x = self.counting(number=-1)
        self.grown(x, 1000)
        self.expect_place(x, last, "a tensor of another device grows on its device")
        self.expect_tensor(x[:6], torch.arange(6.0), "a tensor of another device that grew keeps its elements")
        self.expect_first_current("resize_() does not change the current device")

    def test_resize_elsewhere(self):
        """storage.resized_storage_stays_on_its_device"""
        last = self.devices[-1]
        self.leave_the_first_current()
        x = self.counting(number=-1)
        self.resized(x.untyped_storage(), 4000)
        self.expect_place(x, last, "a storage of another device is resized on its device")
        self.expect_tensor(x, torch.arange(6.0), "a resized storage of another device keeps its bytes")
        self.expect_first_current("resize_() of a storage does not change the current device")


if __name__ == "__main__":
    unittest.main()
