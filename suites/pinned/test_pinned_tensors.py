# SPDX-License-Identifier: BSD-3-Clause
"""Pinned tensors and storages as programs create them."""

import unittest

import torch
from assay.checks import Case
from assay.checks.pinned_memory import needed, pinned
from assay.values.own_torch import torch as own_torch

accelerator = torch.accelerator
VALUES = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


class PinnedTensors(Case):
    def sources(self):
        values = torch.tensor(VALUES)
        return {
            "a contiguous tensor": values,
            "a transposed tensor": values.t(),
            "a slice": values[1:],
            "a number": torch.tensor(7.0),
            "integers": torch.arange(100),
            "bools": values > 2,
            "complex numbers": torch.complex(values, values),
        }

    def test_copy(self):
        """pinned.pin_memory_copies_all_data"""
        for name, source in self.sources().items():
            copy = pinned(self, source, is_subject=True)
            self.expect_equal(copy.device.type, "cpu", f"{name} that is pinned stays on the CPU")
            self.expect_true(own_torch.equal(copy, source), f"{name} keeps its values", copy.tolist())
            self.expect_equal(copy.stride(), source.stride(), f"{name} keeps its strides")
            self.expect_true(not source.is_pinned(), f"{name} itself is not pinned by pin_memory()", "is_pinned()")
            self.expect_different(copy.data_ptr(), source.data_ptr(), f"{name} is copied to new memory")

    def test_empty(self):
        """pinned.empty_tensors_can_be_pinned"""
        pinned(self, torch.ones(1))
        self.ask_special_cases()
        for sizes in ((0,), (0, 3)):
            self.clause("HOST-004")
            copy = torch.empty(sizes).pin_memory()
            self.expect_equal(copy.shape, sizes, "an empty tensor keeps its sizes when it is pinned")
            self.clause("HOST-007")
            copy.is_pinned()  # the backend gets a null pointer

    def test_again(self):
        """pinned.pin_memory_of_a_pinned_tensor_does_not_copy"""
        copy = pinned(self, torch.ones(64))
        for name, one in (("tensor", copy), ("slice of a tensor", copy[3:])):
            again = one.pin_memory()
            self.expect_equal(again.data_ptr(), one.data_ptr(), f"pinning a pinned {name} copies nothing")
        self.expect_true(copy.pin_memory() is copy, "pinning a pinned tensor returns the tensor itself", "another")

    def test_interior(self):
        """pinned.slices_are_pinned"""
        whole = pinned(self, torch.arange(5000, dtype=torch.uint8)).numpy()
        for begin in (1, 2500, 4999):
            self.expect_true(
                torch.from_numpy(whole[begin:]).is_pinned(),
                "memory in the middle of a pinned block is pinned",
                f"from byte {begin} on is_pinned() is False",
            )

    def test_device(self):
        """pinned.device_memory_is_not_pinned"""
        pinned(self, torch.ones(1))
        there = self.on_device(self.sample_of(1))
        self.clause("HOST-012")
        self.expect_equal(there.is_pinned(), False, "is_pinned() of a device tensor is False")
        self.clause("HOST-011")
        self.expect_raises(
            (RuntimeError, NotImplementedError),
            "pin_memory() of a device tensor raises",
            there.pin_memory,
        )
        self.clause("HOST-012")
        self.need_storage()
        storage = there.untyped_storage()
        self.expect_equal(storage.is_pinned(), False, "is_pinned() of a device storage is False")

    def test_storage(self):
        """pinned.storages_can_be_pinned"""
        pinned(self, torch.ones(1))
        self.clause("HOST-013")
        source = torch.tensor(VALUES).untyped_storage()
        copy = source.pin_memory()
        self.expect_equal(source.is_pinned(), False, "a storage is not pinned by default")
        self.expect_equal(copy.is_pinned(), True, "Storage.pin_memory() returns a pinned storage")
        self.expect_equal(copy.is_pinned(self.device_name), True, "is_pinned(device) is True, too")
        self.expect_equal(copy.tolist(), source.tolist(), "the pinned storage has the same bytes")
        self.clause("HOST-014")
        built = torch.empty(0).set_(copy)
        self.expect_equal(built.is_pinned(), True, "a tensor over a pinned storage is pinned")

    def factories(self):
        values = torch.tensor(VALUES)
        options = {"pin_memory": True}
        return {
            "empty": lambda: torch.empty(6, **options),
            "zeros": lambda: torch.zeros(6, **options),
            "ones": lambda: torch.ones(6, **options),
            "full": lambda: torch.full((6,), 2.0, **options),
            "rand": lambda: torch.rand(6, **options),
            "arange": lambda: torch.arange(6, **options),
            "tensor": lambda: torch.tensor(VALUES, **options),
            "empty_strided": lambda: torch.empty_strided((2, 3), (1, 2), **options),
            "new_empty": lambda: values.new_empty(6, **options),
            "zeros_like": lambda: torch.zeros_like(values, **options),
        }

    def test_factories(self):
        """pinned.factories_allocate_pinned_memory"""
        needed(self, self.factories()["empty"])
        for name, make in self.factories().items():
            self.expect_equal(make().is_pinned(), True, f"{name} with pin_memory=True gives a pinned tensor")
        self.expect_equal(torch.tensor(VALUES, pin_memory=True).tolist(), VALUES, "a pinned tensor has its values")

    def test_kinds(self):
        """pinned.pin_memory_keeps_requires_grad_and_layout"""
        values = torch.tensor(VALUES)
        pinned(self, values)
        copy = torch.ones(4, requires_grad=True).pin_memory()
        self.expect_equal(copy.requires_grad, True, "pin_memory keeps requires_grad")
        for sparse in (values.to_sparse(), values.to_sparse_csr()):
            copy = sparse.pin_memory()
            self.expect_equal(copy.layout, sparse.layout, "pin_memory keeps the layout")
            self.expect_equal(copy.is_pinned(), True, f"a {sparse.layout} tensor can be pinned")
            self.expect_true(
                own_torch.equal(copy.to_dense(), values), "its values do not change", copy.to_dense().tolist()
            )

    def test_before_use(self):
        """pinned.is_pinned_is_false_before_first_use"""
        for tensor in (torch.ones(4), torch.empty(0)):
            self.expect_equal(tensor.is_pinned(), False, "is_pinned() before the first use of the device is False")

    def test_first_use(self):
        """pinned.pinning_can_be_the_first_use_of_the_device"""
        if self.in_child(self.pins_when_started):
            self.ask_special_cases()
        for _ in range(2):
            copy = pinned(self, torch.ones(4))
            self.expect_equal(copy.tolist(), [1.0] * 4, "the first pinned tensors have their values")

    def pins_when_started(self):
        """Returns whether memory can be pinned after another object has used the device."""
        torch.empty(1, device=self.device)
        return torch.ones(4).pin_memory().is_pinned()

    def test_empty_host_cache(self):
        """pinned.empty_host_cache_does_not_crash"""
        self.ask_special_cases()  # a backend without a cache need not refuse the call
        self.asks("torch.accelerator.empty_host_cache() before the first use returns")
        accelerator.empty_host_cache()
        self.on_device(self.sample_of(1))
        self.asks("torch.accelerator.empty_host_cache() of a device in use returns")
        accelerator.empty_host_cache()

    def test_threads(self):
        """pinned.blocks_can_be_freed_on_any_thread"""
        tensors = [pinned(self, torch.full((100,), float(i))) for i in range(20)]
        self.on_thread(tensors.clear, "freeing pinned tensors on another thread returns")
        copies = [pinned(self, torch.full((100,), float(i))) for i in range(20)]
        for i, copy in enumerate(copies):
            self.expect_equal(
                copy.tolist(), [float(i)] * 100, "pinned memory is intact after another thread freed other pinned memory"
            )


if __name__ == "__main__":
    unittest.main()
