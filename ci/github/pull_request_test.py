# SPDX-License-Identifier: BSD-3-Clause
"""Tests pull_request.py end to end with the stand-in for GitHub: the decision becomes a check run, a label and a
comment. Also tests each error on the way."""

import json
import os
import unittest
from pathlib import Path

import github_api
import pull_request
import yaml
from fixtures.fake_github import BOT, READ_ONLY, Answer
from fixtures.github_case import GitHubCase

ROOT = Path(__file__).resolve().parents[2]
ASSAY = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"), "bin/assay")
SHA, MOVED = "a" * 40, "d" * 40
NUMBER = 7
LABEL = "oot: needs adaptation"
SCHEMA = ROOT / "reports" / "schema" / "decision.schema.json"


def decision(word="pass", add=(), remove=(), **more):
    return {
        "schema": "assay/decision/1",
        "decision": word,
        "overridden": False,
        "exit_status": 0,
        "date": "2026-11-21T13:48:05Z",
        "summary": "nothing changed for backends",
        "labels": {
            "add": list(add),
            "remove": list(remove),
            "suggest": [],
            "override": "suppress-oot-gate",
        },
        "causes": [],
        "warnings": [],
        "counts": {},
        "targets": [],
        **more,
    }


def workflow_run(sha=SHA, **more):
    return {
        "workflow_run": {
            "event": "pull_request",
            "head_sha": sha,
            "head_branch": "topic",
            "pull_requests": [],
            "head_repository": {"owner": {"login": "someone"}},
            **more,
        }
    }


class Case(GitHubCase):
    def setUp(self):
        super().setUp()
        self.state.add_pull(NUMBER, SHA)
        self.state.repository_labels.add(LABEL)
        self.waits = []

    def run_program(self, *words, event=None, token="writes"):
        place = ("--api", self.address, "--repository", self.state.repository)
        event = self.file("event.json", event or workflow_run())
        return self.status_of(pull_request.main, [*place, "--event", event, *words], token, wait=self.waits.append)

    def apply(self, value=None, *words, **more):
        return self.run_program(
            "apply",
            "--decision",
            self.file("decision.json", decision() if value is None else value),
            "--program",
            str(ASSAY),
            *words,
            **more,
        )


