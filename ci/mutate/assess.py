# SPDX-License-Identifier: BSD-3-Clause
"""Which mutations the checks kill. `assay prove --pairs` does the work: a clean run that says what each check
reaches, then lists of pairs, each up to the first failure of its mutation. A kill is fail, crash or timeout of a
check that is good without the mutation, in all of three runs."""

import collections
import dataclasses
import json
import os
import shutil
import subprocess
from pathlib import Path

KILLS = ("fail", "crash", "timeout")
GOOD = ("pass", "noted", "fallback", "flaky")
AGAIN = ("2", "3")  # a kill is one in each of these, too: names of one mutation on the switchboard
PREFIX = "mutant."
NONE = 0  # the number of no mutation
BATCH = 48  # mutations of one list: each list costs a start, and one that is lost takes the others with it
BATCH_SECONDS = 1800
CLEAN_SECONDS = 3600
REACHED_AT_LOAD = """\
import torch_fakedev
from torch_fakedev._driver import library
print(*(number for number in range({most}) if library.assay_mutant_was_reached(number)))
"""


@dataclasses.dataclass
class Outcome:
    """Of one mutation. `verdict`: killed, survived, unreached (no good check comes by), undecided."""

    number: int
    verdict: str = "undecided"
    check: str = ""  # that killed it
    how: str = ""  # its verdict
    asked: int = 0  # checks that were run with it
    reached: int = 0  # good checks that come by
    flaky: tuple = ()  # checks that killed it once and not again


class Lost(Exception):
    """A part of a proof that came to no answer."""


class Refused(Exception):
    """Nothing was proven, nor would it be of half of the list: a contract that does not read, a wrong option."""


REFUSALS = range(64, 79)  # exit statuses of sysexits.h


