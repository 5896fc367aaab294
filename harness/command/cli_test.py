# SPDX-License-Identifier: BSD-3-Clause
"""Tests the command line from outside: help, wrong options, JSON outputs against their schemas, start-up without
torch."""

import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.command.fixtures.schemas import validate

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
SAMPLE = ROOT / "harness" / "plan" / "testdata" / "contract"
MIXED = ROOT / "reports" / "testdata" / "runs" / "mixed"
COMMANDS = ("prove", "list", "explain", "coverage", "report", "gate", "expectations", "bridge", "doctor",
            "completion", "manual")


# A stand-in for an interpreter. Its torch has no compiled parts until it is asked to build them.
INTERPRETER = """#!/bin/sh
case "$3" in
facts) [ -e "{folder}/built" ] && state=cached || state=missing
    printf '%s\\n' 2.13.0 abc /opt/torch '' '' "{folder}" $state "{folder}" cached ;;
build) [ -e "{folder}/refuse" ] && exit 1; echo "$6" >> "{folder}/built" ;;
esac
"""


def assay(*words, data=SAMPLE, **settings):
    environment = {**os.environ, "ASSAY_DATA": str(data), **settings}
    return subprocess.run([str(BUILD / "bin" / "assay"), *map(str, words)], env=environment,
                          capture_output=True, text=True, timeout=60)


class Help(unittest.TestCase):
    def test_every_command_explains_itself(self):
        names = assay("--help").stdout
        for name in COMMANDS:
            self.assertIn(f"  {name} ", names)
        for name in re.findall(r"^  ([a-z]+) ", names, re.MULTILINE):
            page = assay(name, "--help")
            self.assertEqual(page.returncode, 0, page.stderr)
            self.assertTrue(page.stdout.startswith(f"assay {name}: "), page.stdout)
            self.assertTrue(all(len(line) <= 80 for line in page.stdout.splitlines()), page.stdout)

    def test_help_and_version_as_everywhere(self):
        self.assertEqual(assay("help", "run").stdout, assay("run", "--help").stdout)
        self.assertEqual(assay("help").stdout, assay("-h").stdout)
        self.assertEqual(assay("-V").stdout, assay("--version").stdout)
        self.assertIn('did you mean "run"?', assay("help", "rnu").stderr)

    def test_without_a_command_is_wrong_usage(self):
        self.assertEqual(assay().returncode, 64)

    def test_every_command_stands_in_the_man_page(self):
        page = assay("manual").stdout
        commands = re.findall(r"(?m)^  (\w+) ", assay("--help").stdout)
        self.assertGreater(len(commands), 20)
        for name in commands:
            self.assertIn(f"\n.SS assay {name} ", page)


