# SPDX-License-Identifier: BSD-3-Clause
"""Tests the programs in the steps of the action with the variables and files that GitHub provides."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase

HERE = Path(__file__).resolve().parent
MIXED = HERE.parents[1] / "reports" / "testdata" / "runs" / "mixed"
ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
# Writes its arguments, one per line, and exits with the given status.
STAND_IN = '#!/bin/sh\nprintf "%s\\n" "$@" > "$SAID"\nexit "$STATUS"\n'


class Case(FolderCase):
    def call(self, script, *words, **variables):
        self.output, self.summary = self.folder / "output", self.folder / "summary"
        environment = {
            "PATH": os.environ["PATH"],
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            **variables,
        }
        done = subprocess.run(
            [HERE / script, *words], env=environment, capture_output=True, text=True, check=False
        )
        self.stderr = done.stderr
        return done.returncode


class RunTarget(Case):
    def run_target(self, status, **variables):
        program = self.folder / "assay"
        program.write_text(STAND_IN)
        program.chmod(0o755)
        code = self.call(
            "run_target",
            "runs/x",
            ASSAY=str(program),
            STATUS=str(status),
            SAID=str(self.folder / "said"),
            **variables,
        )
        return code, (self.folder / "said").read_text().splitlines()

    def test_status_of_a_run_is_an_output_not_a_failure(self):
        for status in (0, 1, 2):
            self.assertEqual(0, self.run_target(status)[0])
            self.assertEqual(f"exit-status={status}", self.output.read_text().splitlines()[-1])

    def test_no_run_is_a_failure(self):
        for status in (64, 65, 71):
            self.assertEqual(status, self.run_target(status)[0])

    def test_variables_become_arguments_and_never_commands(self):
        _, words = self.run_target(
            0,
            ASSAY_TARGET="a b.yaml",
            ASSAY_SELECT="$(id) ; x",
            ASSAY_FAIL_ON="should",
            ASSAY_EXPECTATIONS="known; failures.yaml",
            ASSAY_ARGUMENTS="--jobs 2 `id`",
        )
        self.assertEqual(
            [
                "run",
                "--target",
                "a b.yaml",
                "--out",
                "runs/x",
                "--fail-on",
                "should",
                "--select",
                "$(id) ; x",
                "--expectations",
                "known; failures.yaml",
                "--jobs",
                "2",
                "`id`",
            ],
            words,
        )

    def test_nothing_given_is_the_fake_device(self):
        self.assertEqual(
            ["run", "--target", "fakedev", "--out", "runs/x", "--fail-on", "must"],
            self.run_target(0)[1],
        )


class Install(Case):
    def test_a_vendor_gets_the_wheel_and_no_build_of_the_fake_device(self):
        """Runs in a copy of the script's files, with stand-ins for everything that would be fetched."""
        (self.folder / "ci" / "github").mkdir(parents=True)
        for name in ("setup", "torch-pin", "packages.txt", "github/install"):
            shutil.copy(HERE.parent / name, self.folder / "ci" / name)
        tools = self.folder / "tools"
        tools.mkdir()
        pip = '#!/bin/sh\necho pip "$@" >> "$SAID"\n'
        makes_venv = f"#!/bin/sh\nmkdir -p $3/bin\ncat > $3/bin/pip <<'END'\n{pip}END\nchmod +x $3/bin/pip\n"
        for name, text in {"python3": makes_venv, "cmake": '#!/bin/sh\necho cmake >> "$SAID"\n',
                           "sudo": "#!/bin/sh\n"}.items():
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        said = self.folder / "said"
        code = self.call(self.folder / "ci/github/install", PATH=f"{tools}:{os.environ['PATH']}", SAID=str(said),
                         ASSAY_TORCH="--pre torch", ASSAY_INSTALL="./mine $(id)")
        self.assertEqual(0, code, self.stderr)
        options = "pip install --quiet --disable-pip-version-check"
        self.assertEqual([f"{options} --pre torch numpy setuptools wheel", f"{options} {self.folder}",
                          f"{options} --no-build-isolation ./mine $(id)"], said.read_text().splitlines())


