# SPDX-License-Identifier: BSD-3-Clause
"""Tests notes about state that a passed check did not restore: the notes name this state and nothing else.

The selected checks pass in spite of the fault, because they do not test for it. Only the note shows it.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD"])
ASSAY = BUILD / "bin/assay"
CLEAN = BUILD / "runs/clean"  # the run of all checks by the test fakedev_keeps_the_contract

LEFT = {  # fault: a check that passes with it, and the state that it leaves
    "ops.fill_switches_device": ("guard.fill_sets_values_while_another_device_is_current", "the current device is 1; the check itself had set 0"),
    "ops.copy_switches_device": ("guard.copies_are_exact_while_another_device_is_current", "the current device is 1; the check itself had set 0"),
    "stream.create_switches_current": ("streams.many_streams_do_not_leak_threads_or_memory", "the current stream of device 0 is "),
    "python.amp_dtypes_change_the_default": (
        "amp.default_dtype_is_16_bit",
        "torch.get_autocast_dtype('fakedev') is torch.float32; before the check it was torch.float16",
    ),
}
LEAVES = {  # check of a suite in this test: its last action, and the expected note
    "grad_mode": ("torch.set_grad_enabled(False)", "torch.is_grad_enabled() is False; before the check it was True"),
    "default_dtype": (
        "torch.set_default_dtype(torch.float64)",
        "torch.get_default_dtype() is torch.float64; before the check it was torch.float32",
    ),
    "inference_mode": (
        "Mine.mode = torch.inference_mode(); Mine.mode.__enter__()",
        "torch.is_inference_mode_enabled() is True; before the check it was False",
    ),
    "autocast": (
        "torch.set_autocast_enabled('fakedev', True)",
        "torch.is_autocast_enabled('fakedev') is True; before the check it was False",
    ),
    "autocast_of_the_cpu": (
        "torch.set_autocast_dtype('cpu', torch.float16)",
        "torch.get_autocast_dtype('cpu') is torch.float16; before the check it was torch.bfloat16",
    ),
    "autocast_cache": (
        "torch.set_autocast_cache_enabled(False)",
        "torch.is_autocast_cache_enabled() is False; before the check it was True",
    ),
    "deterministic": (
        "torch.use_deterministic_algorithms(True)",
        "torch.are_deterministic_algorithms_enabled() is True; before the check it was False",
    ),
    "default_device": (
        "torch.set_default_device('fakedev:1')",
        "the default device is fakedev:1; before the check it was None",
    ),
    "mode": (
        "Mine.mode = torch.device('meta'); Mine.mode.__enter__()",
        "the number of active torch function modes is 1; before the check it was 0",
    ),
}
OWN = """\
module: {name: mine, prefix: OWN, title: What is left changed}
requirements:
  - {id: OWN-001, level: must, text: State is left as it was., why: W., anchor: x.h:x, about: []}
checks:
"""
OWN_TESTS = '''\
from assay.checks import Case
import torch


class Mine(Case):
'''

class LeftChanged(unittest.TestCase):
    def run_checks(self, target, select, *words, **environment):
        """Runs checks and returns what read_notes returns."""
        with tempfile.TemporaryDirectory(prefix="assay-left-") as folder:
            done = subprocess.run(
                [ASSAY, "run", "--target", target, "--select", select, "--quiet", "--no-block",
                 "--timeout-scale=4", "--out", f"{folder}/run", *words],
                capture_output=True, text=True, timeout=900, env={**os.environ, **environment},
            )
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.text = subprocess.run(
                [ASSAY, "report", f"{folder}/run"], capture_output=True, text=True, timeout=60
            ).stdout
            return self.read_notes(Path(folder, "run"))

    def read_notes(self, run):
        """Returns the checks that passed with their notes: {id: {key: [text]}}."""
        journal = run.joinpath("journal.jsonl").read_text(encoding="utf-8")
        ends = [one for one in map(json.loads, journal.splitlines()) if one["event"] == "end"]
        self.passed = {one["id"] for one in ends if one["verdict"] == "pass"}
        return {one["id"]: self.notes_of(one) for one in ends if one["final"]}

    def notes_of(self, end):
        notes = {}
        for note in end.get("notes", ()):
            for key, text in note.items():
                notes.setdefault(key, []).append(text)
        return notes

    def show(self, table, key):
        for fault, (check, text) in table.items():
            with self.subTest(fault):
                notes = self.run_checks("fakedev_faulty", f"check:{check}", "--arm", fault)
                self.assertIn(check, self.passed)
                self.assertTrue(any(text in one for one in notes[check].get(key, ())), notes[check])
                self.assertIn(text.strip(), " ".join(self.text.split()))

    def test_what_is_left_changed_is_said(self):
        self.show(LEFT, "left changed")

    def test_each_question_of_the_process_is_asked(self):
        with tempfile.TemporaryDirectory(prefix="assay-own-") as folder:
            suite = Path(folder, "mine")
            suite.mkdir()
            rows = "".join(f"  - {{id: mine.leaves_{name}, covers: [OWN-001], hint: H.}}\n" for name in LEAVES)
            suite.joinpath("contract.yaml").write_text(OWN + rows, encoding="utf-8")
            tests = "\n".join(
                f'    def test_{name}(self):\n        """mine.leaves_{name}"""\n'
                f'        self.expect_true(True, "it passes", "it does not")\n        {last}\n'
                for name, (last, _) in LEAVES.items()
            )
            suite.joinpath("test_mine.py").write_text(OWN_TESTS + tests, encoding="utf-8")
            notes = self.run_checks("fakedev", "mine", "--suite", suite)
        for name, (_, text) in LEAVES.items():
            with self.subTest(name):
                self.assertIn(f"mine.leaves_{name}", self.passed)
                self.assertIn(text, notes[f"mine.leaves_{name}"].get("left changed", ()))

    def said(self, notes, key):
        return {check: said[key] for check, said in notes.items() if key in said}

    def test_clean_device_is_left_as_it_was(self):
        notes = self.read_notes(CLEAN)
        self.assertGreater(len(self.passed), 500)
        self.assertEqual(self.said(notes, "left changed"), {})
        self.assertEqual(self.said(notes, "left memory"), {})

    def test_legal_variants_are_left_as_they_were(self):
        for variant in ("eager_streams", "large_stream_ids"):
            with self.subTest(variant):
                notes = self.run_checks("fakedev", "streams", FAKEDEV_VARIANT=variant)
                self.assertEqual(self.said(notes, "left changed"), {})


if __name__ == "__main__":
    unittest.main()
