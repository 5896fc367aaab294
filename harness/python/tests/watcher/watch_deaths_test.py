# SPDX-License-Identifier: BSD-3-Clause
"""Tests which running calls of a dead process are reported."""

import os
import signal
import subprocess
import sys
import threading
import unittest

import torch
from assay.watcher import deaths as watch_deaths, ends as watch_ends, under_way as watch_under_way
from assay.watcher.under_way import CALLED, COMPARED, IDLE, TAKEN
from harness.command.fixtures.folder_case import FolderCase

MM = torch.ops.aten.mm.default
GONE = 2**22 + 1  # larger than any process id


class Deaths(FolderCase):
    def left(self, *states, process=GONE, unwaited=0):
        """Writes the file of a process with one thread for each state. All threads call mm."""
        calls = watch_under_way.UnderWay(str(self.folder))
        calls.pid = process
        form = watch_under_way.form_of(MM, (torch.ones(2, 3), torch.ones(4, 3).t()), {})
        for number, state in enumerate(states):
            thread = threading.Thread(target=self._call, args=(calls, form, state, unwaited))
            thread.start()
            thread.join()
            calls.places[number] = calls.places.pop(thread.ident)  # a later thread may have the same id
        return calls

    def _call(self, calls, form, state, unwaited):
        place = calls.here()
        place.unwaited = unwaited
        place.begin(form, b"train.py:7", b"Model.head", False)
        place.goes_on(state)

    def found(self, is_cut_off=False):
        return watch_deaths.found(self.folder, is_cut_off)

    def test_call_is_told_with_what_ended_it(self):
        self.left(CALLED)
        watch_ends.note(str(self.folder / watch_ends.FILE), GONE, signal.SIGSEGV)
        (call,) = self.found()
        self.assertEqual((call["op"], call["how"], call["line"], call["module"]), ("aten.mm.default", "died", "train.py:7", "Model.head"))
        self.assertEqual(call["wrong"], "ended by SIGSEGV during the call (float32 [2, 3] of the CPU, float32 [3, 4] strides [1, 3] of the CPU)")
        self.assertTrue((self.folder / call["reproducer"]).is_file())

    def test_state_and_what_was_not_waited_for_are_told(self):
        for state, words in ((TAKEN, "while its inputs were copied"), (COMPARED, "while assay waited for its results and compared them")):
            self.left(state, unwaited=3)
            (call,) = self.found()
            self.assertIn(words, call["wrong"])
            self.assertIn("; 3 earlier calls were not synchronized", call["wrong"])

    def test_of_several_threads_each_is_told(self):
        self.left(CALLED, IDLE, COMPARED)
        calls = self.found()
        self.assertEqual(len(calls), 2)
        self.assertIn("one of 2 threads with a running call", calls[0]["wrong"])

    def test_more_threads_than_places_and_more_text_than_room(self):
        self.left(*[IDLE] * (watch_under_way.PLACES + 2), CALLED)
        self.assertEqual(len(self.found()), 1)
        form = watch_under_way.form_of(MM, tuple(torch.ones(1) for _ in range(200)), {})
        self.assertLess(len(form), watch_under_way.TEXTS[0][1])
        self.assertIn(b"aten.mm.default", form)

    def test_nothing_is_told_of_who_is_idle_lives_or_ended_as_it_wanted(self):
        self.left(IDLE)
        self.assertEqual(self.found(), [])
        self.assertIn("the last one was aten.mm.default at train.py:7", watch_deaths.last(self.folder, GONE))
        self.left(CALLED).end_well()
        self.assertEqual(self.found(), [])
        self.left(CALLED, process=os.getpid())
        self.assertEqual(self.found(), [])

    def test_who_was_stopped_or_was_waited_for_by_nobody(self):
        self.left(CALLED)
        self.assertEqual([(one["how"], "unknown reason" in one["wrong"]) for one in self.found()], [("died", True)])
        self.assertEqual([one["how"] for one in self.found(is_cut_off=True)], ["stopped"])
        watch_ends.note(str(self.folder / watch_ends.FILE), GONE, signal.SIGTERM)
        self.assertEqual([one["how"] for one in self.found()], ["stopped"])

    def test_files_that_are_cut_say_nothing(self):
        (self.folder / f"process-{GONE}.calls").write_bytes(b"\1" * 100)
        (self.folder / watch_ends.FILE).write_text('{"process": 2, "status": 9, "at": 5}\n{"process": 3, "sta')
        self.assertEqual(self.found(), [])
        self.assertEqual(watch_ends.read(str(self.folder)), {2: (9, 5)})

    def test_each_end_is_noted_until_that_is_undone(self):
        undo = watch_ends.hook(str(self.folder))
        try:
            child = os.posix_spawn(sys.executable, [sys.executable, "-S", "-c", "import os; os.kill(os.getpid(), 9)"], dict(os.environ))
            self.assertEqual(os.waitpid(child, 0), (child, 9))
        finally:
            undo()
        subprocess.run([sys.executable, "-S", "-c", "raise SystemExit(3)"])
        self.assertEqual({process: status for process, (status, _at) in watch_ends.read(str(self.folder)).items()}, {child: 9})


if __name__ == "__main__":
    unittest.main()
