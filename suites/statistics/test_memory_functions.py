# SPDX-License-Identifier: BSD-3-Clause
"""torch.accelerator's memory functions: keys, values, arguments, and calls before the first use of the device."""

import itertools
import unittest

import torch
from assay.checks import Case, memory_in_use

accelerator = torch.accelerator
COUNTS = ("allocation", "segment", "active", "inactive_split")
BYTES = ("allocated", "reserved", "active", "inactive_split", "requested")
POOLS = ("all", "small_pool", "large_pool")
METRICS = ("current", "peak", "allocated", "freed")
EVENTS = ("num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc", "num_device_free")
ASKING = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
RESETS = ("reset_peak_memory_stats", "reset_accumulated_memory_stats")


def _documented_keys():
    names = [*COUNTS, *(f"{name}_bytes" for name in BYTES)]
    keys = {".".join(parts) for parts in itertools.product(names, POOLS, METRICS)}
    for name in ("oversize_allocations", "oversize_segments"):
        keys |= {f"{name}.{metric}" for metric in METRICS}
    return keys | {*EVENTS, "max_split_size"}


class MemoryFunctions(Case):
    def used(self, number=0):
        """A tensor on the device, and the statistics of the device."""
        tensor = self.on_device(torch.zeros(70000, dtype=torch.uint8), number)
        return tensor, memory_in_use.statistics(self, self.devices[number])

    def first(self, name, *arguments):
        """The result of a memory function before the device is used."""
        return self.supported("memory.stats", getattr(accelerator, name), *arguments)

    def test_first_call(self):
        """statistics.can_be_read_before_first_use"""
        index = self.device.index
        if self.first("memory_stats", index):
            self.note("initialized", "when it is loaded")
        else:
            for name in ASKING:
                self.expect_equal(self.first(name, index), 0, f"{name} is 0 before the first use")
        self.first("empty_cache")
        for name in RESETS:
            self.first(name, index)
        tensor = self.empty_sample(64)
        there = bool(accelerator.memory_stats(index))
        self.expect_true(there, f"memory_stats() has entries for {tensor.device} after a tensor was created", "it is empty")

    def test_keys(self):
        """statistics.keys_match_device_stats"""
        _, seen = self.used()
        self.expect_equal(sorted(_documented_keys() ^ set(seen)), [], "memory_stats has the keys of DeviceStats")

    def test_values(self):
        """statistics.values_are_non_negative_integers"""
        tensor, seen = self.used()
        self.expect_equal(list(seen), sorted(seen), "the keys of memory_stats are sorted")
        del tensor
        for name in RESETS:
            getattr(accelerator, name)(self.device.index)
        for statistics in (seen, memory_in_use.statistics(self)):
            odd = {key: value for key, value in statistics.items() if not _is_count(value)}
            self.expect_equal(odd, {}, "every statistic is an integer, 0 or more")

    def test_shorthands(self):
        """statistics.memory_functions_equal_their_keys"""
        _, seen = self.used()
        keys = [f"{name}_bytes.all.{m}" for name in ("allocated", "reserved") for m in METRICS[:2]]
        for name, key in zip(ASKING, keys, strict=True):
            self.expect_equal(getattr(accelerator, name)(self.device.index), seen[key], f"{name} is {key}")

    def test_arguments(self):
        """statistics.memory_functions_accept_every_kind_of_device_argument"""
        self.put_device_back()
        number = len(self.devices) - 1
        device = self.devices[number]
        accelerator.set_device_index(device.index)
        _, seen = self.used(number)
        forms = (None, device.index, str(device), device, self.device_name, self.bare_device)
        for form in forms:
            self.expect_equal(accelerator.memory_stats(form), seen, f"memory_stats({form!r}) is for the named device")
        for other in ("cpu", torch.device("meta")):
            self.expect_raises(
                ValueError,
                f"memory_stats({other!r}) names another device type and raises a ValueError",
                accelerator.memory_stats,
                other,
            )

    def test_index(self):
        """statistics.bad_device_index_is_rejected"""
        _, seen = self.used()
        accelerator.set_device_index(self.device.index)
        count = accelerator.device_count()
        for index in {count, 127} - set(range(count)) - set(range(128, count + 1)):
            for name in (*ASKING, *RESETS):
                self.expect_raises(
                    (RuntimeError, ValueError, IndexError),
                    f"{name}({index}) raises if there are {count} devices",
                    getattr(accelerator, name),
                    index,
                )
        self.ask_negative(seen)

    def ask_negative(self, seen):
        """Expects that -1 is refused or means the current device."""
        try:
            answer = accelerator.memory_stats(-1)
        except (RuntimeError, ValueError, IndexError):
            return
        self.expect_equal(answer, seen, "memory_stats(-1) raises or returns those of the current device")


def _is_count(value):
    return type(value) is int and value >= 0


if __name__ == "__main__":
    unittest.main()
