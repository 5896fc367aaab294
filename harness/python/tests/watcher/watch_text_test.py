# SPDX-License-Identifier: BSD-3-Clause
"""Tests the text output about a watched program: the first wrong operator with its source line, and tables of the
other results."""

import tempfile
import unittest
from pathlib import Path

from assay.watcher import text as watch_text

FIRST = {"op": "aten.mm.default", "how": "wrong", "wrong": "element 0 is 1, expected 2", "line": "", "module": "", "backward": False,
         "inputs": "float32 [2, 2], float32 [2, 2]", "reproducer": ""}
NOTHING = {"operators": [], "ended": "", "first": None, "order": None, "unjudged": 0, "uncompared": [], "unwatched": [],
           "statistics": {"steps": 0, "traffic": [], "fallbacks": [], "growth": 0}}


class Words(unittest.TestCase):
    def first(self, line):
        return list(watch_text.first_wrong({**FIRST, "line": line}, "/found"))[2:]

    def test_the_line_is_told_as_the_file_has_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "train.py")
            path.write_text("import torch\n    y = a @ b  # here\n")
            self.assertEqual(self.first(f"{path}:2")[0], "  line        y = a @ b  # here")

    def test_a_cell_that_no_file_has_is_left_out(self):
        told = ["  inputs      float32 [2, 2], float32 [2, 2]", "  seen        element 0 is 1, expected 2"]
        self.assertEqual(self.first("<cell 3>:4"), told)
        self.assertEqual(self.first(""), told)

    def test_where_nothing_reached_the_device_there_is_no_table(self):
        self.assertEqual(list(watch_text.text(NOTHING, "/found")), [
            "nothing was compared: no operator reached the device", "", "as a report: assay report /found"])

    def test_right_is_not_said_of_what_was_not_compared(self):
        row = {"name": "aten.mm.default", "compared": 5, "wrong": 0, "raised": 0, "died": ""}
        for unjudged, words in ((0, "right: 5 calls of 1 operators compared"), (3, "right where compared: 5 calls"),
                                (194, "not decided: only 5 of 199 calls were compared")):
            document = {**NOTHING, "operators": [row], "unjudged": unjudged}
            self.assertEqual((watch_text.verdict(document)[:len(words)], watch_text.is_undecided(document)), (words, unjudged == 194))

    def test_order_of_work_is_told_instead_of_right(self):
        row = {"name": "aten.mm.default", "compared": 5, "wrong": 0, "raised": 0, "died": ""}
        order = {"words": "order of work: the program must wait", "op": "aten.copy_.default", "line": "", "module": "", "backward": False, "runs": 7}
        document = {**NOTHING, "operators": [row], "order": order}
        self.assertIn("depend on the order of work", watch_text.verdict(document))
        self.assertEqual(list(watch_text.order(order))[1], order["words"])
        self.assertEqual(list(watch_text.order(None)), [])


if __name__ == "__main__":
    unittest.main()
