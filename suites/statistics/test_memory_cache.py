# SPDX-License-Identifier: BSD-3-Clause
"""Unused memory of a device: the cache, failed allocations, free and total memory."""

import unittest

import torch
from assay.checks import Case, memory_in_use

accelerator = torch.accelerator
# bytes: every caching allocator gives a block of this size its own segment, and every device has that much memory
LARGE = 12 << 20
BEYOND = (1 << 46) + 4096  # more bytes than any memory has; truncated to 32 bits, this size is one page


class MemoryCache(Case):
    def statistics(self):
        return memory_in_use.statistics(self)

    def reserved(self, number=0):
        return memory_in_use.statistics(self, self.devices[number])["reserved_bytes.all.current"]

    def large(self, number=0):
        return self.on_device(torch.full((LARGE,), 7, dtype=torch.uint8), number)

    def test_empty_cache(self):
        """statistics.empty_cache_releases_unused_memory"""
        values = torch.arange(1000.0)
        kept = self.on_device(values)
        self.statistics()
        accelerator.empty_cache()
        without = self.reserved()
        large = self.large()
        if self.reserved() <= without:
            self.lacks("memory.caching", "no memory is reserved for a large tensor")
        del large
        cached = self.reserved()
        if cached <= without:
            self.lacks("memory.caching", "the memory of a freed tensor is returned immediately")
        accelerator.empty_cache()
        self.expect_true(
            self.reserved() < cached,
            "empty_cache frees unused memory: memory_reserved decreases",
            f"{cached} bytes reserved, then {self.reserved()}",
        )
        accelerator.empty_cache()
        self.expect_tensor(kept, values, "a live tensor keeps its values when the cache is emptied")

    def test_every_device(self):
        """statistics.empty_cache_releases_memory_of_every_device"""
        self.put_device_back()
        large = self.large(1)
        used = self.reserved(1)
        del large
        cached = self.reserved(1)
        if cached < used:
            self.lacks("memory.caching", "the memory of a freed tensor is returned immediately")
        accelerator.set_device_index(self.devices[0].index)
        accelerator.empty_cache()
        left = self.reserved(1)
        what = "empty_cache frees the unused memory of a device that is not current"
        self.expect_true(left < cached, what, f"{cached} bytes reserved on the other device, then {left}")

    def test_live_counts(self):
        """statistics.empty_cache_keeps_live_data"""
        kept = self.large()
        before = self.statistics()
        for _ in range(2):
            accelerator.empty_cache()
            after = self.statistics()
            for name in ("allocation", "allocated_bytes", "requested_bytes"):
                key = f"{name}.all.current"
                self.expect_equal(after[key], before[key], f"empty_cache does not change {key}")
        self.expect_tensor(
            kept,
            torch.full((LARGE,), 7, dtype=torch.uint8),
            "a live tensor keeps its values when the cache is emptied twice",
        )

    def refuse(self):
        """Requests more memory than any device has."""
        try:
            torch.empty(BEYOND, dtype=torch.uint8, device=self.device)
        except RuntimeError as error:
            self.block_if_refused(str(error))
            return
        self.block("a request beyond any memory succeeded", "a refusal of an oversized request")

    def test_exhaustion(self):
        """statistics.out_of_memory_errors_are_counted"""
        kept = self.on_device(torch.zeros(1000))
        before = self.statistics()
        for done in (1, 2):
            self.refuse()
            self.expect_equal(
                self.statistics()["num_ooms"] - before["num_ooms"],
                done,
                "num_ooms increases by one for each request that fails for lack of memory",
            )
        after = self.statistics()
        for name in ("allocation", "allocated_bytes", "requested_bytes", "active_bytes"):
            key = f"{name}.all.current"
            self.expect_equal(after[key], before[key], f"a failed request does not change {key}")
        self.note("retries for two failed requests", after["num_alloc_retries"])
        del kept

    def info(self, device):
        """Returns (free, total) of the device, or ends the check if the backend does not report these numbers."""
        return self.supported("memory.info", accelerator.get_memory_info, device.index)

    def expect_sane(self, info):
        free, total = info
        self.expect_true(
            0 <= free <= total and total > 0,
            "get_memory_info gives free and total memory, 0 <= free <= total",
            f"({free}, {total})",
        )

    def test_info(self):
        """statistics.free_memory_does_not_exceed_the_total"""
        for number, device in enumerate(self.devices[:2]):
            self.expect_sane(self.info(device))
            kept = self.on_device(torch.zeros(LARGE, dtype=torch.uint8), number)
            self.expect_sane(self.info(device))
            del kept

    def test_info_falls(self):
        """statistics.free_memory_falls_when_allocating_and_recovers"""
        self.large()
        self.info(self.device)
        memory_in_use.settle(self)
        accelerator.empty_cache()
        before = self.info(self.device)[0]
        large = self.large()
        held = self.info(self.device)[0]
        del large
        memory_in_use.settle(self)
        accelerator.empty_cache()
        after = self.info(self.device)[0]
        words = f"{before} bytes free, {held} with a tensor of {LARGE} bytes, {after} without it"
        self.expect_true(before - held >= LARGE, "free memory decreases by the size of a tensor", words)
        self.expect_true(after > held, "free memory recovers after the tensor was freed", words)

    def test_info_first(self):
        """statistics.memory_info_is_valid_before_first_use"""
        self.expect_sane(self.info(self.device))


if __name__ == "__main__":
    unittest.main()
