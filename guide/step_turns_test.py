# SPDX-License-Identifier: BSD-3-Clause
"""A step of the guide on a backend: what it promises is not green without it, and green with it. All: `ci/full guide`."""

import collections
import contextlib
import io
import os
import unittest
from pathlib import Path

import step_turns
from turns_table import GREEN, NOTHING, read_turns

PROMISES = collections.Counter(step for step, _, before, after in read_turns(step_turns.TORCH) if before != NOTHING and after in GREEN)
CHEAPEST = min(PROMISES, key=PROMISES.get)


class Kept(unittest.TestCase):
    def test_one_step(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = step_turns.main(["hold", str(Path(os.environ["ASSAY_BUILD"]) / "guide/one_step"), CHEAPEST])
        self.assertEqual((status, said.getvalue()), (False, ""))


if __name__ == "__main__":
    unittest.main()
