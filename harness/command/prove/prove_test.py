# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay prove from outside: a contract with four checks and a target that only has a switchboard.

A fault counts as killed only by a check of a clause that it violates, if that check passes on the clean device."""

import json
import os
import subprocess
import sys
import unittest

from harness.command.fixtures import run_fixture
from harness.command.fixtures.folder_case import FolderCase
from harness.command.fixtures.schemas import validate

REQUIREMENTS = "requirements:\n" + "".join(
    run_fixture.REQUIREMENT.format(n=n, level="must") for n in range(1, 5)
) + "  - {id: SMP-005, level: must, text: Newer., why: Because., anchor: sample.h:x, since: '99.0'}\n"
CHECKS = """\
checks:
  - {id: sample.sees_first, covers: [SMP-001], faults: [sample.first, sample.load], summary: A.}
  - {id: sample.sees_second, covers: [SMP-002], builds_on: [sample.sees_first],
     faults: [sample.second], summary: B.}
  - {id: sample.is_blind, covers: [SMP-003], faults: [sample.third], summary: C.}
  - {id: sample.claims_nothing, covers: [SMP-004], summary: D.}
  - {id: sample.streams_work, covers: [SMP-004], summary: Probe.}
  - {id: sample.streams_are_refused, covers: [SMP-004], summary: Refusal.}
  - {id: sample.is_newer, covers: [SMP-005], faults: [sample.newer], summary: E.}
"""
TESTS = '''\
# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest

import torture_switches


def fault():
    return os.environ.get("TORTURE_FAULT")


class Sample(unittest.TestCase):
    def test_sees_first(self):
        """sample.sees_first"""
        self.assertNotIn(fault(), ("sample.first", "sample.second", "sample.load"))
        self.assertNotIn("SAMPLE_FAILS", os.environ)

    def test_sees_second(self):
        """sample.sees_second"""
        self.assertNotEqual(fault(), "sample.second")
        self.assertNotEqual(os.environ.get("TORTURE_VARIANT"), "other")

    def test_is_blind(self):
        """sample.is_blind"""

    def test_claims_nothing(self):
        """sample.claims_nothing"""

    def test_streams_work(self):
        """sample.streams_work"""

    def test_streams_are_refused(self):
        """sample.streams_are_refused"""

    def test_newer(self):
        """sample.is_newer"""
'''
FAULTS = """\
sample.first\tdriver\tOne.\tSMP-001\t
sample.second\tdriver\tTwo.\tSMP-002,SMP-004\t
sample.third\tdriver\tThree.\tSMP-003\t
sample.nobody\tdriver\tFour.\tSMP-004\t
sample.later\tdriver\tOf a module without checks.\tOTH-001\t
sample.load\tdriver\tSeen, but of another requirement.\tSMP-0011\t
sample.newer\tdriver\tOf what only a newer torch promises.\tSMP-005\t
"""
LATER = """\
requirements:
  - {id: OTH-001, level: must, text: Later., why: Because., anchor: other.h:x}
"""
OTHER = """\
  other:
    prefix: OTH
    title: A module that has no checks yet
    anchors: [other.h]
