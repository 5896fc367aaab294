# SPDX-License-Identifier: BSD-3-Clause
"""Determines the mutants that the checks kill. `assay prove --pairs` first makes a clean run that records which mutants
each check reaches. Then it runs lists of pairs, each up to the first failure of its mutant. A mutant is killed if a
check passes without the mutant, and fails, crashes or times out in three runs with it."""

import collections
import dataclasses
import itertools
import json
import os
import shutil
import subprocess
from pathlib import Path

KILLS = ("fail", "crash", "timeout")
GOOD = ("pass", "noted", "fallback", "flaky")
AGAIN = ("2", "3")  # each mutant has two more names on the switchboard; a kill must occur again under both names
PREFIX = "mutant."
NONE = 0  # the number for no mutant
GROUPS_FROM = 7000  # larger numbers of the switchboard represent groups of mutants (device/assay_mutant.h)
GROUPS = "groups.txt"  # file beside the proof with the members of each group; the profile names it
GROUPS_MOST = 1000  # most groups in one list
BATCH = 192  # mutants per list: each list costs a start, and a lost list loses all its mutants
ALONE_MS = 4000  # time of the checks that run with one mutant alone; most kills happen in this time
BATCH_SECONDS = 1800
CLEAN_SECONDS = 3600
REACHED_AT_LOAD = """\
import torch_fakedev
from torch_fakedev._driver import library
print(*(number for number in range({most}) if library.assay_mutant_was_reached(number)))
"""


@dataclasses.dataclass
class Outcome:
    """The result for one mutant. `verdict` is killed, survived, unreached (no passing check reaches it) or undecided."""

    number: int
    verdict: str = "undecided"
    check: str = ""  # the check that killed the mutant
    how: str = ""  # the verdict of that check
    asked: int = 0  # number of checks that ran with the mutant
    reached: int = 0  # number of passing checks that reach it
    flaky: tuple = ()  # checks that killed the mutant once but not again


class Lost(Exception):
    """One part of a proof ended without a result."""


class Refused(Exception):
    """The proof cannot run at all, for example because of an invalid contract or a wrong option. A part of the list
    would fail in the same way."""


REFUSALS = range(64, 79)  # exit statuses of sysexits.h


class Proof:
    """The clean run and lists of pairs of one built variant."""

    def __init__(self, assay, profile, folder, jobs, patience=1, select="all", suite=None):
        self.assay, self.profile, self.folder = assay, profile, Path(folder)
        self.jobs, self.patience, self.select, self.suite = jobs, patience, select, suite
        self.groups_file = self.folder.with_name(GROUPS)
        self.asked, self.kills = collections.Counter(), collections.Counter()  # counters by check, for this campaign

    def prove(self, pairs, resume, seconds):
        """Runs a proof and returns its lines: (switch, check, verdict)."""
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
        """The checks that reach the mutant, in order of cost per kill. A mutant that acts while the target is loaded
        also gets all other checks, because they depend on the load."""
        by_cost = sorted(self.costs, key=lambda name: (self.costs[name] / self.likely(name), name))
        reaching = [name for name in by_cost if number in self.reached[name]]
        return reaching + [name for name in by_cost if name not in set(reaching)] if at_load else reaching

    def likely(self, check):
        """Share of the reached mutants that this check kills. Before any result, a check that reaches few mutants is
        assumed to test them."""
        return (self.kills[check] + 1 / max(1, len(self.reached[check]))) / (self.asked[check] + 1)

    def affordable(self, checks, most):
        """The first checks whose total time is at most `most` milliseconds."""
        spent = itertools.accumulate(self.costs[check] for check in checks)
        return [check for check, cost in zip(checks, spent, strict=True) if cost <= most]

    # ---- lists of pairs

    def forget_pairs(self):
        """Deletes the pairs of an earlier list or an interrupted campaign."""
        for part in ("pairs", "pairs-at-load"):
            shutil.rmtree(self.folder / part, ignore_errors=True)

    def run(self, pairs, tell):
        """Returns the verdicts of these pairs. The lists run one after the other in the folder of the clean run. If a
        list ends without a result, each half is run, so that one mutant does not lose the results of the others."""
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

    def run_together(self, groups, tell):
        """Yields (members, check, verdict) for each group of mutants. The members are active together while the check
        runs."""
        names = {f"{PREFIX}{number}": group for number, group in enumerate(groups, GROUPS_FROM)}
        self.groups_file.write_text("".join(" ".join(map(str, (number_of(name), *members))) + "\n" for name, (members, _) in names.items()))
        answers = {switch: verdict for switch, _, verdict in self.run([(name, check) for name, (_, check) in names.items()], tell)}
        return [(members, check, answers.get(name, "notrun")) for name, (members, check) in names.items()]


