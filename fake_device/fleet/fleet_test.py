# SPDX-License-Identifier: BSD-3-Clause
"""Tests the suites on one backend of the fleet: every listed defect is reported, and nothing else.

    python fleet_test.py host_memory many_devices      prints the results of a run as tables
    FLEET_BACKEND=host_memory ... fleet_test.py        runs the test: only differences in open.tsv are allowed. Runs the
                                                       checks that fleet_choice.py chooses; with ASSAY_FULL=1, all
"""

import os
import re
import subprocess
import sys
import unittest

import yaml
from fleet_choice import is_left_out_of_this_change, of_this_change
from fleet_comparison import compare, surprises
from fleet_lists import ASKED_MODULES, BUILD, HERE, backends, defects_of, read_messages, read_open
from fleet_messages import complaints, told_of, troubles_of
from fleet_run import known_checks, looks_of, run_of

# Backends for ci/full only. remote_process and no_guard execute each operator through Python, which takes minutes. The
# results of async_streams depend on the load of the machine, because long work replaces the missing gates.
LONG = {"remote_process", "no_guard", "async_streams"}


def compared(backend, run):
    return compare(defects_of(backend), run.checks, run.torch)


def read_signatures():
    """For each check: the texts that must occur before its hint is shown."""
    contracts = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (HERE.parents[1] / "suites").glob("*/contract.yaml")]
    checks = [check for contract in contracts for check in contract.get("checks") or ()]
    return {check["id"]: [check[key] for key in ("hint_when", "other_hint_when") if key in check] for check in checks}


def table(backend, comparison):
    """The results of a run of a backend as text, one line for each fact."""
    yield f"{backend}: {len(comparison.reported)} reported, {len(comparison.missed)} missed, " \
          f"{len(comparison.blocked)} blocked, {len(comparison.false)} false, " \
          f"{comparison.share:.1f} % without a verdict"
    for state in ("reported", "missed", "blocked"):
        for name, checks in getattr(comparison, state).items():
            yield f"  {state:<9} {name:<28} {', '.join(checks)}"
    yield from (f"  false     {check}" for check in comparison.false)
    yield from (f"  {count:>3} checks without a verdict: {reason}" for reason, count in comparison.means.items())


class Fleet(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.backend = os.environ["FLEET_BACKEND"]
        cls.is_whole = bool(os.environ.get("ASSAY_FULL"))
        if cls.backend in LONG and not cls.is_whole:
            raise unittest.SkipTest(f"{cls.backend} takes minutes of processor: with ASSAY_FULL=1, as ci/full does")
        if not cls.is_whole and is_left_out_of_this_change(cls.backend):
            raise unittest.SkipTest(f"{cls.backend} is not drawn for this commit: with ASSAY_FULL=1, as ci/full does")
        cls.run_of_suites = run_of(cls.backend, ASKED_MODULES if cls.is_whole else of_this_change(cls.backend, known_checks()))
        cls.text = cls.run_of_suites.report("text")

    def test_nothing_is_open_but_what_is_listed(self):
        comparison = compared(self.backend, self.run_of_suites)
        lines = [line for line in read_open() if line.backend == self.backend]
        told = "\n".join(table(self.backend, comparison))
        print(told)
        self.assertEqual(list(surprises(comparison, lines, self.is_whole)), [], told)

    def test_the_report_can_be_acted_on(self):
        self.assertEqual(list(complaints(self.text, self.run_of_suites.checks, read_signatures())), [], self.text)

    def test_its_failures_are_told_in_these_words(self):
        """A failure's report must contain the text that messages.tsv lists for it."""
        told = told_of(troubles_of(self.text))
        for message in read_messages():
            if message.backend == self.backend:
                self.assertIn(message.words, told[message.check].get(message.label, ""), message.check)

    def test_a_quick_look_says_what_the_checks_say(self):
        """`assay probe` must agree with the probe checks of conformance.yaml, unless a probe check found an error."""
        looks, found = looks_of(self.backend), self.run_of_suites.capabilities
        other = {name: f"{looks[name]}, but its probe came out as {verdict}" for name, verdict in found.items()
                 if (looks.get(name), verdict) in (("yes", "skip"), ("no", "pass"))}
        self.assertEqual(other, {})

    def test_what_is_to_be_done_next_is_to_be_done(self):
        """Every check that `assay next` names must be unfinished, and the named example must exist in this tree."""
        advice = self.run_of_suites.advice()
        verdicts = {check["id"]: check["verdict"] for check in self.run_of_suites.checks}
        named = re.search(r"--select (\S+)", advice["command"]).group(1).split(",")
        if advice["checks"]:
            self.assertLessEqual(set(named), set(advice["checks"]))
            self.assertEqual([check for check in advice["checks"] if verdicts[check] in ("pass", "noted", "unobservable")], [])
            self.assertTrue((HERE.parents[1] / (advice["example"] or ".").partition(":")[0]).exists(), advice)
        else:
            self.assertEqual(named, [advice["stage"]])

    def test_a_printed_command_shows_the_failure_again(self):
        """Runs the printed command unchanged from another folder."""
        failures = [one for one in troubles_of(self.text) if one.verdict == "fail" and one.id not in self.run_of_suites.by_long_work]
        self.assertTrue(failures, self.text)
        path = f"{BUILD / 'bin'}:{os.environ['PATH']}"
        again = subprocess.run(failures[0].fields["try"], shell=True, cwd="/", capture_output=True, text=True,
                               env=dict(os.environ, PATH=path), timeout=600)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn(failures[0].id, again.stdout)


def main(names):
    for name in names:
        if name not in backends():
            sys.exit(f"fleet_test.py: {name} is no backend of the fleet, which has {', '.join(backends())}")
        print("\n".join(table(name, compared(name, run_of(name)))))


if __name__ == "__main__":
    named = [word for word in sys.argv[1:] if not word.startswith("-")]
    main(named) if named else unittest.main()
