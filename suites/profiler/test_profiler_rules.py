# SPDX-License-Identifier: BSD-3-Clause
"""Tests the promises of PyTorch itself about sessions on a device: states, activities, options, schedules."""

import unittest
import warnings

import torch
from suites.profiler.profiled import CALLS, ProfilerCase, events_of
from torch.autograd import profiler
from torch.profiler import ProfilerActivity, supported_activities

PRELOAD = ("torch.profiler", "torch._inductor.config")  # torch.profiler imports the latter on first use


class Rules(ProfilerCase):
    def expect_operators(self, session, what, calls=CALLS):
        names = [event.name for event in events_of(session)]
        self.expect_true(names.count("aten::add") >= calls, what, names)

    def device_events(self, session):
        """Events of the device, and the CPU's events that have a device time."""
        return [
            event.name for event in events_of(session)
            if event.device_type == torch.autograd.DeviceType.PrivateUse1 or event.kernels
        ]

    def test_without_stubs(self):
        """profiler.session_without_stubs_records_operators"""
        if self.has_stubs:
            self.does_not_apply("the backend registers profiler stubs")
        x = self.ready()
        with self.timed_session() as session:
            self.add(x)  # once, because PyTorch takes a second for the warning at each operator
        self.expect_operators(session, "without stubs, use_kineto=False records the operators of the CPU", 1)
        self.expect_equal(self.device_events(session), [], "without stubs, no event has a device time")

    def test_without_plugin(self):
        """profiler.device_session_without_a_plugin_has_no_device_events"""
        if self.has_plugin:
            self.does_not_apply("the backend registers an activity profiler")
        x = self.ready()
        with self.device_session() as session:
            self.add(x, CALLS)
        self.expect_operators(session, "without an activity profiler, torch.profiler records the operators")
        self.expect_equal(self.device_events(session), [], "without an activity profiler, there are no device events")
        with torch.profiler.profile(activities=[ProfilerActivity.PrivateUse1]) as session:
            self.add(x, CALLS)
        self.expect_equal(self.device_events(session), [], "activities=[PrivateUse1] shows no device events either")

    def test_name(self):
        """profiler.activity_is_named_after_the_backend"""
        activity, name = ProfilerActivity.PrivateUse1, self.device_name.upper()
        self.expect_true(getattr(ProfilerActivity, name, None) == activity, f"ProfilerActivity.{name} is the activity of the device", activity)
        self.expect_equal(activity.name, name, "the activity's name is that of the backend in upper case")
        self.expect_equal(str(activity), f"ProfilerActivity.{name}", "str() shows the backend's name")
        self.expect_true(name in repr(activity), "repr() shows the backend's name", repr(activity))

    def test_supported(self):
        """profiler.supported_activities_contain_the_device"""
        what = "supported_activities() contains PrivateUse1 if a backend is loaded"
        self.expect_true(ProfilerActivity.PrivateUse1 in supported_activities(), what, supported_activities())

    def test_state(self):
        """profiler.use_kineto_chooses_the_state"""
        from torch.autograd import ProfilerState

        for use_kineto, state in {False: ProfilerState.KINETO_PRIVATEUSE1_FALLBACK, True: ProfilerState.KINETO_PRIVATEUSE1}.items():
            session = profiler.profile(use_device=self.device_name, use_kineto=use_kineto)
            self.expect_equal(session.profiler_kind, state, f"use_kineto={use_kineto} uses the state {state.name}")

    def test_unknown_device(self):
        """profiler.unknown_device_option_warns"""
        x = self.ready()
        for name in "privateuseone", "no_such_device":
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                session = profiler.profile(use_device=name)
            texts = [str(one.message) for one in caught]
            what = f"use_device={name!r} warns that it is not a valid device option"
            self.expect_true(any("not a valid device option" in text for text in texts), what, texts)
            with session:
                self.add(x, CALLS)
            self.expect_operators(session, f"use_device={name!r} records the operators")
            self.expect_equal(self.device_events(session), [], f"use_device={name!r} records no device events")

    def test_schedule(self):
        """profiler.schedule_calls_the_handler_once_per_cycle"""
        x, seen = self.ready(), []
        with self.device_session(
            schedule=torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=2),
            on_trace_ready=lambda session: seen.append([event.name for event in session.events()]),
        ) as session:
            for _ in range(9):
                self.add(x)
                session.step()
        self.expect_equal(len(seen), 2, "on_trace_ready is called once per cycle")
        for names in seen:
            steps = [name for name in names if name.startswith("ProfilerStep")]
            self.expect_equal(len(steps), 2, "each cycle contains its active steps only")
            self.expect_true(names.count("aten::add") >= 2, "each cycle contains the operators of its active steps", names)


if __name__ == "__main__":
    unittest.main()
