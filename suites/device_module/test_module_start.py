# SPDX-License-Identifier: BSD-3-Clause
"""Which calls start the device, which do not, and whether the device module reports the start.

Most of these checks use an interpreter of their own, in which nothing has used the device yet.
"""

import traceback
import unittest

import torch
from assay.checks import Case, stand_in
from assay.values.own_torch import torch as own_torch

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
ABSENT = ASK + """
calls = {"manual_seed": (3,), "manual_seed_all": (3,), "seed_all": (), "is_initialized": (), "init": (), "device_count": ()}
answer["torch.manual_seed"] = tried(lambda: torch.manual_seed(3))
for called, arguments in calls.items():
    if hasattr(module, called):
        answer[called] = tried(lambda: getattr(module, called)(*arguments))
answer.update(seen=tried(lambda: module.is_available()), after=started())
"""
USE = ASK + 'answer.update(seen=tried(lambda: torch.empty_like(SAMPLE, device=name).numel()), after=started())'


class Busy(RuntimeError):
    pass


class ModuleStart(Case):
    def answered(self, code, function, kind):
        """Returns the facts from a new process in which `function` has returned a value of type `kind`."""
        answer = self.fresh(code, f"torch.{self.device_name}.{function} works in a new process")
        seen = answer["seen"]
        self.require(
            self.expect_equal(seen["type"], kind, f"torch.{self.device_name}.{function} returns a value of type {kind}")
        )
        self.expect_equal(
            answer["after"], answer["before"], f"{function} does not start the device: is_initialized() does not change"
        )
        return seen["value"]

    def test_available(self):
        """device_module.is_available_does_not_start_the_device"""
        self.answered(AVAILABLE, "is_available()", "bool")

    def test_count(self):
        """device_module.device_count_does_not_start_the_device"""
        count = self.answered(COUNT, "device_count()", "int")
        self.expect_true(count >= 0, "device_count() is not negative", f"{count}")

    def test_absent(self):
        """device_module.is_available_is_false_without_devices"""
        answer = self.fresh(ABSENT, "a process without a device can load the backend", **self.without_devices())
        self.clause("MOD-005")
        self.expect_equal(
            answer["seen"], {"type": "bool", "value": False}, "is_available() is False if there is no device"
        )
        self.clause("MOD-026")
        wanted = {"device_count": ("int", 0), "is_initialized": ("bool", False)}
        for name, result in wanted.items():
            if name in answer:
                self.expect_equal((answer[name]["type"], answer[name]["value"]), result, f"{name}() if there is no device")
        for name in ("torch.manual_seed", "manual_seed_all", "seed_all"):
            seen = answer.get(name, {"type": "NoneType"})
            self.expect_true(seen["type"] in ("NoneType", "Generator"), f"{name}() seeds nothing if there is no device", f"{seen}")
        if "init" in answer:
            self.expect_true("Error" in answer["init"]["type"], "init() raises if there is no device", f"{answer['init']}")
        if "is_initialized" in answer:
            self.expect_equal(answer["after"]["value"], False, "is_initialized() is False after the start has failed")

    def test_started(self):
        """device_module.is_initialized_is_true_only_after_the_start"""
        answer = self.fresh(USE, "a process that creates one tensor exits normally", ends=True)
        self.note("is_initialized()", answer)
        if answer["seen"]["type"] != "int":
            self.block(answer["seen"]["value"], "aten::empty.memory_format")
        self.expect_equal(answer["after"]["value"], True, "is_initialized() is True after a tensor was created")
        if answer["is_lazy"]:
            self.expect_equal(
                answer["before"]["value"], False,
                "is_initialized() of a process that has only loaded a backend with a _lazy_init is False",
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
            what = "creating the first tensor raises the exception of _lazy_init"
            if self.expect_raises(Busy, what, self.empty_sample) is None:
                return
            for _ in range(2):
                self.op("aten::empty.memory_format", self.empty_sample)
        self.expect_equal(len(calls), 2, "_lazy_init is called until it succeeds, and not afterwards")

    def test_init(self):
        """device_module.init_starts_the_device"""
        init = getattr(self.device_module, "init", None)
        if init is None:
            self.does_not_apply(f"torch.{self.device_name} has no init")

        def twice():
            before = self.device_module.is_initialized()
            init()
            after = self.device_module.is_initialized()
            init()
            return {"before": before, "after": after, "used": self.is_usable()}

        seen = self.in_a_child(twice, "init() starts the device, and a second call does nothing")
        self.expect_equal(seen["after"], True, "is_initialized() is True after init()")
        self.expect_equal(seen["used"], True, "the device can be used after init()")

    def is_usable(self):
        return own_torch.equal(self.sample().to(self.device).cpu(), self.sample())

    def in_a_child(self, work, what):
        """The result of `work` in a child that is forked before the first use of the device."""
        answer = self.forked(work, what)
        if "error" in answer:
            self.block_if_refused(answer["text"])
            self.require(self.expect(False, what, f"raised {answer['error']}: {answer['text']}"))
        return answer["value"]

    def queue(self):
        queue = getattr(self.device_module, "_lazy_call", None)
        if queue is None or not hasattr(self.device_module, "_lazy_init"):
            self.does_not_apply(f"torch.{self.device_name} queues no calls")
        return queue

    def test_queue(self):
        """device_module.queued_calls_run_when_the_device_starts"""
        queue = self.queue()

        def queued():
            calls = []
            for number in range(3):
                queue(lambda number=number: calls.append(number))
            before = list(calls)
            self.is_usable()
            after = list(calls)
            queue(lambda: calls.append("at once"))
            return [before, after, calls[len(after) :]]

        def wrong():
            queue(self.raises)
            try:
                self.is_usable()
            except Exception as error:
                return "".join(traceback.format_exception(error))
            return None

        before, after, now = self.in_a_child(queued, "calls are queued until the device starts")
        self.expect_equal(before, [], "a queued call does not run before the device starts")
        self.expect_equal(after, [0, 1, 2], "queued calls run in order when the device starts")
        self.expect_equal(now, ["at once"], "a call that is queued after the start runs immediately")
        said = self.in_a_child(wrong, "the first use of the device raises the exception of a queued call")
        for word in ("mine alone", "test_module_start"):
            self.expect_true(word in (said or ""), f"the exception of a queued call contains {word!r}", f"{said}")

    def test_use_in_queue(self):
        """device_module.queued_calls_may_use_the_device"""
        queue = self.queue()

        def queued():
            calls = []
            queue(lambda: calls.append([self.is_usable()]))
            queue(lambda: calls.append("the next call"))
            self.is_usable()
            return calls

        seen = self.in_a_child(queued, "a queued call can use the device")
        self.expect_equal(seen, [[True], "the next call"], "a queued call that uses the device ends before the next one begins")

    def raises(self):
        raise KeyError("mine alone")

    def test_fake(self):
        """device_module.fake_tensors_do_not_start_the_device"""
        from torch._subclasses import FakeTensorMode

        calls = []
        started = {"_lazy_init": lambda: calls.append(1), "is_initialized": lambda: False}
        with stand_in.stand_in(self.device_name, **started), FakeTensorMode():
            for device in (self.device_name, f"{self.device_name}:0"):
                fake = torch.empty(2, device=device)
                self.expect_equal(
                    fake.device, torch.device(self.device_name, 0), f"a fake tensor on {device} has the right device"
                )
        self.expect_equal(calls, [], "a fake tensor does not start the device")


if __name__ == "__main__":
    unittest.main()