def reached_at_load(interpreter, python, most):
    """The numbers of the mutants that an import of the package reaches."""
    environment = {**os.environ, "PYTHONPATH": str(python), "FAKEDEV_DEVICES": "2"}
    said = subprocess.run([interpreter, "-c", REACHED_AT_LOAD.format(most=most)], env=environment,
                          capture_output=True, text=True, check=True)  # fmt: skip
    return {int(word) for word in said.stdout.split()}


class Assessment:
    """`place_of` returns the place of a mutant. Two mutants of one place are never active together, because the first
    could hide the second."""

    def __init__(self, proof, at_load, tell=print, place_of=lambda number: number):
        self.proof, self.at_load, self.tell, self.place_of = proof, at_load, tell, place_of

    def pair(self, number, check, again=""):
        setting = (f"ASSAY_MUTANT={number}",) if number in self.at_load else ()
        return (f"{PREFIX}{number}{again and '.'}{again}", check, *setting)

    def assess(self, numbers):
        """Outcomes of a batch of mutants."""
        self.outcomes = {number: Outcome(number) for number in numbers}
        self.seen = {number: [] for number in numbers}  # verdicts that are not kills
        self.open = {number: self.proof.checks_for(number, number in self.at_load) for number in numbers}
        for number in numbers:
            self.outcomes[number].reached = len(self.open[number])
        self.ask({number: self.proof.affordable(checks, ALONE_MS) for number, checks in self.open.items()})
        self.ask_together(set(numbers) - set(self.at_load))
        self.ask(self.open)
        for number, outcome in self.outcomes.items():
            if not outcome.reached:
                outcome.verdict = "unreached"
            elif outcome.verdict != "killed" and is_answered(self.seen[number]):
                outcome.verdict = "survived"
        return list(self.outcomes.values())

    # ---- one at a time

    def ask(self, wanted):
        """Runs these checks for each mutant, up to the first that kills it."""
        wanted = {number: list(checks) for number, checks in wanted.items()}
        while any(wanted.values()):
            suspects = self.look(wanted)
            kills = self.confirm(suspects)
            for number, (check, how) in suspects.items():
                outcome = self.outcomes[number]
                if number in kills:
                    outcome.verdict, outcome.check, outcome.how = "killed", check, how
                    self.open[number] = wanted[number] = []
                else:
                    outcome.flaky += (check,)

    def look(self, wanted):
        """Returns {number: (check, verdict)} of the first failures. Pairs that did not run because of a failure stay in
        `wanted`."""
        rows = self.proof.run([self.pair(number, check) for number, checks in wanted.items() for check in checks], self.tell)
        answers = {number: [] for number in wanted}
        for switch, check, verdict in rows:
            answers[number_of(switch)].append((check, verdict))
        suspects = {}
        for number, given in answers.items():
            failed = [row for row in given if row[1] in KILLS]
            left = {check for check, verdict in given if verdict == "blocked"} if failed else set()
            done = {*wanted[number]} - left
            wanted[number] = [check for check in wanted[number] if check in left]
            self.open[number] = [check for check in self.open[number] if check not in done]
            said = dict(given)
            self.seen[number] += [said.get(check, "notrun") for check in done if said.get(check) not in KILLS]
            self.count([check for check, verdict in given if verdict not in ("blocked", "notrun", "skip")], [number], failed[:1])
            if failed:
                suspects[number] = failed[0]
        return suspects

    def count(self, checks, numbers, failed=()):
        for number in numbers:
            self.outcomes[number].asked += len(checks)
            self.proof.asked.update(checks)
        self.proof.kills.update(check for check, _ in failed)

    def confirm(self, suspects):
        """Runs each kill again and returns the mutants that the same check kills every time. If the check timed out,
        it must also finish in time without the mutant."""
        # A timeout may be caused by other load of the machine.
        slow = {check for check, how in suspects.values() if how == "timeout"}
        pairs = [self.pair(number, check, again) for number, (check, _) in sorted(suspects.items()) for again in AGAIN]
        rows = self.proof.run(pairs + [self.pair(NONE, check) for check in sorted(slow)], self.tell) if pairs else []
        kills = [number_of(switch) for switch, _, verdict in rows if verdict in KILLS]
        slow -= {check for switch, check, verdict in rows if number_of(switch) == NONE and verdict in GOOD}
        return {number for number, (check, how) in suspects.items()
                if kills.count(number) == len(AGAIN) and not (how == "timeout" and check in slow)}  # fmt: skip

    # ---- several at a time: a check that passes with a group of mutants kills none of them

    def ask_together(self, numbers):
        """Runs groups of mutants. If the check of a group does not clearly pass, the members of the group stay open and
        are tested alone, because the result does not show which member is the cause."""
        together = set(numbers)
        while groups := self.groups(together):
            broken = []
            for members, check, verdict in self.proof.run_together(groups, self.tell):
                if verdict not in GOOD:
                    broken.append((members, check))
                    continue
                self.count([check], members)
                for number in members:
                    self.open[number].remove(check)
                    self.seen[number].append(verdict)
            together -= self.part(broken)

    def groups(self, numbers):
        """Returns (members, check) for the open pairs. Mutants of one place never share a group."""
        by_check = {}
        for number in sorted(numbers):
            for check in self.open[number]:
                layers = by_check.setdefault(check, [])
                free = next((one for one in layers if all(self.place_of(other) != self.place_of(number) for other in one)), None)
                if free is None:
                    layers.append(free := [])
                free.append(number)
        return [(members, check) for check, layers in by_check.items() for members in layers][:GROUPS_MOST]

    def part(self, broken):
        """If a group did not pass, runs its members one by one. Returns the members with which the check of the group
        had no result."""
        if not broken:
            return set()
        wanted, spent = {}, 0
        for members, check in sorted(broken, key=lambda one: self.proof.costs[one[1]] * len(one[0])):
            spent += self.proof.costs[check] * len(members)
            if wanted and spent > ALONE_MS:
                break
            for number in members:
                wanted.setdefault(number, []).append(check)
        before = {number: len(self.seen[number]) for number in wanted}
        self.ask(wanted)
        alive = [number for number in wanted if self.outcomes[number].verdict != "killed"]
        bad = {number for number in alive if not {*self.seen[number][before[number] :]} <= {*GOOD} or self.outcomes[number].flaky}
        return bad or (set(alive) if len(alive) == len(wanted) else set())  # only the combination of the members breaks the check


def number_of(switch):
    return int(switch.split(".")[1])


def is_answered(verdicts):
    """True if every check completed and at least one has a verdict."""
    return not {"notrun", "incomplete"} & set(verdicts) and any(verdict != "broken" for verdict in verdicts)


def batches(numbers, size=BATCH):
    """Splits the numbers. The first batch is small, because it shows which checks kill most mutants."""
    first = size // 4
    return [part for part in (numbers[:first], *(numbers[at : at + size] for at in range(first, len(numbers), size))) if part]
