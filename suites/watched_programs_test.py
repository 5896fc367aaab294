# SPDX-License-Identifier: BSD-3-Clause
"""On a correct device, a watch that compares every call of a program finds nothing wrong and supports every call.

Runs all programs of suites/programs, including those that a check runs in several variants. The programs use what
training scripts use, from forward-mode derivatives to lazy modules.
"""

import contextlib
import importlib
import os
import tempfile
import unittest
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))

import torch
from assay.programs import judge as program_judge, run as program_run
from assay.watcher.block import Block

DEVICE = "fakedev"


def collecting(kind):
    """A ProgramCase that stores its programs and their dtypes instead of judging them."""

    def judge(case, program, dtype=torch.float32, low=None, **_named):
        case.programs.append((program, (dtype, low)))
        return True

    members = {"judge": judge, "subTest": lambda _case, **_named: contextlib.nullcontext(), "__init__": lambda _case: None,
               "device": torch.device(DEVICE), "devices": [torch.device(DEVICE, 0)], "programs": []}
    return type(kind.__name__, (kind,), members)()


def programs():
    """Yields (name of a check's method, program, dtypes). Checks that run programs in another way are excluded."""
    for path in sorted((ROOT / "suites/programs").glob("test_*.py")):
        for kind in vars(importlib.import_module(f"suites.programs.{path.stem}")).values():
            if not isinstance(kind, type) or kind.__module__ != f"suites.programs.{path.stem}" or not issubclass(kind, program_judge.ProgramCase):
                continue
            for check in unittest.defaultTestLoader.getTestCaseNames(kind):
                case = collecting(kind)
                with contextlib.suppress(Exception):
                    getattr(case, check)()
                yield from ((f"{path.stem}.{check}", *one) for one in case.programs)


class Watched(unittest.TestCase):
    def test_every_program_is_right_under_a_watch(self):
        found = list(programs())
        self.assertGreater(len(found), 80)
        for name, program, dtypes in found:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with Block(folder, everything=True, quiet=True) as seen:
                    program_run.finished(program, program_run.Run(DEVICE, *dtypes))
                rows = [(row["name"], row["seen"]) for row in seen.document["operators"] if row["wrong"] or row["raised"]]
                self.assertEqual(rows, [])
                self.assertEqual([one for one in seen.document["uncompared"] if one["reason"].startswith("assay")], [])


if __name__ == "__main__":
    unittest.main()
