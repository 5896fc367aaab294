# SPDX-License-Identifier: BSD-3-Clause
"""torch.accelerator.get_device_capability: every dtype that it lists must work."""

import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator


class GuardCapability(Case):
    def dtypes(self, device):
        return self.supported("device.capability", accelerator.get_device_capability, device)["supported_dtypes"]

    def test_dtypes_can_be_stored_and_cast(self):
        """guard.supported_dtypes_can_be_stored_and_cast"""
        self.clause("DEV-021")
        dtypes = sorted(self.dtypes(self.device), key=str)
        self.note("supported dtypes", ", ".join(map(str, dtypes)))
        self.clause("DEV-022")
        for dtype in dtypes:
            if self.stored(dtype) is None:
                continue
            for other in dtypes:
                self.cast(dtype, other)

    def stored(self, dtype):
        try:
            return torch.empty(3, dtype=dtype, device=self.device)
        except Exception as error:
            self.block_if_refused(str(error))
            self.expect(False, f"supported {dtype} can be allocated", f"{error}"[:300])
            return None

    def cast(self, dtype, other):
        try:
            values = torch.tensor([0, 1, 1]).to(dtype)
            seen = values.to(self.device).to(other).cpu()
            expected = values.to(other)
            same = torch.equal(seen, expected)
        except Exception as error:
            self.block_if_refused(str(error))
            self.expect(False, f"supported {dtype} can be cast to {other}", f"{error}"[:300])
        else:
            self.expect(same, f"casting {dtype} to {other} keeps 0 and 1", f"{seen!r}")

    def test_is_answered(self):
        """guard.device_capability_lists_at_least_one_dtype"""
        dtypes = self.dtypes(self.device)
        self.expect_true(len(dtypes) > 0, "the device supports at least one dtype", "none")

    def test_equal_devices(self):
        """guard.equal_devices_report_equal_dtypes"""
        first = self.dtypes(self.devices[0])
        for device in self.devices[1:]:
            self.expect_equal(
                sorted(map(str, self.dtypes(device) ^ first)),
                [],
                f"{device} supports the same dtypes as {self.devices[0]}",
            )

    def test_bad_index(self):
        """guard.capability_query_rejects_an_index_past_the_count"""
        self.dtypes(self.device)
        count = accelerator.device_count()
        for index in {count, 127} - set(range(count)):
            self.expect_raises(
                (RuntimeError, ValueError),
                f"get_device_capability({index}) of {count} devices raises",
                accelerator.get_device_capability,
                index,
            )


if __name__ == "__main__":
    unittest.main()
