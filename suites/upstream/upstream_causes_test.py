# SPDX-License-Identifier: BSD-3-Clause
"""Tests which failures have the same cause, and the program that shows a cause. Needs neither torch nor a target."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from suites.upstream import causes

ROOT = Path(__file__).resolve().parents[2]


def culprit(kind, on_device="", on_cpu="no exception"):
    return {"name": "aten.add.Tensor", "kind": kind, "on_device": on_device, "on_cpu": on_cpu}


def record(verdict="fail", seen="AssertionError: no", **more):
    return {"id": "upstream.f.C.t", "verdict": verdict, "seen": seen, **more}


ROWS = [
    (record("blocked", subject="aten::foo"), None, ("operator without kernel", "aten::foo")),
    (record("blocked", subject="module.bar"), None, ("capability absent", "module.bar")),
    (
        record("blocked", "NotImplementedError: \"sort\" not implemented for 'Half'", subject="x"),
        None,
        ("dtype refused", "sort for Half"),
    ),
    (record(), culprit("value"), ("wrong value", "aten::add")),
    (record(), culprit("returned", on_cpu="IndexError: 7"), ("does not raise where the CPU does", "aten::add")),
    (record("crash", signal="SIGSEGV"), culprit("died"), ("the process dies or hangs in", "aten.add.Tensor")),
    (
        record("crash", frames="abort (libc.so.6) < test_x (test_y.py:7) < run (case.py:1)"),
        None,
        ("the process dies or hangs in", "test_x (test_y.py:7)"),
    ),
    (
        record(seen="AssertionError: Torch not compiled with CUDA enabled"),
        culprit("value"),
        ("upstream test not suitable for PrivateUse1", "AssertionError: Torch not compiled with CUDA enabled"),
    ),
    (record(location="test_y.py:7"), None, ("no single call differs", "test_y.py:7")),
]


class Causes(unittest.TestCase):
    def test_each_record_has_its_cause(self):
        for row, found, wanted in ROWS:
            cause, subject, _ = causes.cause_of(row, found)
            self.assertEqual((cause[0], subject), wanted)

    def test_numbers_do_not_make_two_causes_of_one(self):
        one, other = (record("fail", seen=f"RuntimeError: {n} is over the limit") for n in ("12", "-3.5"))
        self.assertEqual(causes.cause_of(one, None), causes.cause_of(other, None))

    def test_a_clause_about_the_subject_goes_before_the_usual_one(self):
        self.assertEqual(causes.clauses_about()["aten::_nested_tensor_size"], "QSN-013")

    def test_a_look_under_an_armed_fault_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            look = Path(folder) / "jobs" / "upstream.f.C.t@kernel.x.2"
            look.mkdir(parents=True)
            (look / "culprit.json").write_text(json.dumps(culprit("value")))
            self.assertEqual(causes.culprit_of(Path(folder), record(switch="kernel.x"))[0]["kind"], "value")
            self.assertEqual(causes.culprit_of(Path(folder), record()), (None, None))


class Program(unittest.TestCase):
    """The program on a copy of a run, which may come from somebody else."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.run_folder = Path(folder.name), Path(folder.name, "run")
        shutil.copytree(ROOT / "reports/testdata/runs/mixed", self.run_folder)

    def find(self, output=subprocess.PIPE):
        return subprocess.run([sys.executable, causes.__file__, self.run_folder], stdout=output, stderr=subprocess.PIPE, text=True)

    def test_link_in_the_run_is_replaced(self):
        (self.folder / "mine").write_text("mine")
        (self.run_folder / "causes.json").symlink_to(self.folder / "mine")
        self.assertEqual(self.find().returncode, 0)
        self.assertEqual((self.folder / "mine").read_text(), "mine")
        self.assertIn("clusters", json.loads((self.run_folder / "causes.json").read_text()))

    def test_errors_are_one_sentence(self):
        with open("/dev/full", "w") as full:
            done = self.find(full)
        self.assertEqual((done.returncode, done.stderr), (71, "assay: cannot write the output: No space left on device\n"))
        for line in ("", "[1, 2]", '{"target": {}}', '{"event": "run"'):
            (self.run_folder / "journal.jsonl").write_text(line + "\n")
            done = self.find()
            self.assertEqual((done.returncode, done.stderr.count("\n")), (65, 1), done.stderr)
            self.assertIn("journal.jsonl:1: ", done.stderr)


class Trial(unittest.TestCase):
    """Outcomes of a program that runs alone. Some outcomes show the difference of the second look, and some do not."""

    SHOWN = "print('on the CPU:    {}'); print('on the device: {}'); raise SystemExit({})"
    # kind; exception of the second look on the device; the same on the CPU; program; whether the program shows the same
    # failure
    ROWS = [
        ("raised", "ValueError: 3", "no exception", SHOWN.format("[1]", "ValueError: x", 1), True),
        ("raised", "ValueError: 3", "no exception", SHOWN.format("[1]", "TypeError: x", 1), False),
        ("raised", "ValueError: 3", "no exception", SHOWN.format("[1]", "ValueError: x", 0), False),
        ("value", "element 0 is 1", "", SHOWN.format("[1]", "[2]", 1), True),
        ("value", "element 0 is 1", "", SHOWN.format("[1]", "[2]", 0), False),
        ("value", "element 0 is 1", "", SHOWN.format("[1]", "ValueError: x", 1), False),
        ("value", "element 0 is 1", "", "raise ValueError", False),
        # Reading a result may raise later, but not with the CPU's exception type.
        ("returned", "no exception", "IndexError: 7", SHOWN.format("IndexError: 7", "RuntimeError: x", 1), True),
        ("returned", "no exception", "IndexError: 7", SHOWN.format("IndexError: 7", "IndexError: x", 1), False),
        ("died", "", "", "import os; os.abort()", True),
        ("died", "", "", "print('on the CPU: 1')", False),
        ("value", "element 0 is 1", "", "pass\n" * 20 + SHOWN.format("[1]", "[2]", 1), False),
    ]

    def test_program_shows_the_same_kind_of_difference(self):
        for kind, on_device, on_cpu, text, wanted in self.ROWS:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                script = Path(folder) / "culprit.py"
                script.write_text(text)
                self.assertEqual(not causes.why_not_shown(script, culprit(kind, on_device, on_cpu)), wanted)


if __name__ == "__main__":
    unittest.main()
