# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the end of a program waits for working threads of PyTorch's engine, and for no other threads."""

import hashlib
import os
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

os.environ["ASSAY_HOST_TARGET"] = "unittest"  # the module does not matter, because nothing is loaded

from assay.host import engine_threads

BLOCK = bytes(1 << 20)


class EngineThreads(unittest.TestCase):
    def setUp(self):
        self.may_end, self.done = threading.Event(), []

    def begin(self, work, name=f"{engine_threads.NAME}_0"):
        """Starts a thread with this name, which works and then sleeps until it may end."""
        there = threading.Event()

        def run():
            Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(name)
            there.set()
            work()
            self.done.append(name)
            self.may_end.wait()

        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.may_end.set)
        there.wait()

    def compute(self, rounds=200):
        for _ in range(rounds):
            hashlib.sha256(BLOCK)  # runs without the interpreter lock and acquires it afterwards

    def test_work_is_waited_for(self):
        self.begin(self.compute)
        with mock.patch.object(engine_threads, "PATIENCE", 600):
            engine_threads.let_finish()
        self.assertEqual(len(self.done), 1)

    def test_work_without_end_is_left(self):
        self.begin(lambda: [self.compute(1) for _ in iter(self.may_end.is_set, True)])
        with mock.patch.object(engine_threads, "PATIENCE", 0.1):
            engine_threads.let_finish()
        self.assertEqual(self.done, [])

    def test_sleep_is_rest(self):
        self.begin(lambda: None)
        with mock.patch.object(engine_threads, "PATIENCE", 600):
            engine_threads.let_finish()

    def test_others_are_not_waited_for(self):
        self.begin(lambda: [self.compute(1) for _ in iter(self.may_end.is_set, True)], "somebody")
        with mock.patch.object(time, "sleep", side_effect=AssertionError("it waits")):
            engine_threads.let_finish()


if __name__ == "__main__":
    unittest.main()
