# SPDX-License-Identifier: BSD-3-Clause
"""Pull requests replayed: each a branch of a scratch repository, built and run by assay run, judged
by assay gate. Decision, labels and words are those of ci/gate/README.md."""

import json
import os
import re
import unittest

import scratch_repository

ALLOCATOR = "upstream/include/c10/core/Allocator.h"
LABEL = "oot: needs adaptation"


def journal_of(run):
    return [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]


def rewrite(run, change):
    """Every record of the journal through `change`, which returns it or None."""
    rows = [change(row) for row in journal_of(run)]
    text = "".join(json.dumps(row) + "\n" for row in rows if row is not None)
    (run / "journal.jsonl").write_text(text)


def set_verdict(run, check, verdict, **members):
    rewrite(
        run,
        lambda row: (
            {**row, "verdict": verdict, **members}
            if row["event"] == "end" and row["id"] == check
            else row
        ),
    )


class PullRequests(scratch_repository.Replay):
    def setUp(self):
        super().setUp()
        self.base = self.repository.run("main")

    def test_clean_change_passes_and_loses_the_label(self):
        branch = self.repository.propose(
            "clean", {ALLOCATOR: [("Stand-in: what", "Stand-in; what")]}
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
        """`allocate` loses its const, as upstream once did; `more`: what the backend does about it."""
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
        self.assertIn(f"Label set: `{LABEL}`", self.markdown)
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
        # The unadapted backend shows that nobody has to.
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
        self.assertIn("not this pull request's doing", cause["text"])
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
        self.assertEqual([r["verdict"] for r in journal_of(head) if r["event"] == "end" and r["id"] == "scratch.records"], ["fail", "flaky"])  # fmt: skip
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

    # ---- the harness fails: never a pass, never somebody's doing

    def assert_harness(self, rule, *words, head=None, base=None):
        status = self.gate(head or self.folder / "head", base or self.base)
        self.assert_decided(status, "undecided", None)
        cause = self.cause(rule)
        self.assertEqual(cause["kind"], "harness")
        for word in words:
            self.assertIn(word, cause["text"])
        self.assertIn("### Harness or environment could not decide", self.markdown)

    def test_crash_of_the_harness_is_undecided(self):
        """The supervisor died: checks without an end, a last line cut off, no finish."""
        head = self.copy_of(self.base)
        data = (head / "journal.jsonl").read_bytes()
        start = data.index(b'{"event":"start","id":"scratch.dtypes_have_sizes"')
        (head / "journal.jsonl").write_bytes(data[: start + 40])
        ended = {
            row["id"] for row in map(json.loads, data[:start].splitlines()) if row["event"] == "end"
        }
        self.assert_harness("head_incomplete", "cut off before its end", "--resume")
        undecided = set(self.cause("could_not_decide")["checks"])
        self.assertIn("scratch.settings_are_read", undecided)
        self.assertEqual(undecided & ended, set())

    def test_truncated_results_are_undecided_wherever_they_are_cut(self):
        data = (self.base / "journal.jsonl").read_bytes()
        self.copy_of(self.base)
        for cut in (
            0,
            1,
            200,
            data.index(b"\n"),
            data.index(b"\n") + 1,
            len(data) // 2,
            len(data) - 1,
        ):
            with self.subTest(cut):
                (self.folder / "head" / "journal.jsonl").write_bytes(data[:cut])
                status = self.gate(self.folder / "head", self.base)
                self.assert_decided(status, "undecided", None)
                self.assertTrue(
                    all(c["kind"] == "harness" for c in self.decision["causes"]), self.said
                )

    def test_broken_check_is_undecided(self):
        set_verdict(
            self.copy_of(self.base), "scratch.pins", "broken", reason="no memory for the job"
        )
        self.assert_harness("could_not_decide", "scratch.pins (broken: no memory for the job)")

    def test_results_of_another_contract_are_undecided(self):
        head = self.copy_of(self.base)

        def newer(row):
            if row["event"] == "run":
                row["contract"]["version"] = 4
            return row

        rewrite(head, newer)
        plan = json.loads((head / "plan.json").read_text())
        (head / "plan.json").write_text(json.dumps({**plan, "contract": 4}))
        self.assert_harness(
            "contract_differs", "The contract is version 3, the head run has version 4."
        )

    def test_results_of_another_suite_are_undecided(self):
        def other(row):
            if row["event"] == "run":
                row["contract"]["digest"] = "0123456789abcdef"
            return row

        rewrite(self.copy_of(self.base), other)
        self.assert_harness("suite_differs", "Head says 0123456789abcdef")

    def test_results_of_another_backend_are_undecided(self):
        other = self.repository.run("main", name="other")
        self.assert_harness("target_differs", "Head says other, base says scratch", head=other)

    def test_fewer_checks_than_promised_are_undecided_and_named(self):
        part = self.repository.run("main", None, "--select=-scratch.records")
        self.assert_harness("fewer_checks", "1 is missing, the first is scratch.records", head=part)
        self.assertEqual(self.cause("fewer_checks")["checks"], ["scratch.records"])
        status = self.gate(part, self.base, select="-scratch.records")
        self.assert_decided(status, "pass", "remove")

    def test_one_shard_is_undecided(self):
        shard = self.repository.run("main", None, "--shard=1/2")
        self.assert_harness("head_is_a_shard", "It is shard 1 of 2.", "assay merge", head=shard)

    def test_missing_runs_are_undecided(self):
        self.assert_harness("head_unusable", "journal.jsonl", head=self.folder / "nowhere")
        self.assert_harness(
            "base_unusable", "journal.jsonl", head=self.base, base=self.folder / "nowhere"
        )

    def test_target_that_ran_on_base_only_is_missing(self):
        base, head = self.folder / "bases", self.folder / "heads"
        for folder in (base, head):
            folder.mkdir()
        os.symlink(self.base, head / "link")  # an artifact may hold links; they are not followed
        self.copy_of(self.base, "heads/a")
        self.copy_of(self.base, "bases/a")
        self.copy_of(self.repository.run("main", name="other"), "bases/b")
        status = self.gate(head, base)
        self.assert_decided(status, "undecided", None)
        self.assertIn("There is no head run of target other.", self.cause("head_unusable")["text"])
        self.assertEqual([t["decision"] for t in self.decision["targets"]], ["pass", "undecided"])

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


class Expectations(scratch_repository.Replay):
    """Known failures, from the run that shows them to the pull request that repairs them."""

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
        # The folder of lists finds it by the name of the target.
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
        self.assertIn('"soon" is no day', self.said)
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


class Tampering(scratch_repository.Replay):
    """The job of a pull request writes what it likes. Nothing of it may reach a label, a page or a
    terminal as more than text."""

    def setUp(self):
        super().setUp()
        self.base = self.repository.run("main")
        self.head = self.copy_of(self.base)

    def assert_harmless(self):
        """No markup, no escape, no foreign label in anything that leaves the gate."""
        for text in (self.markdown, self.said, (self.folder / "decision.json").read_text()):
            self.assertNotRegex(text, r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
        self.assertNotRegex(self.markdown, r"<(?!/?(details|summary)>)")
        self.assertNotRegex(self.markdown, r"(?<!&)#\d")
        self.assertNotIn("@", self.markdown)
        self.assertNotIn("](", self.markdown)
        self.assertNotIn("://", self.markdown)
        named = [
            name for kind in ("add", "remove", "suggest") for name in self.decision["labels"][kind]
        ]
        self.assertLessEqual(set(named), {LABEL, "module: PrivateUse1"})

    def test_number_and_labels_in_the_results_are_ignored(self):
        def forge(row):
            extra = {
                "pr": 4711,
                "pull_request": {"number": 4711},
                "labels": ["ciflow/trunk", "skip-ci"],
            }
            return {**row, **extra, "decision": "pass"}

        rewrite(self.head, forge)
        (self.head / "decision.json").write_text('{"decision": "pass"}')
        status = self.gate(self.head, self.base)
        self.assert_decided(status, "pass", "remove")
        everything = (self.folder / "decision.json").read_text() + self.markdown + self.said
        for word in ("4711", "ciflow", "skip-ci"):
            self.assertNotIn(word, everything)

    def test_level_of_a_check_cannot_be_talked_down(self):
        set_verdict(self.head, "scratch.exchanges", "fail", reason="1 != 0")
        plan = json.loads((self.head / "plan.json").read_text())
        for job in plan["jobs"]:
            job["level"] = "advisory"
        (self.head / "plan.json").write_text(json.dumps(plan))
        self.assert_decided(self.gate(self.head, self.base), "blocked", None)

    def test_script_in_a_name_of_a_check_refuses_the_run(self):
        name = "<script>alert(1)</script>"
        plan = (self.head / "plan.json").read_text().replace("scratch.records", name)
        (self.head / "plan.json").write_text(plan)
        journal = (self.head / "journal.jsonl").read_text().replace("scratch.records", name)
        (self.head / "journal.jsonl").write_text(journal)
        self.assert_decided(self.gate(self.head, self.base), "undecided", None)
        self.assertIn("is no id that a contract can have", self.cause("head_unusable")["text"])
        self.assert_harmless()

    def test_markup_and_escapes_in_messages_stay_text(self):
        evil = (
            "<img src=x onerror=alert(1)> [click](javascript:alert(1)) @everyone fixes #1 `x` | a | b |\n"
            "\x1b[2J\x1b]0;title\x07 ::set-output name=x::y \u202egnp.exe </details> ![i](http://evil/x.png)"
        )
        set_verdict(self.head, "scratch.exchanges", "fail", reason=evil)

        def rename(row):
            return {**row, "torch": {"version": evil, "git": ""}} if row["event"] == "run" else row

        rewrite(self.head, rename)
        self.assert_decided(self.gate(self.head, self.base), "blocked", None)
        self.assert_harmless()
        self.assertIn("&#60;img src&#61;x", self.markdown)
        self.assertEqual(len([t for t in self.markdown.splitlines() if t.startswith("::")]), 0)

    def test_name_of_the_target_makes_no_path_and_no_markup(self):
        folder = self.folder / "expectations"
        folder.mkdir()
        (self.folder / "secret.yaml").write_text("secret: words\n")
        for name in ("../secret", "<b>x</b>", "a/b", "x" * 4000, ""):
            with self.subTest(name[:20]):

                def rename(row, name=name):
                    return {**row, "target": {"name": name}} if row["event"] == "run" else row

                rewrite(self.head, rename)
                status = self.gate(self.head, self.base, expectations=folder)
                self.assert_decided(status, "undecided", None)
                self.assertNotIn("secret:", self.said)
                self.assert_harmless()

    def test_files_that_are_no_files_are_refused(self):
        journal = self.head / "journal.jsonl"
        for make in (lambda: os.symlink("/etc/passwd", journal), lambda: os.mkfifo(journal),
                     lambda: journal.mkdir(), lambda: os.symlink("/dev/zero", journal)):  # fmt: skip
            if journal.is_dir():
                journal.rmdir()
            else:
                journal.unlink()
            make()
            self.assert_decided(self.gate(self.head, self.base), "undecided", None)
            self.assertIn("is no plain file", self.cause("head_unusable")["text"])
            self.assertNotIn("root:", self.said + self.markdown)

    def test_two_gigabytes_are_not_read(self):
        with open(self.head / "journal.jsonl", "r+b") as file:
            file.truncate(2 << 30)
        self.assert_decided(self.gate(self.head, self.base), "undecided", None)
        self.assertIn("has 2147483648 bytes", self.cause("head_unusable")["text"])

    def test_nesting_as_deep_as_the_limit_of_size_is_refused(self):
        first = (self.head / "journal.jsonl").read_text().splitlines()[0]
        for deep in (
            "[" * (7 << 20),
            '{"a":' * 1000000,
            '{"event":"end","notes":' + "[" * 100 + "]" * 100 + "}",
        ):
            (self.head / "journal.jsonl").write_text(f"{first}\n{deep}\n")
            self.assert_decided(self.gate(self.head, self.base), "undecided", None)
            self.assertEqual(self.cause("head_unusable")["kind"], "harness")

    def test_foreign_checks_count_for_nothing(self):
        plan = json.loads((self.head / "plan.json").read_text())
        plan["jobs"].append({**plan["jobs"][0], "id": "scratch.invented"})
        (self.head / "plan.json").write_text(json.dumps(plan))
        with open(self.head / "journal.jsonl", "a") as journal:
            journal.write(
                '{"event":"end","id":"scratch.invented","attempt":1,"final":true,"verdict":"crash"}\n'
            )
        self.assert_decided(self.gate(self.head, self.base), "pass", "remove")
        (remark,) = self.decision["warnings"]
        self.assertEqual(remark["rule"], "unknown_checks")

    def test_ten_thousand_messages_make_a_page_that_fits(self):
        set_verdict(self.head, "scratch.exchanges", "fail", reason="<" * 1000000)
        self.assert_decided(self.gate(self.head, self.base), "blocked", None)
        self.assertLess(len(self.markdown), 60000)
        self.assertTrue(re.search(r"&#60;", self.markdown))


if __name__ == "__main__":
    unittest.main()
