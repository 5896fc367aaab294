# SPDX-License-Identifier: BSD-3-Clause
"""Tests which memory of a process is moved to large pages before it forks many times."""

import importlib
import os
import unittest
from unittest import mock

os.environ["ASSAY_HOST_TARGET"] = "unittest"  # the module does not matter, because nothing is loaded

huge_pages = importlib.import_module("assay.host.huge_pages")
main = importlib.import_module("assay.host.__main__")

MB = 1 << 20


def mapping(begin, megabytes, there, rights="rw-p", name="", flags="rd wr mr mw me ac"):
    head = f"{begin * MB:x}-{(begin + megabytes) * MB:x} {rights} 00000000 00:00 {1 if name[:1] == '/' else 0} {name}"
    return [f"{head}\n", f"Rss: {there * 1024} kB\n", f"VmFlags: {flags}\n"]


def chosen(*mappings):
    found = huge_pages.worth_it([line for one in mappings for line in one])
    return [(begin // MB, end // MB) for begin, end in found]


class HugePages(unittest.TestCase):
    def test_private_memory_in_whole_pages(self):
        self.assertEqual(chosen(mapping(3, 10, 10), mapping(100, 6, 6, name="[heap]")), [(4, 12), (100, 106)])
        self.assertEqual(chosen(mapping(3, 2, 2)), [])

    def test_what_is_only_reserved_stays_so(self):
        self.assertEqual(chosen(mapping(0, 1000, 2)), [])

    def test_what_a_child_shares_or_does_not_get(self):
        for other in (mapping(0, 8, 8, rights="rw-s"), mapping(0, 8, 8, name="/dev/device"),
                      mapping(0, 8, 8, flags="rd wr dc"), mapping(0, 8, 8, rights="r-xp", name="/lib/a.so")):
            self.assertEqual(chosen(other, mapping(20, 4, 4)), [(20, 24)])

    def test_there_is_an_end(self):
        self.assertEqual(chosen(mapping(0, 4096, 4096), mapping(8192, 4, 4)), [(8192, 8196)])

    def test_of_this_process(self):
        kept = [bytes(64) for _ in range(200_000)]
        huge_pages.collapse()
        self.assertEqual(len({bytes(one) for one in kept}), 1)

    def test_once_and_not_in_a_short_run(self):
        host = main.Host(library=None)
        with mock.patch.object(main.os, "fork", return_value=1), \
                mock.patch.object(main.huge_pages, "collapse") as collapse:
            for forks in range(1, 3 * main.HUGE_PAGES_AT):
                host.fork()
                self.assertEqual(collapse.call_count, int(forks >= main.HUGE_PAGES_AT))


if __name__ == "__main__":
    unittest.main()
