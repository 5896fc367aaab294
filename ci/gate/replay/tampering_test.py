# SPDX-License-Identifier: BSD-3-Clause
"""Tests results that a pull request forged: wrong numbers and labels, markup, escapes, nesting, and files that are not
regular. Such results must not change the gate's decision or texts."""

import json
import os
import re
import unittest

import run_edit
import scratch_repository

CODE_SPAN = re.compile(r"`[^`\n]*`")  # Markdown has no effect in it


class Tampering(scratch_repository.Replay):
    """The job of a pull request can write any text. It must reach labels, pages and terminals only as plain text."""

    def setUp(self):
        super().setUp()
        self.base = self.repository.run("main")
        self.head = self.copy_of(self.base)

    def assert_harmless(self):
        """The outputs of the gate may contain no markup and no escape sequences, and only labels of the contract."""
        for text in (self.markdown, self.said, (self.folder / "decision.json").read_text()):
            self.assertNotRegex(text, r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
        markdown = CODE_SPAN.sub("", self.markdown)
        self.assertNotIn("`", markdown)
        self.assertNotRegex(markdown, r"(?<!\\)<(?!/?(details|summary)>)")
        self.assertNotRegex(markdown, r"(?<!&)#\d")
        self.assertNotIn("@", markdown)
        self.assertNotIn("](", markdown)
        self.assertNotIn("://", markdown)
        named = [
            name for kind in ("add", "remove", "suggest") for name in self.decision["labels"][kind]
        ]
        self.assertLessEqual(set(named), {scratch_repository.LABEL, "module: PrivateUse1"})

    def test_number_and_labels_in_the_results_are_ignored(self):
        def forge(row):
            extra = {
                "pr": 4711,
                "pull_request": {"number": 4711},
                "labels": ["ciflow/trunk", "skip-ci"],
            }
            return {**row, **extra, "decision": "pass"}

        run_edit.rewrite(self.head, forge)
        (self.head / "decision.json").write_text('{"decision": "pass"}')
        status = self.gate(self.head, self.base)
        self.assert_decided(status, "pass", "remove")
        everything = (self.folder / "decision.json").read_text() + self.markdown + self.said
        for word in ("4711", "ciflow", "skip-ci"):
            self.assertNotIn(word, everything)

    def test_level_of_a_check_cannot_be_talked_down(self):
        run_edit.set_verdict(self.head, "scratch.exchanges", "fail", reason="1 != 0")
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
        self.assertIn("cannot be the id of a check", self.cause("head_unusable")["text"])
        self.assert_harmless()

    def test_markup_and_escapes_in_messages_stay_text(self):
        evil = (
            "<img src=x onerror=alert(1)> [click](javascript:alert(1)) @everyone fixes #1 `x` | a | b |\n"
            "\x1b[2J\x1b]0;title\x07 ::set-output name=x::y \u202egnp.exe </details> ![i](http://evil/x.png)"
        )
        run_edit.set_verdict(self.head, "scratch.exchanges", "fail", reason=evil)

        def rename(row):
            return {**row, "torch": {"version": evil, "git": ""}} if row["event"] == "run" else row

        run_edit.rewrite(self.head, rename)
        self.assert_decided(self.gate(self.head, self.base), "blocked", None)
        self.assert_harmless()
        self.assertIn("seen: `<img src=x onerror=alert(1)> [click]", self.markdown)
        self.assertEqual(len([t for t in self.markdown.splitlines() if t.startswith("::")]), 0)

    def test_name_of_the_target_makes_no_path_and_no_markup(self):
        folder = self.folder / "expectations"
        folder.mkdir()
        (self.folder / "secret.yaml").write_text("secret: words\n")
        for name in ("../secret", "<b>x</b>", "a/b", "x" * 4000, ""):
            with self.subTest(name[:20]):

                def rename(row, name=name):
                    return {**row, "target": {"name": name}} if row["event"] == "run" else row

                run_edit.rewrite(self.head, rename)
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
            self.assertIn("is not a regular file", self.cause("head_unusable")["text"])
            self.assertNotIn("root:", self.said + self.markdown)

    def test_two_gigabytes_are_not_read(self):
        with open(self.head / "journal.jsonl", "r+b") as file:
            file.truncate(2 << 30)
        self.assert_decided(self.gate(self.head, self.base), "undecided", None)
        self.assertIn("has 2147483648 bytes", self.cause("head_unusable")["text"])

    def test_nesting_as_deep_as_the_limit_of_size_costs_its_line(self):
        first = (self.head / "journal.jsonl").read_text().splitlines()[0]
        for deep in (
            "[" * (7 << 20),
            '{"a":' * 1000000,
            '{"event":"end","notes":' + "[" * 100 + "]" * 100 + "}",
        ):
            (self.head / "journal.jsonl").write_text(f"{first}\n{deep}\n")
            self.assert_decided(self.gate(self.head, self.base), "undecided", None)
            self.assertEqual(self.cause("head_incomplete")["kind"], "harness")

    def test_foreign_checks_count_for_nothing(self):
        plan = json.loads((self.head / "plan.json").read_text())
        plan["jobs"].append({**plan["jobs"][0], "id": "scratch.invented"})
        (self.head / "plan.json").write_text(json.dumps(plan))
        *records, finish = (self.head / "journal.jsonl").read_text().splitlines()
        records.append('{"event":"end","id":"scratch.invented","attempt":1,"final":true,"verdict":"crash"}')
        (self.head / "journal.jsonl").write_text("\n".join([*records, finish, ""]))
        self.assert_decided(self.gate(self.head, self.base), "pass", "remove")
        (remark,) = self.decision["warnings"]
        self.assertEqual(remark["rule"], "unknown_checks")

    def test_ten_thousand_messages_make_a_page_that_fits(self):
        run_edit.set_verdict(self.head, "scratch.exchanges", "fail", reason="<" * 1000000)
        self.assert_decided(self.gate(self.head, self.base), "blocked", None)
        self.assertLess(len(self.markdown), 60000)
        self.assertIn("seen: `<<<", self.markdown)


if __name__ == "__main__":
    unittest.main()
