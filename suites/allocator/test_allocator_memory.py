# SPDX-License-Identifier: BSD-3-Clause
"""Device memory in Python programs: empty tensors, exhaustion, statistics, views."""

import os
import unittest
from pathlib import Path

import torch
from assay.checks import Case
from assay.values.own_torch import torch as own_torch

accelerator = torch.accelerator
BEYOND = (1 << 46) + 4096  # bytes; truncated to 32 bits, this size is one page


def resident():
    """Returns the size of the resident set of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


class AllocatorMemory(Case):
    def empty(self, *sizes, **options):
        return self.op("aten::empty.memory_format", torch.empty, *sizes, **options)

    def refused_request(self):
        """Returns the error of a request that is larger than any memory. test_over_large tests such requests."""
        try:
            torch.empty(BEYOND, dtype=torch.uint8, device=self.device)
        except RuntimeError as error:
            self.block_if_refused(str(error))
            return error
        self.block("a request beyond any memory succeeded", "a refusal of an oversized request")

    def allocated(self, device):
        return self.supported("memory.stats", accelerator.memory_allocated, device.index)

    def test_staging(self):
        """allocator.copies_do_not_leak_host_memory"""
        host = torch.ones(1 << 20)
        there, many = self.on_device(host), 40
        for name, copy in {"to the device": lambda: there.copy_(host), "to the host": lambda: host.copy_(there)}.items():
            grown = self.grown_by(copy, many) >> 20
            what = f"{many} copies of 4 MiB {name} leave no host memory behind"
            self.expect_true(grown < many * 2, what, f"the process has grown by {grown} MiB")

    def grown_by(self, work, many):
        """Returns by how many bytes the process grows when `work` runs `many` times."""
        for _ in range(4):
            work()
        accelerator.synchronize(self.device.index)
        before = resident()
        for _ in range(many):
            work()
            accelerator.synchronize(self.device.index)
        return resident() - before

    def test_empty_tensor(self):
        """allocator.empty_tensor_has_no_memory_in_python"""
        self.need_storage()
        device = self.devices[-1]
        for sizes in ((0,), (0, 3), (4, 0, 2)):
            tensor = self.empty(*sizes, device=device)
            self.expect_equal(tensor.data_ptr(), 0, "an empty tensor's data_ptr() is 0")
            self.expect_equal(
                tensor.untyped_storage().data_ptr(), 0, "the data pointer of an empty tensor's storage is 0"
            )
            self.expect_equal(tensor.untyped_storage().nbytes(), 0, "an empty tensor's storage has 0 bytes")
            self.expect_device(tensor, device, "an empty tensor is on its device")
            self.expect_tensor(tensor, torch.empty(sizes), "an empty tensor can be copied to the CPU")

    def test_over_large(self):
        """allocator.too_large_request_raises_in_python"""
        for clause, call in (
            ("ALLOC-017", lambda: torch.empty(BEYOND, dtype=torch.uint8, device=self.device)),
            ("ALLOC-019", lambda: torch.empty_strided((1 << 40, 1 << 40), (1, 1), device=self.device)),
            ("ALLOC-019", lambda: torch.empty(-1, device=self.device)),
            ("ALLOC-019", lambda: torch.empty(1 << 62, dtype=torch.float64, device=self.device)),
        ):
            self.clause(clause)
            error = self.expect_raises(RuntimeError, "a tensor larger than any memory raises a RuntimeError", call)
            if error is not None:
                self.expect_true("INTERNAL ASSERT" not in str(error), "the error is no internal assertion", str(error))
                self.note("out of memory raises", type(error).__name__)
        self.clause("ALLOC-018")
        values = self.sample(64)
        self.expect_tensor(self.on_device(values), values, "afterwards the allocator still allocates memory")

    def test_out_of_memory(self):
        """allocator.out_of_memory_raises_out_of_memory_error"""
        self.need_any_kind()
        error = self.refused_request()
        self.expect_true(
            isinstance(error, torch.OutOfMemoryError),
            "exhausted device memory raises torch.OutOfMemoryError",
            f"{type(error).__name__}: {error}"[:300],
        )

    def test_baseline(self):
        """allocator.memory_in_use_returns_to_the_baseline"""
        device = self.devices[-1]
        values = self.sample_of(0, 1000)
        del_me = self.op("aten::_copy_from", values.to, device)
        del del_me
        before = self.allocated(device)
        for size in (1, 511, 4097, 100000):
            tensor = self.empty(size, dtype=torch.uint8, device=device)
            held = self.allocated(device)
            self.expect_true(held >= before + size, "a live tensor is counted", f"{before}, then {held}")
            del tensor
            self.expect_equal(self.allocated(device), before, "a dead tensor is not counted")

    def test_failure_leaves_statistics(self):
        """allocator.failed_request_keeps_statistics_in_python"""
        before = self.allocated(self.device)
        for _ in range(3):
            self.refused_request()
        self.expect_equal(self.allocated(self.device), before, "a failed allocation is not counted as allocated")

    def test_memory_functions(self):
        """allocator.accelerator_memory_functions_do_not_raise"""
        self.op("aten::empty.memory_format", self.empty_sample, 16)
        self.allocated(self.device)
        index = self.device.index
        for name in (
            "memory_allocated",
            "max_memory_allocated",
            "memory_reserved",
            "max_memory_reserved",
            "memory_stats",
            "reset_peak_memory_stats",
            "reset_accumulated_memory_stats",
        ):
            self.answers(name, index)
        self.answers("empty_cache")

    def answers(self, name, *arguments):
        try:
            getattr(accelerator, name)(*arguments)
        except Exception as error:
            text = str(error).split("\n")[0]
            self.expect(False, f"torch.accelerator.{name} returns", f"{type(error).__name__}: {text}")

    def test_views(self):
        """allocator.views_share_memory"""
        self.need_storage()
        base = self.on_device(torch.arange(24.0))
        whole = base.data_ptr()
        views = {
            "slice": (lambda: base[5:17], 5),
            "view of a slice": (lambda: base[5:17].view(3, 4), 5),
            "row": (lambda: base.view(4, 6)[2], 12),
            "transpose": (lambda: base.view(4, 6).t(), 0),
        }
        for name, (make, offset) in views.items():
            view = self.op("aten::as_strided", make)
            self.expect_equal(view.storage_offset(), offset, f"the {name} has the right storage_offset()")
            self.expect_equal(
                view.data_ptr() - whole,
                offset * base.element_size(),
                f"the {name}'s data_ptr() is the base's plus offset * itemsize",
            )
            self.expect_equal(
                view.untyped_storage()._cdata,
                base.untyped_storage()._cdata,
                f"the {name} shares the storage of its base",
            )

    def test_pin_memory(self):
        """allocator.pin_memory_on_the_device_is_rejected"""
        self.expect_raises(
            (RuntimeError, ValueError, NotImplementedError),
            "pin_memory=True on a device factory raises",
            torch.empty,
            4,
            device=self.device,
            pin_memory=True,
        )

    def test_non_blocking(self):
        """allocator.non_blocking_copy_to_the_host_is_exact"""
        self.is_about("hooks.getPinnedMemoryAllocator")
        values = self.sample(1000)
        there = self.on_device(values)
        # A blocking copy works. So if the copy below is refused, the reason is not a missing operator.
        self.on_cpu(there)
        try:
            here = there.to("cpu", non_blocking=True)
        except Exception as error:
            self.expect(False, "a non-blocking copy to the CPU works", str(error).split("\n")[0])
            return
        try:
            accelerator.synchronize(self.device.index)
        except (RuntimeError, NotImplementedError):
            there.cpu()  # If synchronize() is unsupported, this blocking copy waits instead.
        self.expect_equal(here.device.type, "cpu", "the copy is on the CPU")
        self.expect_true(own_torch.equal(here, values), "the copy has the values", "others")


if __name__ == "__main__":
    unittest.main()
