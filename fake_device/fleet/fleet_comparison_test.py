# SPDX-License-Identifier: BSD-3-Clause
"""Tests the comparison: each kind of difference between a run and the lists is reported, and nothing else."""

import tempfile
import unittest
from pathlib import Path

import fleet_comparison
from fleet_comparison import surprises
from fleet_lists import Defect, ListError, Open, backends, by_name, defects_of, read_open, read_own, read_shared

HEADER = "requirement\tmodule\tkind\twhat\n"


def check(name, verdict, *covers, reason=None):
    return {"id": name, "verdict": verdict, "covers": list(covers), "reason": reason, "blocked_by": None}


def defect(name, *requirements, module="guard", kind="silent-wrong", releases=""):
    return {name: Defect(requirements, module, kind, name, "...", releases)}


def compare(defects, checks, torch="2.13.0"):
    return fleet_comparison.compare(defects, checks, torch)


def open_lines(*pairs):
    return [Open("any", state, subject, "because") for state, subject in pairs]


class Comparing(unittest.TestCase):
    def test_a_failing_check_of_a_clause_reports_the_defect(self):
        for verdict in ("fail", "crash", "timeout"):
            result = compare(defect("a", "DEV-001", "DEV-002"), [check("x", verdict, "DEV-002")])
            self.assertEqual((result.reported, result.missed, result.false), ({"a": ["x"]}, {}, []))

    def test_a_passing_check_misses_it(self):
        checks = [check("x", "pass", "DEV-001"), check("y", "blocked", "DEV-001")]
        self.assertEqual(compare(defect("a", "DEV-001"), checks).missed, {"a": ["x"]})

    def test_a_clause_without_a_check_is_missed(self):
        self.assertEqual(compare(defect("a", "DEV-001"), []).missed, {"a": []})

    def test_a_defect_counts_under_the_releases_that_show_it(self):
        before, since = "before 2.14", "from 2.14"
        for releases, shows in ((before, "2.13.0"), (since, "2.14.1+cu130"), (f"from 2.12, {before}", "2.13.0")):
            other = "2.14.1" if shows == "2.13.0" else "2.9.0"
            checks = [check("x", "fail", "DEV-001")]
            listed = defect("a", "DEV-001", releases=releases)
            self.assertEqual((compare(listed, checks, shows).reported, compare(listed, checks, shows).false), ({"a": ["x"]}, []))
            self.assertEqual((compare(listed, checks, other).reported, compare(listed, checks, other).false), ({}, ["x"]))

    def test_checks_that_cannot_say_block_it(self):
        for verdict in ("blocked", "skip", "unobservable", "broken"):
            result = compare(defect("a", "DEV-001"), [check("x", verdict, "DEV-001")])
            self.assertEqual(result.blocked, {"a": ["x"]})

    def test_what_is_missing_is_reported_by_a_skip(self):
        result = compare(defect("a", "DEV-001", kind="missing"), [check("x", "skip", "DEV-001")])
        self.assertEqual(result.reported, {"a": ["x"]})

    def test_a_failing_check_of_no_listed_clause_is_false(self):
        self.assertEqual(compare({}, [check("x", "crash", "DEV-001"), check("y", "pass")]).false, ["x"])

    def test_the_share_leaves_out_what_does_not_apply(self):
        checks = [check("a", "pass"), check("b", "skip"), check("c", "blocked", reason="needs aten::x")]
        result = compare({}, checks)
        self.assertEqual((result.share, result.means), (50, {"needs aten::x": 1}))
    def test_a_defect_that_only_listed_checks_cover_is_left_to_them(self):
        result = compare(defect("a", "OPI-013", module="operators"), [check("x", "pass", "OPS-002")])
        self.assertEqual((result.reported, result.missed, result.blocked), ({}, {}, {}))


class Surprising(unittest.TestCase):
    def told(self, checks, *lines, defects=None):
        return list(surprises(compare(defects or {}, checks), open_lines(*lines)))

    def test_nothing_open_says_nothing(self):
        self.assertEqual(self.told([check("x", "pass")]), [])

    def test_what_is_listed_is_no_surprise(self):
        self.assertEqual(self.told([check("x", "fail")], ("false", "x")), [])

    def test_what_is_not_listed_is_one(self):
        self.assertIn("false and not listed as open: x", self.told([check("x", "fail")]))
        self.assertIn("missed and not listed as open: a",
                      self.told([check("x", "pass", "DEV-001")], defects=defect("a", "DEV-001")))
        self.assertIn("blocked and not listed as open: a",
                      self.told([check("x", "skip", "DEV-001")], defects=defect("a", "DEV-001")))

    def test_a_line_that_no_longer_holds_is_one(self):
        self.assertEqual(self.told([check("x", "pass")], ("false", "x")), ["listed as false and is so no longer: x"])

    def test_the_share_leaves_out_modules_that_need_many_operators(self):
        checks = [check("guard.a", "pass"), check("programs.b", "blocked", reason="needs aten::x")]
        self.assertEqual(compare({}, checks).share, 0)

    def test_the_share_is_bounded_in_both_directions(self):
        half = [check("x", "pass"), check("y", "blocked")]
        self.assertEqual(len(self.told(half)), 1)
        self.assertEqual(self.told(half, ("share", "50")), [])
        self.assertEqual(len(self.told([check("x", "pass")], ("share", "50"))), 1)

    def test_a_part_of_the_checks_says_nothing_of_the_share(self):
        half = compare({}, [check("x", "pass"), check("y", "blocked")])
        self.assertEqual(list(surprises(half, [], is_whole=False)), [])


class Reading(unittest.TestCase):
    def refused(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "defects.tsv")
            path.write_text(text, encoding="utf-8")
            with self.assertRaises(ListError) as caught:
                by_name(read_own(path))
            return str(caught.exception)

    def test_a_bad_line_is_named_with_its_place(self):
        self.assertRegex(self.refused("one\ttwo\n"), r"defects\.tsv:1: .*header")
        self.assertRegex(self.refused(HEADER + "DEV-001\tguard\n"), r":2: 4 columns")
        self.assertRegex(self.refused(HEADER + "DEV-001\tguard\twrong\ta: b\n"), r":2: wrong is none of")
        self.assertRegex(self.refused(HEADER + "DEV-001\tclients\tcrash\ta: b\n"), r":2: clients is none of")
        self.assertRegex(self.refused(HEADER + "dev1\tguard\tcrash\ta: b\n"), r":2: dev1 is no id")
        self.assertRegex(self.refused(HEADER + "DEV-001\tguard\tcrash\tno name\n"), r":2: .*begins with a name")
        self.assertRegex(self.refused(HEADER + "DEV-001\tguard\tcrash\ta: b\n" * 2), r":3: a is listed twice")
        self.assertRegex(self.refused(HEADER + "DEV-001\tguard\tcrash\ta (since 2.14): b\n"), r":2: .*begins with a name")

    def test_the_lists_of_the_tree_are_read_and_fit_together(self):
        known = {name: defects_of(name) for name in backends()}
        for place, names, _ in read_shared():
            self.assertLessEqual(set(names), known.keys(), place)
        for line in read_open():
            self.assertIn(line.backend, known)
            if line.state in ("missed", "blocked"):
                self.assertIn(line.subject, known[line.backend])


if __name__ == "__main__":
    unittest.main()
