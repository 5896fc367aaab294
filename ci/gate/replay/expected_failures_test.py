# SPDX-License-Identifier: BSD-3-Clause
"""Tests known failures, from the run that shows them to the pull request that repairs them."""

import unittest

import scratch_repository


class Expectations(scratch_repository.Replay):
    words = ("--reason", "The driver is young.", "--issue", "https://example.org/7")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.branch = cls.repository.propose(
            "young", {"backend/device.cpp": [("return previous;", "return 9;")]}
        )
        cls.broken = cls.repository.run(cls.branch)

    def setUp(self):
        super().setUp()
        self.list = self.folder / "scratch.yaml"

    def update(self, *runs, expires="2999-01-01", words=words):
        result = self.repository.assay(
            "expectations", "update", self.list, *runs, *words, "--expires", expires
        )
        self.said = result.stdout + result.stderr
        return result.returncode

    def test_update_lists_what_fails_and_the_gate_lets_it_through(self):
        self.assertEqual(self.gate(self.broken), 1)
        self.assertEqual(self.cause("violation")["checks"], ["scratch.exchanges"])
        self.assertEqual(self.update(self.broken), 0, self.said)
        self.assertIn("0 kept, 1 added, 0 removed, 0 changed", self.said)
        status = self.gate(self.broken, expectations=self.list)
        self.assert_decided(status, "pass", "remove")
        self.assertEqual(self.decision["counts"]["expected"], 1)
        # the list is found in the folder by the name of the target
        self.assertEqual(self.gate(self.broken, expectations=self.folder), 0)

    def test_another_failure_of_a_listed_check_is_not_excused(self):
        self.update(self.broken)
        crashes = self.repository.propose(
            "young_crash", {"backend/device.cpp": [("return 9;", "__builtin_trap();")]}, self.branch
        )
        status = self.gate(self.repository.run(crashes), expectations=self.list)
        self.assert_decided(status, "blocked", None)

    def test_repair_must_take_its_entry_out(self):
        self.update(self.broken)
        good = self.repository.run("main")
        status = self.gate(good, self.broken, expectations=self.list)
        self.assert_decided(status, "blocked", None)
        cause = self.cause("expectation_fixed")
        self.assertEqual(cause["kind"], "pr")
        self.assertIn(f"{self.list}:4: scratch.exchanges: is to fail", cause["text"])
        self.list.write_text(
            self.list.read_text().replace("expected:", "# young drivers\nexpected:")
        )
        self.assertEqual(self.update(good), 0, self.said)
        self.assertIn("0 kept, 0 added, 1 removed, 0 changed", self.said)
        self.assertIn("# young drivers\nexpected:\n", self.list.read_text())
        self.assert_decided(self.gate(good, self.broken, expectations=self.list), "pass", "remove")

    def test_expired_entry_is_an_error_with_its_place(self):
        self.update(self.broken, expires="2020-01-01")
        status = self.gate(self.broken, self.broken, expectations=self.list)
        self.assert_decided(status, "undecided", None)
        self.assertIn(
            f"{self.list}:4: scratch.exchanges: expired", self.cause("expectation_wrong")["text"]
        )

    def test_update_that_would_make_a_wrong_file_writes_nothing(self):
        self.assertEqual(self.update(self.broken, expires="soon"), 65)
        self.assertIn('"soon" is not a day', self.said)
        self.assertFalse(self.list.exists())
        self.assertEqual(self.update(self.broken, words=()), 64)
        self.assertIn("give --reason, --issue and --expires", self.said)
        self.assertFalse(self.list.exists())

    def test_update_refuses_runs_that_do_not_belong(self):
        other = self.repository.run("main", name="other")
        self.assertEqual(self.update(self.broken, other), 65)
        self.assertIn("is of another target", self.said)
        self.update(self.broken)
        self.assertEqual(self.update(other), 65)
        self.assertIn("is about target scratch, the run is of other", self.said)

    def test_check_names_file_and_line(self):
        self.list.write_text("target: scratch\nexpected:\n  - {check: scratch.records}\n")
        result = self.repository.assay("expectations", "check", self.list)
        self.assertEqual(result.returncode, 65)
        self.assertIn(f'{self.list}:3:5: "verdict" is missing here', result.stderr)


if __name__ == "__main__":
    unittest.main()
