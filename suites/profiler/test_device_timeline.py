# SPDX-License-Identifier: BSD-3-Clause
"""The events that the backend's activity profiler gives to torch.profiler: operator, time, device, row."""

import time
import unittest

import torch
from suites.profiler.profiled import CALLS, ProfilerCase, chrome_trace, events_of, let_time_pass, ranges_of
from torch.autograd import DeviceType
from torch.autograd.profiler import record_function
from torch.profiler import ProfilerActivity

PRELOAD = ("torch.profiler", "torch._inductor.config")  # torch.profiler imports the latter on first use
# The pause between two steps is longer than the difference that is allowed between the clocks of host and device.
PAUSE, STEP_US = 0.02, 5000
ROUNDS = 200

LATE = """
import torch
with torch.profiler.profile():
    torch.ones(3) + 1
run_steps()
x = SAMPLE.to(torch._C._get_privateuse1_backend_name())
(x + x).cpu()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.PrivateUse1]) as session:
    (x + x).cpu()
answer = [event.name for event in session.events() if event.device_type == torch.autograd.DeviceType.PrivateUse1]
"""


def device_events(session):
    return [event for event in events_of(session) if event.device_type == DeviceType.PrivateUse1]


def is_within(inner, outer):
    return outer.start - STEP_US <= inner.start <= inner.end <= outer.end + STEP_US


def operators(session):
    """The operators and ranges of a session. Calls of the driver are also events of the CPU. These events have their
    own numbers and are linked to an operator."""
    return [event for event in events_of(session) if event.device_type == DeviceType.CPU and not event.linked_correlation_id]


def under(session, name):
    """The operators of a session within the range `name`, and the operators that these call."""
    return [event for event in operators(session) if name in ranges_of(event)]


def words(event):
    return f"{event.name} from {event.time_range.start:.0f} to {event.time_range.end:.0f} us"


