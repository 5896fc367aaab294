# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay bench: each row has a time or a reason, records follow their schema, and two runs are compared by rank."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import jsonschema

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # set before torch is imported: only the target loads a backend

ROOT = Path(__file__).resolve().parents[3]

from assay.bench import compare as bench_compare, timers as bench_timers

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"


def bench(*words):
    return subprocess.run([ASSAY, "bench", *map(str, words)], capture_output=True, text=True, timeout=300)


class Timed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.file = Path(scratch.name) / "records.json"
        cls.told = bench("--target", "fakedev", "--milliseconds", "1", "--output", cls.file)
        cls.records = json.loads(cls.file.read_text()) if cls.file.exists() else []
        cls.by_name = {record["model"]["name"]: record for record in cls.records}

    def test_records_are_of_their_schema(self):
        self.assertEqual(self.told.returncode, 0, self.told.stderr)
        jsonschema.validate(self.records, json.loads((ROOT / "reports/schema/benchmark.schema.json").read_text()))
        for name, record in self.by_name.items():
            self.assertGreaterEqual(len(record["metric"]["benchmark_values"]), bench_timers.FEWEST, name)

    def test_each_row_is_timed_or_says_why_not(self):
        rows = self.told.stdout.splitlines()
        refused = [row for row in rows if "not offered: " in row]
        self.assertEqual(len(rows), len(self.records) + len(refused), self.told.stdout)
        for name in ("launch of a kernel", "copy to the device, 1 MiB", "matmul, 128", "record an event"):
            self.assertIn(name, self.by_name)

    def test_the_timer_is_that_of_the_work(self):
        timer = {name: record["benchmark"]["extra_info"]["timer"] for name, record in self.by_name.items()}
        self.assertEqual(timer["launch of a kernel"], "host clock")
        self.assertEqual(timer["copy to the device, 1 MiB"], "clock")
        self.assertEqual(timer["add, 1 Mi numbers"], "events")

    def test_a_run_is_no_faster_than_itself(self):
        told = bench("--compare", self.file, self.file)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertEqual(told.stdout.count("no difference seen"), len(self.records))


class Refused(unittest.TestCase):
    def test_a_target_without_a_device(self):
        with tempfile.TemporaryDirectory() as folder:
            profile = Path(folder) / "none.yaml"
            profile.write_text('name: none\nenv: {FAKEDEV_DEVICES: "0"}\nload:\n  - import: torch_fakedev\n')
            told = bench("--target", profile)
        self.assertEqual((told.returncode, told.stdout), (65, ""))
        self.assertIn("the target has no device to time", told.stderr)

    def test_a_file_that_is_not_there(self):
        told = bench("--compare", "/nonexistent", "/nonexistent")
        self.assertEqual((told.returncode, told.stdout), (65, ""))
        self.assertIn("/nonexistent: cannot be read", told.stderr)

    def test_files_that_are_no_output_of_bench(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.json"
            record = '[{{"benchmark": {{"mode": "bench"}}, "model": {{"name": {0}}}, "metric": {{"name": "x", "benchmark_values": {1}}}}}]'
            for text in ("[" * 100_000, "{}x", "3", record.format("[]", "[1]"), record.format('"a"', "[]"), record.format('"a"', '["1"]')):
                path.write_text(text)
                told = bench("--compare", path, path)
                self.assertEqual((told.returncode, told.stdout, told.stderr.count("\n")), (65, "", 1), told.stderr)
            self.assertEqual(bench("--compare", "/dev/zero", path).returncode, 65)

    def test_words_that_do_not_belong(self):
        self.assertEqual(bench("--compare", "one").returncode, 64)
        self.assertEqual(bench("fakedev").returncode, 64)


class Sampled(unittest.TestCase):
    def test_slow_calls_are_timed_less_often(self):
        """A row has the number of samples, their time in multiples of the budget, and True if they are too few."""
        for count, budgets, short in ((2, 99, True), (3, 99, False), (9, 5, True), (10, 5, False), (150, 0.5, True), (200, 0.1, False)):
            with self.subTest(count=count, budgets=budgets):
                self.assertEqual(bench_timers.is_short(count, budgets), short)


class Chosen(unittest.TestCase):
    """Events are used only if they report no more time than the clock."""

    def chosen(self, seconds):
        with mock.patch.object(bench_timers.Events, "seconds", seconds):
            return bench_timers.choose("device", None)

    def test_events_that_tell_too_much(self):
        timer, reason = self.chosen(lambda timer, call, calls: 1000.0)
        self.assertEqual(timer.name, "clock")
        self.assertRegex(reason, r"events report 1e\+03 s where the clock measured")

    def test_events_that_are_refused(self):
        def refuse(timer, call, calls):
            raise RuntimeError("Backend doesn't support elapsedTime.")

        timer, reason = self.chosen(refuse)
        self.assertEqual((timer.name, reason), ("clock", "events cannot be timed: Backend doesn't support elapsedTime."))


class Compared(unittest.TestCase):
    def test_the_interval_holds_by_ranks(self):
        """For ten samples: from the second to the ninth. The median is outside with a probability of 22/1024."""
        self.assertEqual(bench_compare.interval(range(1, 11)), (2, 9))
        self.assertEqual(bench_compare.interval([3.0, 1.0]), (1.0, 3.0))

    def ratio(self, before, after, metric="latency_us"):
        (*_, low, high), = bench_compare.compare({("x", metric): before}, {("x", metric): after})
        return bench_compare.words_of(metric, low, high)

    def test_a_difference_is_seen_where_intervals_part(self):
        fast, slow = [10 + n / 10 for n in range(20)], [20 + n / 10 for n in range(20)]
        self.assertEqual(self.ratio(fast, slow), "slower")
        self.assertEqual(self.ratio(slow, fast), "faster")
        self.assertEqual(self.ratio(fast, slow, "bandwidth_gb_per_s"), "faster")
        self.assertEqual(self.ratio(fast, [value * 1.01 for value in fast]), "no difference seen")


if __name__ == "__main__":
    unittest.main()
