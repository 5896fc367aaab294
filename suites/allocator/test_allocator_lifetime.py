# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that are freed on other threads, in other processes, and at the exit of the process."""

import threading
import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator
_kept = []  # tensors that are alive when the interpreter exits


def _tried(call):
    """Returns the result of `call()`, or None if the backend refuses the call."""
    try:
        return call()
    except (RuntimeError, NotImplementedError):
        return None


class AllocatorLifetime(Case):
    def test_frees_on_threads(self):
        """allocator.threads_can_free_tensors_of_other_threads"""
        first, last = self.devices[0], self.devices[-1]
        accelerator.set_device_index(first.index)
        tensors = [
            self.op("aten::empty.memory_format", torch.empty, 64, device=(first, last)[i % 2])
            for i in range(1000)
        ]

        def free():
            accelerator.set_device_index(last.index)
            tensors.clear()
            return accelerator.current_device_index()

        current = self.on_thread(free, "freeing a thousand tensors returns")
        self.expect_equal(current, last.index, "freeing does not change the current device of the freeing thread")
        self.expect_equal(
            accelerator.current_device_index(), first.index, "the current device of the allocating thread does not change"
        )

    def test_alive_at_exit(self):
        """allocator.live_tensors_do_not_crash_at_exit"""
        for device in self.devices[:2]:
            _kept.append(self.on_device(self.sample_of(1, 1000), self.devices.index(device)))
        cycle = [self.on_device(self.sample_of(1, 10))]
        cycle.append(cycle)
        torch.kept_by_assay = cycle
        local = threading.local()
        local.tensor = self.on_device(self.sample_of(1, 10))
        _kept.append(local)

    def test_forked_child(self):
        """allocator.device_use_in_a_forked_child_raises"""
        stream = self.use_all()
        uses = {
            "copies": self.copy,
            "computes": self.compute,
            "waits for the device": lambda: accelerator.synchronize(self.device.index),
        }
        if stream is not None:
            uses["waits for a stream of its parent"] = stream.synchronize
        for name, use in uses.items():
            self.expect_refusal_or_result(name, use)
        self.expect_tensor(self.on_device(self.sample_of(1)), self.sample_of(1), "the parent can still use the device")

    def use_all(self):
        """Uses the parts of a backend that start lazily: kernels, and a stream with work. Returns the stream, or
        None."""
        self.on_cpu(self.on_device(self.sample_of(1)))
        _tried(self.compute)
        stream = _tried(lambda: torch.Stream(self.device))
        if stream is not None:
            _tried(lambda: self.work_on(stream))
            _tried(stream.synchronize)
        _tried(lambda: accelerator.synchronize(self.device.index))
        return stream

    def work_on(self, stream):
        with stream:
            self.copy()
            self.compute()

    def copy(self):
        return self.sample_of(1).to(self.device).cpu().tolist()

    def compute(self):
        """Runs an addition and a matrix product if the backend has these kernels."""
        matrix = torch.ones(4, 4).to(self.device)
        for kernel in (torch.add, torch.mm):
            result = _tried(lambda kernel=kernel: kernel(matrix, matrix))
            if result is not None:
                result.cpu()

    def expect_refusal_or_result(self, name, use):
        what = f"a forked child that {name} either works or gets a clear error"
        answer = self.forked(use, what, self.seconds_left / 4)
        if "error" in answer:
            self.note(f"error in a child that {name}", answer["text"].split("\n")[0])
            self.expect_true(
                "INTERNAL ASSERT" not in answer["text"] and answer["text"].strip(),
                what,
                f"{answer['error']}: {answer['text'][:300]}",
            )
        elif answer["value"] is not None:
            self.expect_equal(answer["value"], self.sample_of(1).tolist(), what)

    def test_profile(self):
        """allocator.memory_profile_shows_device_memory"""
        from torch.profiler import ProfilerActivity, profile

        activities = [ProfilerActivity.CPU]
        with profile(activities=activities, profile_memory=True) as profiled:
            tensor = self.op("aten::empty.memory_format", self.empty_sample, 1 << 16)
            size = min(tensor.nbytes, 1 << 16)
            del tensor
        sizes = [size for event in profiled.events() for size in (event.self_device_memory_usage, event.device_memory_usage)]
        if not any(sizes):
            self.lacks("profiler", "a memory profile has no entry of the device")
        for change, largest in (("allocated", max(sizes)), ("freed", max(0, -min(sizes)))):
            what = f"a memory profile shows what was {change} on the device"
            self.expect_true(largest >= size, what, f"largest entry {largest} bytes of {len(sizes) // 2} events")


if __name__ == "__main__":
    unittest.main()
