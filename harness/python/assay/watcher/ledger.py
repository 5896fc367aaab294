# SPDX-License-Identifier: BSD-3-Clause
"""Writes the records of one watched process to two files: lines, and counters that survive the process.

A line is one write to an append-only file. Counters are in a mapped file, so they survive if the process is killed or
calls os._exit. An error in a file must not end the program: if the disk is full, records are dropped. Written by
assay/watcher/mode.py, read by assay/watcher/summary.py.
"""

import json
import mmap
import os
import struct
import sys
import threading

SLOTS = 16384
SLOT = struct.Struct("=qqq")  # count, bytes, nanoseconds
NUMBERS = SLOT.size // 8
LAST = "more kinds than can be counted"


class Ledger:
    """A forked child writes to new files, which are created with its first record."""

    def __init__(self, folder):
        self.folder = folder
        self.reopen()

    def reopen(self):
        self.lock, self.slots, self.file = threading.Lock(), {}, None
        self.pid = os.getpid()

    def _open(self):
        path = os.path.join(self.folder, f"process-{self.pid}")
        self.file = _opened(path + ".jsonl")
        self.counters = memoryview(mapped(path + ".counts", SLOTS * SLOT.size)).cast("q")
        self._write({"process": self.pid, "parent": os.getppid(), "argv": [str(one)[:300] for one in sys.orig_argv[:20]]})

    def _write(self, record):
        if self.file is None:
            self._open()
        try:
            os.write(self.file, (json.dumps(record) + "\n").encode())
        except OSError:
            pass

    def tell(self, **record):
        with self.lock:
            self._write(record)

    def slot(self, **what):
        """The number of a counter. The fields in `what` are written only once."""
        key = tuple(what.values())
        with self.lock:
            number = self.slots.get(key)
            if number is None:
                number = len(self.slots)
                if number >= SLOTS - 1:
                    number, what = SLOTS - 1, {"kind": LAST}
                self.slots[key] = number
                self._write({"slot": number, **what})
        return number

    def add(self, number, times=1, size=0, nanoseconds=0):
        counters, at = self.counters, number * NUMBERS
        with self.lock:
            counters[at] += times
            if size:
                counters[at + 1] += size
            if nanoseconds:
                counters[at + 2] += nanoseconds


def _opened(path):
    """Returns a descriptor, or -1 if the file cannot be opened. Writes to -1 fail, and these errors are ignored."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    except OSError:
        return -1


def mapped(path, size):
    """Allocates the blocks on disk before mapping: a write to a page without a block would kill the process."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.posix_fallocate(file, 0, size)
            return mmap.mmap(file, size)
        finally:
            os.close(file)
    except OSError:
        return bytearray(size)
