# SPDX-License-Identifier: BSD-3-Clause
"""Tests three nights: in the second, a must fails on two releases; in the third, it passes again. On the stand-in for
GitHub, one issue for the cause is opened, updated and closed. Repeating a night changes nothing."""

import json
import os
import subprocess
import unittest
from pathlib import Path

import tell_losses
from fixtures.github_case import GitHubCase
from harness.command.fixtures.schemas import validate

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
CAUSE, OTHER = "1" * 16, "2" * 16
HOSTILE = "@everyone ``` <b> [x](http://example.com)"


def line(night, failing, release="2.14", verdicts=()):
    """A whole night of a backend. `failing` maps checks to causes."""
    changes = [{"kind": "check", "name": name, "level": "must", "covers": "DEV-004", "cause": failing.get(name, ""),
                "verdict": "fail" if name in failing else "pass", "seen": HOSTILE if name in failing else ""}
               for name in ("guard.one", "guard.two", "amp.three")]
    changes = [change | dict(verdicts).get(change["name"], {}) for change in changes]
    return {"schema": "assay/history-run/1", "target": "lagging", "release": release, "asked": "", "torch": f"{release}.0",
            "date": f"2026-11-{night:02}T03:17:00Z", "git": f"torch{night}", "backend": f"backend{night}", "contract": 1,
            "digest": "d", "state": "compatible", "must_kept": 1, "must_total": 1, "must_promised": 1, "whole": True,
            "after": None, "changes": changes}


class Telling(GitHubCase):
    def assay(self, *words):
        return subprocess.run([ASSAY, *map(str, words)], capture_output=True, text=True, check=True).stdout

    def night(self, *lines, **words):
        """Adds the runs of a night and reports. Returns the requests to GitHub; the output is stored."""
        (self.folder / "lines").write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.assay("history", "import", self.folder / "lines", "--db", self.folder / "history.db")
        losses = self.assay("dashboard", "losses", "--db", self.folder / "history.db")
        validate(json.loads(losses), "losses")
        before = len(self.changes())
        self.status = self.tell(self.file("losses.json", losses), **words)
        return self.changes()[before:]

    def tell(self, losses, **words):
        return self.status_of(tell_losses.main, ["--losses", losses, "--api", self.address, "--repository",
                                                 "pytorch/pytorch", "--bisected", str(self.folder)], **words)

    def test_three_nights_are_one_issue_opened_and_closed(self):
        self.assertEqual([], self.night(line(1, {})))
        lost = line(2, {"guard.one": CAUSE, "guard.two": CAUSE})
        self.assertEqual(1, len(self.night(lost)))
        self.assertEqual(1, len(self.state.issues))
        issue = self.state.issues[0]
        self.assertEqual("lagging: guard.one and 1 more lost", issue["title"])
        for words in ("torch 2.14.0 torch1 backend backend1", "torch 2.14.0 torch2 backend backend2", "guard.two",
                      "assay repro guard.one --target lagging", "DEV-004"):
            self.assertIn(words, issue["body"])
        self.assertIn("````text", issue["body"])  # a code fence that the untrusted text cannot close
        self.assertEqual([], self.night(lost))  # a repeated report changes nothing
        self.assertEqual(1, len(self.night(line(3, {}))))
        self.assertEqual("closed", issue["state"])
        self.assertEqual([], self.night(line(4, {})))

    def test_second_surface_and_a_bisection_update_the_issue(self):
        self.night(line(1, {}), line(1, {}, "2.15"))
        self.night(line(2, {"guard.one": CAUSE}))
        self.assertEqual([("PATCH", "/repos/pytorch/pytorch/issues/2000")], self.night(line(2, {"guard.one": CAUSE}, "2.15")))
        loss = json.loads((self.folder / "losses.json").read_text())["losses"][0]
        (self.folder / f"{loss['key']}.json").write_text(json.dumps({"first": loss["shown_by"][0]["first"], "culprits": [
            {"found": True, "axis": "backend", "way": "broken by", "revision": "abc123", "date": "d", "subject": "s"}]}))
        self.assertEqual(1, len(self.night()))
        self.assertIn("backend broken by abc123", self.state.issues[0]["body"])
        self.assertIn("torch 2.15", self.state.issues[0]["body"])

    def test_two_causes_are_two_issues(self):
        self.night(line(1, {}))
        self.night(line(2, {"guard.one": CAUSE, "amp.three": OTHER}))
        self.assertEqual(2, len(self.state.issues))

    def test_no_verdict_and_a_skip_take_nothing_back(self):
        self.night(line(1, {}))
        self.night(line(2, {"guard.one": CAUSE}))
        for night, verdict in ((3, "notrun"), (4, "blocked"), (5, "skip")):
            self.night(line(night, {}, verdicts={"guard.one": {"verdict": verdict}}))
            self.assertEqual("open", self.state.issues[0]["state"], verdict)

    def test_flaky_failure_opens_nothing_again_and_closes_nothing(self):
        self.night(line(1, {}))
        for night in range(2, 8):
            self.night(line(night, {"guard.one": CAUSE} if night % 2 == 0 else {}))
        # From the third change on, the check is known to be flaky.
        self.assertEqual(["closed"], [issue["state"] for issue in self.state.issues])

    def test_failure_of_the_first_night_is_no_loss(self):
        self.assertEqual([], self.night(line(1, {"guard.one": CAUSE})))
        self.assertEqual([], self.night(line(2, {"guard.one": CAUSE})))

    def test_issue_with_a_mark_of_somebody_else_is_theirs(self):
        self.night(line(1, {}))
        self.state.issues.append({"number": 1, "state": "open", "user": {"login": "mallory"}, "title": "t",
                                  "body": f"<!-- assay-loss {'0' * 16} -->"})
        self.night(line(2, {"guard.one": CAUSE}))
        self.assertEqual(("open", "t"), (self.state.issues[0]["state"], self.state.issues[0]["title"]))

    def test_refusal_and_wrong_input_are_one_sentence(self):
        self.night(line(1, {}))
        self.night(line(2, {"guard.one": CAUSE}), token="read-only")
        self.assertEqual(1, self.status)
        self.assertIn("the token may not do this", self.said)
        self.assertEqual(65, self.tell(self.file("wrong.json", "{}")))
        self.assertEqual([], self.state.issues)


if __name__ == "__main__":
    unittest.main()
