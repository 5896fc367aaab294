# SPDX-License-Identifier: BSD-3-Clause
"""Compares the statistics of a device with a ledger that the check keeps of its own tensors.

The tensors are copied from the CPU, so that every backend allocates memory for them. A ledger first allocates the
largest of these tensors, so that memory which a backend allocates once and keeps is not counted.
"""

import random
import unittest

import torch
from assay.checks import Case, memory_in_use

accelerator = torch.accelerator
SIZES = (1, 511, 4097, 70000, 3 << 20)  # bytes
STEPS = 24
PAIRS = (("segment", "reserved_bytes"), ("active", "active_bytes"), ("inactive_split", "inactive_split_bytes"))


class Ledger:
    """Tensors of random sizes that the check keeps on one of its devices."""

    def __init__(self, case, number=0):
        self.case, self.number, self.tensors = case, number, []
        self.random = random.Random(case.seed)
        for size in (max(SIZES), 1):
            self.take(size)
            self.give()

    def take(self, size):
        values = torch.zeros(size, dtype=torch.uint8)
        self.tensors.append(self.case.on_device(values, self.number))

    def give(self):
        self.tensors.pop(self.random.randrange(len(self.tensors)))

    def step(self):
        if self.tensors and self.random.random() < 0.4:
            self.give()
        else:
            self.take(self.random.choice(SIZES))

    @property
    def bytes(self):
        return sum(tensor.nbytes for tensor in self.tensors)


def _stats_of(statistics):
    """The names of the counted quantities, such as "segment.all"."""
    return [key.removesuffix(".current") for key in statistics if key.endswith(".current")]


