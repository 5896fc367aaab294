# SPDX-License-Identifier: BSD-3-Clause
"""How PyTorch uses _lazy_init of the device module. This is a rule of PyTorch, not of the backend."""

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
        what = "the first use of the device raises the exception of _lazy_init"
        if self.expect_raises(Busy, what, self.empty_sample) is None:
            return
        self.op("aten::empty.memory_format", self.empty_sample)
        self.expect_equal(len(calls), 2, "the next use of the device calls _lazy_init again")
        self.op("aten::empty.memory_format", self.empty_sample)
        self.expect_equal(len(calls), 2, "_lazy_init is not called again after a success")


if __name__ == "__main__":
    unittest.main()
