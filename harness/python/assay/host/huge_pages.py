# SPDX-License-Identifier: BSD-3-Clause
"""Moves the memory of a process that will fork often to pages of 2 MB.

A fork copies the page tables of all private memory, and the exit of the child frees them. With torch loaded, this is
most of the cost of a job: 200 MB consist of 50,000 small pages or a hundred large pages. A write in a job still copies
only 4 kB. If Linux cannot do this (before 6.1, or without free large pages), nothing changes.
"""

import contextlib
import ctypes
import re

MADV_COLLAPSE = 25
SIZE = 1 << 21
MOSTLY = 0.75  # least resident share of a moved mapping: reserved memory must stay untouched
MOST = 1 << 30  # bytes; to copy a large model in memory would take seconds


def _mappings(lines):
    """(begin, end, resident kilobytes) of each private anonymous mapping that a child inherits."""
    begin = end = there = None
    for line in lines:
        head = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ 0 *(\[heap\])?$", line.rstrip())
        if head:
            begin, end = int(head[1], 16), int(head[2], 16)
            there = 0 if head[3] == "rw-p" else None
        elif re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            there = None
        elif there is not None and line.startswith("Rss:"):
            there = int(line.split()[1])
        elif there is not None and line.startswith("VmFlags:"):
            if not {"dc", "io", "pf", "ht"} & set(line.split()):
                yield begin, end, there
            there = None


def worth_it(lines):
    """(begin, end) of the mappings that are worth moving, rounded to whole large pages."""
    left = MOST
    for begin, end, there in _mappings(lines):
        inside = (-(-begin // SIZE) * SIZE, end // SIZE * SIZE)
        size = inside[1] - inside[0]
        if 0 < size <= left and there * 1024 >= MOSTLY * (end - begin):
            left -= size
            yield inside


def collapse():
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int]
    with contextlib.suppress(OSError), open("/proc/self/smaps", encoding="utf-8") as smaps:
        for begin, end in list(worth_it(smaps)):
            for page in range(begin, end, SIZE):
                madvise(page, SIZE, MADV_COLLAPSE)
