# SPDX-License-Identifier: BSD-3-Clause
"""A library that is compiled against the stable headers for the oldest supported release, used with this backend."""

import unittest

import torch
from assay.checks.asking import each
from suites.stable_abi import compiled_library
from suites.stable_abi.shim import ShimCase

# Name: (the operator that the backend needs, the same call in Python (a means)).
COMPUTED = {
    "copied": ("aten::copy_", lambda x: torch.empty_like(x).copy_(x)),
    "cloned": ("aten::clone", lambda x: x.clone()),
    "emptied": ("aten::zero_", lambda x: x.clone().zero_()),
    "row": ("aten::unsqueeze", lambda x: x.unsqueeze(0)),
}
own = torch.ops.assay_stable


def registered():
    return sorted(name for name in torch._C._dispatch_get_all_op_names() if name.startswith("assay_stable::"))


class StableLibrary(ShimCase):
    def setUp(self):
        super().setUp()
        self.need_kernels()

    def load(self):
        torch.ops.load_library(str(compiled_library.library(self)))

    def test_computed(self):
        """stable_abi.compiled_library_computes_on_the_device"""
        self.load()
        for name, (operator, call), one in each(self, COMPUTED):
            with one:
                for device in {self.devices[0], self.devices[-1]}:
                    self.op(operator, call, self.sample().to(device))
                    with self.asks_a_special_case():
                        self.expect_result(name, call, device)

    def expect_result(self, name, call, device):
        seen = getattr(own, name)(self.sample().to(device))
        self.expect_device(seen, device, f"{name} of a compiled library is on the device of its argument")
        self.expect_tensor(seen, call(self.sample()), f"{name} of a compiled library has the values of the CPU")

    def test_described(self):
        """stable_abi.compiled_library_sees_tensors_as_python_does"""
        self.load()
        for device in {self.devices[0], self.devices[-1]}:
            x = self.sample().to(device)
            self.expect_equal(own.described(x), (x.dim(), x.numel(), x.storage_offset(), x.is_contiguous()), "the library sees the shape of a tensor")
            self.expect_equal(own.placed(x), (device.index, True), "the library sees the device of a tensor")
            other = self.sample(4, 1).to(device)
            self.expect_tensor(own.chosen(None, other), self.sample(4, 1), "an absent optional tensor is absent")
            self.expect_tensor(own.chosen(x, other), self.sample(), "a present optional tensor is present")

    def test_current(self):
        """stable_abi.compiled_library_sees_device_and_stream_as_python_does"""
        self.load()
        self.put_device_back()
        first, last = self.devices[0], self.devices[-1]
        self.op("guard.setDevice", torch.accelerator.set_device_index, first.index)
        x = self.sample().to(last)
        self.expect_equal(own.guarded(x, last.index), (last.index, first.index), "a device guard switches the device and restores it")
        stream = self.op("guard.getStream", torch.accelerator.current_stream, last.index)
        self.expect_equal(own.stream(x), stream.stream_id, "the library sees the current stream")

    def test_raises(self):
        """stable_abi.exceptions_of_a_compiled_library_reach_python"""
        self.load()
        x = self.on_device(self.sample())
        for name, words in (("checked", "assay_stable: the tensor has too few dims"), ("failed", "select")):
            error = self.expect_raises((RuntimeError, IndexError), f"{name} of a compiled library raises", getattr(own, name), x)
            self.expect_true(error is None or words in str(error), f"the message of {name} arrives in Python", str(error))
            with self.asks_a_special_case():
                self.expect_tensor(self.on_device(self.sample()), self.sample(), "the device still copies after the exception")

    def test_later(self):
        """stable_abi.library_for_a_later_release_is_refused"""
        path = compiled_library.library(self, compiled_library.LATER)
        before = registered()
        error = self.expect_raises(OSError, "loading a library that needs a later release raises", torch.ops.load_library, str(path))
        message = f"{error}: {error and error.__cause__}"  # PyTorch adds the message of the loader as the cause
        self.expect_true("torch_function_of_a_later_release" in message, "the error names the missing function", message)
        self.expect_equal(registered(), before, "no operator of the refused library is registered")
        with self.asks_a_special_case():
            self.expect_tensor(self.on_device(self.sample()), self.sample(), "the device still copies after the refusal")


if __name__ == "__main__":
    unittest.main()
