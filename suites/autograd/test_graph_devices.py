# SPDX-License-Identifier: BSD-3-Clause
"""Threads, current devices and streams of backward, and graphs over several devices."""

import contextlib
import functools
import os
import pathlib
import threading
import time

import torch
from assay.checks import Case
from assay.checks.memory_in_use import settle
from assay.values.closeness import each_offered, expect_near, ones_like


class Probe(torch.autograd.Function):
    """The identity function. The backward of this function records the thread and the result of `look`."""

    @staticmethod
    def forward(context, x, look, seen):
        context.look, context.seen = look, seen
        return x.view_as(x)

    @staticmethod
    def backward(context, gradient):
        context.seen.append((threading.get_native_id(), context.look()))
        return gradient, None, None


def other_threads():
    """The name of each other thread of the process, and whether the thread sleeps."""
    for folder in pathlib.Path("/proc/self/task").iterdir():
        if folder.name == str(threading.get_native_id()):
            continue
        with contextlib.suppress(OSError):  # the thread has ended in the meantime
            name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(") ", 1)
            yield name, rest.startswith("S")


def engine_threads(wanted, seconds):
    """The engine's threads by name. A new thread gets its name late, so this function waits until the wanted names
    exist or all threads slept in two consecutive samples."""
    until, calm = time.monotonic() + seconds, 0
    while True:
        threads = list(other_threads())
        names = sorted(name for name, _ in threads if name.startswith("pt_autograd_"))
        calm = calm + 1 if all(sleeps for _, sleeps in threads) else 0
        if names == wanted or calm == 2 or time.monotonic() > until:
            return names
        os.sched_yield()


