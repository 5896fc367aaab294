# SPDX-License-Identifier: BSD-3-Clause
"""The number of devices, from every source that reports it."""

import unittest

import torch
from assay.checks import Case


class GuardCounts(Case):
    def test_counts_agree(self):
        """guard.python_device_counts_equal_guard_and_hooks"""
        count = torch.accelerator.device_count()
        module = getattr(self.device_module, "device_count", None)
        answers = {
            "the guard": self.count_of("guard"),
            "the hooks": self.count_of("hooks"),
            f"torch.{self.device_name}": module() if module else None,
        }
        self.note("counts", {"torch.accelerator": count, **answers})
        for who, answer in answers.items():
            if answer is not None:
                self.expect_equal(answer, count, f"{who} counts as many devices as torch.accelerator")

    def test_counted_devices_are_usable(self):
        """guard.first_and_last_device_accept_copies_in_python"""
        count = torch.accelerator.device_count()
        self.expect_equal(torch.accelerator.is_available(), count > 0, "is_available() says whether there are devices")
        values = self.sample(50)
        self.on_device(values)
        self.ask_special_cases()
        for index in sorted({0, count - 1}):
            device = torch.device(self.device_name, index)
            there = self.op("aten::_copy_from", values.to, device)
            self.expect_device(there, device, "a copy to a device is on it")
            self.expect_tensor(there, values, "a copy to a device and back has the values of the original")
            stream = torch.accelerator.current_stream(index)
            self.expect_equal(stream.device_index, index, "the current stream of a device is on that device")


if __name__ == "__main__":
    unittest.main()
