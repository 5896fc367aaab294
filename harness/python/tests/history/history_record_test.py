# SPDX-License-Identifier: BSD-3-Clause
"""Tests the file of a history: which parts of a run are stored, runs that are added late, export and import, and
rejected files. With ASSAY_FULL=1, more damaged files are tested."""

import contextlib
import itertools
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[4]
from assay.history import disputes, jsonl, reading, report_facts, store
from assay.history.losses import losses_of
from assay.history.opening import opened
from assay.history.past_view import Past, share_of
from assay.history.store import Refused, transaction
from assay.history.writing import Writer, seconds_of

os.environ.setdefault("ASSAY_PROGRAM", str(Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"))
RUNS = ROOT / "reports" / "testdata" / "runs"
DAMAGES = 5000 if os.environ.get("ASSAY_FULL") else 150
FORM_1 = (
    "CREATE TABLE run (id INTEGER PRIMARY KEY, target TEXT NOT NULL, torch TEXT NOT NULL, release TEXT NOT NULL,"
    " git TEXT NOT NULL, date TEXT NOT NULL, contract INTEGER NOT NULL, digest TEXT NOT NULL, state INTEGER NOT NULL,"
    " kept INTEGER NOT NULL, total INTEGER NOT NULL, UNIQUE (target, torch, git, date, digest));"
    "CREATE TABLE mark (run INTEGER NOT NULL REFERENCES run (id), place INTEGER NOT NULL, check_id TEXT NOT NULL,"
    " level INTEGER NOT NULL, verdict INTEGER NOT NULL, seen TEXT NOT NULL, PRIMARY KEY (run, place)) WITHOUT ROWID;"
    "INSERT INTO run VALUES (7,'t','2.13.0','2.13','a','2026-01-01','1','d',0,5,5);"
    "INSERT INTO run VALUES (8,'t','2.13.0','2.13','b','2026-01-02','1','d',1,4,5);"
    "INSERT INTO mark VALUES (8,0,'guard.x',0,1,'seen');"
    f"PRAGMA application_id={store.APPLICATION}; PRAGMA user_version=1;")


def text_of(path):
    """The export of a history."""
    return b"".join(jsonl.text_of(*line) for _, *line in jsonl.lines_of(path))


class Record(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.reports = [report_facts.read_report(RUNS / name) for name in ("mixed", "later")]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.other = Path(folder.name) / "history.db", Path(folder.name) / "other.db"
        self.lines = Path(folder.name) / "lines.jsonl"

    def report(self, number=0, **members):
        """A report with some members of the run replaced."""
        report = json.loads(json.dumps(self.reports[number]))
        report["run"] |= members
        return report

    def add(self, report, path=None):
        with opened(path or self.path, make=True) as file, transaction(file):
            return Writer(file).put(report_facts.run_of(report, "backend-1"), report_facts.changes_of(report))

    def add_night(self, night, path=None, number=None):
        """Nights 0 and 2 are equal runs, night 1 differs."""
        torch = {"version": "2.13.0", "git": "abc"[night] * 3}
        return self.add(self.report(night % 2 if number is None else number, target="foo.yaml", torch=torch,
                                    date=f"2026-01-0{night + 1}T00:00:00Z"), path)

    def take(self, source, lines):
        with opened(self.path, make=True) as file, transaction(file):
            return jsonl.take(Writer(file), lines(source))

    def one(self, sql):
        with contextlib.closing(sqlite3.connect(self.path)) as file:
            return file.execute(sql).fetchone()[0]

    def change_file(self, sql, path=None):
        with contextlib.closing(sqlite3.connect(path or self.path)) as file:
            file.executescript(sql)

    def test_verdicts_are_text_and_stand_only_where_they_change(self):
        self.add_night(0)
        first = self.one("SELECT count(*) FROM change")
        self.add_night(1, number=0)
        self.assertEqual(first, self.one("SELECT count(*) FROM change"))
        self.assertEqual(2, self.one("SELECT count(*) FROM run WHERE backend = 'backend-1'"))
        self.assertEqual(1, self.one("SELECT count(*) FROM change JOIN fact ON fact.id = fact JOIN answer ON answer.id = answer"
                                     " WHERE kind = 'check' AND name = 'guard.is_registered' AND verdict = 'pass'"
                                     " AND level = 'must'"))
        self.assertEqual(0, self.one("SELECT count(*) FROM answer WHERE typeof(verdict) != 'text'"))

    def test_a_run_is_added_once(self):
        self.assertTrue(self.add(self.report()))
        self.assertFalse(self.add(self.report()))
        self.assertEqual(1, self.one("SELECT count(*) FROM run"))
        self.assertEqual("foo.yaml 2.13", self.one("SELECT target || ' ' || release FROM series"))
        self.assertEqual("incompatible 2/7", self.one("SELECT state || ' ' || kept || '/' || total FROM run"))

    def test_runs_may_come_in_any_order(self):
        texts = set()
        for order in itertools.permutations(range(3)):
            self.path.unlink(missing_ok=True)
            self.assertEqual([True] * 3, [self.add_night(night) for night in order])
            self.assertFalse(self.add_night(order[0]))
            texts.add(text_of(self.path))
        self.assertEqual(1, len(texts))
        self.assertIn(b'"after":"2026-01-02T00:00:00Z"', texts.pop())

    def test_runs_of_other_selections_are_of_other_series(self):
        for day, select in enumerate(("guard", "all", "guard"), 1):
            self.add(self.report(select=select, date=f"2026-01-0{day}", torch={"version": "2.13.0", "git": f"g{day}"}))
        self.assertEqual(2, self.one("SELECT count(*) FROM series"))
        self.assertEqual("g1g3", self.one("SELECT group_concat(git, '') FROM run JOIN series ON series.id = series"
                                          " WHERE asked = 'guard'"))

    def test_lines_bring_the_whole_record_and_bring_it_once(self):
        for night in range(3):
            self.add_night(night, self.other)
        text = text_of(self.other)
        self.lines.write_bytes(text)
        self.add_night(1)  # one run is already present
        self.assertEqual((2, 1), self.take(self.lines, jsonl.read_lines))
        self.assertEqual(text, text_of(self.path))
        self.assertEqual((0, 3), self.take(self.lines, jsonl.read_lines))

    def test_histories_of_two_machines_become_one(self):
        for night in range(3):
            self.add_night(night, self.other)
        self.add_night(2)
        self.assertEqual((2, 1), self.take(self.other, jsonl.lines_of))
        self.assertEqual(text_of(self.other), text_of(self.path))
        self.assertEqual((0, 3), self.take(self.other, jsonl.lines_of))

    def refuse(self, words, act, *arguments, status=65):
        """Calls `act`, which must raise an error of one sentence with these words and must not change the file."""
        before = self.path.read_bytes() if self.path.exists() else None
        with self.assertRaises(Refused) as refusal:
            act(*arguments)
        self.assertIn(words, str(refusal.exception))
        self.assertNotIn("\n", str(refusal.exception))
        self.assertEqual(status, refusal.exception.status)
        self.assertEqual(before, self.path.read_bytes() if self.path.exists() else None)

    def test_a_line_that_is_wrong_is_named_and_nothing_is_kept(self):
        for night in range(3):
            self.add_night(night, self.other)
        self.add_night(0)
        lines = text_of(self.other).decode().splitlines(keepends=True)
        line = json.loads(lines[0])
        change = line["changes"][0]
        for text, words in (
                ("".join(lines).replace('"2026-01-03', '"x026-01-03'), "lines.jsonl:3: a run of foo.yaml has no valid date"),
                (lines[1], "lines.jsonl:1: continues the run of 2026-01-01T00:00:00Z, but the previous line has another run"),
                (lines[0] + lines[2], "lines.jsonl:2: continues the run"),
                (lines[0] + lines[1][:-5], "lines.jsonl:2: not JSON"),
                (lines[0].replace('"foo.yaml"', '"\\ud800"'), "target has a character"),
                ('{"schema":"assay/run/1"}', "this assay reads assay/history-run/1"),
                ('{"schema":"assay/history-run/1","schema":"assay/history-run/1"}', "twice"),
                ("[]", "must be an object, not an array"),
                ("[" * 100000, "nested too deeply"),
                (b"\xff{}", "not JSON"),
                (json.dumps({key: value for key, value in line.items() if key != "git"}), "git is missing"),
                (json.dumps(line | {"whole": 1}), "whole must be true or false, not a whole number"),
                (json.dumps(line | {"contract": True}), "contract must be a whole number, not true or false"),
                (json.dumps(line | {"must_kept": -1}), "must_kept is out of range"),
                (json.dumps(line | {"must_kept": 0}).replace('"must_kept": 0', f'"must_kept": {"9" * 5000}'), "lines.jsonl:1: "),
                (json.dumps(line | {"changes": [None]}), "changes[0] must be an object, not null"),
                (json.dumps(line | {"changes": [change | {"kind": "verdict"}]}), 'changes[0] has kind "verdict"'),
                (json.dumps(line | {"changes": [change | {"level": 1}]}), "changes[0].level must be text")):
            self.lines.write_bytes(text if isinstance(text, bytes) else text.encode())
            with self.subTest(words):
                self.refuse(words, self.take, self.lines, jsonl.read_lines)
        self.refuse("cannot read", self.take, self.lines / "none", jsonl.read_lines, status=71)

    def test_a_run_without_a_date_is_refused(self):
        with opened(self.path, make=True):
            pass
        self.refuse("has no valid date", self.add, self.report(date="yesterday"))
        self.assertEqual(0, self.one("SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM fact)"))

    def test_a_file_that_is_damaged_foreign_or_newer_is_refused_and_stays(self):
        self.add_night(0)
        sound = self.path.read_bytes()
        half = len(sound) // 2

        def with_byte(place, byte):
            return sound[:place] + bytes([byte]) + sound[place + 1:]

        for content, words in ((sound[:half] + b"\xa5" * (half // 2) + sound[half + half // 2:], "is damaged; nothing was changed"),
                               (sound[:half], "is damaged; nothing was changed"),
                               (with_byte(63, 99), "its format is 99, and this assay reads up to 3; use a newer assay"),
                               (with_byte(68, sound[68] ^ 1), "is not a history of assay"),
                               (b"x" * 4096, "is not a history of assay")):
            self.path.write_bytes(content)
            self.refuse(words, self.add, self.report())
            self.refuse(words, reading.read, self.path)

    def test_values_that_assay_does_not_write_are_damage(self):
        self.add_night(0)
        sound = self.path.read_bytes()
        for sql in ("UPDATE change SET answer=99", "UPDATE change SET seen=-1", "DELETE FROM fact", "DELETE FROM run",
                    "UPDATE run SET date=x'ff00'", "UPDATE run SET total='many'", "DROP TABLE words",
                    "ALTER TABLE run DROP COLUMN whole"):
            self.path.write_bytes(sound)
            self.change_file(sql)
            with self.subTest(sql):
                self.refuse("is damaged", reading.read, self.path)
        self.path.write_bytes(sound)
        self.change_file("UPDATE series SET release='\u00b2.' || printf('%6000d', 1); UPDATE words SET text=CAST(x'80ff' AS TEXT) WHERE id=2")
        self.assertEqual(1, len(reading.read(self.path)))

    def test_damage_anywhere_is_one_sentence(self):
        """Random bytes are changed. Every reader and writer must either reject the file or work correctly."""
        for night in range(3):
            self.add_night(night)
        sound, chance = self.path.read_bytes(), random.Random(os.environ.get("ASSAY_SEED", "1"))
        refused = 0
        for _ in range(DAMAGES):
            content = bytearray(sound)
            for _ in range(chance.choice((1, 1, 3, 10))):
                content[chance.randrange(len(content))] = chance.randrange(256)
            for act in (self.read_all, lambda: self.add(self.report(1))):
                self.path.write_bytes(content)
                try:
                    act()
                except Refused as refusal:
                    refused += 1
                    self.assertNotIn("\n", str(refusal))
        self.assertGreater(refused, DAMAGES // 10)

    def read_all(self):
        with mock.patch.object(disputes, "now", dict):
            losses_of(Past(self.path))

    def test_other_histories_must_be_histories(self):
        self.add_night(0)
        for source, words in ((Path("/nowhere/other.db"), "there is no history in /nowhere/other.db"),
                              (RUNS / "mixed" / "plan.json", "is not a history of assay"), (RUNS, "is not a regular file")):
            self.refuse(words, self.take, source, jsonl.lines_of)
        self.refuse("cannot be opened as a history", self.add, self.report(), Path("/nowhere/history.db"), status=71)

    def test_a_history_that_another_program_holds_is_called_so(self):
        self.add_night(0)
        with contextlib.closing(sqlite3.connect(self.path)) as other, mock.patch.object(store, "PATIENCE", 0.1):
            other.execute("BEGIN EXCLUSIVE")
            self.refuse("is in use by another program", self.add, self.report(), status=71)
            self.refuse("is in use by another program", reading.read, self.path, status=71)

    def test_a_reader_sees_one_moment(self):
        self.add_night(0)
        with store.opened_to_read(self.path) as file, mock.patch.object(store, "PATIENCE", 0.1):
            before = reading.read_series(file, self.path)
            self.refuse("is in use by another program", self.add_night, 1, status=71)
            self.assertEqual(len(before[0].runs), len(reading.read_series(file, self.path)[0].runs))
        self.assertTrue(self.add_night(1))

    def test_a_reader_removes_what_a_killed_writer_left(self):
        """The writer was killed after it had written to the file. A second open connection prevents the removal of the
        journal."""
        self.add_night(0)
        before = text_of(self.path)
        killed = subprocess.run([sys.executable, "-c", "import os, sqlite3, sys; file = sqlite3.connect(sys.argv[1]);"
                                 "file.execute('PRAGMA cache_size=1'); file.execute('UPDATE words SET text = text || id');"
                                 "file.execute('DELETE FROM change'); os.kill(os.getpid(), 9)", self.path], check=False)
        self.assertEqual(-9, killed.returncode)
        self.assertTrue(self.path.with_name("history.db-journal").stat().st_size)
        self.assertEqual(before, text_of(self.path))

    def test_an_empty_file_becomes_a_history_and_an_older_form_is_converted(self):
        self.path.touch()
        self.assertTrue(self.add_night(0))
        self.change_file(FORM_1, self.other)
        self.refuse("is a history of form 1: assay history upgrade --db", reading.read, self.other)
        with opened(self.other):
            pass
        (series,) = reading.read(self.other)
        self.assertEqual("?", series.asked)  # this part of the contract is unknown
        self.assertEqual(["partial", "incompatible"], [run.state for run in series.runs])
        self.assertEqual([(0, "unrecorded", ""), (1, "timeout", "seen")],
                         [(index, answer.verdict, seen) for index, answer, seen in series.facts["check", "guard.x"]])
        self.assertEqual([False, False], [run.whole for run in series.runs])


class Words(unittest.TestCase):
    def test_the_state_looks_at_musts_alone(self):
        def state(*checks, **members):
            run = {"complete": True, "select": "all", "shard": 0, "shards": 1} | members
            return report_facts.state_of({"run": run, "checks": [
                {"level": level, "verdict": verdict, "support": False} | dict(more) for level, verdict, *more in checks]})

        self.assertEqual("compatible", state(("must", "pass"), ("should", "crash")))
        self.assertEqual("undecided", state(("must", "pass"), complete=False))
        self.assertEqual("undecided", state(("must", "broken")))
        self.assertEqual("incompatible", state(("must", "timeout"), complete=False))
        self.assertEqual("incompatible", state(("must", "blocked", ("follows", True))))
        self.assertEqual("compatible", state(("must", "fail", ("support", True))))
        self.assertEqual("partial", state(("must", "pass"), select="smoke"))
        self.assertEqual("partial", state(("must", "pass"), shard=2, shards=3))
        self.assertEqual("undecided", state(("must", "notrun"), select="smoke"))

    def test_the_share_is_that_of_the_asked_part(self):
        for asked, share in (("", (81, 566)), ("smoke", (81, 82)), ("?", (81, 82))):
            run = reading.Run("", "", "", "", 8, "", "incompatible", 81, 82, 566, True, reading.Series("one", "2.13", asked))
            self.assertEqual(share, share_of(run))

    def test_the_part_that_was_asked(self):
        for select, shards, asked in (("all", 1, ""), (None, 0, ""), ("all", 3, "shard 2/3"), ("guard", 3, "guard, shard 2/3"),
                                      ("x" * 600, 1, "x" * 511)):
            self.assertEqual(asked, report_facts.asked_of({"select": select, "shard": 2, "shards": shards}))

    def test_a_release_is_the_first_two_numbers(self):
        for torch, release in (("2.13.0+cpu", "2.13"), ("2.14.0.dev20261121", "2.14"), ("main", "main"), ("2", "2"), ("", "")):
            self.assertEqual(release, report_facts.release_of(torch))

    def test_releases_are_ordered_by_their_numbers(self):
        order = ["2.9", "2.10", "2.13", "3.0", "", "main", "\u00b2"]
        self.assertEqual(order, sorted(reversed(order), key=reading.release_order))

    def test_a_date_is_a_day_or_a_second(self):
        for date, seconds in (("1970-01-01", 0), ("1970-01-02T00:00:01Z", 86401), ("2000-03-01T00:00:00Z", 951868800),
                              ("2026-11-21T13:48:05Z", 1795268885), ("", None), ("2026-13-01", None), ("2026-1-1", None),
                              ("2026-11-21T", None), ("2026-11-21T25:00:00Z", None), ("2026-11-21 ", None)):
            self.assertEqual(seconds, seconds_of(date), date)


if __name__ == "__main__":
    unittest.main()