class DeviceTimeline(ProfilerCase):
    def plugin(self):
        answers = self.answers("bridge_profiler_plugin", 2)
        if answers is None or answers[0] != 1:
            self.lacks("profiler.activities", "no activity profiler is registered with REGISTER_PRIVATEUSE1_PROFILER")
        return answers

    def test_registered(self):
        """profiler.activity_profiler_reaches_kineto"""
        self.plugin()
        x = self.ready()
        with self.device_session():
            self.add(x)
        _, with_kineto = self.plugin()
        self.expect_equal(with_kineto, 1, "Kineto has the activity profiler after its first session")

    def test_late(self):
        """profiler.activity_profiler_may_be_registered_after_kineto_starts"""
        code = self.steps_as_code() + LATE.replace("SAMPLE", self.sample_as_code())
        names = self.fresh_torch(code, "a backend that is loaded after a session of the CPU shows its events")
        self.expect_true(names, "a backend that is loaded after a session of the CPU shows its events", "no device event")

    def steps_of(self, session):
        """Each step with its range, its operators and their device events, in order."""
        links = {event.linked_correlation_id: [] for event in device_events(session)}
        for event in device_events(session):
            links[event.linked_correlation_id].append(event)
        steps = []
        for number in range(CALLS):
            name = f"step {number}"
            (step,) = [event for event in events_of(session) if event.name == name and event.device_type == DeviceType.CPU]
            steps.append((step, [one for event in under(session, name) for one in links.get(event.id, [])]))
        return steps

    def session_in_steps(self):
        x = self.ready()
        with self.device_session() as session:
            for number in range(CALLS):
                let_time_pass(PAUSE)
                with record_function(f"step {number}"):
                    self.on_cpu(self.add(x))
            let_time_pass(PAUSE)
        self.require(self.expect_true(device_events(session), "a session shows the work of the device", "it has no device event"))
        return session

    def test_links(self):
        """profiler.device_events_are_linked_to_their_operator"""
        counts = []
        for step, linked in self.steps_of(self.session_in_steps()):
            counts.append(len(linked))
            for event in linked:
                what = "a device event is linked to the operator that launched it"
                seen = f"{words(event)} is linked to {words(step)}"
                self.expect_true(is_within(event.time_range, step.time_range), what, seen)
        what = "the operators of each step have device events"
        self.expect_true(all(counts), what, f"{counts} device events are linked to the operators of the steps")

    def test_kernels(self):
        """profiler.operators_list_their_device_events"""
        session = self.session_in_steps()
        names = {event.name for event in device_events(session)}
        for number in range(CALLS):
            kernels = [kernel for event in under(session, f"step {number}") for kernel in event.kernels]
            what = "an operator lists the device events that it launched, and key_averages() their time"
            self.expect_true({kernel.name for kernel in kernels} & names, what, [kernel.name for kernel in kernels])

    def test_times(self):
        """profiler.device_events_lie_within_the_steps_that_wait_for_them"""
        session = self.session_in_steps()
        steps = [event.time_range for event in events_of(session) if event.name.startswith("step ") and event.device_type == DeviceType.CPU]
        for event in device_events(session):
            inside = any(is_within(event.time_range, step) for step in steps)
            what = "a device event begins after its launch and ends before the call that waits for it returns"
            seen = f"{words(event)}, the steps {[(round(step.start), round(step.end)) for step in steps]}"
            self.expect_true(inside, what, seen)

    def test_devices(self):
        """profiler.device_events_name_their_device"""
        tensors = [self.ready(number) for number in range(len(self.devices))]
        with self.device_session() as session:
            for number, x in enumerate(tensors):
                with record_function(f"device {number}"):
                    self.on_cpu(self.add(x))
        for number, device in enumerate(self.devices):
            ids = {event.id for event in under(session, f"device {number}")}
            indices = {event.device_index for event in device_events(session) if event.linked_correlation_id in ids}
            self.expect_equal(indices, {device.index}, f"the device events of an operator on {device} are on that device")

    def test_streams(self):
        """profiler.device_events_of_two_streams_are_on_two_rows"""
        x = self.ready()
        streams = [self.supported("streams", torch.Stream, self.device) for _ in range(2)]
        with self.device_session() as session:
            for number in 0, 1, 0:
                with record_function(f"stream {number}"), streams[number]:
                    self.add(x)
            for stream in streams:
                stream.synchronize()
        rows = []
        for number in range(2):
            ids = {event.id for event in under(session, f"stream {number}")}
            rows.append({event.device_resource_id for event in device_events(session) if event.linked_correlation_id in ids})
            self.expect_equal(len(rows[number]), 1, "the kernels of one stream are on one row")
        self.expect_true(not rows[0] & rows[1], "the kernels of two streams are on two rows", rows)

    def test_backward(self):
        """profiler.device_events_of_a_backward_pass_are_linked"""
        x = self.ready(use=self.train)
        with self.device_session() as session:
            self.train(x)
        linked = {event.linked_correlation_id for event in device_events(session)}
        seen = [event.name for event in operators(session) if event.id in linked and "MulBackward0" in ranges_of(event)]
        names = sorted({event.name for event in events_of(session)})
        self.expect_true(seen, "the kernels of a backward pass are linked to operators of its node", names)

    def train(self, x):
        x = x.detach().requires_grad_()
        self.op("aten::mul.Tensor", torch.mul, x, x).sum().backward()

    def counted(self, x):
        """The number of device events of a session with one addition, for which the session waits."""
        with self.device_session() as session:
            self.on_cpu(self.add(x))
        return len(device_events(session))

    def additions(self, session):
        """The number of device events that are linked to an addition."""
        ids = {event.id for event in operators(session) if "aten::add" in (event.name, *ranges_of(event))}
        return sum(event.linked_correlation_id in ids for event in device_events(session))

    def test_other_work(self):
        """profiler.session_contains_only_its_own_work"""
        x = self.ready()
        first = self.counted(x)
        self.add(x, CALLS)
        self.on_cpu(x)
        second = self.counted(x)
        what = "a session contains the work that was launched in it, and no other"
        self.expect_true(first == second > 0, what, f"{first} device events, then {second} after {CALLS} calls without a session")

    def test_pending(self):
        """profiler.session_may_end_while_work_is_pending"""
        self.put_device_back()
        x = self.ready(number=-1)
        # At its end a session waits for the current device, so the work is pending on another device.
        torch.accelerator.set_device_index(self.device.index)
        stream = torch.accelerator.current_stream(x.device)
        with self.device_session() as done:
            self.on_cpu(self.add(x))
        session = self.device_session()
        session.start()
        with self.held_if_offered(stream):
            self.add(x)
            session.stop()
        self.on_cpu(x)
        with self.clause("PROF-032"):
            what = "a session that ends while its work is pending contains that work"
            self.expect_equal(self.additions(session), self.additions(done), what)
        with self.clause("PROF-014"):
            what = "the next session does not contain work of the session before"
            self.expect_equal(self.counted(x), len(device_events(done)), what)

    def test_cpu_alone(self):
        """profiler.profile_of_the_cpu_has_no_device_events"""
        x = self.ready()
        self.counted(x)  # Kineto asks its plugins for a profile of the CPU only after another profile
        with torch.profiler.profile(activities=[ProfilerActivity.CPU]) as session:
            self.on_cpu(self.add(x))
        names = [event.name for event in device_events(session)]
        self.expect_equal(names, [], "a profile of the CPU alone has no device events")

    def test_device_alone(self):
        """profiler.profile_of_the_device_has_no_operators"""
        x = self.ready()
        with torch.profiler.profile(activities=[ProfilerActivity.PrivateUse1]) as session:
            self.on_cpu(self.add(x))
        names = [event.name for event in events_of(session)]
        self.expect_true(device_events(session), "a profile of the device alone has device events", names)
        self.expect_true("aten::add" not in names, "a profile of the device alone has no operators", names)

    def slices(self):
        """The device's slices in the exported trace of a session, and all events of this trace."""
        x = self.ready()
        with self.device_session() as session:
            self.on_cpu(self.add(x, CALLS))
        events = chrome_trace(session)["traceEvents"]
        kinds = {"kernel", "gpu_memcpy", "gpu_memset"}
        slices = [event for event in events if event.get("ph") == "X" and event.get("cat") in kinds]
        self.require(self.expect_true(slices, "the exported trace has slices of the device", {event.get("cat") for event in events}))
        return slices, events

    def test_rows(self):
        """profiler.rows_of_the_timeline_have_names"""
        slices, events = self.slices()
        named = {(event["name"], event["pid"], event["tid"]) for event in events if event.get("ph") == "M"}
        processes = {pid for name, pid, _ in named if name == "process_name"}
        threads = {(pid, tid) for name, pid, tid in named if name == "thread_name"}
        for event in slices:
            what = "the rows of the device have names in the exported trace"
            seen = f"{event['name']} on row {event['pid']}, {event['tid']}; named are {sorted(map(str, processes | threads))}"
            self.expect_true(event["pid"] in processes and (event["pid"], event["tid"]) in threads, what, seen)

    def test_arrows(self):
        """profiler.arrows_lead_from_launches_to_device_events"""
        slices, events = self.slices()
        arrows = [event for event in events if event.get("cat") == "ac2g"]
        starts = {event["id"]: event for event in arrows if event["ph"] == "s"}
        ends = {(event["pid"], event["tid"], event["ts"]): event for event in arrows if event["ph"] == "f"}
        for event in slices:
            end = ends.get((event["pid"], event["tid"], event["ts"]))
            start = starts.get(end["id"]) if end else None
            what = "an arrow leads from the launch on the host to each device event, and not backwards in time"
            self.expect_true(start and start["ts"] <= event["ts"] + STEP_US, what, f"{event['name']}: from {start} to {end}")

    def test_cost(self):
        """profiler.cost_without_a_session_is_noted"""
        x = self.ready()

        def spent():
            begin = time.perf_counter()
            self.add(x, ROUNDS)
            self.on_cpu(x)
            return time.perf_counter() - begin

        before = min(spent() for _ in range(5))
        with self.device_session():
            during = spent()
        after = min(spent() for _ in range(5))
        self.note("time of an operator after a session, before it = 1", f"{after / before:.2f}")
        self.note("time of an operator in a session, before it = 1", f"{during / before:.2f}")


if __name__ == "__main__":
    unittest.main()
