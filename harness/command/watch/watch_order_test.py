# SPDX-License-Identifier: BSD-3-Clause
"""Tests that assay watch finds the call after which a program must wait, on a device that breaks the order of work."""

import unittest

from watch_fixture import WatchCase

LONG = """
x = torch.full((600, 600), 1 / 600).to("fakedev")
torch.fakedev.synchronize()
y = x @ x @ x  # long
"""


class Order(WatchCase):
    def test_copy_that_overtakes_work_is_the_order_of_work(self):
        status, document = self.watch(LONG + "y.cpu()", "--order", "auto", fault="copy.ignores_stream_order")
        order, long = document["order"], f"{self.folder / 'train.py'}:{self.line_of('# long')}"
        self.assertEqual((status, order["op"], order["line"]), (1, "aten.mm.default", long), document)
        self.assertFalse(list(self.found.glob("order-*")))

    def test_wait_that_a_watch_hides_is_found_by_how_the_program_ends(self):
        status, document = self.watch(LONG + """
h = torch.zeros(600, 600).pin_memory()
h.copy_(y, non_blocking=True)  # must arrive
event = torch.Event("fakedev")
event.record()
event.synchronize()
assert (h > 0).all()
""", "--order", "always", fault="event.synchronize_returns_early")
        order = document["order"]
        self.assertEqual((status, document["first"], order["op"]), (2, None, "aten.copy_.default"), document)
        self.assertEqual(order["line"], f"{self.folder / 'train.py'}:{self.line_of('must arrive')}")


if __name__ == "__main__":
    unittest.main()
