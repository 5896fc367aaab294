# SPDX-License-Identifier: BSD-3-Clause
"""The use of the device module's _lazy_init by core. A rule of PyTorch, not of the backend."""

import unittest

import torch
from assay.checks import Case


class Busy(RuntimeError):
    pass


class GuardLazyInit(Case):
    def test_is_tried_again(self):
        """guard.failed_lazy_init_is_retried"""
        module = self.device_module
        original = getattr(module, "_lazy_init", None)
        if original is None:
            self.lacks("lazy_init", "the device module has no _lazy_init")
        calls = []

        def lazy_init():
            calls.append(len(calls))
            if len(calls) == 1:
                raise Busy("the device is busy")
            return original()

        module._lazy_init = lazy_init
        what = "an exception of _lazy_init reaches the user"
        if self.expect_raises(Busy, what, self.empty_sample) is None:
            return
        self.op("aten::empty.memory_format", self.empty_sample)
        self.expect_equal(len(calls), 2, "the next device use tries again")
        self.op("aten::empty.memory_format", self.empty_sample)
        self.expect_equal(len(calls), 2, "after a success it is not called again")


if __name__ == "__main__":
    unittest.main()