class MemoryLedger(Case):
    def statistics(self, number=0):
        return memory_in_use.statistics(self, self.devices[number])

    def expect_no_other(self, others, what):
        """`others`: the violations by key, with the seen and the expected value."""
        words = [f"{key} is {seen}, expected {asked}" for key, (seen, asked) in others.items()]
        self.expect(not others, what, "; ".join(words[:4]) + (" ..." if words[4:] else ""))

    def test_live_bytes(self):
        """statistics.live_tensors_are_counted"""
        ledger = Ledger(self)
        before = self.statistics()["allocated_bytes.all.current"]
        for _ in range(STEPS):
            ledger.step()
            counted = self.statistics()["allocated_bytes.all.current"] - before
            self.require(
                self.expect_true(
                    counted >= ledger.bytes,
                    "memory_allocated counts at least the bytes of all live tensors",
                    f"{counted} bytes more than before, with {ledger.bytes} bytes in live tensors",
                )
            )
        ledger.tensors.clear()
        self.expect_equal(
            self.statistics()["allocated_bytes.all.current"],
            before,
            "memory_allocated is as before after the tensors were freed",
        )

    def test_sums(self):
        """statistics.current_equals_allocated_minus_freed"""
        ledger = Ledger(self)
        before = self.statistics()
        for _ in range(STEPS):
            ledger.step()
        self.expect_sums(before, self.statistics())
        ledger.tensors.clear()
        self.expect_sums(before, self.statistics())

    def expect_sums(self, before, after):
        def change(key):
            return after[key] - before[key]

        others = {}
        for name in _stats_of(after):
            sums = change(f"{name}.allocated") - change(f"{name}.freed")
            if change(f"{name}.current") != sums:
                others[f"the change of {name}.current"] = change(f"{name}.current"), sums
        self.expect_no_other(others, "current changes by the change of allocated minus freed")

    def test_peak(self):
        """statistics.peak_is_the_largest_current_value"""
        ledger = Ledger(self)
        highest = {}
        for _ in range(STEPS):
            ledger.step()
            seen = self.statistics()
            for name in _stats_of(seen):
                highest[name] = max(highest.get(name, 0), seen[f"{name}.current"])
        lower = {
            f"{name}.peak": (seen[f"{name}.peak"], f"at least {most}")
            for name, most in highest.items()
            if seen[f"{name}.peak"] < most
        }
        self.expect_no_other(lower, "the peak is at least the highest current value")

    def test_order(self):
        """statistics.requested_is_at_most_allocated_at_most_reserved"""
        ledger = Ledger(self)
        for _ in range(STEPS):
            ledger.step()
            seen = self.statistics()
            row = [seen[f"{name}_bytes.all.current"] for name in ("requested", "allocated", "reserved")]
            filled = [value for value in row if value]
            self.expect_equal(filled, sorted(filled), "requested <= allocated <= reserved bytes")

    def test_pairs(self):
        """statistics.block_counts_and_bytes_agree"""
        ledger, others = Ledger(self), {}
        for _ in range(STEPS):
            ledger.step()
        ledger.take(max(SIZES))
        seen = {key.removesuffix(".all.current"): value for key, value in self.statistics().items()}
        if not any(seen[name] for pair in PAIRS for name in pair):
            self.lacks("memory.stats", "neither segments nor active blocks are counted")
        for count, size in PAIRS:
            if seen[count] and not seen[size]:
                others[f"{size} of {seen[count]} in {count}"] = 0, "some"
        if seen["allocation"] and seen["active_bytes"] and not seen["active"]:
            others[f"active, with {seen['allocation']} in allocation and {seen['active_bytes']} active_bytes,"] = 0, "some"
        for name, least in (("active", "allocation"), ("active_bytes", "allocated_bytes")):
            if 0 < seen[name] < seen[least]:
                others[name] = seen[name], f"at least the {seen[least]} of {least}"
        self.expect_no_other(others, "counted blocks have bytes, and allocated blocks are active")

    def test_pools(self):
        """statistics.aggregate_is_at_least_the_count_of_each_pool"""
        ledger = Ledger(self)
        for size in (1000, max(SIZES)):
            ledger.take(size)
        seen = self.statistics()
        lower, other = {}, {}
        for name in {name.rpartition(".")[0] for name in _stats_of(seen) if name.endswith("_pool")}:
            for metric in ("current", "peak", "allocated", "freed"):
                key = f"{name}.all.{metric}"
                pools = [seen[f"{name}.{pool}.{metric}"] for pool in ("small_pool", "large_pool")]
                if seen[key] < max(pools):
                    lower[key] = seen[key], f"at least {max(pools)} of one pool"
                if metric != "peak" and any(pools) and seen[key] != sum(pools):
                    other[key] = seen[key], f"{sum(pools)} of both pools"
        self.clause("STAT-025")
        self.expect_no_other(lower, "`all` is at least the count of each pool")
        self.clause("STAT-012")
        self.note("differs from the sum of the pools", "; ".join(other) or "nothing")

    def peak_above_current(self, number):
        """Creates one live tensor and one larger freed tensor."""
        ledger = Ledger(self, number)
        for size in (max(SIZES), 1000):
            ledger.take(size)
        del ledger.tensors[0]
        return ledger

    def expect_reset_of_peak(self, before, after, what):
        others = {}
        for key, seen in after.items():
            name, _, metric = key.rpartition(".")
            asked = after[f"{name}.current"] if metric == "peak" else before[key]
            if seen != asked:
                others[key] = seen, asked
        self.expect_no_other(others, what)

    def test_reset_peak(self):
        """statistics.peak_reset_changes_only_the_peak"""
        ledger = self.peak_above_current(0)
        before = self.statistics()
        accelerator.reset_peak_memory_stats(self.device.index)
        self.expect_reset_of_peak(
            before,
            self.statistics(),
            "reset_peak_memory_stats sets each peak to the current value and changes nothing else",
        )
        ledger.tensors.clear()

    def test_reset_sums(self):
        """statistics.accumulated_reset_changes_only_the_sums"""
        ledger = self.peak_above_current(0)
        before = self.statistics()
        accelerator.reset_accumulated_memory_stats(self.device.index)
        after, others = self.statistics(), {}
        for key, seen in after.items():
            metric = key.rpartition(".")[2]
            asked = 0 if metric in ("allocated", "freed") else before[key]
            if seen != asked and (seen or not key.startswith("num_")):
                others[key] = seen, asked
        self.expect_no_other(
            others,
            "reset_accumulated_memory_stats sets allocated and freed to 0 and keeps current and peak",
        )
        ledger.tensors.clear()
        self.expect_sums(after, self.statistics())

    def test_reset_lowers(self):
        """statistics.resets_do_not_lower_other_statistics"""
        ledger = self.peak_above_current(0)
        reset_peak, reset_sums = accelerator.reset_peak_memory_stats, accelerator.reset_accumulated_memory_stats
        self.clause("STAT-009")
        self.expect_not_lowered(reset_peak, ("allocated", "freed"))
        self.clause("STAT-010")
        self.expect_not_lowered(reset_sums, ("peak",))
        ledger.tensors.clear()

    def expect_not_lowered(self, reset, metrics):
        """Expects that a reset does not lower these counts. Running work may increase these counts."""
        before = memory_in_use.statistics_now(self)
        reset(self.device.index)
        after = memory_in_use.statistics_now(self)
        others = {
            key: (after[key], f"at least {before[key]}")
            for key in after
            if key.rpartition(".")[2] in metrics and after[key] < before[key]
        }
        self.expect_no_other(others, f"{reset.__name__} does not lower {' or '.join(metrics)}")

    def test_other_device(self):
        """statistics.each_device_has_separate_statistics"""
        self.put_device_back()
        first, second = self.devices[0].index, self.devices[1].index
        kept = self.peak_above_current(1)
        there = self.statistics(1)
        here = self.peak_above_current(0)
        accelerator.set_device_index(first)
        self.expect_same(there, "an allocation on one device is not counted on another")
        accelerator.set_device_index(second)
        before = self.statistics(0)
        accelerator.reset_peak_memory_stats(first)
        what = "reset_peak_memory_stats resets the given device while another is current"
        self.expect_reset_of_peak(before, self.statistics(0), what)
        accelerator.reset_accumulated_memory_stats(first)
        self.expect_same(there, "resetting one device's statistics does not change those of another")
        for ledger in (here, kept):
            ledger.tensors.clear()

    def expect_same(self, before, what):
        """Expects that the statistics of the second device have not changed."""
        after = self.statistics(1)
        others = {key: (seen, before[key]) for key, seen in after.items() if seen != before[key]}
        self.expect_no_other(others, what)


if __name__ == "__main__":
    unittest.main()
