# SPDX-License-Identifier: BSD-3-Clause
"""If a child process gives no result, the report contains the call that was running."""

import ctypes
import importlib.metadata
import os
import signal
import types
import unittest
from unittest import mock

from assay.checks import case_processes, processes
from assay.host import report


def waits():
    signal.pause()


def reads_null():
    ctypes.string_at(0)


class Forked(unittest.TestCase):
    def death_of(self, work, seconds=30):
        with self.assertRaises(processes.Dead) as caught:
            processes.in_forked_child(work, seconds)
        return caught.exception

    def test_an_answer_is_told_as_it_is(self):
        self.assertEqual(processes.in_forked_child(lambda: 7, 30), {"value": 7, "findings": []})

    def test_findings_of_a_child_are_an_answer_and_not_evidence(self):
        def ends():
            report.finding(report.SKIP, "the check does not apply")
            raise report.Ended

        answer = processes.in_forked_child(ends, 30)
        self.assertEqual(answer["error"], "Ended")
        self.assertEqual([one[:2] for one in answer["findings"]], [[report.SKIP, "the check does not apply"]])

    def test_a_child_that_hangs_says_in_which_call(self):
        death = self.death_of(waits, 2)
        self.assertTrue(death.hung)
        self.assertRegex(str(death), r"^no answer within 2 s in waits \(processes_test.py:\d+\) < ")

    def test_a_child_that_dies_of_a_signal_says_where(self):
        death = self.death_of(reads_null)
        self.assertFalse(death.hung)
        self.assertRegex(str(death), r"^SIGSEGV in string_at \(ctypes/__init__.py:\d+\) < reads_null \(processes_test.py:\d+\)")

    def test_a_child_that_leaves_says_how(self):
        self.assertEqual(str(self.death_of(lambda: os._exit(3))), "exit status 3")

    def test_frames_end_with_that_of_the_check(self):
        stack = ('Timeout!\nThread 0x1 (most recent call first):\n  File "/a/torch/memory.py", line 4 in synchronize\n'
                 '  File "/a/test_x.py", line 7 in use\n  File "/a/b.py", line 9 in main\n')
        self.assertEqual(processes.where(stack), "synchronize (memory.py:4) < use (test_x.py:7)")
        self.assertEqual(processes.where(""), "")


class Fresh(unittest.TestCase):
    def test_an_uncaught_exception_of_cpp_is_told_without_its_frames(self):
        said = ("W1 warning\nterminate called after throwing an instance of 'c10::Error'\n  what():  no such name\nException raised "
                "from f at a.cc:3 (most recent call first):\nframe #0: <unknown function> + 0x716d9 (0x7f in /x.so)\n")
        self.assertEqual(processes.last_words(said), "c10::Error: no such name")
        self.assertEqual(processes.last_words("Traceback\nValueError: 3\n"), "Traceback\nValueError: 3")


class Installed(unittest.TestCase):
    """Tests that a package is not used if another installed package shadows it."""

    TAKEN = "Tried to register multiple backend fallbacks for the same dispatch key PrivateUse1; previous registration a.cc:3"

    def rivals(self, distributions, words=TAKEN, autoload="1"):
        points = [types.SimpleNamespace(dist=types.SimpleNamespace(name=name)) for name in distributions]
        case = case_processes.Processes()
        case.cannot_observe = mock.Mock()
        with mock.patch.object(importlib.metadata, "entry_points", return_value=points):
            case._look_for_rivals({"TORCH_DEVICE_BACKEND_AUTOLOAD": autoload}, words)
        return [call.args[1].partition(": ")[2] for call in case.cannot_observe.call_args_list]

    def test_two_packages_are_named(self):
        self.assertEqual(self.rivals(["torch_b", "torch_a"]), ["torch_a, torch_b"])

    def test_one_package_that_registers_twice_is_not_excused(self):
        self.assertEqual(self.rivals(["torch_a", "torch_a"]), [])

    def test_another_death_and_a_process_that_loads_one_are_not_excused(self):
        self.assertEqual(self.rivals(["torch_b", "torch_a"], words="SIGSEGV"), [])
        self.assertEqual(self.rivals(["torch_b", "torch_a"], autoload="0"), [])


if __name__ == "__main__":
    unittest.main()
