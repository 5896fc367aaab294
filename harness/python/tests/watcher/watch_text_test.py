# SPDX-License-Identifier: BSD-3-Clause
"""Tests the text output about a watched program: the first wrong operator with its source line, and tables of the
other results."""

import tempfile
import unittest
from pathlib import Path

from assay.watcher import text as watch_text

FIRST = {"op": "aten.mm.default", "how": "wrong", "wrong": "element 0 is 1, expected 2", "line": "", "module": "", "backward": False,
         "inputs": "float32 [2, 2], float32 [2, 2]", "reproducer": ""}
NOTHING = {"operators": [], "ended": "", "first": None, "uncompared": [], "unwatched": [],
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


if __name__ == "__main__":
    unittest.main()