class Proof:
    """The clean run and lists of pairs of one built variant."""

    def __init__(self, assay, profile, folder, jobs, patience=1, select="all", suite=None):
        self.assay, self.profile, self.folder = assay, profile, Path(folder)
        self.jobs, self.patience, self.select, self.suite = jobs, patience, select, suite
        self.asked, self.kills = collections.Counter(), collections.Counter()  # by check, of this campaign

    def prove(self, pairs, resume, seconds):
        """Its lines: (switch, check, verdict)."""
        listed = self.folder.with_suffix(".tsv")
        listed.write_text("".join("\t".join(pair) + "\n" for pair in pairs))
        words = ["--resume", self.folder] if resume else ["--out", self.folder]
        words += ["--suite", self.suite] if self.suite else []
        command = [self.assay, "prove", "--target", self.profile, "--pairs", listed, "--select", self.select,
                   "--jobs", str(self.jobs), "--timeout-scale", str(self.patience), "--quiet", *words]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise Lost(f"no answer within {seconds} s") from late
        if done.returncode in REFUSALS:
            raise Refused(done.stderr[-2000:])
        rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if len(rows) != len(pairs) or done.returncode not in (0, 2):
            raise Lost(f"exit status {done.returncode}: {done.stderr[-500:]}")
        return [(row["switch"], row["check"], row["verdict"]) for row in rows]

    # ---- the clean run

    def begin(self):
        self.forget_pairs()
        self.prove([], self.folder.exists(), CLEAN_SECONDS)
        records = [json.loads(line) for line in (self.folder / "clean" / "journal.jsonl").read_text().splitlines()]
        ends = {one["id"]: one for one in records if one["event"] == "end" and one["final"]}
        self.costs = {name: one.get("duration_ms", 0) for name, one in ends.items() if one["verdict"] in GOOD}
        self.clean = {name: one["verdict"] for name, one in ends.items()}
        self.reached = {name: self.asked_by(name) for name in self.costs}

    def asked_by(self, check):
        path = self.folder / "clean" / "jobs" / check / "asked.txt"
        names = path.read_text().split() if path.exists() else ()
        return {int(name.removeprefix(PREFIX)) for name in names if name.startswith(PREFIX)}

    def checks_for(self, number, at_load):
        """Those that come by, first what costs least for a kill; of what acts at load all others too, for they build on it."""
        by_cost = sorted(self.costs, key=lambda name: (self.costs[name] / self.likely(name), name))
        reaching = [name for name in by_cost if number in self.reached[name]]
        return reaching + [name for name in by_cost if name not in set(reaching)] if at_load else reaching

    def likely(self, check):
        """How often it kills what it comes by. Until it was asked: one that comes by few others is likely to ask about them."""
        return (self.kills[check] + 1 / max(1, len(self.reached[check]))) / (self.asked[check] + 1)

    # ---- lists of pairs

    def forget_pairs(self):
        """Of a list before, or of a campaign that was cut off."""
        for part in ("pairs", "pairs-at-load"):
            shutil.rmtree(self.folder / part, ignore_errors=True)

    def run(self, pairs, tell):
        """Verdicts of these pairs; one list after the other in the folder of the clean run. One mutation must not
        take the others with it: of a list without an answer each half is asked."""
        self.forget_pairs()
        try:
            return self.prove(pairs, True, BATCH_SECONDS)
        except Lost as lost:
            tell(f"lost: {lost}")
        switches = list(dict.fromkeys(switch for switch, *_ in pairs))
        if len(switches) == 1:
            return []
        first = set(switches[: len(switches) // 2])
        halves = [pair for pair in pairs if pair[0] in first], [pair for pair in pairs if pair[0] not in first]
        return [row for half in halves for row in self.run(half, tell)]


def reached_at_load(interpreter, python, most):
    """Numbers of the mutations that importing the package comes by."""
    environment = {**os.environ, "PYTHONPATH": str(python), "FAKEDEV_DEVICES": "2"}
    said = subprocess.run([interpreter, "-c", REACHED_AT_LOAD.format(most=most)], env=environment,
                          capture_output=True, text=True, check=True)  # fmt: skip
    return {int(word) for word in said.stdout.split()}


class Assessment:
    def __init__(self, proof, at_load, tell=print):
        self.proof, self.at_load, self.tell = proof, at_load, tell

    def pair(self, number, check, again=""):
        setting = (f"ASSAY_MUTANT={number}",) if number in self.at_load else ()
        return (f"{PREFIX}{number}{again and '.'}{again}", check, *setting)

    def assess(self, numbers):
        """Outcomes of a batch of mutations."""
        outcomes = {number: Outcome(number) for number in numbers}
        open_checks = {}
        for number in numbers:
            open_checks[number] = self.proof.checks_for(number, number in self.at_load)
            outcomes[number].reached = len(open_checks[number])
            if not open_checks[number]:
                outcomes[number].verdict = "unreached"
        while left := [number for number in numbers if open_checks[number]]:
            suspects = self.look(left, open_checks, outcomes)
            for number in self.confirm(suspects):
                outcomes[number].verdict = "killed"
                outcomes[number].check, outcomes[number].how = suspects[number]
                open_checks[number] = []
            for number in suspects:
                if outcomes[number].verdict != "killed":
                    outcomes[number].flaky += (suspects[number][0],)
        return list(outcomes.values())

    def look(self, numbers, open_checks, outcomes):
        """Number -> (check, verdict) of the first failure. What is left of the checks is asked next time."""
        rows = self.proof.run([self.pair(number, check) for number in numbers for check in open_checks[number]], self.tell)
        verdicts = {number: [] for number in numbers}
        for switch, check, verdict in rows:
            verdicts[number_of(switch)].append((check, verdict))
        suspects = {}
        for number in numbers:
            outcome, seen = outcomes[number], verdicts[number]
            failed = [row for row in seen if row[1] in KILLS]
            stopped = [row for row in seen if row[1] == "blocked"]
            asked = [check for check, verdict in seen if verdict not in ("blocked", "notrun", "skip")]
            outcome.asked += len(asked)
            self.proof.asked.update(asked)
            self.proof.kills.update(check for check, _ in failed[:1])
            open_checks[number] = [check for check, _ in stopped] if failed else []
            if failed:
                suspects[number] = failed[0]
            elif is_answered([verdict for _, verdict in seen]):
                outcome.verdict = "survived"
        return suspects

    def confirm(self, suspects):
        """Those that the same check kills again, each further time; one that hangs must be in time without the mutation."""
        slow = {check for check, how in suspects.values() if how == "timeout"}  # perhaps for what else the machine does
        pairs = [self.pair(number, check, again) for number, (check, _) in sorted(suspects.items()) for again in AGAIN]
        rows = self.proof.run(pairs + [self.pair(NONE, check) for check in sorted(slow)], self.tell)
        kills = [number_of(switch) for switch, _, verdict in rows if verdict in KILLS]
        slow -= {check for switch, check, verdict in rows if number_of(switch) == NONE and verdict in GOOD}
        return {number for number, (check, how) in suspects.items()
                if kills.count(number) == len(AGAIN) and not (how == "timeout" and check in slow)}  # fmt: skip


def number_of(switch):
    return int(switch.split(".")[1])


def is_answered(verdicts):
    """Every check came to its end, and not all of them with nothing to say."""
    return not {"notrun", "incomplete"} & set(verdicts) and any(verdict != "broken" for verdict in verdicts)


def batches(numbers, size=BATCH):
    """The first one is small: what kills most is known after it."""
    first = size // 4
    return [part for part in (numbers[:first], *(numbers[at : at + size] for at in range(first, len(numbers), size))) if part]
