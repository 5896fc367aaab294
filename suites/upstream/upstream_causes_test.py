# SPDX-License-Identifier: BSD-3-Clause
"""Failures that are taken for the same cause, and the program that shows it. No torch, no target."""

import json
import tempfile
import unittest
from pathlib import Path

from suites.upstream import causes, script_trial


def culprit(kind, on_device="", on_cpu="no exception", operators=("aten.add.Tensor",)):
    return {"name": "torch.add", "kind": kind, "on_device": on_device, "on_cpu": on_cpu, "operators": operators}


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
    (record(), culprit("value", operators=("aten.add.Tensor", "aten.mul.Tensor")), ("wrong value", "torch.add")),
    (record(), culprit("returned", on_cpu="IndexError: 7"), ("does not raise where the CPU does", "aten::add")),
    (record("crash", signal="SIGSEGV"), culprit("died"), ("the process dies or hangs in", "torch.add")),
    (
        record("crash", frames="abort (libc.so.6) < test_x (test_y.py:7) < run (case.py:1)"),
        None,
        ("the process dies or hangs in", "test_x (test_y.py:7)"),
    ),
    (
        record(seen="AssertionError: Torch not compiled with CUDA enabled"),
        culprit("value"),
        ("upstream test not fit for PrivateUse1", "AssertionError: Torch not compiled with CUDA enabled"),
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
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "m").mkdir()
            text = "requirements:\n  - id: OPS-007\n    about: [aten::add.Tensor]\n"
            (Path(folder) / "m" / "contract.yaml").write_text(text)
            self.assertEqual(causes.clauses_about(Path(folder))["aten::add"], "OPS-007")

    def test_a_look_under_an_armed_fault_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            look = Path(folder) / "jobs" / "upstream.f.C.t@kernel.x.2"
            look.mkdir(parents=True)
            (look / "culprit.json").write_text(json.dumps(culprit("value")))
            self.assertEqual(causes.culprit_of(Path(folder), record(switch="kernel.x"))[0]["kind"], "value")
            self.assertEqual(causes.culprit_of(Path(folder), record()), (None, None))


class Trial(unittest.TestCase):
    def shows(self, text, found):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "culprit.py"
            script.write_text(text)
            return script_trial.shows(script, json.loads(json.dumps(found)))

    def test_the_same_type_of_error_is_asked_for(self):
        found = culprit("raised", on_device="ValueError: 3")
        text = "print('on the CPU:    [1]'); print('on the device: {}: x'); raise SystemExit(1)"
        self.assertTrue(self.shows(text.format("ValueError"), found))
        self.assertFalse(self.shows(text.format("TypeError"), found))
        self.assertFalse(self.shows(text.format("ValueError").replace("Exit(1)", "Exit(0)"), found))

    def test_a_wrong_value_is_an_assertion(self):
        self.assertTrue(self.shows("raise AssertionError", culprit("value")))
        self.assertFalse(self.shows("raise ValueError", culprit("value")))
        self.assertFalse(self.shows("pass", culprit("value")))

    def test_an_error_that_comes_later_is_not_that_of_the_cpu(self):
        found = culprit("returned", on_cpu="IndexError: 7")
        text = "print('on the CPU:    IndexError: 7'); print('on the device: {}: x'); raise SystemExit(1)"
        self.assertTrue(self.shows(text.format("RuntimeError"), found))
        self.assertFalse(self.shows(text.format("IndexError"), found))

    def test_a_death_is_one(self):
        self.assertTrue(self.shows("import os; os.abort()", culprit("died")))
        self.assertFalse(self.shows("print('on the CPU: 1')", culprit("died")))

    def test_a_long_program_shows_nothing(self):
        self.assertFalse(self.shows("pass\n" * 20 + "raise AssertionError", culprit("value")))


if __name__ == "__main__":
    unittest.main()
