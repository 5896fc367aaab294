# SPDX-License-Identifier: BSD-3-Clause
"""Tests that each problem in a report is found, and that no problem is found in a good report."""

import unittest

from fleet_messages import complaints, troubles_of

GOOD = """\
target shape (2 devices)  torch 2.13.0  contract 2
                  pass  blocked  fail  crash
guard                1        2     1      .
operators            1        .     1      1
all                  2        2     2      1

FAIL guard.counts                                                                       DEV-014 must
     demand   Guard and hooks count
              the same.
     seen     hooks is 0, expected 2 at suites/guard/check_device_count.c:19
     likely   The hooks inherit deviceCount().
     blocks   2 checks in guard (run them anyway: --no-block)
     try      assay repro guard.counts --target /x/shape.yaml

CRASH operators.copies                                                          OPS-060 OPS-017 must
     seen     stack overflow: SIGSEGV in stage "check"
     in       at::clone (libtorch_cpu.so) < copy (shape.so)
     said     no such device
     try      assay repro operators.copies --target /x/shape.yaml

FAIL operators.statistics                                                             OPS-078 should
     seen     element 0 is 0.0, expected 1.0
     fallback ran somewhere in this check: aten::add.out, aten::mean.out
     try      assay repro operators.statistics --target /x/shape.yaml

OPERATORS that are missing: what a kernel for each would unblock
     aten::mm                            2 checks blocked

must 2 of 5 kept, 3 asked   should 0 of 2 kept, 1 asked
7 checks: 1 crash   2 fail   2 blocked   2 passed
"""
CHECKS = [{"id": name, "verdict": verdict, "signal": "SIGSEGV" if verdict == "crash" else None, "said": said}
          for name, verdict, said in (
              ("guard.counts", "fail", ""), ("operators.copies", "crash", "no such device"),
              ("operators.statistics", "fail", ""), ("guard.a", "blocked", ""), ("guard.b", "blocked", ""),
              ("guard.c", "pass", ""), ("operators.d", "pass", ""))]


class Messages(unittest.TestCase):
    def told(self, before="", after=""):
        self.assertIn(before, GOOD)
        return "\n".join(complaints(GOOD.replace(before, after, 1), CHECKS, {"operators.statistics": ["no such engine"]}))

    def test_a_good_report_gets_none(self):
        self.assertEqual(self.told(), "")
        first = troubles_of(GOOD)[0]
        self.assertEqual((first.id, first.fields["demand"]), ("guard.counts", "Guard and hooks count the same."))

    def test_a_hint_may_stand_beside_the_words_that_it_goes_by(self):
        seen = "seen     element 0 is 0.0, expected 1.0"
        likely = "\n     likely   The engine is missing."
        self.assertEqual(self.told(seen, f"seen     RuntimeError: no such engine{likely}"), "")
        self.assertIn("without any evidence in the report", self.told(seen, f"seen     RuntimeError: no such thing{likely}"))

    def test_words_that_have_one_cause_anywhere_are_no_sign_of_another(self):
        seen, text = "seen     element 0 is 0.0, expected 1.0", "seen     RuntimeError: PyTorch is not linked with support for x devices"
        self.assertEqual(self.told(seen, f"{text}\n     likely   Core finds no DeviceGuardImpl of the device type."), "")
        self.assertIn("without any evidence in the report", self.told(seen, f"{text}\n     likely   The engine is missing."))

    def test_each_complaint_can_be_made(self):
        for before, after, complaint in (
            ("FAIL guard.counts", "FAIL guard.coun", "guard.counts did not pass, and the report does not contain its id"),
            ("     seen     element", "     blocks   3 checks in guard\n     seen     element", "is listed after"),
            ("     in       at::clone (libtorch_cpu.so) < copy (shape.so)\n", "", "names no function in which it died"),
            ("     said     no such device\n", "", "output on stderr, and the report does not show it"),
            ("     said ", "     likely   It leaks.\n     said ", "without any evidence in the report"),
            ("seen     hooks is 0", "seen     RuntimeError: hooks is 0", "without any evidence in the report"),
            ("aten::add.out, aten::mean.out", "aten::add.out, aten::add.out", "occurs twice after `fallback`"),
            ("2 checks in guard", "2 checks in guard, guard", "occurs twice after `blocks`"),
            ("     aten::mm ", "     aten::mm                            2 checks blocked\n     aten::mm ", "a line occurs"),
            ("7 checks: 1 crash", "8 checks: 1 crash", "8 checks are told"),
            ("all                  2", "all                  3", "the modules add up to"),
            ("2 of 5 kept, 3 asked", "4 of 5 kept, 3 asked", "must: 4 of 5 kept"),
            ("2 of 5 kept, 3 asked", "4 of 3 asked kept, 5 in the contract", "must: 4 of 5 kept"),
            (", 3 asked   should 0 of 2 kept, 1 asked", "", "the number that were tested"),
        ):
            with self.subTest(complaint=complaint):
                self.assertIn(complaint, self.told(before, after))


if __name__ == "__main__":
    unittest.main()
