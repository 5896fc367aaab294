# SPDX-License-Identifier: BSD-3-Clause
"""Tests pin_update.py with the stand-in for GitHub."""

import json
import unittest

import pin_update
from fixtures.github_case import GitHubCase


class Case(GitHubCase):
    def run_program(self, *words):
        return self.status_of(pin_update.main, words)


class Newest(Case):
    def ask(self, version, pin="2.13.0\n"):
        report = {"install": [{"metadata": {"name": "torch", "version": version}}]}
        status = self.run_program(
            "newest",
            "--report",
            self.file("pip.json", json.dumps(report)),
            "--pin",
            self.file("pin", pin),
        )
        return status, self.said

    def test_only_a_newer_release_is_said(self):
        for version, said in (
            ("2.14.0+cpu", "version=2.14.0\n"),
            ("2.13.0+cpu", ""),
            ("2.9.1", ""),
            ("2.13.1", "version=2.13.1\n"),
            ("3.0", "version=3.0\n"),
        ):
            self.assertEqual((0, said), self.ask(version))

    def test_what_is_no_release_is_refused(self):
        for version in ("2.14.0.dev20261101", "2.14\nx=y", "", "$(id)"):
            self.assertEqual(65, self.ask(version)[0], version)

    def test_report_without_torch_is_refused(self):
        for text in ("{}", '{"install": []}', "no"):
            self.assertEqual(
                65, self.run_program("newest", "--report", self.file("pip.json", text))
            )


class Publish(Case):
    def publish(self, green, differences="guard.x: pass became fail\n", version="2.14.0"):
        return self.run_program(
            "publish",
            "--api",
            self.address,
            "--repository",
            self.state.repository,
            "--version",
            version,
            "--green",
            self.file("green.txt", green),
            "--differences",
            self.file("differences.txt", differences),
        )

    def test_both_say_what_the_new_torch_changes_for_backends(self):
        drift = self.file("drift.txt", "BREAKS\n  c10::A::f(): removed ```\n@everyone\n")
        words = ("publish", "--api", self.address, "--repository", self.state.repository, "--version", "2.14.0",
                 "--differences", self.file("differences.txt", "x"), "--drift", drift)  # fmt: skip
        for green in ("true", "false"):
            self.assertEqual(0, self.run_program(*words, "--green", self.file("green.txt", green)))
        (pull,) = self.state.pulls.values()
        for body in (pull["body"], self.open_issues()[0]["body"]):
            self.assertIn("changes for backends:\n\n````text\nBREAKS\n  c10::A::f(): removed", body)

    def open_issues(self):
        return [issue for issue in self.state.issues if issue["state"] == "open"]

    def test_green_is_a_pull_request_once(self):
        for _ in range(2):
            self.assertEqual(0, self.publish("true\n"))
        self.assertEqual(
            ["torch-pin/2.14.0"], [pull["head"]["ref"] for pull in self.state.pulls.values()]
        )
        self.assertEqual([], self.state.issues)

    def test_red_is_one_issue_with_the_differences(self):
        for number in range(5):
            self.state.issues.append(
                {"number": number, "state": "open", "title": "other", "body": None}
            )
        for version in ("2.14.0", "2.14.0", "2.15.0"):
            self.assertEqual(0, self.publish("false\n", version=version))
        self.assertEqual({}, self.state.pulls)
        self.assertEqual(6, len(self.open_issues()))
        self.assertEqual("torch 2.15.0: the pin cannot move", self.state.issues[5]["title"])
        self.assertIn("guard.x: pass became fail", self.state.issues[5]["body"])

    def test_what_is_not_said_to_be_green_is_red(self):
        self.publish("")
        self.assertEqual(1, len(self.open_issues()))

    def test_green_again_closes_the_issue(self):
        self.publish("false")
        self.publish("true")
        self.assertEqual([], self.open_issues())

    def test_differences_cannot_leave_their_block(self):
        self.publish("false", "a\n```\n````\n@everyone\x1b[2J\n")
        body = self.state.issues[0]["body"]
        self.assertEqual(2, body.count("\n`````"))
        self.assertTrue(body.endswith("\n`````\n"))
        self.assertNotIn("\x1b", body)

    def test_differences_too_long_for_github_are_cut(self):
        self.publish("false", "a line of words\n" * 10000)
        self.assertLess(len(self.state.issues[0]["body"]), 65536)
        self.assertIn("[cut; the artifact has all of it]", self.state.issues[0]["body"])

    def test_version_that_is_none_is_refused(self):
        self.assertEqual(65, self.publish("true", version="2.14.0; rm"))
        self.assertEqual([], self.state.requests)


if __name__ == "__main__":
    unittest.main()
