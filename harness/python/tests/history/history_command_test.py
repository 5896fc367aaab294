# SPDX-License-Identifier: BSD-3-Clause
"""Tests the command line of assay history: messages, JSON lines according to the schema, and a file that stays
complete when the program is killed. ASSAY_FULL=1 kills the program a hundred times."""

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "ci" / "bench"))
from make_year import Year  # noqa: E402

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
MIXED = ROOT / "reports" / "testdata" / "runs" / "mixed"
NIGHTS = 12
KILLS = 100 if os.environ.get("ASSAY_FULL") else 6


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.history = self.folder / "history.db"

    def assay(self, *words):
        done = subprocess.run([ASSAY, "history", *map(str, words), "--db", self.history], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def year(self, **size):
        lines = self.folder / "year.jsonl"
        with open(lines, "w", encoding="utf-8") as out:
            Year(**size).write(out)
        return lines

    def test_a_run_goes_in_and_comes_out_as_a_line_of_the_schema(self):
        self.assertEqual(0, self.assay("add", MIXED, "--backend", "abc123")[0])
        status, lines, _ = self.assay("export")
        self.assertEqual(0, status)
        line = json.loads(lines)
        schema = json.loads((ROOT / "reports/schema/history-run.schema.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(line)
        said = {change["name"]: change for change in line["changes"] if change["kind"] == "check"}
        self.assertEqual("fail", said["guard.exchange_device_returns_the_previous_device"]["verdict"])
        self.assertRegex(said["guard.exchange_device_returns_the_previous_device"]["cause"], "^[0-9a-f]{16}$")
        self.assertEqual("pass", said["guard.is_registered"]["verdict"])
        self.assertEqual("abc123", line["backend"])
        self.assertEqual(["first"], [change["verdict"] for change in line["changes"] if change["kind"] == "stage"])

    def test_what_is_wrong_is_said_in_one_sentence(self):
        os.mkfifo(self.folder / "pipe")
        for words, status, sentence in (
                (["export"], 65, "there is no history in"),
                (["add"], 64, "give the folders of the runs to add"),
                (["upgrade"], 65, "there is no history in"),
                (["merge", self.folder / "none.db"], 65, "there is no history in"),
                (["add", self.folder / "none"], 65, "none"),
                (["upgrade", "more"], 64, "upgrade takes no arguments"),
                (["forget"], 64, "expected a verb"),
                (["import", self.folder / "pipe"], 65, "is not a regular file"),
                (["import", self.folder / "none"], 65, "cannot read")):
            answer, _, said = self.assay(*words)
            self.assertEqual(status, answer, said)
            self.assertIn(sentence, said)
            self.assertNotIn("\n", said.strip().split("\n", 1)[0])

    def test_export_replaces_nothing_but_a_file(self):
        self.assay("add", MIXED)
        lines = self.assay("export")[1]
        device, link, pipe, folder, file = (self.folder / name for name in ("device", "link", "pipe", "folder", "file"))
        os.mkfifo(pipe)
        folder.mkdir()
        file.write_text("old")
        link.symlink_to(file)
        device.symlink_to("/dev/null")
        for output, status in ((pipe, 71), (folder, 71), (Path("/dev/full"), 71), (self.history, 65), (device, 0), (link, 0)):
            before = (output.lstat().st_mode, output.lstat().st_ino)
            answer, _, said = self.assay("export", "-o", output)
            self.assertEqual((status, bool(status)), (answer, said.count("\n")), said)
            self.assertEqual(before, (output.lstat().st_mode, output.lstat().st_ino))
        self.assertEqual(lines, file.read_text())
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.assertEqual((0, "", ""), self.assay("export", "-o", pipe))
        self.assertEqual(lines, os.read(reader, 1 << 20).decode())
        os.close(reader)
        self.assertEqual((0, "", ""), self.assay("export", "-o", self.folder / "fresh"))
        self.assertEqual(lines, (self.folder / "fresh").read_text())
        self.assertEqual(71, self.assay("export", "-o", self.folder / "none" / "file")[0])
        self.assertEqual([], list(self.folder.glob("*.part")))

    def test_output_that_cannot_be_written_is_an_error(self):
        self.assay("add", MIXED)
        with open("/dev/full", "w") as full:
            done = subprocess.run([ASSAY, "history", "export", "--db", self.history], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual((71, "assay: cannot write the output: No space left on device\n"), (done.returncode, done.stderr))

    def test_runs_that_are_added_at_once_are_all_there(self):
        runs = [self.night(day) for day in range(1, NIGHTS + 1)]
        adders = [subprocess.Popen([ASSAY, "history", "add", *runs[start::4], "--db", self.history], stdout=subprocess.DEVNULL)
                  for start in range(4)]
        self.assertEqual([0] * 4, [adder.wait() for adder in adders])
        together = self.assay("export")[1]
        self.history.unlink()
        self.assertEqual(0, self.assay("add", *runs)[0])
        self.assertEqual(self.assay("export")[1], together)

    def test_a_history_whose_writer_was_killed_is_whole_and_goes_on(self):
        lines = self.year(backends=2, torches=2, nights=12, checks=300)
        begin = time.monotonic()
        self.assay("import", lines)
        took = time.monotonic() - begin
        whole = self.assay("export")[1]
        for seed in range(KILLS):
            self.history.unlink()
            self.assay("add", MIXED)
            before = self.assay("export")[1]
            writer = subprocess.Popen([ASSAY, "history", "import", lines, "--db", self.history],
                                      stdout=subprocess.DEVNULL)
            try:
                writer.wait(random.Random(seed).uniform(0, took))
            except subprocess.TimeoutExpired:
                writer.kill()
            writer.wait()
            status, after, said = self.assay("export")
            self.assertEqual(0, status, said)
            self.assertIn(after, (before, whole + before, before + whole))
            self.assertEqual(0, self.assay("import", lines)[0])
            self.assertEqual(sorted((whole + before).splitlines()), sorted(self.assay("export")[1].splitlines()))

    def test_what_a_killed_add_had_added_is_whole_and_the_rest_follows(self):
        """Each run is added completely or not at all, in the given order."""
        runs = [self.night(day) for day in range(1, NIGHTS + 1)]
        begin = time.monotonic()
        self.assertEqual(0, self.assay("add", *runs)[0])
        took = time.monotonic() - begin
        whole = self.assay("export")[1].splitlines()
        chance, partly = random.Random(os.environ.get("ASSAY_SEED", "1")), 0
        for _ in range(KILLS):
            self.history.unlink()
            adder = subprocess.Popen([ASSAY, "history", "add", *runs, "--db", self.history], stdout=subprocess.DEVNULL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                adder.wait(chance.uniform(0, took))
            adder.kill()
            adder.wait()
            there = self.assay("export")[1].splitlines() if self.history.exists() else []
            self.assertEqual(whole[: len(there)], there)
            partly += 0 < len(there) < NIGHTS
            self.assertEqual(0, self.assay("add", *runs)[0])
            self.assertEqual(whole, self.assay("export")[1].splitlines())
        print(f"{partly} of {KILLS} kills hit the middle")

    def night(self, day):
        run = self.folder / f"run{day}"
        run.mkdir()
        text = (MIXED / "journal.jsonl").read_text().replace("2026-11-21T", f"2026-11-{day:02}T")
        (run / "journal.jsonl").write_text(text)
        return run


if __name__ == "__main__":
    unittest.main()
