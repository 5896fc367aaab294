# SPDX-License-Identifier: BSD-3-Clause
"""Calls that concern a whole device: initialization, synchronization, memory."""

import threading
import unittest

import torch
from assay.checks import Case, processes

accelerator = torch.accelerator

START = """
import torch
name = torch._C._get_privateuse1_backend_name()
module, calls = getattr(torch, name), []
original = getattr(module, "_lazy_init", None)
answer = {"is_lazy": original is not None}

def lazy_init():
    calls.append(1)
    return original()

if original:
    module._lazy_init = lazy_init
    torch.accelerator.synchronize(0)
    answer["after synchronize(0)"] = len(calls)
    index = torch.accelerator.current_device_index()
    answer["index"] = [type(index).__name__, index]
    answer["after current_device_index()"] = len(calls)
    torch.accelerator.set_device_index(index)
    torch.accelerator.current_stream()
    answer["after more calls"] = len(calls)
"""
STATISTICS = (
    "memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
    "reset_peak_memory_stats", "reset_accumulated_memory_stats",
)  # fmt: skip


class AcceleratorDevice(Case):
    def empty(self):
        return self.op("aten::empty.memory_format", self.empty_sample, 64)

    def test_start(self):
        """accelerator.current_device_index_starts_the_device"""
        answer = self.fresh(START, "a process whose first calls are torch.accelerator's exits normally", ends=True)
        if not answer["is_lazy"]:
            self.lacks("lazy_init", "the device module has no _lazy_init")
        self.clause("ACC-012")
        self.expect_equal(answer["after synchronize(0)"], 0, "synchronize(0) does not start the device")
        self.clause("ACC-006")
        self.expect_equal(answer["after current_device_index()"], 1, "current_device_index() calls _lazy_init")
        self.expect_equal(answer["index"][0], "int", "current_device_index() is an int")
        self.clause("ACC-016")
        self.expect_equal(answer["after more calls"], 1, "_lazy_init is called once")

    # ---- waiting --------------------------------------------------------------------------------

    def test_waits(self):
        """accelerator.synchronize_waits_for_pending_work"""
        stream, event = accelerator.current_stream(self.device), torch.Event(self.device)
        accelerator.set_device_index(self.device.index)
        self.supported("events", event.record, stream)
        complete = []

        def wait():
            accelerator.synchronize(self.device)
            complete.append(event.query())

        wait()
        with self.held(stream):
            event.record(stream)
            thread = threading.Thread(target=wait, daemon=True)
            thread.start()
            thread.join(self.seconds_left / 50)  # a wait that is too short makes the check weaker but never wrong
        thread.join(self.seconds_left)
        self.expect_equal(
            complete, [True, True], "work is complete when synchronize() returns, and other threads can run during the call"
        )

    def test_returns(self):
        """accelerator.synchronize_does_not_raise"""
        self.is_about("guard.synchronizeDevice")
        self.empty()
        accelerator.set_device_index(self.device.index)
        for arguments in ((), (self.device,)):
            try:
                accelerator.synchronize(*arguments)
            except Exception as error:
                text = str(error).split("\n")[0]
                self.expect(False, "torch.accelerator.synchronize() returns", f"{type(error).__name__}: {text}")

    def test_bad_index(self):
        """accelerator.synchronize_rejects_a_bad_index"""
        self.empty()
        accelerator.synchronize(self.device)
        count = accelerator.device_count()
        for index in {count, 99} - set(range(count)):
            self.expect_raises(
                (RuntimeError, ValueError), f"synchronize({index}) raises if there are {count} devices",
                accelerator.synchronize, index,
            )

    # ---- memory ---------------------------------------------------------------------------------

    def answered(self, name, *arguments):
        """Returns the function's result. If the allocator is no DeviceAllocator, the backend lacks `memory.stats`."""
        try:
            return getattr(accelerator, name)(*arguments)
        except Exception as error:
            text = str(error).split("\n")[0]
            if self.refused_means(error) == "allocator.getDeviceAllocator":
                self.lacks("memory.stats", text)
            self.require(self.expect(False, f"torch.accelerator.{name}() returns", f"{type(error).__name__}: {text}"))

    def test_memory(self):
        """accelerator.memory_functions_return_non_negative_numbers"""
        self.empty()
        for name in STATISTICS:
            value = self.answered(name, self.device.index)
            self.expect_true(
                value is None or (isinstance(value, int) and value >= 0), f"{name}() is not negative", f"{value!r}"
            )

    def test_cache(self):
        """accelerator.empty_cache_does_not_raise"""
        self.answered("empty_cache")
        self.empty()
        self.answered("empty_cache")

    def test_free(self):
        """accelerator.free_memory_does_not_exceed_the_total"""
        self.empty()
        free, total = self.supported("memory.info", accelerator.get_memory_info, self.device.index)
        self.expect_true(0 <= free <= total, "free memory is not negative and not larger than the total", f"{free} of {total} bytes")

    def test_host_cache(self):
        """accelerator.empty_host_cache_does_not_crash"""
        self.need_pinned_memory()
        what = "torch.accelerator.empty_host_cache() of a device in use leaves the process alive"
        self.note("empty_host_cache()", self.forked(self.use_and_empty, what))

    def use_and_empty(self):
        self.empty_sample(64)
        accelerator.empty_host_cache()

    def need_pinned_memory(self):
        """Pins memory in a forked child, so that this process does not keep the state that pinning initializes."""
        try:
            answer = processes.in_forked_child(self.pin, self.seconds_left / 4)
        except processes.Dead:
            return  # the backend has pinned memory, but it does not work
        if "error" in answer:
            self.lacks("memory.pinned", answer["text"].split("\n")[0])

    def pin(self):
        return torch.ones(1).pin_memory().numel()


if __name__ == "__main__":
    unittest.main()
