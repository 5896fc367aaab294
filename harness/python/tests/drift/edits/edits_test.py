# SPDX-License-Identifier: BSD-3-Clause
"""Tests that one edit gives one group of the right rank, and that without an edit there is no entry.

Tests a sample of the rows. With ASSAY_ALL_EDITS=1 (ci/full), tests all rows and prints a table.
"""

import os
import random
import re
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
os.environ.setdefault("ASSAY_FACTS", str(Path(os.environ["ASSAY_BUILD"]) / "bin/assay-facts"))

from fixtures.apply import apply_edit
from assay.drift.result import compare_dumps
from assay.facts.dump import Dump, owner_of
from assay.facts.make_dump import dump_of
from assay.facts.settings import Settings
from assay.facts.side import find_side
from fixtures.header_edits import EDITS, RFC0037

WHOLE = "ASSAY_ALL_EDITS" in os.environ
CHOSEN = EDITS if WHOLE else RFC0037 + [edit for edit in EDITS[len(RFC0037) :] if edit.header.startswith("c10/core")][::2]
INCLUDE = re.compile(r"#include <((?:c10|ATen|torch)/[^>]+)>")
PAIRS = 150 if WHOLE else 15
SEED = 20
CUDA = ("USE_CUDA", "USE_C10D_NCCL")


def settings_for(edit, macros=()):
    """Settings that parse few headers, because each costs a second: the edited header, an unchanged header, and the
    headers that a moved header includes."""
    along = INCLUDE.findall((include_folder() / edit.header).read_text()) if edit.moved_to else []
    return Settings(sections=("cxx",), headers=(edit.header, "c10/core/Stream.h", *along), macros=macros)


def without_line(fact):
    return fact and {**fact, "line": 0}


def are_unrelated(one, other):
    """True if the two rows edit different headers and classes."""
    return one.header != other.header and owner_of(one.id) != owner_of(other.id)


def include_folder():
    import importlib.util

    return Path(importlib.util.find_spec("torch").origin).parent / "include"


class Edits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.include = include_folder()
        chosen = {edit.header: edit for edit in CHOSEN}
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            bases = pool.map(lambda edit: dump_of(find_side(str(cls.include), None), settings_for(edit)), chosen.values())
            cls.bases = dict(zip(chosen, bases))
            cls.dumps = dict(zip(CHOSEN, pool.map(lambda edit: cls.dump(edit, Path(folder)), CHOSEN)))
        cls.results = {edit: compare_dumps(cls.bases[edit.header], dump) for edit, dump in cls.dumps.items()}

    @classmethod
    def dump(cls, edit, folder):
        edited = apply_edit(cls.include, folder / edit.name.replace("/", "-"), edit)
        return dump_of(find_side(str(edited), None), settings_for(edit))

    @classmethod
    def together(cls, edits):
        """Dumps before and after several edits, combined from the dumps of each edit."""
        bases = [cls.bases[edit.header] for edit in edits]
        old = {}
        for base in bases:
            old.update((identity, fact) for identity, fact in base.facts.items() if len(fact) >= len(old.get(identity, ())))
        new = dict(old)
        for edit, base in zip(edits, bases):
            edited = cls.dumps[edit].facts
            for identity in base.facts.keys() - edited.keys():
                new.pop(identity, None)
            new.update((identity, fact) for identity, fact in edited.items() if without_line(fact) != without_line(base.facts.get(identity)))
        return Dump(bases[0].head, old), Dump(bases[0].head, new)

    @classmethod
    def tearDownClass(cls):
        if WHOLE:
            print(f"\n{'edit':62} {'change':26} {'rank':10} groups")
            for edit, result in cls.results.items():
                groups = result.worst_groups("abi")
                print(f"{edit.name:62} {edit.change or 'none':26} {groups[0]['rank'] if groups else '-':10} {len(groups)}")

    def test_the_base_was_read(self):
        for header, base in self.bases.items():
            self.assertGreater(len(base.facts), 100, header)

    def test_each_edit_is_one_group_of_its_rank(self):
        for edit, result in self.results.items():
            with self.subTest(edit.name):
                groups = result.worst_groups("abi")
                if not edit.id:
                    self.assertEqual([], [(e.id, e.change) for e in result.entries])
                    continue
                self.assertEqual([edit.rank], [g["rank"] for g in groups], [g["title"] for g in groups])
                self.assertIn((edit.id, edit.change), [(e.id, e.change) for e in result.members(groups[0])])

    def test_two_unrelated_edits_are_two_groups(self):
        """Combines edits of any two kinds in either order."""
        told = [edit for edit in CHOSEN if edit.id and len(self.results[edit].worst_groups("abi")) == 1]
        drawn = random.Random(SEED).sample([(one, other) for one in told for other in told if one != other and are_unrelated(one, other)], PAIRS)
        for pair in drawn:
            with self.subTest(" + ".join(edit.name for edit in pair)):
                result = compare_dumps(*self.together(pair))
                groups = result.worst_groups("abi")
                self.assertEqual(sorted(edit.rank for edit in pair), sorted(g["rank"] for g in groups), [g["title"] for g in groups])
                of_edit = [{e.group for e in result.entries if (e.id, e.change) == (edit.id, edit.change)} for edit in pair]
                self.assertEqual([1, 1], [len(found) for found in of_edit])
                self.assertNotEqual(*of_edit)
        if WHOLE:
            print(f"\n{len(drawn)} pairs of unrelated edits, two groups each")

    def test_what_no_longer_parses_is_undecided_evidence(self):
        result = next(r for edit, r in self.results.items() if edit.change == "no_longer_parses")
        self.assertIn("'nccl.h' file not found", result.undecided[0])

    def test_no_edit_is_no_entry_wherever_the_headers_lie_and_whatever_is_defined(self):
        """Compares the tree with a copy in another folder, with the macros of a CPU build and of a CUDA build."""
        edit = RFC0037[0]
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder, "elsewhere/include")
            other.parent.mkdir()
            other.symlink_to(self.include)
            for macros in ((), CUDA):
                settings = settings_for(edit, macros)
                sides = [dump_of(find_side(str(include), None), settings) for include in (self.include, other)]
                self.assertEqual([], [(e.id, e.change) for e in compare_dumps(*sides).entries], macros)


if __name__ == "__main__":
    unittest.main()
