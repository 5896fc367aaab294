# SPDX-License-Identifier: BSD-3-Clause
"""Applies every rule of workflow_rules.py to the tree's workflows, and shows that each rule can fail."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import rules
import workflow_rules

GOOD = """
name: x
on:
  schedule:
    - cron: "1 2 * * 3"
permissions: {contents: read}
jobs:
  a:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    strategy: {matrix: {side: [head], include: [{side: head, more: 1}]}}
    steps:
      - uses: actions/checkout@v4
      - id: one
        if: ${{ !cancelled() && matrix.more == '1' }}
        env: {SIDE: "${{ matrix.side }}"}
        run: echo "$SIDE"
      - run: echo "$VALUE"
        env: {VALUE: "${{ steps.one.outputs.value }}"}
      - uses: ./ci/github
        with: {target: fakedev}
  b:
    needs: a
    if: needs.a.result == 'success'
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: "true"
"""
# (rule, text in GOOD, replacement)
BROKEN = (
    (
        "keys_are_known",
        "    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    strategy",
        "    runs_on: x\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    strategy",
    ),
    ("keys_are_known", "      - id: one\n", "      - id: one\n        envs: {}\n"),
    ("jobs_say_where_and_how_long", "    timeout-minutes: 5\n    strategy", "    strategy"),
    ("steps_do_one_thing", "      - uses: actions/checkout@v4\n", "      - name: nothing\n"),
    ("steps_do_one_thing", "      - run: echo", "      - id: one\n        run: echo"),
    ("actions_are_pinned", "actions/checkout@v4", "someone/checkout@v4"),
    ("actions_are_pinned", "actions/checkout@v4", "actions/checkout@main"),
    ("actions_beside_a_write_token_are_a_commit", "{contents: read}", "{contents: write}"),
    ("local_actions_are_called_right", "./ci/github", "./ci/nothing"),
    ("local_actions_are_called_right", "target: fakedev", "targets: fakedev"),
    ("expressions_refer_to_what_exists", "steps.one.outputs", "steps.two.outputs"),
    ("expressions_refer_to_what_exists", "matrix.side }}", "matrix.sides }}"),
    ("expressions_refer_to_what_exists", "matrix.more ==", "matrx.more =="),
    ("expressions_refer_to_what_exists", "!cancelled()", "!canceled()"),
    ("expressions_refer_to_what_exists", "needs: a\n", "needs: c\n"),
    ("shells_see_no_expression", 'run: echo "$SIDE"', "run: echo ${{ matrix.side }}"),
    ("tokens_are_small", "permissions: {contents: read}\n", ""),
    ("tokens_are_small", "{contents: read}", "{contents: write}"),
    ("tokens_are_small", "{contents: read}", "{content: read}"),
    (
        "privileged_jobs_run_no_foreign_code",
        "actions/checkout@v4\n",
        "actions/checkout@v4\n        with: {ref: x}\n",
    ),
    ("schedules_have_five_fields", "1 2 * * 3", "1 2 * *"),
    ("shell_of_steps_passes_shellcheck", 'run: echo "$VALUE"', "run: echo $VALUE"),
)
# Rules that apply only to certain triggers.
TRIGGERS = {"privileged_jobs_run_no_foreign_code": "on: workflow_run\n"}


def findings(rule, text):
    document = workflow_rules.Document(Path("x.yml"), text)
    return list(getattr(workflow_rules, rule)(document))


def schema_findings(schema, paths):
    """The findings of check-jsonschema, which contains the schemas of workflows and actions."""
    tool = Path(sys.executable).parent / "check-jsonschema"
    done = subprocess.run(
        [tool, "--builtin-schema", schema, *paths], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


class Schemas(unittest.TestCase):
    def test_workflows_and_actions_keep_the_published_schemas(self):
        paths = [path for path in rules.tracked() if workflow_rules.is_workflow(path)]
        for schema, stem in (("github-workflows", False), ("github-actions", True)):
            files = [path for path in paths if (path.stem == "action") == stem]
            status, said = schema_findings("vendor." + schema, files)
            self.assertEqual(0, status, said)

    def test_a_workflow_that_is_none_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.yml"
            path.write_text(GOOD.replace("    runs-on: ubuntu-24.04\n", "    runs: x\n"))
            self.assertEqual(1, schema_findings("vendor.github-workflows", [path])[0])


@unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
class Workflows(unittest.TestCase):
    def test_workflows_of_the_tree_keep_every_rule(self):
        paths = [path for path in rules.tracked() if workflow_rules.is_workflow(path)]
        self.assertGreaterEqual(len(paths), 6)
        for path in paths:
            document = workflow_rules.Document(path)
            for rule in workflow_rules.RULES:
                with self.subTest(path=path.name, rule=rule.__name__):
                    self.assertEqual([], list(rule(document)))

    def test_a_good_workflow_has_no_finding(self):
        for rule in workflow_rules.RULES:
            self.assertEqual([], findings(rule.__name__, GOOD), rule.__name__)

    def test_each_rule_sees_its_violation(self):
        for rule, part, instead in BROKEN:
            with self.subTest(rule, instead=instead):
                self.assertIn(part, GOOD)
                text = GOOD.replace(part, instead, 1)
                if rule in TRIGGERS:
                    schedule = 'on:\n  schedule:\n    - cron: "1 2 * * 3"\n'
                    self.assertIn(schedule, text)
                    text = text.replace(schedule, TRIGGERS[rule])
                self.assertNotEqual([], findings(rule, text))

    def test_an_example_for_other_repositories_names_commits(self):
        example = workflow_rules.Document(Path("guide/scaffold/x.yml"), GOOD)
        self.assertEqual(1, len(list(workflow_rules.actions_are_pinned(example))))

    def test_a_write_token_on_pull_request_is_seen(self):
        text = GOOD.replace("on:\n", "on:\n  pull_request:\n").replace(
            "  b:\n", "  b:\n    permissions: {issues: write}\n"
        )
        self.assertTrue(any("untrusted code" in line for line in findings("tokens_are_small", text)))

    def test_every_rule_is_shown_to_fail(self):
        self.assertEqual(
            {rule.__name__ for rule in workflow_rules.RULES}, {row[0] for row in BROKEN}
        )


if __name__ == "__main__":
    unittest.main()
