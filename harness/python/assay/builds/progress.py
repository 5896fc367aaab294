# SPDX-License-Identifier: BSD-3-Clause
"""Prints the progress of a build every half minute for the reader of a log. On a terminal, the `assay` command draws
its own progress line."""

import sys
import threading
import time

EACH_S = 30  # so a build that takes minutes writes only a few lines


class Progress:
    def __init__(self, name, total, tell):
        self.name, self.total, self.tell = name, total, tell
        self.count, self.begun = 0, time.monotonic()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._speak, daemon=True)

    def __enter__(self):
        if not sys.stderr.isatty():
            self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        if self.thread.ident:
            self.thread.join()

    def done(self, files=1):
        self.count += files  # needs no lock, because a count that is wrong by one does no harm

    def _speak(self):
        while not self.ended.wait(EACH_S):
            self.tell(f"{self.name}: {self.count} of {self.total} files, {time.monotonic() - self.begun:.0f} s")
