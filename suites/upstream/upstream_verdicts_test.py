# SPDX-License-Identifier: BSD-3-Clause
"""`assay run --upstream` on testdata/own: 400 tests in PyTorch's style have the expected verdicts, in one run or
resumed, whole or in shards, in every isolation mode."""

import fnmatch
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
ASSAY = str(BUILD / "bin" / "assay")
OWN = ROOT / "suites" / "upstream" / "testdata" / "own"
QUICK = 0.1  # the deadlines are this fraction of the usual deadlines, so that hanging tests end sooner
SOME = "upstream.test_verdicts.TestWays.test_*e_subtest*,upstream.test_misbehaving.TestEndings.test_leaves*"


def wanted_verdicts():
    rows = [line.split("\t") for line in (OWN / "verdicts.tsv").read_text().splitlines()]
    return [(pattern, verdict, int(count)) for pattern, verdict, count in rows if pattern[0] != "#"]


def records(run):
    for line in (run / "journal.jsonl").read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # a line that the kill has truncated


def verdicts(run):
    ends = (row for row in records(run) if row["event"] == "end" and row["final"])
    return {row["id"].partition(".")[2]: row["verdict"] for row in ends if row["id"].startswith("upstream.")}


class Verdicts(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="assay-upstream-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def command(self, name, *words, scale=QUICK):
        pace = ["--timeout-scale", str(scale), "--plain"]
        return [ASSAY, "run", "--upstream", str(OWN), "--out", str(self.folder / name), *pace, *words]

    def run_assay(self, command):
        return subprocess.run(command, capture_output=True, text=True, timeout=600)

    def hold(self, seen, all_of_them=True):
        """Compares the verdicts with the table. No id may be in two rows."""
        left = dict(seen)
        for pattern, verdict, count in wanted_verdicts():
            ids = fnmatch.filter(seen, pattern)
            self.assertEqual({one: seen[one] for one in ids}, dict.fromkeys(ids, verdict), pattern)
            if all_of_them:
                self.assertEqual(len(ids), count, pattern)
            for one in ids:
                del left[one]
        self.assertEqual(left, {})

    def test_killed_in_the_middle_and_resumed(self):
        command = self.command("run", "--isolation", "fork-loaded")
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
            for line in first.stdout:
                if line.startswith("crash"):
                    first.send_signal(signal.SIGKILL)
                    break
        self.assertLess(len(verdicts(self.folder / "run")), 400)
        resumed = self.run_assay([ASSAY, "run", "--resume", str(self.folder / "run")])
        self.assertEqual(resumed.returncode, 1, resumed.stdout + resumed.stderr)
        self.hold(verdicts(self.folder / "run"))

    def test_in_four_shards(self):
        select = ["--select", "upstream.test_verdicts.*", "--isolation", "fork-loaded"]
        for part in range(1, 5):
            self.run_assay(self.command(f"part{part}", *select, "--shard", f"{part}/4"))
        parts = [verdicts(self.folder / f"part{part}") for part in range(1, 5)]
        whole = {one: verdict for part in parts for one, verdict in part.items()}
        self.assertEqual(sum(map(len, parts)), len(whole), "a test is in two shards")
        self.assertEqual(len(whole), 53)
        self.hold(whole, all_of_them=False)
        words = [ASSAY, "merge", "--out", str(self.folder / "whole")]
        merged = self.run_assay(words + [str(self.folder / f"part{part}") for part in range(1, 5)])
        self.assertEqual(verdicts(self.folder / "whole"), whole, merged.stdout + merged.stderr)

    def test_in_other_isolation(self):
        for mode in ("fork-clean", "batch", "batch-loaded", "exec"):
            # None of these tests hangs. A process that starts with `import torch` takes seconds on a slow machine.
            run = self.run_assay(self.command(mode, "--select", SOME, "--isolation", mode, scale=1))
            seen = verdicts(self.folder / mode)
            self.assertEqual(len(seen), 5, run.stdout + run.stderr)
            self.hold(seen, all_of_them=False)

    @unittest.skipUnless(os.environ.get("ASSAY_FULL"), "ci/full ways runs all of them where tests share a process")
    def test_all_of_them_in_shared_processes(self):
        run = self.run_assay(self.command("shared", "--isolation", "batch-loaded"))
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.hold(verdicts(self.folder / "shared"))

    def test_what_is_not_run_is_told(self):
        self.run_assay(self.command("told", "--select", "upstream.test_verdicts.TestWays.test_passes"))
        files = json.loads((self.folder / "told" / "upstream_files.json").read_text())["files"]
        self.assertEqual(files, {"test_verdicts": 53})
        nothing = self.run_assay(self.command("plain", "--select", "upstream.test_plain.*"))
        self.assertEqual(nothing.returncode, 65)
        self.assertIn("it is not device-generic: it never calls", nothing.stderr)
        absent = self.run_assay([ASSAY, "run", "--upstream", "/nowhere", "--out", str(self.folder / "x")])
        self.assertEqual(absent.returncode, 65)
        self.assertIn("--upstream: /nowhere is not there", absent.stderr)


if __name__ == "__main__":
    unittest.main()