class Slips(unittest.TestCase):
    ROWS = (
        (("lst",), 64, 'there is no command "lst"; did you mean "list"?'),
        (("list", "--formt", "json"), 64, 'list has no option "--formt"; did you mean "--format"?'),
        (("list", "--format", "jsn"), 64, '--format is one of text|json, not "jsn"'),
        (("list", "--select"), 64, 'option "--select" needs a value'),
        (("list", "gaurd"), 64, 'did you mean "guard"?'),
        (("list", "a", "b"), 64, "list takes one selection"),
        (("explain", "DEV-01"), 64, 'nothing is called "DEV-01"; did you mean "DEV-001"?'),
        (("explain",), 64, "explain takes one name"),
        (("coverage", "--module", "x"), 64, 'there is no module "x"'),
        (("coverage", "--module", "gaurd"), 64, 'there is no module "gaurd"; did you mean "guard"?'),
        (("list", "--torch", "abc"), 64, '--torch takes the numbers of a release, MAJOR.MINOR, not "abc"'),
        (("list", "--torch", ""), 64, '--torch takes the numbers of a release, MAJOR.MINOR, not ""'),
        (("run", "--last-failed", "/dev/null"), 71, "/dev/null/journal.jsonl: Not a directory"),
        (("repro", "guard.is_registered", "--under", "no-such-program -q"), 64, '--under: there is no program "no-such-program"'),
        (("list", "guard&"), 64, "a name is missing in the selection"),
        (("run", "-k", "nothing_like_it"), 64, 'no check\'s id contains "nothing_like_it" (-k)'),
        (("list", "--format", "jsno"), 64, '--format is one of text|json, not "jsno"; did you mean "json"?'),
        (("report", "--format", "jnit", MIXED), 64, 'did you mean "junit"?'),
        (("run", "--isolation", "fork-clear"), 64, 'did you mean "fork-clean"?'),
        (("run", "--failed-first", "nope"), 64, "--failed-first: there is no run in nope"),
        (("run", "--refuse", "foo"), 64, '--refuse takes a means, such as aten::mm'),
        (("causes", "nope"), 65, "there is no run in nope"),
        (("run", "--resume", "nope"), 65, "there is no run in nope"),
        (("history", "export", "--db", "/nonexistent.db"), 65, "there is no history in /nonexistent.db"),
        (("causes",), 64, "name the run: assay causes RUN"),
        (("doctor", "x"), 64, '"x" is not an option'),
        (("bridge",), 64, "the only bridge command is: assay bridge build"),
        (("bridge", "build", "--where", "--python", "/no/python"), 65, "/no/python did not say which torch it has"),
        (("bridge", "build", "--python", "/no/python"), 65, "/no/python did not say which torch it has"),
        (("report", "--format", "pdf", MIXED), 64, 'there is no format "pdf"; there are text, json'),
        (("gate", "--head", MIXED, "--out", "x", "--markdown", "x"), 64, "--out and --markdown need a file each"),
        (("gate",), 64, "--head is missing: the run to judge"),
        (("gate", "runs/x"), 64, '"runs/x" is not an option; name the runs with --head'),
        (("gate", "--head", MIXED, "--changed-files", "/nonexistent"), 65, "/nonexistent"),
        (("gate", "--head", MIXED, "--select", "gaurd"), 64, 'did you mean "guard"?'),
        (("expectations",), 64, "check FILE..., or update FILE RUN..."),
        (("expectations", "update", "x.yaml"), 64, "update takes the file and 1 to 64 runs"),
        (("expectations", "check", "/nonexistent.yaml"), 65, "is not there"),
        (("report",), 64, "give the folder of a run"),
        (("report", "/nonexistent"), 65, "does not exist, so this is no run: give the folder"),
    )

    def test_a_slip_is_answered_with_what_was_meant(self):
        for words, status, sentence in self.ROWS:
            with self.subTest(words=words):
                result = assay(*words)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(sentence, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_a_slip_in_a_target_is_answered_with_the_nearest_one(self):
        done = assay("run", "--target", "fakedve", data=ROOT)
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertIn('there is no target "fakedve"; did you mean "fakedev"? There are fakedev, ', done.stderr)

    def test_a_wrong_contract_is_bad_input(self):
        with tempfile.TemporaryDirectory() as folder:
            wrong = shutil.copytree(ROOT / "harness/contract/testdata/good", Path(folder) / "wrong")
            contract = wrong / "suites/guard/contract.yaml"
            contract.write_text(contract.read_text().replace("covers:", "cover:"))
            result = assay("list", data=wrong)
        self.assertEqual(result.returncode, 65)
        self.assertIn('unknown key "cover"; did you mean "covers"?', result.stderr)

    def test_a_wrong_data_folder_is_named(self):
        result = assay("list", data="/nonexistent")
        self.assertEqual(result.returncode, 65)
        self.assertIn("ASSAY_DATA is /nonexistent", result.stderr)

    def test_a_full_disk_is_not_success(self):
        for words in (("list",), ("list", "--format", "json"), ("--help",), ("--version",), ("explain", "DEV-001")):
            for output in ("/dev/full", "&-"):
                done = subprocess.run(["bash", "-c", f'"$0" "$@" >{output}', BUILD / "bin/assay", *words], text=True,
                                      capture_output=True, env={**os.environ, "ASSAY_DATA": str(SAMPLE)}, timeout=60)
                self.assertEqual(done.returncode, 71, words)
                self.assertIn("assay: cannot write the output", done.stderr, words)

    def test_a_small_stack_is_raised_or_named(self):
        for hard, expected in ((resource.RLIM_INFINITY, 0), (64 << 10, 71)):
            told = subprocess.run([BUILD / "bin/assay", "list"], capture_output=True, text=True, timeout=60,
                                  env=os.environ | {"ASSAY_DATA": str(SAMPLE)},
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (64 << 10, hard)))
            self.assertEqual((told.returncode, told.stderr.count("below the 256 KiB that assay needs")), (expected, expected != 0))


