# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that die elsewhere: on other threads, in other processes, at the end of this one."""

import threading
import unittest

import assay
import torch

accelerator = torch.accelerator
_kept = []  # alive when the interpreter ends


class AllocatorLifetime(assay.Case):
    def test_frees_on_threads(self):
        """allocator.threads_free_foreign_tensors"""
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
        self.expect_equal(current, last.index, "frees leave the current device of their thread")
        self.expect_equal(
            accelerator.current_device_index(), first.index, "and that of the thread that made them"
        )

    def test_alive_at_exit(self):
        """allocator.tensors_may_be_alive_at_exit"""
        for device in self.devices[:2]:
            _kept.append(self.on_device(torch.ones(1000), self.devices.index(device)))
        cycle = [self.on_device(torch.ones(10))]
        cycle.append(cycle)
        torch.kept_by_assay = cycle
        local = threading.local()
        local.tensor = self.on_device(torch.ones(10))
        _kept.append(local)

    def test_forked_child(self):
        """allocator.forked_child_is_refused"""
        self.on_cpu(self.on_device(torch.ones(4)))
        device = self.device

        def use():
            return (torch.ones(4).to(device) + 0).cpu().tolist()

        what = "using the device in a forked child raises clearly, or works"
        answer = self.forked(use, what)
        if "error" in answer:
            self.note("a forked child gets", answer["text"].split("\n")[0])
            self.expect_true(
                "INTERNAL ASSERT" not in answer["text"] and answer["text"].strip(),
                what,
                f"{answer['error']}: {answer['text'][:300]}",
            )
        else:
            self.note("a forked child", "can use the device")
            self.expect_equal(answer["value"], [1.0] * 4, what)
        self.expect_tensor(
            self.on_device(torch.ones(4)), torch.ones(4), "the parent goes on as before"
        )

    def test_profile(self):
        """allocator.profile_shows_device_memory"""
        from torch.profiler import ProfilerActivity, profile

        activities = [ProfilerActivity.CPU]
        with profile(activities=activities, profile_memory=True) as profiled:
            tensor = self.op("aten::empty.memory_format", torch.empty, 1 << 16, device=self.device)
            del tensor
        sizes = [
            max(abs(event.self_device_memory_usage), abs(event.device_memory_usage))
            for event in profiled.events()
        ]
        self.expect_true(
            any(size >= 1 << 16 for size in sizes),
            "a memory profile shows what was allocated on the device",
            f"largest entry {max(sizes, default=0)} bytes of {len(sizes)} events",
        )


if __name__ == "__main__":
    unittest.main()
