# SPDX-License-Identifier: BSD-3-Clause
"""Sessions of the profiler, for the checks of this folder.

A backend may offer two things. Stubs time the operators of `torch.autograd.profiler.profile(use_kineto=False)`. An
activity profiler gives `torch.profiler.profile` the kernels and copies of the device.
"""

import ctypes
import json
import os
import tempfile
import time

import torch
from assay.checks import Case
from torch.autograd import profiler
from torch.profiler import ProfilerActivity

CALLS = 3


class ProfilerCase(Case):
    def setUp(self):
        super().setUp()
        self.start_device()

    # ---- what the backend registers -------------------------------------------------------------

    def answers(self, question, count):
        """The integers that a function of the bridge returns, or None if the function fails."""
        bridge, answers = self.bridge_of_target(), [ctypes.c_int32(-1) for _ in range(count)]
        if bridge is None or getattr(bridge, question)(*map(ctypes.byref, answers)):
            return None
        return [answer.value for answer in answers]

    @property
    def has_stubs(self):
        return self.answers("bridge_profiler_enabled", 1) == [1]

    @property
    def has_plugin(self):
        return (self.answers("bridge_profiler_plugin", 2) or [0])[0] == 1

    # ---- sessions -------------------------------------------------------------------------------

    def timed_session(self, **options):
        """A session in which the stubs time each operator."""
        return profiler.profile(use_device=self.device_name, use_kineto=False, **options)

    def device_session(self, **options):
        """A session in which the activity profiler, if there is one, reports the work of the device."""
        activities = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]
        return torch.profiler.profile(activities=activities, **options)

    @property
    def session_kinds(self):
        """Without stubs, events of use_kineto=False have no end, so only the check of PROF-007 uses this kind."""
        timed = {"use_kineto=False": self.timed_session} if self.has_stubs else {}
        return {**timed, "torch.profiler": self.device_session}

    def add(self, x, times=1):
        for _ in range(times):
            y = self.op("aten::add.Tensor", torch.add, x, x)
        return y

    def ready(self, number=0, use=None):
        """A device tensor. An addition and `use` have already worked with the tensor without a profiler, so from here
        on an exception is a failure."""
        x = self.on_device(self.sample(), number)
        self.on_cpu(self.add(x))
        if use:
            use(x)
        self.ask_special_cases()
        return x


def events_of(session):
    """The events of a session of either kind."""
    return session.events() if isinstance(session, torch.profiler.profile) else session.function_events


def ranges_of(event):
    """The names of the ranges around an event, innermost first."""
    names = []
    while event.cpu_parent is not None:
        event = event.cpu_parent
        names.append(event.name)
    return names


def let_time_pass(seconds):
    """Computes until the time has passed, and returns the time."""
    begin, passed = time.monotonic(), 0
    while passed < seconds:
        passed = time.monotonic() - begin
    return passed


def chrome_trace(session):
    """The trace that a session exports, read back."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        session.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)
