# SPDX-License-Identifier: BSD-3-Clause
"""Memory that was sent to another process must live as long as that process uses it, and must be freed afterwards."""

import gc
import pickle
import unittest

import torch
import torch.multiprocessing
from assay.checks import Case
from assay.checks.memory_in_use import bytes_in_use
from assay.checks.other_processes import Child, take_and_drop

accelerator = torch.accelerator
NUMBERS = [0.0, 1.0, 2.0, 3.0]
LARGE = 1 << 20  # number of elements
ROUNDS, PART = 40, 8  # all parts together have five times the memory of the device


class GivenBack(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()
        self.line = torch.multiprocessing.get_context("spawn").SimpleQueue()
        try:
            self.line.put(self.small())  # the child takes this tensor first
        except (RuntimeError, NotImplementedError, TypeError, pickle.PicklingError) as error:
            self.lacks("ipc", error)

    def small(self):
        return self.on_device(torch.tensor(NUMBERS))

    def of(self, count):
        """A tensor of `count` elements that starts with NUMBERS. The other elements are uninitialized."""
        tensor = torch.empty(count, device=self.device)
        tensor[:4].copy_(self.small())
        return tensor

    def expect_taken(self, child, what):
        child.connection.send("take")
        self.expect_numbers(child, what)

    def expect_dropped(self, child, what):
        """The child reads the numbers once more before it drops the tensor."""
        child.connection.send("drop")
        self.expect_numbers(child, what)

    def expect_numbers(self, child, what):
        seen = child.says(what)
        if isinstance(seen, dict):
            self.require(self.expect(False, what, f"the child raised {seen['error']}: {seen['text']}"[:600]))
        self.require(self.expect_equal(seen, NUMBERS, what))

    def begin(self, child):
        self.expect_taken(child, "a process receives a device tensor")
        self.expect_dropped(child, "a process can read the received device tensor")

    def in_use(self, child):
        """Returns the bytes in use, after two more small tensors were sent, received and dropped: a sender frees
        returned memory only when it sends again."""
        for _ in range(2):
            self.line.put(self.small())
            self.begin(child)
        getattr(self.device_module, "ipc_collect", lambda: None)()
        gc.collect()
        return bytes_in_use(self)

    def expect_as_before(self, child, before, what):
        self.expect_equal(self.in_use(child), before, f"{what} is freed: memory_allocated() is as before")

    def test_given_back(self):
        """ipc.sent_memory_lives_until_the_receiver_drops_it"""
        with Child(self, "spawn", take_and_drop, self.line) as child:
            self.begin(child)
            before = self.in_use(child)
            self.send_home()
            self.expect_as_before(child, before, "memory that was sent back to its sender and is not used any more")
            self.line.put(self.of(LARGE))
            self.expect_taken(child, "a process receives a tensor that its sender has dropped")
            others = [torch.full((LARGE,), 9.0, device=self.device) for _ in range(2)]
            self.expect_dropped(child, "received memory does not change while the receiver uses it, even if the sender allocates")
            del others
            self.expect_as_before(child, before, "memory that was sent and is not used any more")

    def send_home(self):
        """Sends a tensor from this process to itself."""
        there = self.of(LARGE)
        self.line.put(there)
        back = self.line.get()
        back[:4].copy_(self.small() + 1)
        seen = self.on_cpu(there[:4].clone()).tolist()
        if seen == NUMBERS:
            self.lacks("ipc", "the received tensor is a copy: its sender does not see writes to it")
        self.expect_equal(seen, [one + 1 for one in NUMBERS], "a sender that receives its own tensor sees writes to it")

    def test_closed(self):
        """ipc.receiver_closes_the_memory_of_dropped_tensors"""
        free, total = self.supported("memory.info", accelerator.get_memory_info, self.device.index)
        count = min(total // PART, free // 4) // 4
        with Child(self, "spawn", take_and_drop, self.line) as child:
            self.begin(child)
            for number in range(ROUNDS):
                there = self.of(count)
                self.line.put(there)
                what = f"a process that drops what it receives can receive more than the device's memory, {count * 4} bytes at a time"
                self.expect_taken(child, f"{what}: round {number + 1} of {ROUNDS}")
                self.expect_dropped(child, what)
                del there


if __name__ == "__main__":
    unittest.main()
