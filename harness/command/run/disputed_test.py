# SPDX-License-Identifier: BSD-3-Clause
"""Tests a disputed clause: both views are shown wherever its verdict is shown, the verdict is unchanged, and a
decided dispute disappears."""

import html
import json
import unittest

import yaml
from harness.command.fixtures.run_fixture import ROOT, RunCase

AGAINST, FOR = "Header says nothing of <that>.", "The CPU does it."
ISSUE = "https://example.org/issues/7"
DISPUTE = f"disputed: {{by: ACME, since: 2026-11-26, issue: '{ISSUE}', against: '{AGAINST}', for: '{FOR}'}}"
FORM = ROOT / ".github/ISSUE_TEMPLATE/dispute.yml"


class Disputed(RunCase):
    def dispute(self, text=DISPUTE, clause="SMP-001"):
        path = self.folder / "data/suites/sample/contract.yaml"
        lines = path.read_text().splitlines()
        lines = [line.replace(", why:", f", {text}, why:") if f"id: {clause}" in line else line for line in lines]
        path.write_text("\n".join(lines) + "\n")

    def decide(self):
        path = self.folder / "data/suites/sample/contract.yaml"
        path.write_text(path.read_text().replace(f", {DISPUTE}", ""))

    def test_a_report_shows_both_views_and_the_verdict(self):
        self.assertEqual(self.run_clean(SAMPLE_FAILS="1"), 1)
        digest = self.records("run")[0]["contract"]["digest"]
        self.dispute()
        disputed = self.folder / "disputed"
        self.assertEqual(self.run_clean(out=disputed, SAMPLE_FAILS="1"), 1)
        self.assertEqual(self.verdicts(disputed), self.verdicts())
        self.assertEqual(self.records("run", disputed)[0]["contract"]["digest"], digest)
        self.assay("report", disputed)
        self.assertIn("disputed: SMP-001 (fail)", self.said)
        words = " ".join(self.said.split())
        self.assertIn(f"disputed SMP-001 is disputed by ACME since 2026-11-26: {AGAINST} The other side: {FOR} {ISSUE}", words)
        for form in ("html", "junit", "markdown"):
            self.assay("report", disputed, "--format", form)
            self.assertIn("SMP-001 (fail)" if form == "markdown" else "disputed by ACME", html.unescape(self.said), form)
        self.assertIn(FOR, html.unescape(self.said if form == "html" else self.page(disputed)))
        self.assay("report", disputed, "--format", "json")
        clause = next(row for row in json.loads(self.said)["requirements"] if row["id"] == "SMP-001")
        self.assertEqual((clause["disputed"]["against"], clause["disputed"]["for"], clause["verdict"]), (AGAINST, FOR, "fail"))

    def page(self, run):
        self.assay("report", run, "--format", "html")
        return self.said

    def test_a_kept_clause_is_shown_as_disputed_as_well(self):
        self.dispute()
        self.assertEqual(self.run_clean(), 0)
        self.assay("report", self.out)
        self.assertIn("disputed: SMP-001 (pass)", self.said)
        self.assertIn("SMP-001 (pass) is disputed by ACME", self.page(self.out))

    def test_contract_and_pages_of_a_history_show_it_until_it_is_decided(self):
        self.assertEqual(self.run_clean(), 0)
        self.assertEqual(self.assay("history", "add", self.out, "--db", self.folder / "h.db"), 0)
        self.dispute()
        self.assay("explain", "SMP-001")
        self.assertIn(FOR, self.said)
        for is_open in (True, False):
            if not is_open:
                self.decide()
            self.assertEqual(self.assay("dashboard", "build", "--db", self.folder / "h.db", "--out", self.folder / "site"), 0, self.said)
            for name in ("index", "clause/SMP-001", "check/sample.passes"):
                text = html.unescape((self.folder / f"site/{name}.html").read_text())
                self.assertEqual((AGAINST in text, FOR in text, ISSUE in text), (is_open,) * 3, name)
            self.assertEqual("disputed" in (self.folder / "site/facts.html").read_text(), is_open)
            self.assertNotIn(FOR, (self.folder / "site/check/sample.stands_on_it.html").read_text())

    def test_a_dispute_of_one_check_leaves_the_others_alone(self):
        self.dispute(DISPUTE.replace("{by", "{check: sample.streams_work, by"), "SMP-003")
        self.assay("list", "--format", "json")
        self.assertEqual(json.loads(self.said)["disputed"]["SMP-003"]["check"], "sample.streams_work")
        self.dispute(DISPUTE.replace("{by", "{check: sample.passes, by"), "SMP-004")
        self.assertEqual(self.assay("list"), 65)
        self.assertIn('no check "sample.passes" covers SMP-004', self.said)

    def test_a_dispute_that_is_not_whole_is_refused(self):
        self.dispute("disputed: {by: ACME, since: yesterday, issue: 7, against: x}")
        self.assertEqual(self.assay("list"), 65)
        for words in ('"yesterday" is not a date', '"7" is not a link', '"for" is missing'):
            self.assertIn(words, self.said)

    def test_the_form_asks_for_all_that_is_shown(self):
        asked = {part["id"] for part in yaml.safe_load(FORM.read_text())["body"]}
        self.assertLessEqual({"clause", "check", "by", "against", "program"}, asked)


if __name__ == "__main__":
    unittest.main()
