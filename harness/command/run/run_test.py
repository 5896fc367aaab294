# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay run from outside, with a contract of four checks, a target without a backend, and no torch.

Covers exit status, journal, plan, resume, and merging of shards."""

import json
import os
import re
import select
import shutil
import subprocess
import unittest
from pathlib import Path

import jsonschema

from harness.command.fixtures.run_fixture import BUILD, ROOT, TORTURE, RunCase
from harness.run.torture.torture_driver import MODES


class Command(RunCase):
    maxDiff = None

    def test_a_good_run_ends_with_0(self):
        self.assertEqual(self.run_target(), 0, self.said)
        self.assertEqual(self.verdicts(), self.good)
        (head,) = self.records("run")
        self.assertEqual(head["schema"], "assay/journal/1")
        self.assertEqual(head["target"]["name"], "nothing")
        self.assertEqual(head["contract"]["version"], 7)
        self.assertIn("version", head["torch"])
        self.assertTrue(self.records("finish")[-1]["complete"])
        self.assertEqual(list((self.out / "jobs").glob("sample.passes*")), [])
        self.assertEqual((self.out / "host.log").read_text(), "", "hosts leave without a word")

    def test_a_check_is_told_what_is_claimed_and_not_what_a_probe_saw(self):
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        text = suite.read_text().replace('report.finding(report.SKIP, "lacks streams", None, "streams")', "pass")
        told = "from assay.host import report; self.assertEqual(report.capability('streams'), report.UNKNOWN)"
        suite.write_text(text.replace('self.fail("never run")', told))
        for mode in ("fork-clean", "exec"):
            out = self.folder / mode
            self.assertEqual(self.run_target("--isolation", mode, out=out), 0, self.said)
            self.assertEqual(self.verdicts(out)["sample.uses_streams"], "pass")

    def test_repro_gives_the_devices_that_a_run_gives(self):
        """The second of two counted devices is not usable."""
        text = (TORTURE / "torture_target.py").read_text()
        usable = 'def warm_up():\n    from assay.host import report\n    report.fact("usable devices", "0")\n'
        text = text.replace("def warm_up():\n    pass\n", usable).replace("[0, 1]", "setup.devices or [0, 1]")
        (self.folder / "one_usable.py").write_text(text)
        path = self.folder / "nothing.yaml"
        text = path.read_text().replace("TARGET: torture_target", "TARGET: one_usable")
        path.write_text(text.replace("PYTHONPATH: ", f"PYTHONPATH: {self.folder}:"))
        self.write_check("from assay.host import report; self.assertEqual(report.check().devices, [0])")
        self.assertEqual(self.run_clean(), 0, self.said)
        self.assertEqual(self.repro(), 0, self.said)

    def test_exclusive_devices_are_shared_out(self):
        path = self.folder / "nothing.yaml"
        path.write_text(path.read_text() + "jobs: 1 per device\n")
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        counts = "from assay.host import report; self.assertEqual(len(report.check().devices), {})"
        self.write_check(counts.format(1))
        name = '"""sample.stands_on_it"""\n'
        suite.write_text(suite.read_text().replace(name, f"{name}        {counts.format(2)}\n"))
        contract = suite.with_name("contract.yaml")
        contract.write_text(contract.read_text().replace("sample.stands_on_it,", "sample.stands_on_it, devices: 2,"))
        self.assertEqual(self.run_clean("--jobs=4"), 0, self.said)
        self.assertEqual(self.verdicts(), self.good)
        path.write_text(path.read_text().replace("1 per device", "1 per socket"))
        self.assertEqual(self.run_clean(out=self.folder / "2"), 65, self.said)
        self.assertIn('"1 per socket" is neither a whole number nor "1 per device"', self.said)

    def claim(self, adapters, profiles, *words):
        """A run in which adapter and profile claim streams. Returns the source of the claim in the plan."""
        path = self.folder / "nothing.yaml"
        if "adapter:" not in path.read_text():
            path.write_text(path.read_text() + "adapter: adapter.so\n")
            (self.folder / "adapter.so").touch()  # this test sets the claim instead of an adapter
        text = path.read_text().partition("capabilities:")[0]
        path.write_text(text + f"capabilities: {{streams: {profiles}}}\n" if profiles else text)
        out = self.folder / f"{adapters}-{profiles}-{len(words)}"
        self.status = self.run_target(*words, out=out, ASSAY_TORTURE_CLAIM=adapters)
        (target,) = self.records("target", out)
        self.assertEqual((target["device"], target["devices"]), ("torture", [0, 1]))
        (streams,) = json.loads((out / "plan.json").read_text())["capabilities"]
        claims = target.get("adapter_claims_yes"), target.get("adapter_claims_no")
        return claims, (streams["claim"], streams["source"]), self.verdicts(out)

    def test_a_claim_of_the_adapter_reaches_plan_and_jobs(self):
        for words in ((), ("--isolation", "exec")):
            claims, planned, verdicts = self.claim("yes", None, *words)
            self.assertEqual(claims, (["streams"], None))
            self.assertEqual(planned, ("yes", "adapter"))
            self.assertEqual(verdicts["sample.uses_streams"], "fail")  # the claim is yes, so the check must run
        claims, planned, verdicts = self.claim("no", None)
        self.assertEqual((claims, planned), ((None, ["streams"]), ("no", "adapter")))
        self.assertEqual(verdicts["sample.uses_streams"], "skip")

    def test_a_claim_of_the_profile_goes_before_the_adapters(self):
        claims, planned, verdicts = self.claim("yes", "no")
        self.assertEqual((claims, planned), ((["streams"], None), ("no", "profile")))
        self.assertEqual(verdicts["sample.uses_streams"], "skip")

    def test_a_run_has_a_folder_that_can_hold_it(self):
        self.assertEqual(self.run_target(out=Path("/")), 65, self.said)
        self.assertIn("the folder / cannot hold a run", self.said)

    def test_colour_and_the_longest_checks(self):
        self.write_check("self.fail('words')")
        plain = self.run_clean("--durations=2", "--quiet") and self.said
        self.assertEqual(plain, "")
        for choice, colour in (("auto", False), ("never", False), ("always", True)):
            self.run_clean("--color", choice, "--durations=2", out=self.folder / choice)
            self.assertEqual("\x1b[31mfail" in self.said, colour, self.said)
            self.assertRegex(self.said, r"longest:\n +\d+\.\d\d s  sample\..*\n +\d+\.\d\d s  sample\..*\n")

    def test_a_quiet_run_says_why_it_is_undecided(self):
        self.write_check("raise NotImplementedError('aten::words')")
        self.assertEqual(self.run_clean("--quiet"), 2, self.said)
        self.assertRegex(self.said, r"\Aassay: undecided: .*; see assay report .*\n\Z")

    def test_a_run_ends_at_the_failure_that_is_one_too_many(self):
        self.write_check("self.fail('words')")
        self.assertEqual(self.run_clean("--maxfail=1", "--jobs=1"), 1, self.said)
        self.assertFalse(self.records("finish")[-1]["complete"])
        self.assertEqual(self.run_clean("--maxfail=9", "--jobs=1", out=self.folder / "nine"), 1, self.said)
        self.assertTrue(self.records("finish", self.folder / "nine")[-1]["complete"])
        self.assertEqual(self.run_clean("--maxfail=0", out=self.folder / "none"), 64)

    def test_operators_that_were_not_asked_are_named_after_a_whole_run(self):
        words = "single operators were not tested: assay ops --target ./nothing.yaml"
        self.run_clean()
        self.assertIn(words, self.said)
        self.run_clean("--select=sample", out=self.folder / "part")
        self.assertNotIn(words, self.said)

    def test_the_last_run_in_the_usual_place_is_easily_found(self):
        words = [str(BUILD / "bin" / "assay"), "run", "--target", "./nothing.yaml", "--isolation=fork-clean"]
        settings = dict(os.environ, ASSAY_DATA=str(self.folder / "data"))
        last = self.folder / "runs" / "last"
        seen = set()
        for _ in range(2):
            subprocess.run(words, cwd=self.folder, env=settings, check=True, capture_output=True)
            self.assertTrue((last / "journal.jsonl").exists())
            seen.add(os.readlink(last))
        self.assertEqual(len(seen), 2)

    def test_calibration_warms_the_device_up_before_any_check(self):
        self.assertEqual(self.run_target(), 0, self.said)
        (first,) = self.records("end", self.out / "calibration" / "first-look")
        self.assertEqual((first["id"], first["verdict"]), ("warm-up", "pass"), first)

    def test_a_run_in_which_every_check_is_skipped_is_undecided(self):
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        skip = "    def setUp(self):\n        report.finding(report.SKIP, 'no')\n        raise report.Ended\n\n"
        head, name, rest = suite.read_text().partition("class Sample(unittest.TestCase):\n")
        suite.write_text(head + name + skip + rest)
        self.assertEqual(self.run_target("--isolation=fork-clean"), 2, self.said)
        self.assertEqual(self.verdicts()["sample.passes"], "skip")
        # A skip without a missing capability proves nothing.
        self.assertEqual(self.verdicts()["sample.stands_on_it"], "blocked")

    def test_musts_mostly_without_a_verdict_are_undecided_unless_denied_and_shown(self):
        contract = self.folder / "data" / "suites" / "sample" / "contract.yaml"
        text = contract.read_text()
        for name in ("sample.passes", "sample.stands_on_it"):
            text = text.replace(f"id: {name},", f"id: {name}, capability: streams,")
        contract.write_text(text)
        self.assertEqual(self.run_target("--isolation=fork-clean"), 2, self.said)
        self.assertIn("undecided: 3 of 4 musts came to no verdict", self.said)
        profile = self.folder / "nothing.yaml"
        profile.write_text(profile.read_text() + "capabilities: {streams: no}\n")
        out = self.folder / "denied"
        self.assertEqual(self.run_target("--isolation=fork-clean", out=out), 0, self.said)
        self.assertNotIn("undecided", self.said)

    def test_a_check_that_needs_a_device_does_not_run_without_one(self):
        target = TORTURE / "torture_target.py"
        text = target.read_text().replace('return "torture", [0, 1]', 'return "torture", []')
        (self.folder / "no_device_target.py").write_text(text)
        path = self.folder / "nothing.yaml"
        text = path.read_text().replace("TARGET: torture_target", "TARGET: no_device_target")
        path.write_text(text.replace("PYTHONPATH: ", f"PYTHONPATH: {self.folder}:"))
        contract = self.folder / "data" / "suites" / "sample" / "contract.yaml"
        text = contract.read_text().replace("id: sample.stands_on_it,", "id: sample.stands_on_it, devices: 0,")
        contract.write_text(text.replace("builds_on: [sample.passes], ", ""))
        self.assertEqual(self.run_target("--isolation=fork-clean"), 2, self.said)
        self.assertEqual(self.verdicts()["sample.passes"], "broken")
        self.assertEqual(self.verdicts()["sample.stands_on_it"], "pass")

    def test_a_host_that_dies_before_it_is_ready_ends_the_run_with_its_words(self):
        (self.folder / "dying_target.py").write_text(
            "import os, sys\nprint('no licence', file=sys.stderr, flush=True)\nos.abort()\n"
        )
        path = self.folder / "nothing.yaml"
        text = path.read_text().replace("TARGET: torture_target", "TARGET: dying_target")
        path.write_text(text.replace("PYTHONPATH: ", f"PYTHONPATH: {self.folder}:"))
        self.assertEqual(self.run_target("--isolation=fork-clean"), 2, self.said)
        (finish,) = self.records("finish")
        self.assertEqual(finish["totals"], {"notrun": 5})
        self.assertIn('a host died of SIGABRT while it loaded torch and the bridge, before any check; '
                      'its last output: "no licence"; see host.log', finish["why"])

    def repro(self, *words, **environment):
        return self.assay("repro", "sample.passes", "--target", "./nothing.yaml", *words, **environment)

    def test_repro_finds_what_a_run_finds(self):
        """In every mode, this includes failures during the exit of the process."""
        self.assertEqual(self.repro(), 0, self.said)
        self.assertIn("nothing found by sample.passes", self.said)
        self.assertEqual(self.repro(SAMPLE_FAILS="1"), 1)
        for words in ("FAIL sample.passes", "demand   Sentence 1.", "at       suites/sample/test_sample.py"):
            self.assertIn(words, self.said)
        self.write_check("import atexit; atexit.register(os.abort)", "exit: normal,")
        for mode in MODES:
            out = self.folder / mode
            self.run_target(f"--isolation={mode}", "--select=sample.passes", out=out)
            self.assertEqual(self.verdicts(out)["sample.passes"], "crash")
            self.assertEqual(self.repro(f"--isolation={mode}"), 1, self.said)
            self.assertIn('CRASH sample.passes', self.said)
            self.assertIn('SIGABRT in stage "exit"', self.said)

    def test_repro_has_the_terminals_input_and_output(self):
        self.write_check("print('heard', input(), flush=True)")
        command = [str(BUILD / "bin" / "assay"), "repro", "sample.passes", "--target", "./nothing.yaml"]
        done = subprocess.run(command, env=dict(os.environ, ASSAY_DATA=str(self.folder / "data")), text=True,
                              cwd=self.folder, capture_output=True, timeout=120, input="words\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("heard words", done.stdout)

    def test_repro_puts_words_in_front_of_the_program(self):
        self.write_check('self.assertEqual(os.environ.get("MARK"), "set")')
        self.assertEqual(self.repro(), 1)
        self.assertEqual(self.repro("--under", "env MARK=set"), 0, self.said)

    @unittest.skipUnless(shutil.which("gdb"), "no gdb")
    def test_repro_runs_under_a_debugger(self):
        self.write_check("os.abort()")
        command = [str(BUILD / "bin" / "assay"), "repro", "sample.passes", "--gdb", "--target", "./nothing.yaml"]
        done = subprocess.run(command, env=dict(os.environ, ASSAY_DATA=str(self.folder / "data")), text=True,
                              cwd=self.folder, capture_output=True, timeout=120, input="run\nbt\nkill\nquit\n")
        self.assertIn("received signal SIGABRT", done.stdout)
        self.assertIn(" hn_job_run (", done.stdout)

    def test_json_says_how_the_run_ended(self):
        schema = json.loads((ROOT / "reports" / "schema" / "run.schema.json").read_text())
        for name, fails, totals in (("good", "", {"pass": 1}), ("bad", "1", {"fail": 1})):
            settings = {"SAMPLE_FAILS": fails} if fails else {}
            words = ("--isolation=exec", "--format=json", "--select=sample.passes")
            status = self.run_target(*words, out=self.folder / name, **settings)
            document = json.loads(self.said)
            jsonschema.validate(document, schema)
            self.assertEqual(document["totals"], totals)
            self.assertEqual((document["complete"], document["exit_status"]), (True, status))
            self.assertEqual(document["run"], str((self.folder / name).resolve()))

    def test_what_the_caller_closed_does_not_become_the_journal(self):
        command = [str(BUILD / "bin" / "assay"), "run", "--target", "./nothing.yaml", "--plain"]
        closed = subprocess.run(
            ["bash", "-c", '"$@" <&- >&- 2>&-', "-", *command, "--out", str(self.out)],
            env=dict(os.environ, ASSAY_DATA=str(self.folder / "data")),
            cwd=self.folder,
            timeout=120,
        )
        self.assertEqual(closed.returncode, 71)  # its output could not be written
        self.assertEqual(self.verdicts(), self.good)

    def test_a_job_that_damages_the_journal_is_noticed(self):
        tests = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        damage = f"os.truncate({str(self.out / 'journal.jsonl')!r}, 100)\n        "
        words = "self.assertNotIn("
        tests.write_text(tests.read_text().replace(words, damage + words))
        self.assertEqual(self.run_target("--isolation=exec"), 65, self.said)
        self.assertIn("the journal was changed by someone else", self.said)

    def test_a_check_of_what_is_newer_than_the_targets_torch_is_not_planned(self):
        contract = self.folder / "data" / "suites" / "sample" / "contract.yaml"
        contract.write_text(contract.read_text().replace("id: SMP-001, level: must,", "id: SMP-001, level: must, since: '99.0',"))
        self.assertEqual(self.run_target("--isolation=fork-clean"), 0, self.said)
        self.assertIn("not planned: 1 check of clauses that do not apply to torch", self.said)
        expected = {check: verdict for check, verdict in self.good.items() if check != "sample.passes"}
        self.assertEqual(self.verdicts(), expected)
        self.assertEqual(json.loads((self.out / "plan.json").read_text())["other_torch"], ["sample.passes"])

    def test_without_proc_it_says_so(self):
        alone = ["unshare", "--user", "--map-root-user", "--mount"]
        if subprocess.run([*alone, "true"], capture_output=True).returncode:
            self.skipTest("this machine allows no user namespaces")
        run = subprocess.run([*alone, "sh", "-c", f"mount -t tmpfs none /proc && {BUILD}/bin/assay run"],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 71)
        self.assertIn("there is no /proc here: mount it", run.stderr)

    def test_the_same_folder_is_not_used_twice(self):
        self.assertEqual(self.run_target("--isolation=exec"), 0, self.said)
        plan = (self.out / "plan.json").read_text()
        self.assertEqual(self.run_target("--isolation=exec", "--select=sample.passes"), 65)
        self.assertIn("there is a run in", self.said)
        self.assertEqual((self.out / "plan.json").read_text(), plan)

    def test_a_wrong_word_is_told_before_the_interpreter_is_started(self):
        """The interpreter compiles what its torch lacks, which takes minutes."""
        interpreter, mark = self.folder / "python", self.folder / "started"
        interpreter.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
        interpreter.chmod(0o755)
        profile = self.folder / "nothing.yaml"
        profile.write_text(re.sub("(?m)^python: .*", f"python: {interpreter}", profile.read_text()))
        for word in ("sampel", "sample.pases"):
            self.assertIn(self.run_target(f"--select={word}"), (64, 65), self.said)
            self.assertIn(word, self.said)
            self.assertFalse(mark.exists(), word)
        self.run_target("--select=sample")
        self.assertTrue(mark.exists())

    def test_a_run_that_was_killed_while_it_calibrated_can_be_resumed(self):
        mark = self.folder / "mark"
        self.write_check(f"open({str(mark)!r}, 'w').close(); os.environ.get('GO') or os.read(os.pipe()[0], 1)")
        words = ["run", "--target", "./nothing.yaml", "--out", str(self.out)]
        settings = dict(os.environ, ASSAY_DATA=str(self.folder / "data"))
        run = subprocess.Popen([str(BUILD / "bin" / "assay"), *words], cwd=self.folder, env=settings,
                               stdout=subprocess.DEVNULL)
        for _ in range(6000):
            if mark.exists():
                break
            select.select([], [], [], 0.01)
        run.kill()
        run.wait()
        self.assertFalse((self.out / "journal.jsonl").exists())
        self.assertEqual(self.assay("run", "--resume", self.out, GO="1"), 0, self.said)
        self.assertEqual(self.verdicts(), self.good)

    def test_a_run_that_its_target_killed_while_it_calibrated_can_be_resumed(self):
        profile = self.folder / "nothing.yaml"
        profile.write_text(profile.read_text().replace('exec: "nothing"', 'exec: "kill assay"'))
        self.assertEqual(self.run_target(), -9)
        self.assertEqual(self.assay("run", "--resume", self.out), 0, self.said)
        self.assertEqual(self.verdicts(), self.good)
        (isolation,) = self.records("isolation")
        self.assertEqual(isolation["mode"], "fork-clean")
        self.assertIn("this run was killed during the calibration", isolation["why"])

    def test_resume_of_a_cut_journal_makes_the_whole_run(self):
        self.assertEqual(self.run_target("--isolation=fork-clean"), 0, self.said)
        journal = self.out / "journal.jsonl"
        whole = journal.read_bytes()
        cut = whole.index(b'"start"') + 30
        journal.write_bytes(whole[:cut])
        self.assertEqual(self.assay("run", "--resume", self.out), 0, self.said)
        self.assertEqual(self.verdicts(), self.good)

    def test_resume_after_a_change_of_the_contract_is_refused(self):
        self.assertEqual(self.run_target("--isolation=fork-clean"), 0, self.said)
        plan = self.out / "plan.json"
        changed = json.dumps(json.loads(plan.read_text()) | {"digest": "another"})
        plan.write_text(changed)
        self.assertEqual(self.assay("run", "--resume", self.out), 65, self.said)
        self.assertIn("the contract has changed since the run in", self.said)
        self.assertEqual(plan.read_text(), changed)

    def test_last_failed_runs_what_failed_and_only_that(self):
        first, second = self.folder / "first", self.folder / "second"
        self.assertEqual(self.run_clean(out=first, SAMPLE_FAILS="1"), 1, self.said)
        self.assertEqual(self.run_clean("--last-failed", first, out=second), 0, self.said)
        self.assertEqual(self.verdicts(second), {"sample.passes": "pass"})
        command = (second / "plan.json").read_text()
        self.assertIn("--select=check:sample.passes", command)  # --resume does not read the other run again
        third = self.folder / "third"
        self.assertEqual(self.run_clean("--last-failed", second, out=third), 0, self.said)
        self.assertIn("no check of the contract failed in that run", self.said)
        self.assertFalse(third.exists())
        self.assertEqual(self.run_clean("--last-failed", first, "--select", "all"), 64)
        self.assertEqual(self.run_clean("--last-failed", self.folder / "nowhere"), 65)

    def test_k_takes_a_part_of_an_id_and_x_stops_at_the_first_failure(self):
        self.assertEqual(self.run_clean("-k", "refused"), 0, self.said)
        # The probe of that check runs too.
        self.assertEqual(set(self.verdicts()), {"sample.streams_work", "sample.streams_are_refused"})
        out = self.folder / "2"
        narrowed = ("--select", "should,-sample.streams_work,sample.passes", "-k", "ss")
        self.assertEqual(self.run_clean(*narrowed, out=out), 0, self.said)
        self.assertEqual(set(self.verdicts(out)), {"sample.passes"})
        self.assertEqual(self.run_clean("-k", "a,b"), 64)
        out = self.folder / "3"
        self.run_clean("-x", "--jobs=1", out=out, SAMPLE_FAILS="1")
        self.assertEqual(set(self.verdicts(out)), {"sample.passes"})
        self.assertIn("first failure", self.records("finish", out)[-1]["why"])

    def expect(self, check, signature):
        path = self.folder / "expected.yaml"
        path.write_text(
            f"target: nothing\nexpected:\n  - {{check: {check}, verdict: fail, signature: {signature!r}, reason: "
            "Late., issue: 'https://example.org/1', expires: 2999-01-01}\n"
        )
        return path

    def test_expectations_let_a_listed_failure_through_and_no_other(self):
        listed = self.expect("sample.passes", "SAMPLE_FAILS")
        words = ("--expectations", listed, "--format=json")
        self.assertEqual(self.run_clean(*words, SAMPLE_FAILS="1"), 0, self.said)
        document = json.loads(self.said[self.said.index("{"):])
        jsonschema.validate(document, json.loads((ROOT / "reports/schema/run.schema.json").read_text()))
        self.assertEqual((document["decision"], document["causes"], document["totals"]["fail"]), ("pass", [], 1))
        self.assertEqual(self.verdicts()["sample.passes"], "fail")  # the journal contains the verdict
        other = self.folder / "other"
        self.assertEqual(self.run_clean("--expectations", self.expect("sample.passes", "another"), out=other,
                                        SAMPLE_FAILS="1"), 1)
        self.assertIn("Fails on head", self.said)
        fixed = self.folder / "fixed"
        self.assertEqual(self.run_clean("--expectations", listed, out=fixed), 1)
        self.assertIn("Remove the entry in the same pull request", self.said)

    def test_expectations_that_are_not_in_order_are_said_before_anything_runs(self):
        wrong = self.folder / "wrong.yaml"
        wrong.write_text("target: nothing\nexpected:\n  - {check: sample.passes, verdict: sad}\n")
        self.assertEqual(self.run_clean("--expectations", wrong), 65)
        self.assertIn("wrong.yaml:3", self.said)
        self.assertFalse(self.out.exists())

    OWN = """\
