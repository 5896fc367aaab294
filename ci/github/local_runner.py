# SPDX-License-Identifier: BSD-3-Clause
"""Runs the shell steps of a workflow's job or of a composite action as GitHub would, for tests:
variables, outputs, conditions. Steps that use other actions are left to the test. Knows only the
part of the expression language that our files use, and refuses the rest.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import yaml


class Failed(Exception):
    pass


class Runner:
    """`uses` is called for each step that uses an action, with the step and its evaluated `with`;
    it returns the step's outputs."""

    def __init__(self, folder, contexts, variables, uses=lambda step, given: {}):
        self.folder, self.contexts, self.uses = Path(folder), dict(contexts), uses
        self.variables = {"PATH": os.environ["PATH"], **variables}
        self.outputs, self.ran = {}, []

    def run_job(self, path, job):
        self.run_steps(yaml.safe_load(Path(path).read_text())["jobs"][job]["steps"])

    def run_action(self, path, inputs):
        body = yaml.safe_load(Path(path).read_text())
        defaults = {name: value.get("default", "") for name, value in body["inputs"].items()}
        self.contexts["inputs"] = {**defaults, **inputs}
        self.variables["GITHUB_ACTION_PATH"] = str(Path(path).parent)
        try:
            self.run_steps(body["runs"]["steps"])
        finally:
            values = {name: self.fill(out["value"]) for name, out in body["outputs"].items()}
        return values

    def run_steps(self, steps):
        failed = None
        for step in steps:
            condition = str(step.get("if", ""))
            # Without a word on the status a step runs only while nothing has failed.
            if failed and "cancelled()" not in condition:
                continue
            if condition and not self.holds(condition):
                continue
            self.ran.append(step.get("name") or step.get("uses"))
            try:
                self.outputs[step.get("id")] = self.run_step(step)
            except Failed as failure:
                if not step.get("continue-on-error"):
                    failed = failed or failure
        if failed:
            raise failed

    def run_step(self, step):
        if "uses" in step:
            return self.uses(step, {k: self.fill(v) for k, v in step.get("with", {}).items()})
        given = {name: self.fill(value) for name, value in step.get("env", {}).items()}
        with tempfile.NamedTemporaryFile("r+") as output:
            environment = {**self.variables, **given, "GITHUB_OUTPUT": output.name}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if step.get("id"):
                self.outputs[step["id"]] = dict(line.rstrip("\n").split("=", 1) for line in output)
        if done.returncode:
            raise Failed(f"{step.get('name')}: {done.returncode}: {done.stdout}{done.stderr}")
        return self.outputs.get(step.get("id"), {})

    # ---- expressions -----------------------------------------------------------------------------

    def fill(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(self.value(m[1].strip())), str(text))

    def value(self, name):
        if re.fullmatch(r"'[^']*'", name):
            return name[1:-1]
        file = re.fullmatch(r"hashFiles\('([^']*)'\)", name)
        if file:
            return "hash" if (self.folder / file[1]).is_file() else ""
        first, either, second = name.partition("||")
        if either:
            return self.value(first.strip()) or self.value(second.strip())
        parts = name.split(".")
        if not re.fullmatch(r"[\w.-]+", name):
            raise NotImplementedError(name)
        if parts[0] == "steps":
            return self.outputs.get(parts[1], {}).get(parts[3], "")
        place = self.contexts
        for part in parts:
            place = place[part]
        return place

    def holds(self, condition):
        bare = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", condition.strip())
        return all(self.term(term.strip()) for term in bare.split("&&"))

    def term(self, term):
        if term == "!cancelled()":
            return True
        left, operator, right = re.fullmatch(r"(.+?)\s*(==|!=)\s*(.+)", term).groups()
        return (self.value(left) == self.value(right)) == (operator == "==")
