# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every session of the profiler shows the operators of the device, with and without stubs or a plugin."""

import collections
import json
import unittest

import torch
from suites.profiler.profiled import CALLS, ProfilerCase, chrome_trace, events_of, let_time_pass, ranges_of
from torch.autograd import profiler
from torch.autograd.profiler import record_function

PRELOAD = ("torch.profiler", "torch._inductor.config")  # torch.profiler imports the latter on first use
SECONDS = 0.02
# Two clocks are compared, and the device's clock may count whole milliseconds.
SLACK, STEP_US = 1.02, 2000


class Sessions(ProfilerCase):
    def nested(self, make_session):
        x = self.ready()
        with make_session() as session, record_function("outer"), record_function("inner"):
            self.add(x, CALLS)
        return session

    def expect_nested(self, session, kind):
        added = [event for event in events_of(session) if event.name == "aten::add" and ranges_of(event)[:2] == ["inner", "outer"]]
        self.expect_equal(len(added), CALLS, f"{kind} records each call of aten::add within its two record_function ranges")

    def test_operators(self):
        """profiler.session_records_operators_in_their_ranges"""
        self.expect_nested(self.nested(self.timed_session), "use_kineto=False")

    def test_operators_of_the_device_session(self):
        """profiler.device_session_records_operators_in_their_ranges"""
        self.expect_nested(self.nested(self.device_session), "torch.profiler")

    def test_time(self):
        """profiler.device_time_of_a_range_agrees_with_the_clock"""
        x = self.ready()
        with self.timed_session() as session, record_function("range"):
            self.on_cpu(self.add(x))  # the device has reached the beginning of the range
            passed = let_time_pass(SECONDS) * 1e6
        (event,) = [event for event in session.function_events if event.name == "range"]
        spent = event.time_range.elapsed_us()
        with self.clause("PROF-008"):
            self.require(self.expect_true(event.kernels, "the stubs give each range a device time", "the range has none"))
        seen = event.kernels[0].duration
        least, most = passed / SLACK - STEP_US, spent * SLACK + STEP_US
        with self.clause("PROF-010"):
            self.expect_true(
                least <= seen <= most, "the device time of a range agrees with the clock, in microseconds",
                f"{seen} us, the clock measured between {least:.0f} and {most:.0f} us",
            )

    def test_counts(self):
        """profiler.key_averages_count_each_call"""
        for kind, make_session in self.session_kinds.items():
            session = self.nested(make_session)
            names = [event.name for event in events_of(session)]
            averages = collections.Counter()  # operators with and without a device time are two rows
            for average in session.key_averages():
                averages[average.key] += average.count
            for name, least in {"aten::add": CALLS, "inner": 1, "outer": 1}.items():
                what = f"key_averages() of {kind} counts each event of {name}"
                self.expect_equal(averages[name], names.count(name), what)
                self.expect_true(names.count(name) >= least, f"{kind} records each call of {name}", names[:20])

    def test_table(self):
        """profiler.table_lists_the_operators"""
        for kind, make_session in self.session_kinds.items():
            table = self.nested(make_session).key_averages().table()
            for name in "aten::add", "inner", "outer":
                self.expect_true(name in table, f"table() of {kind} lists {name}", table[:400])

    def test_exception(self):
        """profiler.exception_leaves_the_profiler_usable"""
        x = self.ready()
        for kind, make_session in self.session_kinds.items():
            left = False
            try:
                with make_session():
                    self.add(x)
                    raise KeyError(kind)
            except KeyError:
                left = True
            self.expect_true(left, f"an exception leaves a session of {kind} unchanged", "another exception")
            self.expect_nested(self.nested(make_session), f"after an exception, {kind}")

    def test_entered_twice(self):
        """profiler.session_cannot_be_entered_twice"""
        session = profiler.profile(use_device=self.device_name, use_kineto=True)
        with session:
            self.expect_raises(RuntimeError, "entering one profile object twice raises", session.__enter__)
        self.expect_nested(self.nested(self.device_session), "after a session was entered twice, torch.profiler")

    def test_trace(self):
        """profiler.chrome_trace_is_valid_json"""
        for kind, make_session in self.session_kinds.items():
            session = self.nested(make_session)
            try:
                events = chrome_trace(session)["traceEvents"]
            except json.JSONDecodeError as error:
                self.expect(False, f"export_chrome_trace() of {kind} writes JSON", str(error))
                continue
            names = [event.get("name") for event in events if event.get("ph") == "X"]
            for name, least in {"aten::add": CALLS, "inner": 1, "outer": 1}.items():
                what = f"the exported trace of {kind} contains each event of {name}"
                self.expect_true(names.count(name) >= least, what, f"{names.count(name)} of {least}")
            for event in events:
                if event.get("ph") == "X":
                    self.expect_complete(event, kind)

    def expect_complete(self, event, kind):
        """A slice that Chrome can show: a name, a row, and a time that does not run backwards."""
        numbers = [event.get("ts"), event.get("dur")]
        whole = {"name", "pid", "tid"} <= set(event) and all(isinstance(number, int | float) for number in numbers)
        what = f"each slice in the exported trace of {kind} has a name, a row, a start and a duration"
        self.expect_true(whole and min(numbers) >= 0, what, event)

    def test_shapes(self):
        """profiler.input_shapes_are_recorded"""
        x = self.ready()
        for kind, make_session in self.session_kinds.items():
            with make_session(record_shapes=True) as session:
                self.add(x)
            shapes = [event.input_shapes[:2] for event in events_of(session) if event.name == "aten::add" and not ranges_of(event)]
            what = f"record_shapes=True of {kind} gives the shapes of the inputs"
            self.expect_equal(shapes, [[list(x.shape)] * 2], what)

    def test_stack(self):
        """profiler.stack_names_the_calling_function"""
        x = self.ready()
        with self.device_session(with_stack=True) as session:
            called_by_the_check(lambda: self.add(x))
        event = next(event for event in session.events() if event.name == "aten::add")
        names = ranges_of(event)
        seen = any("called_by_the_check" in name for name in names)
        self.expect_true(seen, "with_stack=True shows the function that called the operator", names[:20])

    def test_threads(self):
        """profiler.backward_on_another_thread_is_recorded"""
        x = self.ready(use=self.train)
        for kind, make_session in self.session_kinds.items():
            with make_session() as session:
                self.train(x)
            names = {event.name for event in events_of(session)}
            for name in "aten::mul", "MulBackward0":
                self.expect_true(name in names, f"{kind} records {name} of a backward pass", sorted(names))

    def train(self, x):
        x = x.detach().requires_grad_()
        self.op("aten::mul.Tensor", torch.mul, x, x).sum().backward()

    def test_memory(self):
        """profiler.memory_events_balance"""
        for kind, make_session in self.session_kinds.items():
            for number, device in enumerate(self.devices):
                self.expect_balance(kind, make_session, number, device)

    def expect_balance(self, kind, make_session, number, device):
        self.ready(number, use=lambda x: self.op("aten::empty.memory_format", self.empty_sample, 1 << 16, device))
        with make_session(profile_memory=True) as session:
            tensor = self.empty_sample(1 << 16, device)
            size = min(tensor.nbytes, 1 << 16)
            del tensor
        result = (session.profiler if kind == "torch.profiler" else session).kineto_results
        seen = [(event.device_index(), event.nbytes()) for event in result.events() if self.is_memory_of_device(event)]
        if not seen:
            self.lacks("profiler", "a memory profile has no entry of the device")
        self.expect_equal({index for index, _ in seen}, {device.index}, f"memory events of {kind} name the device {device}")
        sizes = [number_of_bytes for _, number_of_bytes in seen]
        self.expect_true(max(sizes) >= size, f"a memory event of {kind} shows the allocation of {size} bytes", sizes)
        self.expect_equal(sum(sizes), 0, f"memory events of {kind} show as many freed as allocated bytes")

    def is_memory_of_device(self, event):
        return event.name() == "[memory]" and event.device_type() == torch.autograd.DeviceType.PrivateUse1


def called_by_the_check(work):
    work()


if __name__ == "__main__":
    unittest.main()
