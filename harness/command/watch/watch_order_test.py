# SPDX-License-Identifier: BSD-3-Clause
"""Tests that assay watch finds the last call after which a program must wait, on a device that breaks the order of work.

ci/test runs one program. With ASSAY_FULL=1, twelve programs run, each with a fault of the fake device.
"""

import os
import textwrap
import unittest

from watch_fixture import WatchCase

BEGIN = """
N = 600
def long():
    x = torch.full((N, N), 1.0 / N).to("fakedev")
    torch.fakedev.synchronize()
    return x @ x @ x  # long
def expect(seen, wanted):
    assert torch.allclose(seen, torch.full_like(seen, wanted)), seen.flatten()[:3]
"""
TO_HOST = """
h = torch.zeros(N, N).pin_memory()
y = long()
h.copy_(y, non_blocking=True)  # here
{wait}
expect(h + 1, 1 + 1 / N)
"""
EVENT = 'e = torch.Event("fakedev"); e.record()\n'
TWO_STREAMS = """
s, e = torch.Stream("fakedev"), torch.Event("fakedev")
with s:
    y = long()
    e.record()
e.wait(torch.accelerator.current_stream())
expect((y + 1).cpu(), 1 + 1 / N)
"""
FAULTS = {  # fault: (words in the line that must be named, program)
    "copy.to_host_returns_early": ("# here", "h, y = torch.zeros(N, N), long() + 1\nh.copy_(y)  # here\nexpect(h + 0, 1 + 1 / N)"),
    "stream.launch_ignores_order": ("# here", """
        h, d = torch.ones(2000, 2000).pin_memory(), torch.zeros(2000, 2000, device="fakedev")
        torch.fakedev.synchronize()
        for _ in range(30):
            d.copy_(h, non_blocking=True)  # here
        z = d + 1
        torch.fakedev.synchronize()
        expect(z.cpu(), 2)
        """),
    "event.wait_ignored": ("# long", TWO_STREAMS),
    "event.block_does_nothing": ("# long", TWO_STREAMS),
    "event.synchronize_returns_early": ("# here", TO_HOST.format(wait=EVENT + "e.synchronize()")),
    "event.query_always_true": ("# here", TO_HOST.format(wait=EVENT + "while not e.query(): pass")),
    "stream.synchronize_returns_early": ("# here", TO_HOST.format(wait="torch.accelerator.current_stream().synchronize()")),
    "device.synchronize_returns_at_once": ("# here", TO_HOST.format(wait="torch.accelerator.synchronize()")),
    "allocator.ignores_record_stream": ("# here", """
        s, x = torch.Stream("fakedev"), torch.ones(N, N).to("fakedev")
        torch.fakedev.synchronize()
        with s:
            z = x + long()
            x.record_stream(s)  # here
        del x
        for _ in range(4):
            w = torch.full((N, N), 9.0, device="fakedev")
        s.synchronize()
        expect(z.cpu(), 1 + 1 / N)
        """),
    "allocator.reuses_before_stream_is_done": ("# here", """
        s = torch.Stream("fakedev")
        with s:
            z = long() * 5  # here
        del z
        w = torch.full((N, N), 9.0, device="fakedev")
        torch.fakedev.synchronize()
        expect(w.cpu(), 9)
        """),
    "host.record_event_ignored": ("# here", """
        y, h, d = long(), torch.ones(N, N).pin_memory(), torch.empty(N, N, device="fakedev")
        d.copy_(h, non_blocking=True)  # here
        del h
        g = torch.full((N, N), 7.0).pin_memory()
        expect((d + 1).cpu(), 2)
        """),
}


class Order(WatchCase):
    def expect_named(self, words, code, fault, way, status):
        seen, document = self.watch(BEGIN + textwrap.dedent(code), "--order", way, fault=fault)
        line = f"{self.folder / 'train.py'}:{self.line_of(words)}"
        self.assertEqual((seen, (document["order"] or {}).get("line")), (status, line), document)
        self.assertEqual(list(self.found.glob("order-*")), [])

    def test_work_that_a_copy_overtakes_is_named_where_operators_differ(self):
        self.expect_named("# long", "long().cpu()", "copy.ignores_stream_order", "auto", 1)

    @unittest.skipUnless(os.environ.get("ASSAY_FULL"), "runs each program about ten times; ci/full runs it")
    def test_place_that_a_watch_hides_is_named_by_how_the_program_ends(self):
        for fault, (words, code) in FAULTS.items():
            with self.subTest(fault):
                self.setUp()
                self.expect_named(words, code, fault, "always", 1 if fault == "copy.to_host_returns_early" else 2)


if __name__ == "__main__":
    unittest.main()
