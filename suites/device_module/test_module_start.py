# SPDX-License-Identifier: BSD-3-Clause
"""Calls that start the device, calls that do not, and whether the device module knows.

Most ask in an interpreter of their own, in which nothing has used the device.
"""

import os
import unittest

import assay
import stand_in
import torch

PRELOAD = ["torch._subclasses"]

ASK = """
import torch
name = torch._C._get_privateuse1_backend_name()
module = getattr(torch, name, None)

def tried(call):
    try:
        value = call()
        return {"type": type(value).__name__, "value": value if isinstance(value, int) else repr(value)}
    except Exception as error:
        return {"type": type(error).__name__, "value": str(error)}

def started():
    return tried(lambda: module.is_initialized())

answer = {"before": started(), "is_lazy": hasattr(module, "_lazy_init")}
"""
AVAILABLE = ASK + 'answer.update(seen=tried(lambda: module.is_available()), after=started())'
COUNT = ASK + 'answer.update(seen=tried(lambda: module.device_count()), after=started())'
USE = ASK + 'answer.update(seen=tried(lambda: torch.empty_like(SAMPLE, device=name).numel()), after=started())'


class Busy(RuntimeError):
    pass


class ModuleStart(assay.Case):
    def answered(self, code, function, kind):
        """The facts of a process of its own, once the function was seen to answer with this type."""
        answer = self.fresh(code, f"torch.{self.device_name}.{function} answers")
        seen = answer["seen"]
        self.require(
            self.expect_equal(
                seen["type"], kind, f"torch.{self.device_name}.{function} returns a value of type {kind}"
            )
        )
        self.expect_equal(
            answer["after"], answer["before"], f"{function} does not start the device: is_initialized() stays"
        )
        return seen["value"]

    def test_available(self):
        """device_module.asking_for_availability_starts_nothing"""
        self.answered(AVAILABLE, "is_available()", "bool")

    def test_count(self):
        """device_module.asking_for_the_count_starts_nothing"""
        count = self.answered(COUNT, "device_count()", "int")
        self.expect_true(count >= 0, "device_count() is no negative number", f"{count}")

    def test_absent(self):
        """device_module.availability_is_said_without_devices"""
        name, sign, value = os.environ.get("ASSAY_ABSENT", "").partition("=")
        if not sign:
            self.cannot_observe("ASSAY_ABSENT", "the profile does not say how to hide the devices")
        answer = self.fresh(AVAILABLE, "a process without a device loads the backend", **{name: value})
        self.expect_equal(
            answer["seen"], {"type": "bool", "value": False}, "is_available() is False where there is no device"
        )

    def test_started(self):
        """device_module.knows_when_the_device_has_started"""
        answer = self.fresh(USE, "a process that makes one tensor ends well", ends=True)
        self.note("is_initialized()", answer)
        if answer["seen"]["type"] != "int":
            self.block(answer["seen"]["value"], "aten::empty.memory_format")
        self.expect_equal(
            answer["after"]["value"], True, "is_initialized() is True once a tensor was made"
        )
        if answer["is_lazy"]:
            self.expect_equal(
                answer["before"]["value"], False,
                "is_initialized() is False before the first use of a device that has a _lazy_init",
            )

    def test_lazy_init(self):
        """device_module.lazy_init_runs_once"""
        original = getattr(self.device_module, "_lazy_init", None)
        if original is None:
            self.lacks("lazy_init", "the device module has no _lazy_init")
        calls, device = [], self.device

        def lazy_init():
            calls.append(len(calls))
            if len(calls) == 1:
                raise Busy("the device is busy")
            return original()

        with stand_in.stand_in(self.device_name, _lazy_init=lazy_init):
            what = "an exception of _lazy_init reaches whoever makes the first tensor"
            if self.expect_raises(Busy, what, self.empty_sample) is None:
                return
            for _ in range(2):
                self.op("aten::empty.memory_format", self.empty_sample)
        self.expect_equal(len(calls), 2, "_lazy_init is called until it has succeeded, and then no more")

    def test_fake(self):
        """device_module.fake_tensors_start_nothing"""
        from torch._subclasses import FakeTensorMode

        calls = []
        started = {"_lazy_init": lambda: calls.append(1), "is_initialized": lambda: False}
        with stand_in.stand_in(self.device_name, **started), FakeTensorMode():
            for device in (self.device_name, f"{self.device_name}:0"):
                fake = torch.empty(2, device=device)
                self.expect_equal(
                    fake.device, torch.device(self.device_name, 0), f"a fake tensor on {device} says where it is"
                )
        self.expect_equal(calls, [], "a fake tensor does not start the device")


if __name__ == "__main__":
    unittest.main()