class Applies(Case):
    def test_a_pass_is_a_green_check_run_and_nothing_else(self):
        self.assertEqual(0, self.apply(decision(), "--comment"))
        self.assertEqual(
            [("success", SHA)],
            [(run["conclusion"], run["head_sha"]) for run in self.state.check_runs],
        )
        self.assertEqual([("POST", "/repos/pytorch/pytorch/check-runs")], self.changes())

    def test_conclusions_of_decisions_never_let_undecided_through(self):
        for word, overridden, conclusion in (
            ("pass", False, "success"),
            ("blocked", False, "failure"),
            ("undecided", False, "action_required"),
            ("blocked", True, "neutral"),
        ):
            self.apply(decision(word, overridden=overridden))
            self.assertEqual(conclusion, self.state.check_runs[-1]["conclusion"])

    def test_adaptation_is_labelled_and_commented(self):
        words = self.file("decision.md", "## Backends must adapt\n")
        self.assertEqual(0, self.apply(decision(add=[LABEL]), "--comment", "--markdown", words))
        self.assertEqual([LABEL], self.state.labels[NUMBER])
        self.assertEqual(
            pull_request.MARKER + "\n## Backends must adapt\n", self.state.comments[0]["body"]
        )

    def test_doing_it_twice_changes_nothing_more(self):
        for _ in range(2):
            self.assertEqual(0, self.apply(decision("blocked", add=[LABEL]), "--comment"))
        self.assertEqual(1, len(self.state.comments))
        self.assertEqual(1, len(self.state.timeline[NUMBER]))

    def test_comment_is_found_behind_many_pages_and_brought_up_to_date(self):
        for number in range(9):
            self.state.comments.append(
                {
                    "id": number + 1,
                    "issue": NUMBER,
                    "user": {"login": "someone"},
                    "body": pull_request.MARKER + " I am the gate",
                }
            )
        self.apply(decision("blocked"), "--comment")
        self.apply(decision("pass", summary="good now"), "--comment")
        self.assertEqual(10, len(self.state.comments))
        self.assertIn("good now", self.state.comments[9]["body"])
        self.assertIn("I am the gate", self.state.comments[0]["body"])

    def test_own_label_is_removed(self):
        self.state.label(NUMBER, LABEL, "person")
        self.state.labels[NUMBER].remove(LABEL)
        for other in range(5):
            self.state.label(NUMBER, f"topic {other}", "person")
        self.state.label(NUMBER, LABEL, BOT)
        self.assertEqual(0, self.apply(decision(remove=[LABEL])))
        self.assertNotIn(LABEL, self.state.labels[NUMBER])
        self.assertEqual(5, len(self.state.labels[NUMBER]))

    def test_label_of_a_person_stays(self):
        self.state.label(NUMBER, LABEL, BOT)
        self.state.label(NUMBER, LABEL, "person")
        self.assertEqual(0, self.apply(decision(remove=[LABEL])))
        self.assertIn(LABEL, self.state.labels[NUMBER])
        self.assertIn("a person has set it", self.said)

    def test_label_missing_in_the_repository_is_made_with_words(self):
        self.state.repository_labels.clear()
        self.assertEqual(0, self.apply(decision(add=[LABEL])))
        self.assertIn(("POST", "/repos/pytorch/pytorch/labels"), self.changes())
        self.assertEqual([LABEL], self.state.labels[NUMBER])

    def test_label_made_by_another_job_meanwhile_is_no_failure(self):
        self.state.repository_labels.clear()
        self.state.before["make_label"] = lambda: self.state.repository_labels.add(LABEL)
        self.assertEqual(0, self.apply(decision(add=[LABEL])))
        self.assertEqual([LABEL], self.state.labels[NUMBER])

    def test_label_removed_by_another_meanwhile_is_no_failure(self):
        self.state.label(NUMBER, LABEL, BOT)
        self.state.before["remove_label"] = lambda: self.state.labels[NUMBER].remove(LABEL)
        self.assertEqual(0, self.apply(decision(remove=[LABEL])))

    def test_words_too_long_for_github_are_cut_at_a_line_and_say_so(self):
        words = self.file("decision.md", "a line of words\n" * 10000)
        self.assertEqual(0, self.apply(decision("blocked"), "--comment", "--markdown", words))
        self.assertTrue(
            self.state.comments[0]["body"].endswith(
                "The rest is cut; decision.json has all of it.\n"
            )
        )


