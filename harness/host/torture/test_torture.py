# SPDX-License-Identifier: BSD-3-Clause
"""Python checks that misbehave. python_cases.txt lists the expected verdicts. They are not part of a suite."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from assay.host import report


class NotOurs(Exception):
    """An exception that assay does not know."""

    reported = True


class Torture(unittest.TestCase):
    def test_passes(self):
        """python.passes"""

    def test_fails(self):
        """python.fails"""
        self.assertEqual(1, 2)

    def test_raises(self):
        """python.raises"""
        raise ValueError("\x1b[2J bad \udcff text")

    def test_not_implemented(self):
        """python.not_implemented"""
        raise NotImplementedError("aten::mm is not implemented for torture")

    def test_skips(self):
        """python.skips"""
        report.finding(report.SKIP, "lacks streams", None, "streams")
        raise report.Ended

    def test_throws_skip_test(self):
        """python.throws_skip_test"""
        raise unittest.SkipTest("a target may say so, and is no suite")

    def test_throws_ended(self):
        """python.throws_ended"""
        raise report.Ended

    def test_ends_with_its_own_finding(self):
        """python.ends_with_its_own_finding"""
        report.finding(report.UNOBSERVABLE, "a gate", None, "harness.gate")
        raise report.Ended

    def test_raises_what_is_reported(self):
        """python.raises_what_is_reported"""
        raise NotOurs("a backend's own exception")

    def test_two_sub_tests_fail(self):
        """python.two_sub_tests_fail"""
        for number in range(4):
            with self.subTest(number=number):
                self.assertLess(number, 2)

    @unittest.expectedFailure
    def test_expects_failure(self):
        """python.expects_failure"""
        self.assertEqual(1, 2)

    def test_exits_by_exception(self):
        """python.exits_by_exception"""
        sys.exit(0)

    def test_exits_at_once(self):
        """python.exits_at_once"""
        os._exit(0)

    def test_interrupts(self):
        """python.interrupts"""
        raise KeyboardInterrupt

    def test_segfaults(self):
        """python.segfaults"""
        ctypes.string_at(16)

    def test_aborts(self):
        """python.aborts"""
        os.abort()

    def test_loops(self):
        """python.loops"""
        while True:
            pass

    def test_loops_ignoring_term(self):
        """python.loops_ignoring_term"""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1)

    def test_leaves_child(self):
        """python.leaves_child"""
        subprocess.Popen(["sleep", "3600"], start_new_session=True)

    def test_child_comes_back(self):
        """python.child_comes_back"""
        os.fork()

    def test_prints_much(self):
        """python.prints_much"""
        for _ in range(64):
            print("x" * (1 << 20))

    def test_closes_everything(self):
        """python.closes_everything"""
        os.closerange(0, 1024)

    def test_leaves_thread(self):
        """python.leaves_thread"""
        threading.Thread(target=time.sleep, args=(3600,), daemon=False).start()

    def test_stops_itself(self):
        """python.stops_itself"""
        os.kill(os.getpid(), signal.SIGSTOP)

    def test_breaks_the_runner(self):
        """python.breaks_the_runner"""
        unittest.TestResult.stopTest = None
        type(self).tearDown = None


if __name__ == "__main__":
    unittest.main()
