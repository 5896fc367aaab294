# SPDX-License-Identifier: BSD-3-Clause
"""Replays pull requests: each is a branch of a scratch repository, built and run by assay run and judged by assay
gate. Decisions, labels and texts follow ci/gate/README.md."""

import unittest

import run_edit
import scratch_repository

ALLOCATOR = "upstream/include/c10/core/Allocator.h"


class PullRequests(scratch_repository.Replay):
    def setUp(self):
        super().setUp()
        self.base = self.repository.run("main")

    def test_clean_change_passes_and_loses_the_label(self):
        branch = self.repository.propose(
            "clean", {ALLOCATOR: [("Stand-in", "A stand-in")]}
        )
        status = self.gate(
            self.repository.run(branch), self.base, self.repository.run("main", branch),
            changed_files=self.repository.changed_files(branch),
        )  # fmt: skip
        self.assert_decided(status, "pass", "remove")
        self.assertEqual(self.decision["causes"], [])
        self.assertEqual(
            self.decision["summary"], "pass: no check that passed on base fails on head"
        )
        self.assertEqual(self.decision["counts"]["good"], 7)
        self.assertEqual(self.decision["labels"]["suggest"], [])

    def test_change_that_breaks_a_must_is_blocked(self):
        branch = self.repository.propose(
            "breaks", {"backend/device.cpp": [("return previous;", "return device;")]}
        )
        status = self.gate(self.repository.run(branch), self.base)
        self.assert_decided(status, "blocked", None)
        cause = self.cause("regression")
        self.assertEqual((cause["kind"], cause["checks"]), ("pr", ["scratch.exchanges"]))
        self.assertEqual(cause["interface"], "c10/core/Device.h:DeviceGuardImpl::exchangeDevice")
        self.assertIn("Passed on base, fails on head", cause["text"])
        self.assertIn("scratch.exchanges (fail: 1 != 0)", cause["text"])
        self.assertIn("### Caused by this pull request", self.markdown)
        self.assertIn("suppress-oot-gate", self.markdown)

    def test_crash_is_a_regression_that_names_the_signal(self):
        branch = self.repository.propose(
            "crashes", {"backend/device.cpp": [("return previous;", "__builtin_trap();")]}
        )
        status = self.gate(self.repository.run(branch), self.base)
        self.assert_decided(status, "blocked", None)
        self.assertRegex(
            self.cause("regression")["text"], r"scratch\.exchanges \(crash: SIG(ILL|TRAP)"
        )

    def test_override_label_lets_through_and_says_so(self):
        branch = self.repository.propose(
            "overridden", {"backend/device.cpp": [("return previous;", "return 5;")]}
        )
        labels = self.folder / "labels"
        labels.write_text("topic: backends\nsuppress-oot-gate\n")
        self.assertEqual(self.gate(self.repository.run(branch), self.base, labels=labels), 0)
        self.assertEqual(self.decision["decision"], "blocked")
        self.assertTrue(self.decision["overridden"])
        self.assertIn("overridden by a label", self.markdown)
        labels.write_text("suppress-oot-gate-not\n")
        self.assertEqual(self.gate(self.repository.run(branch), self.base, labels=labels), 1)

    def change_of_allocate(self, name, *more):
        """Removes the const of `allocate`, as upstream once did. `more` are the edits of the backend."""
        edits = {ALLOCATOR: [("allocate(size_t bytes) const = 0", "allocate(size_t bytes) = 0")]}
        if more:
            edits["backend/allocators.cpp"] = list(more)
        return self.repository.propose(name, edits)

    adapted = ("allocate(size_t bytes) const", "allocate(size_t bytes)")

    def test_needed_adaptation_in_the_same_change_passes_with_the_label(self):
        branch = self.change_of_allocate("adapts", self.adapted)
        status = self.gate(
            self.repository.run(branch), self.base, self.repository.run("main", branch),
            changed_files=self.repository.changed_files(branch),
        )  # fmt: skip
        self.assert_decided(status, "pass", "add")
        cause = self.cause("adapt_build")
        self.assertEqual(cause["kind"], "adaptation")
        self.assertEqual(cause["interface"], "c10::Allocator::allocate(size_t)")
        self.assertIn("the reference backend was adapted here", self.decision["summary"])
        self.assertIn("### Backends must adapt", self.markdown)
        self.assertIn(f"Label set: `{scratch_repository.LABEL}`", self.markdown)
        self.assertEqual(self.decision["labels"]["suggest"], ["module: PrivateUse1"])

    def test_needed_adaptation_that_is_missing_is_blocked(self):
        branch = self.change_of_allocate("forgets")
        status = self.gate(
            self.repository.run(branch), self.base, self.repository.run("main", branch)
        )
        self.assert_decided(status, "blocked", None)
        cause = self.cause("backend_unbuildable")
        self.assertEqual((cause["kind"], cause["checks"]), ("pr", []))
        self.assertIn("adapt the in-tree backend in the same pull request", cause["text"])
        self.assertIn("The interface is c10::Allocator::allocate(size_t).", cause["text"])

    def test_changed_reference_backend_without_an_unadapted_run_gets_the_label(self):
        branch = self.repository.propose(
            "touches", {"backend/dtypes.cpp": [("complete when", "whole when")]}
        )
        files = self.repository.changed_files(branch)
        status = self.gate(self.repository.run(branch), self.base, changed_files=files)
        self.assert_decided(status, "pass", "add")
        self.assertIn("may have to follow", self.cause("adapt_reference")["text"])
        # The unadapted backend shows that backends need not adapt.
        status = self.gate(
            self.repository.run(branch),
            self.base,
            self.repository.run("main", branch),
            changed_files=files,
        )
        self.assert_decided(status, "pass", "remove")

    def test_what_is_broken_on_base_is_not_this_changes_doing(self):
        broken = self.repository.propose(
            "broken_base", {"backend/device.cpp": [("return previous;", "return 9;")]}
        )
        branch = self.repository.propose(
            "on_broken", {ALLOCATOR: [("Stand-in", "A stand-in")]}, broken
        )
        status = self.gate(self.repository.run(branch), self.repository.run(broken))
        self.assert_decided(status, "pass", "remove")
        cause = self.cause("already_broken")
        self.assertEqual((cause["kind"], cause["checks"]), ("base", ["scratch.exchanges"]))
        self.assertIn("this pull request is not the cause", cause["text"])
        self.assertIn("### Already broken on base", self.markdown)

    def test_base_that_does_not_build_proves_nothing(self):
        broken = self.repository.propose(
            "no_build", {"backend/dtypes.cpp": [("return sizes", "retrun sizes")]}
        )
        status = self.gate(self.repository.run(broken), self.repository.run(broken))
        self.assert_decided(status, "undecided", None)
        self.assertEqual(self.cause("backend_unbuildable_before")["kind"], "base")

    def test_flaky_check_is_a_remark_and_silent_when_listed(self):
        marker = self.folder / "marker"
        contract = self.repository.contract / "suites" / "scratch" / "contract.yaml"
        self.assertIn("SCR-006, level: should", contract.read_text())
        head = self.repository.run("main", None, "--retries", "2", REPLAY_FLAKY=str(marker))
        self.assertEqual([r["verdict"] for r in run_edit.journal_of(head) if r["event"] == "end" and r["id"] == "scratch.records"], ["fail", "flaky"])  # fmt: skip
        status = self.gate(head, self.base)
        self.assert_decided(status, "pass", "remove")
        (remark,) = self.decision["warnings"]
        self.assertEqual((remark["rule"], remark["checks"]), ("flaky", ["scratch.records"]))
        self.assertEqual(self.decision["counts"]["flaky"], 1)
        listed = self.folder / "scratch.yaml"
        listed.write_text(
            "target: scratch\nexpected:\n  - {check: scratch.records, verdict: flaky, reason: Timer., "
            'issue: "https://example.org/1", expires: 2999-01-01}\n'
        )
        status = self.gate(head, self.base, expectations=listed)
        self.assert_decided(status, "pass", "remove")
        self.assertEqual(self.decision["warnings"], [])

    def test_same_files_give_the_same_bytes(self):
        branch = self.repository.propose(
            "twice", {"backend/device.cpp": [("return previous;", "return 3;")]}
        )
        texts = set()
        for _ in range(2):
            self.gate(self.repository.run(branch), self.base)
            texts.add(
                (
                    (self.folder / "decision.json").read_bytes(),
                    (self.folder / "decision.md").read_bytes(),
                )
            )
        self.assertEqual(len(texts), 1)


if __name__ == "__main__":
    unittest.main()
