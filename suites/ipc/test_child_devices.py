# SPDX-License-Identifier: BSD-3-Clause
"""The device in child processes of each start method, and in their parent."""

import unittest

import torch
from assay.checks import Case
from assay.checks.other_processes import Child, computed, use_device, use_device_apart, use_until_killed

accelerator = torch.accelerator
NUMBERS = [0.0, 1.0, 2.0, 3.0]

# The child exits as a program does, so the exit handlers of the interpreter and of libraries run in it.
ENDS = """
import os, select, signal, sys
import torch

there = SAMPLE.to(torch._C._get_privateuse1_backend_name())
there.cpu()
child = os.fork()
if child == 0:
    sys.exit(0)
if select.select([os.pidfd_open(child)], [], [], SECONDS)[0]:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    ended = f"exit status {code}" if code >= 0 else signal.Signals(-code).name
else:
    os.kill(child, signal.SIGKILL)
    ended = "it did not end"
answer = {"ended": ended, "there": there.cpu().tolist()}
del there
"""


class ChildDevices(Case):
    def use_device(self):
        """A tensor that the parent has on the device. The parent has already used the device."""
        self.need_any_kind()  # the numbers that a child computes with
        self.expect_equal(computed(self.device), NUMBERS, "the parent can use the device")
        return self.on_device(self.sample())

    def expect_as_before(self, there):
        self.expect_tensor(there, self.sample(), "the tensors of the parent are unchanged")
        self.expect_equal(computed(self.device), NUMBERS, "the parent can still use the device")

    def test_spawned(self):
        """ipc.spawned_child_has_independent_device_state"""
        there, last = self.use_device(), self.devices[-1].index
        self.put_device_back()
        accelerator.set_device_index(last)
        torch.manual_seed(self.seed)
        expected = torch.rand(4)
        torch.manual_seed(self.seed)
        what = "a spawned child can use the device at the same time as its parent"
        names = [str(device) for device in self.devices]
        with Child(self, "spawn", use_device_apart, names, self.seed + 1, new=True) as child:
            seen = child.value(what)
        self.expect_equal(seen, [NUMBERS] * len(names), f"{what}, and its numbers are right")
        self.expect_equal(accelerator.current_device_index(), last, "the current device of the parent does not change")
        self.expect_tensor(torch.rand(4), expected, "the random numbers of the parent do not change")
        self.expect_as_before(there)

    def test_killed(self):
        """ipc.killed_child_does_not_affect_its_parent"""
        there = self.use_device()
        with Child(self, "spawn", use_until_killed, str(self.device)) as child:
            self.expect_equal(
                child.says("a spawned child can use the device"), NUMBERS, "the numbers of a spawned child are right"
            )
            child.process.kill()
            child.process.join(self.seconds_left / 2)
        self.expect_as_before(there)

    def test_forkserver(self):
        """ipc.forkserver_child_can_use_the_device"""
        there = self.use_device()
        what = "a child of a fork server can use the device at the same time as the program"
        with Child(self, "forkserver", use_device, str(self.device)) as child:
            self.expect_equal(child.value(what), NUMBERS, f"{what}, and its numbers are right")
        self.expect_as_before(there)

    def test_forked(self):
        """ipc.child_forked_after_first_use_computes_or_raises"""
        there = self.use_device()
        what = "a child that is forked after the first use of the device is refused with a clear message or works"
        with Child(self, "fork", use_device, str(self.device)) as child:
            outcome = child.says(what)
        if "error" in outcome:
            text = outcome["text"]
            self.note("error in such a child", text.split("\n")[0])
            self.expect_true(text.strip() and "INTERNAL ASSERT" not in text, what, [outcome["error"], text[:300]])
        else:
            self.expect_equal(outcome["value"], NUMBERS, what)
        self.expect_as_before(there)

    def test_forked_before(self):
        """ipc.child_forked_before_first_use_can_use_the_device"""
        self.need_any_kind()
        accelerator.is_available()
        accelerator.device_count()
        what = "a child that is forked before the first use of the device can use the device"
        with Child(self, "fork", use_device, str(self.device)) as child:
            self.expect_equal(child.value(what), NUMBERS, f"{what}, and its numbers are right")
        self.expect_equal(computed(self.device), NUMBERS, "the parent can start the device after its child")

    def test_ends(self):
        """ipc.forked_child_without_device_use_exits_with_status_0"""
        self.on_device(self.sample())  # the copy is a means: its refusal blocks the check here
        code = ENDS.replace("SECONDS", str(self.seconds_left / 2))
        seen = self.fresh(code, "a program that uses the device and forks exits normally", ends=True)
        self.expect_equal(
            seen["ended"], "exit status 0", "a child that is forked after the first use and does not use the device exits normally"
        )
        self.expect_equal(seen["there"], self.sample().tolist(), "the tensors of the parent are unchanged")


if __name__ == "__main__":
    unittest.main()