class FindsThePullRequest(Case):
    def test_of_a_fork_by_its_branch_among_many(self):
        for number in range(20, 29):
            self.state.add_pull(number, MOVED, branch=f"other-{number}")
        self.apply(decision("blocked", add=[LABEL]))
        self.assertEqual([LABEL], self.state.labels[NUMBER])
        self.assertEqual([[]] * 9, [self.state.labels[number] for number in range(20, 29)])

    def test_of_the_same_repository_by_the_event(self):
        self.assertEqual(
            0,
            self.apply(
                event=workflow_run(pull_requests=[{"number": NUMBER}], head_repository=None)
            ),
        )
        self.assertEqual(1, len(self.state.check_runs))

    def test_head_that_moved_meanwhile_is_left_alone(self):
        self.state.pulls[NUMBER]["head"]["sha"] = MOVED
        self.assertEqual(0, self.apply(decision("blocked", add=[LABEL]), "--comment"))
        self.assertEqual([], self.changes())
        self.assertIn("its head is now dddddddddddd", self.said)

    def test_closed_pull_request_is_left_alone(self):
        self.state.pulls[NUMBER]["state"] = "closed"
        self.assertEqual(0, self.apply(decision("blocked", add=[LABEL])))
        self.assertEqual([], self.changes())

    def test_two_with_one_head_are_undecided_in_words(self):
        self.state.add_pull(8, SHA)
        self.assertEqual(0, self.apply(decision("pass", add=[LABEL])))
        (run,) = self.state.check_runs
        self.assertEqual(("action_required", SHA), (run["conclusion"], run["head_sha"]))
        self.assertIn("#7 and #8 have the same head", run["output"]["summary"])
        self.assertEqual(([], []), (self.state.labels[NUMBER], self.state.labels[8]))

    def test_of_another_repository_is_left_alone(self):
        self.state.pulls[NUMBER]["base"]["repo"]["full_name"] = "else/where"
        self.assertEqual(0, self.apply(event=workflow_run(pull_requests=[{"number": NUMBER}])))
        self.assertEqual([], self.changes())

    def test_number_in_the_decision_means_nothing(self):
        self.state.add_pull(8, MOVED, branch="victim")
        self.apply(decision("blocked", add=[LABEL], number=8, pull_request=8))
        self.assertEqual([], self.state.labels[8])
        self.assertEqual([LABEL], self.state.labels[NUMBER])

    def test_event_that_is_not_of_a_pull_request_is_refused(self):
        for event in (
            {"push": {}},
            workflow_run(event="push"),
            workflow_run(sha="HEAD; rm"),
            {"workflow_run": 3},
        ):
            self.assertEqual(65, self.apply(event=event), event)
        self.assertEqual([], self.changes())


class Context(Case):
    def test_files_and_labels_are_written_for_the_gate(self):
        self.state.pulls[NUMBER]["labels"] = [{"name": "module: PrivateUse1"}]
        self.state.files[NUMBER] = [{"filename": f"c10/core/{i}.h"} for i in range(5)]
        self.state.files[NUMBER].append({"filename": "new.h", "previous_filename": "old.h"})
        self.state.files[NUMBER].append({"filename": "two\nlines"})
        self.assertEqual(0, self.run_program("context", "--out", str(self.folder / "pr")))
        files = (self.folder / "pr" / "changed_files.txt").read_text().splitlines()
        self.assertEqual([f"c10/core/{i}.h" for i in range(5)] + ["new.h", "old.h"], files)
        self.assertEqual("module: PrivateUse1\n", (self.folder / "pr" / "labels.txt").read_text())
        self.assertEqual("b" * 40, (self.folder / "pr" / "base_sha.txt").read_text().strip())

    def test_nothing_is_written_for_a_head_that_moved(self):
        self.state.pulls[NUMBER]["head"]["sha"] = MOVED
        self.assertEqual(0, self.run_program("context", "--out", str(self.folder / "pr")))
        self.assertEqual([], list((self.folder / "pr").iterdir()))