class GraphDevices(Case):
    def block(self, seen, means):
        """The engine orders devices with events. A backend without events cannot have a graph across devices."""
        if means == "guard.record":
            self.lacks("events", seen.splitlines()[0])
        super().block(seen, means)

    def test_engine_threads(self):
        """autograd.engine_has_one_thread_per_device"""
        x = self.on_device(torch.ones(4)).requires_grad_()
        (x * ones_like(self, x)).backward(ones_like(self, x))
        count = torch.accelerator.device_count()
        wanted = sorted(f"pt_autograd_{i}" for i in range(count))
        seen = engine_threads(wanted, self.seconds_left / 2)
        self.expect_equal(seen, wanted, f"each of the {count} devices has one engine thread")

    def test_backward_device(self):
        """autograd.backward_runs_on_the_device_of_the_node"""
        current = torch.accelerator.current_device_index
        torch.accelerator.set_device_index(self.devices[0].index)
        seen = []
        for number in (0, 1):
            x = self.on_device(torch.ones(4), number).requires_grad_()
            Probe.apply(x, current, seen).backward(torch.ones(4).to(x.device))
            after = current()
            self.expect_equal(after, self.devices[0].index, "backward does not change the caller's current device")
        here = threading.get_native_id()
        self.expect_true(seen[1][0] != here, "a node runs on a thread of the engine", "the node ran on the caller's thread")
        devices = [device for _, device in seen]
        self.expect_equal(
            devices, [device.index for device in self.devices[:2]], "each node runs with its tensor's device as the current device"
        )

    def test_across_devices(self):
        """autograd.backward_across_devices_computes_the_gradient"""
        first, second = self.devices[:2]
        x = self.on_device(torch.arange(1.0, 5), 0).requires_grad_()
        twos = torch.full((4,), 2.0)
        y = (x * twos.to(first)).to(second)
        z = (y * twos.to(second)).cpu()
        self.ask_special_cases()  # The forward pass has worked, so an exception in this backward pass is a failure.
        (z * z * 3).sum().backward()
        wanted = 96 * torch.arange(1.0, 5)
        self.require(expect_near(self, x.grad, wanted, "the gradient flows back across all devices"))
        self.expect_device(x.grad, first, "the gradient is on the leaf's device")

    def test_two_leaves(self):
        """autograd.gradients_are_on_the_devices_of_their_leaves"""
        leaves = [self.on_device(torch.ones(4), n).requires_grad_() for n in (0, 1)]
        threes, fives = (self.on_device(torch.full((4,), factor)) for factor in (3.0, 5.0))
        both = leaves[0] * threes + leaves[1].to(self.devices[0]) * fives
        both.backward(ones_like(self, both))
        for leaf, factor in zip(leaves, (3.0, 5.0), strict=True):
            wanted = torch.full((4,), factor)
            self.clause("AGRD-006")
            self.require(expect_near(self, leaf.grad, wanted, "a leaf's gradient is right"))
            self.clause("AGRD-001")
            self.expect_device(leaf.grad, leaf.device, "the gradient is on the leaf's device")
        slopes = {"tanh": (torch.tanh, torch.ones(4)), "a product": (lambda x: x * x, torch.zeros(4))}
        on_first = functools.partial(self.slope_at_zero, number=0)
        for name, (gradient, wanted) in each_offered(self, slopes, self.slope_at_zero, on_first):
            expect_near(self, gradient, wanted, f"the gradient of {name} is right")

    def slope_at_zero(self, operator_and_slope, number=1):
        """The gradient of a leaf on the second device. A wrong formula may create the gradient on another device."""
        operator, slope = operator_and_slope
        last = self.on_device(torch.zeros(4), number).requires_grad_()
        y = operator(last)
        y.backward(torch.ones(4).to(y.device))
        return last.grad, slope

    def new_stream(self):
        self.start_device()
        try:
            return torch.Stream(self.device)
        except RuntimeError as error:
            if self.refused_means(error) != "guard.getNewStream":
                raise
            self.lacks("streams", error)

    def test_backward_stream(self):
        """autograd.backward_runs_on_the_forward_stream"""
        look = lambda: torch.accelerator.current_stream(self.device)  # noqa: E731
        before, seen = look(), []
        x = self.on_device(torch.ones(4)).requires_grad_()
        side = self.new_stream()
        with side:
            forward = look()
            y = Probe.apply(x, look, seen)
        self.require(self.expect_equal(forward, side, "a stream that was entered is current"))
        y.backward(ones_like(self, x))
        self.expect_equal(seen[0][1], side, "the backward of a node runs on its forward's stream")
        self.expect_equal(look(), before, "backward does not change the caller's current stream")
        side.synchronize()
        expect_near(self, x.grad, torch.ones(4), "the gradient is right")

    def test_gradient_is_ready(self):
        """autograd.gradients_are_ready_on_the_current_stream"""
        side = self.new_stream()
        x = self.on_device(torch.ones(1000)).requires_grad_()
        x.grad = self.on_device(torch.zeros(1000))
        with side:
            side.wait_stream(torch.accelerator.current_stream(self.device))
            loss = (x * 13).sum()
        settle(self)
        with self.held(side):
            loss.backward()
            seen = self.on_cpu(x.grad)
        what = "work after backward on the caller's stream waits for the gradient"
        expect_near(self, seen, torch.full((1000,), 13.0), what)

    def test_fork(self):
        """autograd.backward_after_fork_raises"""
        x = self.on_device(torch.ones(4)).requires_grad_()
        ones = ones_like(self, x)
        loss = x * ones
        loss.backward(ones, retain_graph=True)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                loss.backward(ones)
                text = "backward ran"
            except BaseException as error:
                text = str(error)
            os.write(write, text.encode()[:2000])
            os._exit(0)
        os.close(write)
        with open(read, encoding="utf-8", errors="replace") as answer:
            said = answer.read()
        os.waitpid(child, 0)
        refused = said.strip() not in ("", "backward ran")
        self.expect_true(refused, "backward in a forked child is refused with a clear message", said[:160])
        self.note("the error in the child", said[:160])