class WriteReports(Case):
    def test_every_report_is_there(self):
        out = self.folder / "reports"
        self.assertEqual(
            0, self.call("write_reports", MIXED, out, ASSAY=str(ASSAY), ASSAY_LINK="https://x/y")
        )
        files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
        self.assertEqual(
            {
                "report.html",
                "report.json",
                "summary.md",
                "assay.sarif",
                "badge.json",
                "benchmark-results/assay.json",
                "relay.json",
                "test-reports/python-pytest/assay_foo_yaml/assay_foo_yaml-1.xml",
            },
            files,
        )
        self.assertEqual((out / "summary.md").read_text(), self.summary.read_text())
        self.assertIn("https://x/y", self.summary.read_text())
        outputs = dict(line.split("=", 1) for line in self.output.read_text().splitlines())
        self.assertEqual("failure", outputs["conclusion"])
        self.assertEqual(json.loads((out / "relay.json").read_text())["torch_git"], outputs["torch-git"])
        self.assertEqual(
            {"passed": 3, "failed": 5, "skipped": 3, "total": 11},
            json.loads(outputs["test-results"]),
        )

    def test_run_that_cannot_be_read_is_said(self):
        self.assertEqual(
            1, self.call("write_reports", self.folder, self.folder / "reports", ASSAY=str(ASSAY))
        )
        self.assertIn("no report.html", self.stderr)
        self.assertFalse(self.output.exists())


@unittest.skipUnless((ASSAY.parent / "assay-facts").is_file(), "built without libclang")
class CompareHeaders(Case):
    HEADER = "struct Allocator {\n  virtual void* allocate(long n) const = 0;\n};\n"

    def git(self, *words):
        done = subprocess.run(["git", "-C", self.folder / "pytorch", "-c", "user.name=t", "-c", "user.email=t@t", *words],
                              capture_output=True, text=True, check=True)  # fmt: skip
        return done.stdout.strip()

    def checkout(self):
        for name in ("pytorch/aten/src/ATen/a.h", "pytorch/torch/csrc/a.h", "generated/c10/core/Device.h"):
            self.write(name, "#pragma once\n")
        self.write("pytorch/c10/core/Allocator.h", f"#pragma once\nnamespace c10 {{\n{self.HEADER}}}\n")
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "base")
        self.write("pytorch/c10/core/Allocator.h", f"#pragma once\nnamespace c10 {{\n{self.HEADER.replace(' const', '')}}}\n")
        self.git("commit", "--quiet", "-am", "head")

    def uses(self):
        entry = {"id": "cxx:c10::Allocator::allocate(long) const", "ways": {"override": ["source"]}, "where": ["mine.cc:7"]}
        self.write("uses/mine.json", json.dumps({"schema": "assay/uses/1", "name": "mine", "torch": [], "entries": [entry]}))

    def compare(self, *words):
        return self.call("compare_headers", *words, ASSAY=str(ASSAY), ASSAY_GENERATED=str(self.folder / "generated"),
                         ASSAY_USES=str(self.folder / "uses"), ASSAY_SECTIONS="cxx", XDG_CACHE_HOME=str(self.folder))  # fmt: skip

    def test_two_revisions_are_a_comparison_for_the_gate_and_a_summary(self):
        self.checkout()
        self.uses()
        out = self.folder / "out"
        self.assertEqual(self.compare(self.folder / "pytorch", "HEAD~1", "HEAD", out), 0, self.stderr)
        self.assertEqual(self.output.read_text(), "exit-status=1\n")
        (backend,) = json.loads((out / "drift.json").read_text())["backends"]
        self.assertEqual((backend["name"], backend["breaks"]), ("mine", 1))
        self.assertIn("**mine**: breaks at 1", self.summary.read_text())
        judged = subprocess.run([ASSAY, "gate", "--drift", out / "drift.json"], capture_output=True, text=True)
        self.assertIn("oot: needs adaptation", judged.stdout)

    def test_what_is_no_revision_is_a_failure_and_no_comparison(self):
        self.checkout()
        self.uses()
        self.assertEqual(self.compare(self.folder / "pytorch", "HEAD", "nowhere", self.folder / "out"), 65)
        self.assertIn("does not know the revision nowhere", self.stderr)
        self.assertFalse((self.folder / "out/drift.json").exists())


if __name__ == "__main__":
    unittest.main()