class Outputs(unittest.TestCase):
    def expect_schema(self, kind, *words):
        result = assay(*words, "--format", "json")
        self.assertIn(result.returncode, (0, 65), result.stderr)
        document = json.loads(result.stdout)
        validate(document, kind)
        return document

    def test_list_names_every_check(self):
        document = self.expect_schema("list", "list")
        checks = {check["id"]: check for check in document["checks"]}
        self.assertEqual(len(checks), 8)
        self.assertEqual(checks["guard.exchange"]["builds_on"], ["guard.registered", "streams.probe"])
        self.assertEqual(checks["streams.order"]["capability"], "streams")
        self.assertIsNone(checks["two.needs_two"]["capability"])
        self.assertEqual(checks["streams.probe"]["kind"], "python")

    def test_list_of_a_selection_names_only_that(self):
        document = self.expect_schema("list", "list", "guard&should")
        self.assertEqual([check["id"] for check in document["checks"]], ["guard.scope"])

    def test_coverage_counts_by_level(self):
        document = self.expect_schema("coverage", "coverage")
        self.assertEqual(document["summary"]["must"],
                         {"total": 4, "checked": 4, "untested_with_reason": 0})
        self.assertIn("guard.scope", document["checks_without_fault"])
        self.assertNotIn("streams.order", document["checks_without_fault"])

    def test_report_is_of_its_schema(self):
        document = self.expect_schema("report", "report", MIXED)
        self.assertEqual(document["totals"]["blocked"], 2)

    def test_doctor_is_of_its_schema(self):
        self.expect_schema("doctor", "doctor")

    def test_doctor_tells_what_is_compiled_for_torch(self):
        answers = json.loads(assay("doctor", "--format=json").stdout)["answers"]
        states = {row["name"]: row for row in answers}
        for name in ("torch", "bridge", "fake device"):
            self.assertIn(states[name]["state"], ("good", "poor"), states[name])
        if (BUILD / "lib" / "assay_bridge.torch").exists():  # a build with torch has a bridge for this torch
            self.assertEqual(states["bridge"]["state"], "good", states["bridge"])

    def test_doctor_compiles_ahead_what_is_missing_when_told_to(self):
        with tempfile.TemporaryDirectory() as folder:
            python = Path(folder, "python")
            python.write_text(INTERPRETER.format(folder=folder))
            python.chmod(0o755)
            self.assertIn("not compiled for this torch yet", assay("doctor", ASSAY_PYTHON=str(python)).stdout)
            Path(folder, "refuse").touch()
            refused = assay("doctor", "--build", ASSAY_PYTHON=str(python))
            self.assertEqual((refused.returncode, "could not be built" in refused.stdout), (65, True), refused.stdout)
            Path(folder, "refuse").unlink()
            said = assay("doctor", "--build", ASSAY_PYTHON=str(python)).stdout
            self.assertRegex(said, r"good  bridge +cached")
            self.assertEqual(Path(folder, "built").read_text(), "bridge\n")

    def test_plan_of_a_run_is_of_its_schema(self):
        validate(json.loads((MIXED / "plan.json").read_text()), "plan")

    def test_explain_knows_every_sort_of_name(self):
        for name, member in (("DEV-002", "requirement"), ("guard.exchange", "check"),
                             ("streams", "capability"), ("two", "module"), ("blocked", "verdict")):
            document = self.expect_schema("explain", "explain", name)
            self.assertIn(member, document)
            self.assertEqual(assay("explain", name).returncode, 0)

    def test_explain_header_names_clauses_and_checks_of_a_file(self):
        document = self.expect_schema("explain", "explain", "--header", "torch/include/c10/core/Stream.h")
        self.assertEqual((document["requirements"], document["checks"]), (["STRM-002"], ["streams.priority"]))
        document = self.expect_schema("explain", "explain", "--header", "c10/core/Stream.h:Stream::id")
        self.assertEqual(document["requirements"], ["STRM-002"])
        for nothing in ("c10/core/Nothing.h", "c10/core/Stream.h:Other"):
            told = assay("explain", "--header", nothing)
            self.assertEqual((told.returncode, "no clause has this anchor" in told.stdout), (1, True))
            self.assertEqual(assay("explain", "--header", nothing, "--format", "json").returncode, 1)
        self.assertIn("c10/core/Stream.h?", assay("explain", "--header", "Stream.h").stdout)
        self.assertEqual(assay("explain", "blocked", "--header", "a.h").returncode, 64)

    def test_run_changed_that_nothing_is_anchored_in_runs_nothing(self):
        done = assay("run", "--target", "nowhere.yaml", "--changed", "c10/core/Nothing.h,README.md")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("unknown: README.md: no clause is anchored in this file", done.stderr)
        self.assertIn("0 checks are about what changed; 8 others are not selected", done.stderr)
        for file in ("c10/core/Stream.h", "c10/core/Stream.h:Stream::id"):
            done = assay("run", "--target", "nowhere.yaml", "--changed", file)
            self.assertIn("1 check is about what changed; 7 others are not selected", done.stderr)
        self.assertEqual(assay("run", "--changed", "a.h", "--select", "all").returncode, 64)


class Completion(unittest.TestCase):
    def test_completion_of_fish_has_every_command_and_option(self):
        said = assay("completion", "--shell", "fish").stdout
        for name in re.findall(r"^  ([a-z]+) ", assay("--help").stdout, re.MULTILINE):
            self.assertIn(f"complete -c assay -n __fish_use_subcommand -fa {name} -d '", said)
        self.assertIn("-n '__fish_seen_subcommand_from run' -l select -r -d '", said)
        self.assertIn("-n '__fish_seen_subcommand_from run' -l fail-on -xa 'must should' -d '", said)
        for line in said.splitlines():  # every quote is closed
            self.assertEqual(re.sub(r"\\.", "", line).count("'") % 2, 0, line)
        self.assertIn('"tcsh" is not an option; name the shell with --shell', assay("completion", "tcsh").stderr)

    def complete(self, *words):
        script = assay("completion").stdout + f"""
COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
_assay; echo "${{COMPREPLY[@]}}"
"""
        result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_words_come_from_the_pages(self):
        self.assertEqual(self.complete("assay", "cov"), ["coverage"])
        self.assertIn("--select", self.complete("assay", "list", "--"))
        self.assertEqual(self.complete("assay", "list", "--format", "j"), ["json"])


if __name__ == "__main__":
    unittest.main()
