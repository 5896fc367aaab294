# SPDX-License-Identifier: BSD-3-Clause
"""Profiler: device time of operators, and sessions that end without errors."""

import json
import os
import tempfile
import unittest

import torch
from torch.autograd import profiler
from torch.profiler import ProfilerActivity


def work():
    x = torch.ones(8, 8, device="fakedev:1")
    return (x + x).cpu()


class LegacyProfiler(unittest.TestCase):
    def session(self, **options):
        with profiler.profile(use_device="fakedev", use_kineto=False, **options) as session:
            with profiler.record_function("mine"):
                work()
        return session

    def test_device_time_of_operators(self):
        averages = {e.key: e for e in self.session().key_averages()}
        self.assertIn("mine", averages)
        self.assertGreater(averages["aten::add"].device_time_total, 0)

    def test_sessions_end_well_and_leave_a_trace(self):
        with self.assertRaises(KeyError), profiler.profile(use_device="fakedev", use_kineto=False):
            raise KeyError
        session = self.session(record_shapes=True, profile_memory=True)
        self.assertIn("aten::add", session.key_averages().table())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            session.export_chrome_trace(path)
            with open(path, encoding="utf-8") as file:
                self.assertTrue(json.load(file))

    def test_memory_of_the_device_is_reported(self):
        session = self.session(profile_memory=True)
        self.assertGreater(max(e.device_memory_usage for e in session.key_averages()), 0)

    def test_no_session_records_no_event(self):
        from torch_fakedev import testing

        work()
        before = testing.counters()["events_created"]
        work()
        self.assertEqual(before, testing.counters()["events_created"])


class NewProfiler(unittest.TestCase):
    def test_activity_of_the_device_ends_well(self):
        self.assertIn(ProfilerActivity.PrivateUse1, torch.profiler.supported_activities())
        self.assertEqual("ProfilerActivity.FAKEDEV", str(ProfilerActivity.PrivateUse1))
        with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as session:
            work()
        self.assertIn("aten::add", {e.key for e in session.key_averages()})

    @unittest.skipIf(torch.__version__ < "2.13", "Kineto's interface for PrivateUse1 is compiled from 2.13 on")
    def test_kernels_have_rows_of_their_own(self):
        work()
        with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]) as session:
            work()
        events = [event for event in session.events() if event.device_type == torch.autograd.DeviceType.PrivateUse1]
        self.assertIn("copy", {event.name for event in events})
        self.assertEqual({1}, {event.device_index for event in events})
        operators = {event.name: event.kernels for event in session.events() if event.kernels}
        self.assertIn("aten::add", operators)


if __name__ == "__main__":
    unittest.main()
