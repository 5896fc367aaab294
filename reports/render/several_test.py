# SPDX-License-Identifier: BSD-3-Clause
"""Tests the command line of commands with several runs: assay diff, assay report RUN RUN, and reports of shards that
assay merge joined."""
import collections
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase
from harness.command.fixtures.schemas import validate

ROOT = Path(__file__).resolve().parents[2]
ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
RUNS = ROOT / "reports" / "testdata" / "runs"


def assay(*arguments):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False)


def shard(folder, index, of):
    """The mixed run as shard `index` of `of`: every `of`-th check counts, and the other checks only support these."""
    plan = json.loads((RUNS / "mixed" / "plan.json").read_text())
    lines = [json.loads(line) for line in (RUNS / "mixed" / "journal.jsonl").read_text().splitlines()]
    plan.update(shard=index, shards=of)
    for number, job in enumerate(plan["jobs"]):
        job["support"] = number % of + 1 != index
    support = {job["id"]: job["support"] for job in plan["jobs"]}
    lines[0].update(shard={"index": index, "of": of}, select="all", target={"name": "foo.yaml"},
                    contract={"version": 1, "digest": "0123456789abcdef"},
                    checks=[{"id": j["id"], "level": j["level"], "support": j["support"]} for j in plan["jobs"]])
    lines = [line for line in lines if "id" not in line or not support[line["id"]]]
    lines[-1] = {"event": "finish", "complete": True, "totals": collections.Counter(line["verdict"] for line in lines if line["event"] == "end" and line["final"])}
    folder.mkdir()
    (folder / "plan.json").write_text(json.dumps(plan))
    (folder / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


class Diff(unittest.TestCase):
    def test_json_keeps_its_schema(self):
        for pair in (("mixed", "later"), ("later", "mixed"), ("mixed", "mixed")):
            done = assay("diff", *(RUNS / name for name in pair), "--format", "json")
            validate(json.loads(done.stdout), "diff")

    def test_exit_status_says_whether_something_became_worse(self):
        self.assertEqual(assay("diff", RUNS / "mixed", RUNS / "later").returncode, 1)
        self.assertEqual(assay("diff", RUNS / "mixed", RUNS / "mixed").returncode, 0)

    def test_wrong_uses_are_refused_in_words(self):
        one = assay("diff", RUNS / "mixed")
        self.assertEqual(one.returncode, 64)
        self.assertIn("two runs, FROM and TO", one.stderr)
        absent = assay("diff", RUNS / "mixed", RUNS / "absent")
        self.assertEqual(absent.returncode, 65)
        self.assertIn("absent", absent.stderr)

    def test_output_goes_to_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "diff.md"
            done = assay("diff", RUNS / "mixed", RUNS / "later", "--format", "markdown", "--output", out)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("what changed", out.read_text())


class Several(unittest.TestCase):
    def test_text_puts_runs_side_by_side(self):
        text = assay("report", RUNS / "mixed", RUNS / "later").stdout
        self.assertIn("foo.yaml torch 2.13.0", text)
        row = next(line for line in text.splitlines() if line.startswith("guard "))
        self.assertIn("2/4 fail", row)
        self.assertIn("4/4 flaky", row)
        self.assertRegex(text, r"\nstreams +none +broken \(yes/pass\)")

    def test_json_is_the_matrices(self):
        matrix = json.loads(assay("report", RUNS / "mixed", RUNS / "later", "--format", "json").stdout)
        validate(matrix, "matrix")
        self.assertEqual([run["torch"]["version"] for run in matrix["runs"]], ["2.13.0", "2.14.0"])
        by_id = {row["id"]: row["in"] for kind in ("requirements", "checks") for row in matrix[kind]}
        self.assertEqual(by_id["guard.exchange_device_returns_the_previous_device"], ["fail", "pass"])
        self.assertEqual(by_id["streams.added"], [None, "timeout"])
        self.assertEqual(by_id["STRM-002"], ["crash", "skip"])
        streams = next(row for row in matrix["capabilities"] if row["name"] == "streams")
        self.assertEqual((streams["in"][0], streams["in"][1]["standing"]), (None, "broken"))
        alone = [json.loads(assay("report", RUNS / name, "--format", "json").stdout) for name in ("mixed", "later")]
        for place, report in enumerate(alone):
            self.assertEqual({row["id"]: row["in"][place] for row in matrix["checks"] if row["in"][place]},
                             {check["id"]: check["verdict"] for check in report["checks"]})

    def test_format_of_one_run_refuses_two(self):
        done = assay("report", RUNS / "mixed", RUNS / "later", "--format", "junit")
        self.assertEqual(done.returncode, 64)
        self.assertIn("takes one run", done.stderr)

    def test_one_bad_run_of_two_is_named(self):
        done = assay("report", RUNS / "mixed", RUNS / "nowhere")
        self.assertEqual(done.returncode, 65)
        self.assertIn("nowhere", done.stderr)


class Capabilities(unittest.TestCase):
    def test_json_says_what_is_claimed_probed_and_proven(self):
        report = json.loads(assay("report", RUNS / "later", "--format", "json").stdout)
        validate(report, "report")
        streams = next(row for row in report["capabilities"] if row["name"] == "streams")
        self.assertEqual(streams, {"name": "streams", "claim": "yes", "source": "profile", "probe": "pass",
                                   "refusal": "pass", "kept": 0, "total": 2, "standing": "broken"})


class History(FolderCase):
    def setUp(self):
        super().setUp()
        self.db = f"--db={self.folder / 'history.db'}"

    def test_runs_are_added_once(self):
        done = assay("history", "add", RUNS / "mixed", RUNS / "later", self.db)
        self.assertEqual((done.returncode, done.stdout.count("added ")), (0, 2), done.stderr)
        self.assertIn("already known", assay("history", "add", RUNS / "mixed", self.db).stdout)

    def test_wrong_uses_are_refused_in_words(self):
        other = self.folder / "other"
        other.write_text("no database\n" * 100)
        for words, status, sentence in ((["add"], 64, "give the folders of the runs"), (["drop"], 64, "add, merge, import, export or upgrade"), ([], 64, "add, merge, import, export or upgrade"),
                                        (["upgrade", "x"], 64, "upgrade takes no arguments"),
                                        (["add", RUNS / "nowhere"], 65, "nowhere")):
            done = assay("history", *words, self.db)
            self.assertEqual(done.returncode, status, words)
            self.assertIn(sentence, done.stderr)
        self.assertNotEqual(assay("history", "upgrade", f"--db={other}").returncode, 0)


class Merged(unittest.TestCase):
    def test_reports_of_merged_shards_are_those_of_the_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            shards = [shard(Path(folder) / f"s{i}", i, 3) for i in (1, 2, 3)]
            part = json.loads(assay("report", shards[0], "--format", "json").stdout)
            self.assertEqual((part["run"]["shard"], part["run"]["shards"]), (1, 3))
            self.assertEqual(sum(part["totals"].values()), 4)
            whole = Path(folder) / "whole"
            done = assay("merge", *shards, "--out", whole)
            self.assertEqual(done.returncode, 0, done.stderr)
            merged = json.loads(assay("report", whole, "--format", "json").stdout)
            alone = json.loads(assay("report", RUNS / "mixed", "--format", "json").stdout)
            self.assertEqual(merged["totals"], alone["totals"])
            self.assertEqual({c["id"]: c["verdict"] for c in merged["checks"]},
                             {c["id"]: c["verdict"] for c in alone["checks"]})
            self.assertEqual({r["id"]: r["verdict"] for r in merged["requirements"]},
                             {r["id"]: r["verdict"] for r in alone["requirements"]})
            page = Path(folder) / "whole.html"
            self.assertEqual(assay("report", whole, "--format", "html", "--output", page).returncode, 0)
            self.assertIn("guard.exchange_device_returns_the_previous_device", page.read_text())


if __name__ == "__main__":
    unittest.main()
