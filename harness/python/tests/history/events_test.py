# SPDX-License-Identifier: BSD-3-Clause
"""Tests generated nights with planted events: every event must be found at its place, and no other. With
ASSAY_FULL=1, tests a whole year of 20 backends on 6 torches and the size of its file."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "ci" / "bench"))
from assay.history import events, reading, store  # noqa: E402
from make_year import Year  # noqa: E402

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
GIB = 1 << 30


def run(*words):
    done = subprocess.run([ASSAY, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def make_history(folder, year):
    """Makes the history of a generated year and returns its path."""
    lines, history = Path(folder) / "year.jsonl", Path(folder) / "year.db"
    with open(lines, "w", encoding="utf-8") as out:
        year.write(out)
    run("history", "import", lines, "--db", history)
    return history


def found_in(history):
    """All events in the history, in the form of make_year.py."""
    for series in reading.read(history):
        for event in events.events_of(series):
            yield (event.kind, series.target, series.release, event.run.day, event.check)


def planted_in(year):
    return [(event["kind"], event["target"], event["release"], event["date"], event["check"])
            for event in year.planted]


class Planted(unittest.TestCase):
    maxDiff = 4000
    year = Year(backends=2, torches=2, nights=48, checks=120)
    most = GIB // 100

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.history = make_history(cls.folder.name, cls.year)

    def test_every_event_is_where_it_belongs_and_none_is_invented(self):
        found, planted = list(found_in(self.history)), planted_in(self.year)
        # a flaky check first fails in a random night
        flaky = {event[:3] + event[4:] for event in found if event[0] == "flaky"}
        self.assertEqual({event[:3] + event[4:] for event in planted if event[0] == "flaky"}, flaky)
        self.assertEqual(sorted(event for event in planted if event[0] != "flaky"),
                         sorted(event for event in found
                                if event[0] != "flaky" and event[4] not in self.year.flaky))

    def test_a_break_lies_between_the_revisions_of_the_nights_around_it(self):
        wanted = {(event["target"], event["release"], event["check"]): event for event in self.year.planted
                  if "after" in event}
        for series in reading.read(self.history):
            for event in events.events_of(series):
                planted = wanted.get((series.target, series.release, event.check))
                if planted and event.kind == "broke":
                    self.assertEqual((planted["date"], planted["after"]), (event.run.day, event.before.day))
                    self.assertNotEqual(event.before.git, event.run.git)
                    wanted.pop((series.target, series.release, event.check))
        self.assertEqual({}, wanted)

    def test_a_renamed_check_knows_its_old_name(self):
        old = {event["check"]: event["old"] for event in self.year.planted if event["kind"] == "renamed"}
        for series in reading.read(self.history):
            names = {event.check: event.old for event in events.events_of(series) if event.kind == "renamed"}
            self.assertEqual(old, names)

    def test_the_file_stays_small(self):
        self.assertLess(os.path.getsize(self.history), self.most)

    def test_lines_out_and_in_are_the_same_history(self):
        lines = run("history", "export", "--db", self.history)
        again = Path(self.folder.name) / "again"
        again.with_suffix(".jsonl").write_text(lines, encoding="utf-8")
        run("history", "import", again.with_suffix(".jsonl"), "--db", again.with_suffix(".db"))
        self.assertEqual(lines, run("history", "export", "--db", again.with_suffix(".db")))
        for line in lines.splitlines():
            self.assertEqual("assay/history-run/1", json.loads(line)["schema"])


@unittest.skipUnless(os.environ.get("ASSAY_FULL"), "a whole year: ASSAY_FULL=1")
class WholeYear(Planted):
    year = Year(backends=20, torches=6, nights=365, checks=1000)
    most = 2 * GIB


class Refusals(unittest.TestCase):
    def test_files_that_are_no_history_are_refused_in_words(self):
        with tempfile.TemporaryDirectory() as folder:
            foreign = Path(folder) / "foreign.db"
            foreign.write_text("x" * 5000)
            for path, words in ((foreign, "is not a history of assay"), (Path(folder) / "none.db", "there is no history in")):
                with self.assertRaisesRegex(store.Refused, words):
                    reading.read(path)


if __name__ == "__main__":
    unittest.main()
