# SPDX-License-Identifier: BSD-3-Clause
"""Devices of loaded tensors: map_location, location tags, storages that are moved."""

import unittest

import torch
from assay.checks import pinned_memory
from suites.serialization.checkpoint import Saving, reloaded, saved

COUNTED = torch.arange(12.0)


class MapLocation(Saving):
    def expect_at(self, seen, device, what):
        self.expect_device(seen, device, what)
        self.expect_tensor(seen, COUNTED, f"{what}, with its values")

    def test_kinds(self):
        """serialization.map_location_can_name_the_cpu"""
        cpu, here = torch.device("cpu"), self.device
        tensor = self.counting()
        self.expect_at(reloaded(tensor, map_location="cpu"), cpu, "map_location 'cpu'")
        self.expect_at(reloaded(tensor, map_location=cpu), cpu, "map_location torch.device")
        self.expect_at(reloaded(tensor, map_location={str(here): "cpu"}), cpu, "map_location with a dict")
        if not torch._C._has_storage(tensor):
            return  # PyTorch accepts no function for a tensor without storage
        self.expect_at(
            reloaded(tensor, map_location=lambda storage, tag: storage), cpu,
            "map_location with a function that keeps the storage",
        )
        self.expect_at(
            reloaded(tensor, map_location=lambda storage, tag: None), here,
            "map_location with a function that returns None",
        )

    def test_to_the_device(self):
        """serialization.map_location_can_name_the_device"""
        self.need_moving_storages()
        here = self.device
        for place in (str(here), here):
            loaded = reloaded(COUNTED.clone(), map_location=place)
            self.expect_at(loaded, here, f"map_location {place!r}")

    def test_no_int(self):
        """serialization.map_location_rejects_an_int"""
        self.expect_raises(TypeError, "map_location refuses an int", reloaded, self.counting(), map_location=0)

    def test_other_device(self):
        """serialization.map_location_can_name_another_device"""
        self.need_moving_storages()
        for number in (0, 1):
            other = self.devices[1 - number]
            loaded = reloaded(self.counting(number=number), map_location=str(other))
            self.expect_at(loaded, other, f"map_location '{other}'")

    def test_restore_location(self):
        """serialization.restored_storage_is_on_the_tagged_device"""
        self.need_moving_storages()
        restore = torch.serialization.default_restore_location
        for device in self.devices[:2]:
            placed = restore(COUNTED.clone().untyped_storage(), str(device))
            self.expect_device(placed, device, f"a storage that is restored to '{device}' is on that device")
        with torch.accelerator.device_index(self.devices[1].index):
            placed = restore(COUNTED.clone().untyped_storage(), self.device_name)
        self.expect_device(placed, self.devices[1], "a location without index means the current device")

    def test_storage_moves(self):
        """serialization.storage_moves_to_each_device"""
        source = COUNTED.clone().untyped_storage()
        before = torch.accelerator.current_device_index()
        for device in self.devices:
            try:
                moved = source.to(device=device)
            except NotImplementedError as error:  # a backend may have tensors without storages
                self.lacks("storage", error)
            except Exception as error:
                self.expect(False, "UntypedStorage.to(device=...) allocates and copies",
                            f"{type(error).__name__}: {error}")
                return
            self.expect_device(moved, device, "a moved storage is on its new device")
            self.expect_equal(moved.nbytes(), source.nbytes(), "a moved storage keeps its size")
            back = torch.empty(0).set_(moved.cpu())
            self.expect_tensor(back, COUNTED, "a moved storage keeps its data")
        self.expect_equal(
            torch.accelerator.current_device_index(), before,
            "moving a storage leaves the current device unchanged",
        )

    def test_storage_to_cpu_without_waiting(self):
        """serialization.storage_copies_to_pinned_memory"""
        self.need_tensors_with_storage()
        pinned_memory.pinned(self, COUNTED)
        storage = self.counting().untyped_storage()
        moved = storage.to(device=torch.device("cpu"), non_blocking=True)
        torch.accelerator.synchronize()
        self.expect_tensor(
            torch.empty(0).set_(moved), COUNTED,
            "a storage copied to the CPU without waiting is complete after synchronize",
        )
        # Uses a tensor, because before torch 2.13 a storage took "cuda" as the device.
        pinned = torch.empty(0, dtype=torch.uint8).set_(moved).is_pinned()
        self.expect_true(pinned, "the memory of the copy is pinned", "is_pinned() is False")

    def test_index_out_of_range(self):
        """serialization.missing_device_is_named_in_the_error"""
        if not hasattr(self.device_module, "device_count"):
            self.block("PyTorch does not check", "module.device_count")
        count = torch.accelerator.device_count()
        error = self.expect_raises(
            RuntimeError, "loading to a device that does not exist is refused",
            torch.load, saved(COUNTED.clone()), map_location=f"{self.device_name}:{count}",
        )
        self.expect_true(
            f"device {count} " in str(error) and f"device_count() is {count}" in str(error),
            "the error names the index and the number of devices", str(error),
        )


if __name__ == "__main__":
    unittest.main()
