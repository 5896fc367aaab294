# SPDX-License-Identifier: BSD-3-Clause
"""One edit gives one group of the right rank, no edit gives no entry."""

import os
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
os.environ.setdefault("ASSAY_FACTS", str(Path(os.environ["ASSAY_BUILD"]) / "bin/assay-facts"))

from apply import apply_edit  # noqa: E402
from assay_drift.make_dump import dump_of  # noqa: E402
from assay_drift.result import compare_dumps  # noqa: E402
from assay_drift.settings import Settings  # noqa: E402
from assay_drift.side import find_side  # noqa: E402
from header_edits import EDITS, HEADERS  # noqa: E402

SETTINGS = Settings(sections=("cxx",), headers=HEADERS)


def include_folder():
    import importlib.util

    return Path(importlib.util.find_spec("torch").origin).parent / "include"


class Edits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.include = include_folder()
        cls.base = dump_of(find_side(str(cls.include), None), SETTINGS)
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            cls.results = dict(zip(EDITS, pool.map(lambda edit: cls.compare(edit, Path(folder)), EDITS)))

    @classmethod
    def compare(cls, edit, folder):
        edited = apply_edit(cls.include, folder / edit.name, edit)
        return compare_dumps(cls.base, dump_of(find_side(str(edited), None), SETTINGS))

    def test_the_base_was_read(self):
        self.assertGreater(len(self.base.facts), 1000)

    def test_each_edit_is_one_group_of_its_rank(self):
        for edit, result in self.results.items():
            with self.subTest(edit.name):
                groups = result.worst_groups("abi")
                if not edit.id:
                    self.assertEqual([], [(e.id, e.change) for e in result.entries])
                    continue
                self.assertEqual([edit.rank], [g["rank"] for g in groups], [g["title"] for g in groups])
                self.assertIn((edit.id, edit.change), [(e.id, e.change) for e in result.members(groups[0])])

    def test_what_no_longer_parses_is_undecided_evidence(self):
        result = next(r for edit, r in self.results.items() if edit.change == "no_longer_parses")
        self.assertIn("'nccl.h' file not found", result.undecided[0])


if __name__ == "__main__":
    unittest.main()