module: {name: mine, prefix: OWN, title: Of ours}
requirements:
  - {id: OWN-001, level: must, text: Ours works., why: Customers., anchor: ours.h:x}
checks:
  - {id: mine.works, covers: [OWN-001], builds_on: [sample.passes]}
"""

    def write_own_suite(self, text=OWN):
        suite = self.folder / "own"
        suite.mkdir(exist_ok=True)
        (suite / "contract.yaml").write_text(text)
        (suite / "test_mine.py").write_text(
            '# SPDX-License-Identifier: BSD-3-Clause\nimport os\nimport unittest\n\n\nclass Mine(unittest.TestCase):\n'
            '    def test_works(self):\n        """mine.works"""\n        self.assertNotIn("MINE_FAILS", os.environ)\n'
        )
        return suite

    def test_a_suite_of_ones_own_runs_beside_the_others(self):
        own = self.write_own_suite()
        self.assertEqual(self.run_clean("--suite", own, MINE_FAILS="1", SAMPLE_FAILS="1"), 1, self.said)
        self.assertEqual(self.verdicts()["mine.works"], "fail")
        out = self.folder / "2"
        self.assertEqual(self.run_clean("--suite", "own", "--select", "mine", out=out, MINE_FAILS="1"), 1, self.said)
        self.assertEqual(self.verdicts(out)["mine.works"], "fail")
        (end,) = [row for row in self.records("end", out) if row["id"] == "mine.works"]
        self.assertIn("own/test_mine.py", end["location"])
        self.assertEqual(self.assay("list", "--suite", "own", "mine"), 0)
        self.assertIn("OWN-001", self.said)
        self.assertEqual(self.assay("repro", "mine.works", "--suite", "own", "--target", "./nothing.yaml"), 0, self.said)

    def test_a_suite_of_ones_own_that_is_not_in_order_is_said(self):
        for wrong, sentence in (
            ("name: sample", "there is a module sample already"),
            ("prefix: SMP", "prefix SMP belongs to module sample"),
            ("nome: mine", 'unknown key "nome"; did you mean "name"?'),
        ):
            key = wrong.partition(":")[0].replace("nome", "name")
            text = self.OWN.replace({"name": "name: mine", "prefix": "prefix: OWN"}[key], wrong)
            self.assertEqual(self.assay("list", "--suite", self.write_own_suite(text)), 65, wrong)
            self.assertIn(sentence, self.said)
        self.assertEqual(self.assay("list", "--suite", "nowhere"), 65)
        self.assertIn("nowhere: is not there: give the folder of a suite", self.said)

    def test_wrong_words_are_64_and_wrong_files_65(self):
        self.assertEqual(self.assay("run", "--jobs", "many"), 64)
        self.assertEqual(self.assay("run", "--shard", "3/2", "--target", "./nothing.yaml"), 64)
        self.assertEqual(self.run_target("--select", "gaurd"), 64)
        self.assertEqual(self.assay("run", "--target", "./missing.yaml"), 65)
        self.assertEqual(self.assay("run", "--resume", self.folder / "nowhere"), 65)

    def test_shards_are_merged_into_the_whole(self):
        shards = [self.folder / f"shard{index}" for index in (1, 2, 3)]
        for index, out in enumerate(shards, 1):
            self.run_target("--shard", f"{index}/3", "--isolation=fork-clean", out=out)
        merged = self.folder / "merged"
        self.assertEqual(self.assay("merge", *shards, "--out", merged), 0, self.said)
        self.assertEqual(self.verdicts(merged), self.good)

    def test_merge_names_a_missing_shard_and_refuses_strangers(self):
        first, second = self.folder / "first", self.folder / "second"
        self.run_target("--shard=1/2", "--isolation=fork-clean", out=first)
        self.assertEqual(self.assay("merge", first, "--out", self.folder / "m"), 65)
        self.assertIn("shard 2 of 2", self.said)
        path = self.folder / "nothing.yaml"
        path.write_text(path.read_text().replace("name: nothing", "name: other"))
        self.run_target("--shard=2/2", "--isolation=fork-clean", out=second)
        self.assertEqual(self.assay("merge", first, second, "--out", self.folder / "m"), 65)
        self.assertIn("target", self.said)


if __name__ == "__main__":
    unittest.main()