gate:"""
VARIANTS = "plain\tAs usual.\nother\tDiffers.\n"
SWITCHES = [
    *(f"sample.{name}" for name in ("first", "second", "third", "nobody", "later", "newer")),
    "sample.load=TORTURE_FAULT=sample.load",
    *(f"{name}=TORTURE_VARIANT={name}" for name in ("plain", "other")),
]


class Proof(FolderCase):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.out = self.folder / "proof"
        suite = self.folder / "data" / "suites" / "sample"
        suite.mkdir(parents=True)
        (suite / "contract.yaml").write_text(REQUIREMENTS + CHECKS)
        (suite / "test_sample.py").write_text(TESTS)
        other = suite.parent / "other"
        other.mkdir()
        (other / "contract.yaml").write_text(LATER)
        for name, text in (
            ("conformance.yaml", run_fixture.CONFORMANCE.replace("gate:", OTHER, 1)),
            ("faults.tsv", FAULTS),
            ("variants.tsv", VARIANTS),
        ):
            (self.folder / "data" / name).write_text(text)
        (self.folder / "nothing.yaml").write_text(
            run_fixture.PROFILE.format(
                python=sys.executable,
                library=run_fixture.BUILD / "tests" / "torture_checks.so",
                path=os.pathsep.join(
                    [str(run_fixture.TORTURE), str(run_fixture.ROOT / "harness" / "host")]
                ),
            )
            + "adapter: switches\n"
        )

    def prove(self, *words, **environment):
        words = words if "--resume" in words else (*words, "--out", self.out)
        result = subprocess.run(
            [run_fixture.BUILD / "bin" / "assay", "prove", "--target=./nothing.yaml", *words],
            env={
                **os.environ, "ASSAY_DATA": str(self.folder / "data"),
                "ASSAY_TORTURE_SWITCHES": " ".join(SWITCHES), **environment,
            },
            capture_output=True,
            text=True,
            timeout=300,
            cwd=self.folder,
        )
        self.said = result.stdout + result.stderr
        self.answer = json.loads(result.stdout) if "--format=json" in words else None
        return result.returncode

    def by_name(self, kind):
        return {row["name"]: row for row in self.answer[kind]}

    def test_claimed_pairs_tell_kills_survivors_and_over_specified_checks(self):
        self.assertEqual(self.prove("--format=json"), 1, self.said)
        validate(self.answer, "prove")
        faults, variants = self.by_name("faults"), self.by_name("variants")
        self.assertEqual(faults["sample.first"]["killed_by"], ["sample.sees_first"])
        # Each pair runs alone. The check on which sample.second builds also fails, but is not run here.
        self.assertEqual(faults["sample.second"]["killed_by"], ["sample.sees_second"])
        self.assertEqual(faults["sample.second"]["collateral"], [])
        self.assertEqual(faults["sample.second"]["violates"], ["SMP-002", "SMP-004"])
        self.assertTrue(faults["sample.third"]["survived"])
        self.assertTrue(faults["sample.nobody"]["survived"])
        self.assertEqual(faults["sample.nobody"]["claimed_by"], [])
        self.assertEqual(faults["sample.nobody"]["awaits"], [])
        self.assertFalse(faults["sample.later"]["survived"])
        self.assertEqual(faults["sample.later"]["awaits"], ["other"])
        self.assertFalse(faults["sample.newer"]["survived"])
        self.assertNotIn("sample.is_newer", self.answer["checks_without_fault"])
        self.assertEqual(variants["plain"]["failed"], [])
        self.assertEqual(variants["other"]["failed"], ["sample.sees_second"])
        self.assertEqual(self.answer["clean"]["failed"], [])
        self.assertIn("sample.is_blind", self.answer["checks_without_fault"])
        self.assertNotIn("sample.sees_first", self.answer["checks_without_fault"])
        self.assertEqual(
            self.answer["summary"],
            {"faults": 7, "killed": 2, "awaiting": 2, "unclaimed": 1, "variants": 2,
             "over_specified": 1, "undecided": 0, "pairs": 42, "pairs_run": 4},
        )

    def test_a_killed_fault_alone_ends_with_0_and_a_survivor_with_1(self):
        self.assertEqual(self.prove("--fault=sample.first"), 0, self.said)
        self.assertIn("by sample.sees_first", self.said)
        self.assertNotIn("awaiting", self.said)
        self.out = self.folder / "second"
        self.assertEqual(self.prove("--fault=sample.third"), 1, self.said)
        self.assertIn("claimed but not detected by sample.is_blind", self.said)

    def test_a_failure_on_the_clean_device_is_no_kill(self):
        self.assertEqual(
            self.prove("--fault=sample.first", "--format=json", SAMPLE_FAILS="1"), 1, self.said
        )
        self.assertTrue(self.by_name("faults")["sample.first"]["survived"])
        self.assertEqual(self.answer["clean"]["failed"], ["sample.sees_first"])

    def test_faults_can_be_proved_without_the_variants(self):
        self.prove("--only-faults", "--format=json")
        self.assertEqual(self.answer["variants"], [])
        self.assertEqual(self.answer["summary"]["over_specified"], 0)
        self.assertIn("sample.first", self.by_name("faults"))

    def test_full_runs_every_check_and_finds_a_kill_nobody_claims(self):
        self.prove("--full", "--fault=sample.second", "--format=json")
        second = self.by_name("faults")["sample.second"]
        self.assertEqual(second["killed_by"], ["sample.sees_second"])
        self.assertEqual(second["collateral"], ["sample.sees_first"])
        self.assertIn("sample.is_blind", self.pairs_of("sample.second"))

    def pairs_of(self, fault):
        """The checks that ran with the fault, in any order."""
        journal = (self.out / "pairs" / "journal.jsonl").read_text()
        records = map(json.loads, journal.splitlines())
        return {one["id"] for one in records if one["event"] == "end" and one["switch"] == fault}

    def test_full_leaves_out_what_a_check_never_asks_for(self):
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        asks = 'setUp = lambda self: torture_switches.ask("sample.nobody")'
        suite.write_text(suite.read_text().replace("class Sample(unittest.TestCase):\n",
                                                   f"class Sample(unittest.TestCase):\n    {asks}\n\n", 1))
        self.prove("--full", "--only-faults", "--format=json")
        for check in ("sees_first", "is_blind", "streams_work"):
            self.assertIn(f"sample.{check}", self.pairs_of("sample.nobody"))
        self.assertIn("sample.is_blind", self.pairs_of("sample.third"), "claimed, though it never asks")
        self.assertNotIn("sample.sees_first", self.pairs_of("sample.third"))
        self.assertEqual(self.pairs_of("sample.later"), set())
        self.assertEqual((42, 10),
                         tuple(self.answer["summary"][key] for key in ("pairs", "pairs_run")))

    def test_full_runs_every_pair_when_nothing_is_known_of_the_questions(self):
        self.prove("--full", "--only-faults", "--format=json", TORTURE_TELLS_NOTHING="1")
        self.assertEqual((42, 42),
                         tuple(self.answer["summary"][key] for key in ("pairs", "pairs_run")))

    def test_a_sample_of_a_full_proof_has_what_is_claimed_and_a_part_of_the_rest(self):
        def pairs_run(sample, seed):
            self.out = self.folder / f"proof-{len(list(self.folder.iterdir()))}"
            self.prove("--full", "--only-faults", "--format=json", f"--sample=1/{sample}", f"--seed={seed}",
                       TORTURE_TELLS_NOTHING="1")
            return self.answer["summary"]["pairs_run"]

        self.assertEqual(pairs_run(100000, 1), 4, "those that are claimed")
        third = pairs_run(3, 1)
        self.assertTrue(4 < third < 36, third)
        self.assertEqual(pairs_run(3, 1), third)

    def test_more_pairs_than_a_plan_holds_are_refused_with_what_to_do(self):
        checks = [f"sample.{number}{'c' * 150}" for number in range(60)]
        suite = self.folder / "data" / "suites" / "sample"
        (suite / "contract.yaml").write_text(REQUIREMENTS + CHECKS + "".join(
            f"  - {{id: {check}, covers: [SMP-004], summary: X.}}\n" for check in checks))
        (suite / "test_sample.py").write_text(TESTS + "".join(
            f'\n    def test_{number}(self):\n        """{check}"""\n' for number, check in enumerate(checks)))
        faults = [f"sample.{'f' * 150}{number}" for number in range(500)]
        (self.folder / "data" / "faults.tsv").write_text(FAULTS + "".join(
            f"{fault}\tdriver\tX.\tSMP-004\t\n" for fault in faults))
        self.assertEqual(self.prove("--full", "--only-faults", TORTURE_TELLS_NOTHING="1",
                                    ASSAY_TORTURE_SWITCHES=" ".join(SWITCHES + faults)), 65, self.said)
        self.assertIn("pairs are too many for the plan of one run", self.said)
        self.assertIn("--sample 1/2", self.said)

    def test_pairs_that_cannot_be_read_are_bad_input(self):
        self.assertEqual(self.prove("--pairs", self.folder / "none"), 65, self.said)
        self.assertIn(f"cannot open {self.folder / 'none'}", self.said)
        self.assertEqual(self.prove("--pairs", self.folder), 65, self.said)
        self.assertIn("is not a regular file", self.said)

    def test_a_cut_proof_goes_on_and_a_finished_run_is_not_made_again(self):
        self.assertEqual(self.prove("--fault=sample.first"), 0, self.said)
        journal = self.out / "pairs" / "journal.jsonl"
        clean = (self.out / "clean" / "journal.jsonl").read_bytes()
        whole = journal.read_bytes()
        journal.write_bytes(whole[: whole.index(b'"start"') + 30])
        self.assertEqual(self.prove("--fault=sample.first", "--resume", self.out), 0, self.said)
        self.assertEqual((self.out / "clean" / "journal.jsonl").read_bytes(), clean)
        self.assertIn(b'"resume"', journal.read_bytes())
        self.assertEqual(self.prove("--fault=sample.first"), 65, self.said)
        self.assertIn("--resume", self.said)

    def test_pairs_are_in_the_journal_with_their_switch_and_in_a_report_by_both_names(self):
        self.prove("--only-faults")
        records = [json.loads(line) for line in (self.out / "pairs" / "journal.jsonl").read_text().splitlines()]
        validate(records[0], "journal")
        seen = {(one["id"], one["switch"], one["verdict"]) for one in records if one["event"] == "end"}
        self.assertEqual(seen, {("sample.sees_first", "sample.first", "fail"),
                                ("sample.sees_second", "sample.second", "fail"),
                                ("sample.is_blind", "sample.third", "pass")})
        at_load = (self.out / "pairs-at-load" / "journal.jsonl").read_text()
        self.assertIn('"switch":"sample.load"', at_load.replace(" ", ""))
        report = subprocess.run([run_fixture.BUILD / "bin" / "assay", "report", self.out / "pairs"],
                                capture_output=True, text=True, timeout=60)
        self.assertIn("sample.sees_first@sample.first", report.stdout, report.stderr)

    def listed(self, *pairs):
        """The results for a list of pairs, one line each."""
        (self.folder / "pairs.tsv").write_text("".join("\t".join(pair) + "\n" for pair in pairs))
        status = self.prove("--pairs=pairs.tsv", "--quiet")
        self.answers = [json.loads(line) for line in self.said.splitlines() if line.startswith("{")]
        return status

    def test_listed_pairs_are_run_alone_and_in_order_up_to_the_first_failure_of_a_switch(self):
        self.assertEqual(self.listed(
            ("sample.second", "sample.claims_nothing"), ("sample.second", "sample.sees_first"),
            ("sample.second", "sample.sees_second"), ("sample.second", "sample.is_blind"),
            ("sample.third", "sample.is_blind"),
            ("sample.load", "sample.sees_first", "TORTURE_FAULT=sample.load")), 0, self.said)
        self.assertEqual([(one["switch"], one["check"], one["verdict"]) for one in self.answers], [
            ("sample.second", "sample.claims_nothing", "pass"), ("sample.second", "sample.sees_first", "fail"),
            *(("sample.second", f"sample.{check}", self.answers[at]["verdict"])
              for at, check in ((2, "sees_second"), (3, "is_blind"))),
            ("sample.third", "sample.is_blind", "pass"), ("sample.load", "sample.sees_first", "fail")])
        # Another process may already have started the next pair.
        self.assertEqual(self.answers[3]["verdict"], "blocked")
        for one in self.answers:
            validate(one, "pair")

    def test_an_empty_list_is_the_clean_device_and_what_each_check_asks_for(self):
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        asks = 'setUp = lambda self: torture_switches.ask("sample.nobody")'
        suite.write_text(suite.read_text().replace("class Sample(unittest.TestCase):\n",
                                                   f"class Sample(unittest.TestCase):\n    {asks}\n\n", 1))
        self.assertEqual(self.listed(), 0, self.said)
        self.assertEqual(self.answers, [])
        asked = self.out / "clean" / "jobs" / "sample.is_blind" / "asked.txt"
        self.assertEqual(asked.read_text().split(), ["sample.nobody"])

    def test_a_list_that_names_no_check_is_refused_with_its_line(self):
        self.assertEqual(self.listed(("sample.third", "sample.is_blind"), ("sample.third", "no.check")), 65, self.said)
        self.assertIn("pairs.tsv, line 2", self.said)
        self.assertEqual(self.listed(("sample.third", "sample.is_blind", "word")), 65, self.said)
        self.assertIn("is not NAME=value", self.said)

    def test_a_target_without_a_switchboard_is_refused_in_a_sentence(self):
        self.assertEqual(self.prove("--fault=sample.first", ASSAY_TORTURE_SWITCHES=""), 65, self.said)
        self.assertIn("offers no assay.switches/1", self.said)

    def test_a_fault_that_the_switchboard_lacks_is_undecided(self):
        self.assertEqual(self.prove("--fault=sample.first", ASSAY_TORTURE_SWITCHES="sample.second"), 1, self.said)
        self.assertIn("claimed but not detected", self.said)
        journal = (self.out / "pairs" / "journal.jsonl").read_text()
        self.assertIn("the target's switchboard has no switch sample.first", journal)

    def test_a_variant_that_cannot_be_run_is_undecided(self):
        path = self.folder / "nothing.yaml"
        path.write_text(path.read_text().replace("torture_target", "no_such_module"))
        self.assertEqual(self.prove("--variant=plain"), 2, self.said)

    def test_what_the_user_has_switched_on_is_off_in_a_proof(self):
        self.assertEqual(
            self.prove("--fault=sample.first", TORTURE_FAULT="sample.second"), 0, self.said
        )
        clean = (self.out / "clean" / "journal.jsonl").read_text()
        self.assertNotIn('"verdict":"fail"', clean.replace(" ", ""))

    def test_unknown_names_are_refused_with_the_nearest(self):
        self.assertEqual(self.prove("--fault=sample.frist"), 64, self.said)
        self.assertIn("sample.first", self.said)
        self.assertEqual(self.prove("--variant=plan"), 64, self.said)
        self.assertIn("plain", self.said)


if __name__ == "__main__":
    unittest.main()