class Refusals(Case):
    def test_token_of_a_fork_is_explained(self):
        self.assertEqual(
            1, self.apply(decision("blocked", add=[LABEL]), "--comment", token=READ_ONLY)
        )
        self.assertIn("read-only token", self.said)
        self.assertEqual(3, self.said.count(": 403, "))
        self.assertEqual([], self.waits)

    def test_no_token_is_explained(self):
        self.assertEqual(1, self.apply(token=""))
        self.assertIn("401, the token is not valid", self.said)

    def test_values_github_refuses_do_not_stop_the_rest(self):
        self.state.known_commits.clear()
        self.assertEqual(1, self.apply(decision("blocked", add=[LABEL])))
        self.assertIn("422", self.said)
        self.assertEqual([LABEL], self.state.labels[NUMBER])

    def test_rate_limit_is_waited_out(self):
        self.state.refusals = [
            Answer(
                403, {"message": "You have exceeded a secondary rate limit"}, {"Retry-After": "7"}
            ),
            Answer(429, {}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}),
            Answer(403, {"message": "API rate limit exceeded"}),
        ]
        self.assertEqual(0, self.apply())
        self.assertEqual([7, 1, 240], self.waits)
        self.assertEqual(1, len(self.state.check_runs))

    def test_rate_limit_of_hours_is_not_waited_out(self):
        self.state.refusals = [Answer(403, {}, {"Retry-After": "7200"})]
        self.assertEqual(1, self.apply())
        self.assertEqual([], self.waits)

    def test_server_errors_are_asked_again_only_where_nothing_can_happen_twice(self):
        self.state.refusals = [Answer(502, {}), Answer(500, {})]
        self.assertEqual(0, self.apply())
        self.assertEqual([1, 2], self.waits)
        self.state.before["make_check_run"] = lambda: (_ for _ in ()).throw(Answer(502, {}))
        self.assertEqual(1, self.apply())
        self.assertEqual([1, 2], self.waits)

    def test_next_page_elsewhere_does_not_get_the_token(self):
        self.state.comments = [
            {"id": i + 1, "issue": NUMBER, "user": {"login": "x"}, "body": ""} for i in range(5)
        ]
        self.state.evil_link = "http://127.0.0.1.example.net"
        self.assertEqual(1, self.apply(decision("blocked"), "--comment"))
        self.assertIn("not at the endpoint", self.said)

    def test_redirect_is_not_followed(self):
        self.state.refusals = [Answer(302, {}, {"Location": "http://example.net/"})]
        self.assertEqual(1, self.apply())

    def test_endpoint_without_encryption_is_refused(self):
        with self.assertRaises(ValueError):
            github_api.Client("http://api.example.net", "secret")

    def test_server_that_is_gone_is_said(self):
        with self.assertRaises(github_api.Refused):
            github_api.Client("http://127.0.0.1:9", "x", wait=self.waits.append).get("/x")
        self.assertEqual([1, 2, 4, 8], self.waits)


class HostileDecisions(Case):
    def test_only_the_policys_label_may_be_set(self):
        for labels in (
            {"add": ["release notes: x"], "remove": []},
            {"add": [], "remove": ["triaged"]},
            {"add": ["suppress-oot-gate"], "remove": []},
            {"add": [LABEL], "remove": [LABEL]},
            {"add": LABEL, "remove": []},
            {"add": [{}], "remove": []},
            {},
            None,
        ):
            self.assertEqual(65, self.apply(decision(labels=labels)), labels)
        self.assertEqual([], self.state.requests)

    def test_what_is_no_decision_is_refused(self):
        for text in (
            "",
            "[]",
            "[" * 200000,
            '{"schema": "assay/decision/2"}',
            "\x00",
            json.dumps(decision("green")),
        ):
            self.assertEqual(65, self.apply(text), text[:20])
        self.assertEqual([], self.state.requests)

    def test_a_decision_larger_than_the_limit_is_refused(self):
        self.assertEqual(65, self.apply(" " * (pull_request.DECISION_MOST + 1)))

    def test_log_shows_no_workflow_command(self):
        self.apply(
            decision("blocked", labels={"add": ["x\n::set-output name=a::b\x1b[2J"], "remove": []})
        )
        self.assertFalse(
            [line for line in self.said.splitlines() if not line.startswith("pull_request: ")]
        )
        self.assertNotIn("\x1b", self.said)


class Agreements(unittest.TestCase):
    def test_labels_are_those_of_the_contract(self):
        text = (ROOT / "conformance.yaml").read_text()
        self.assertEqual(yaml.safe_load(text)["labels"], pull_request.read_labels(ASSAY))

    def test_a_contract_that_cannot_be_read_changes_nothing(self):
        with self.assertRaises(pull_request.WrongInput):
            pull_request.read_labels("false")

    def test_the_schema_knows_every_member_that_is_read(self):
        schema = json.loads(SCHEMA.read_text())
        for member in ("schema", "decision", "overridden", "summary", "labels"):
            self.assertIn(member, schema["required"])
        self.assertEqual(
            set(pull_request.CONCLUSIONS), set(schema["properties"]["decision"]["enum"])
        )
        self.assertEqual("assay/decision/1", schema["properties"]["schema"]["const"])


if __name__ == "__main__":
    unittest.main()
