# SPDX-License-Identifier: BSD-3-Clause
"""Draws mutations of the fake device, builds them together, and determines which of them the checks kill.

Usage: ci/mutants [--count N] [--out DIR] [--jobs N] [--select EXPR] [--seed WORD] [--only PART,...] [--again] [--keys FILE]
                  [--deep DTYPES] [--no-load] [--timeout-scale X]

--count   number of mutants (600), over all parts: integration and package, kernels, the rest of the driver, and `apart`
--out     output folder (build/mutants); if it contains a part of the same draw, the campaign continues there
--select  runs only these checks
--seed    seed in place of the last commit to suites/ and harness/; a score with such a seed is not used for judgement
--only    parts: integration, kernels, driver, apart
--again   runs the checks again for the mutants that survived, after checks were added; killed mutants stay killed
--keys    only the mutations whose keys are in the first column of FILE, as in survivors.tsv. They are taken from the draw
          in the folder; in a new folder they are taken from all mutations, and only these are built
--deep    dtypes for assay ops --deep, which runs on kernels that no check killed; "" for none
--no-load leaves out mutants that act while the target is loaded: each needs a load for every check, which takes an hour
          if the mutant survives
--timeout-scale  multiplies every deadline, for a machine with other load

Writes results.jsonl with a line for each mutant, and prints the tables of score.py. The exit status is 0 if every
mutant is decided. People judge the share of kills."""

import argparse
import dataclasses
import functools
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import assess
import deep_suite
import draw
import score
from mutation import Form, Mutation
from themes import KERNELS, PARTS, row_of
from variant import ROOT, CannotBuild, Variant

BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
LISTED = ("a list", 0)  # replaces seed and count in a folder with a given list of mutants
SPARE = 1.7  # the compiler rejects about two in five of the drawn mutations
ALIVE = ("survived", "unreached")
MOST_BROKEN = 0.01  # share of the checks that may fail because of other load
MOST = assess.GROUPS_FROM  # numbers of the switchboard for single mutants


class Campaign:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = Path(arguments.out).resolve()
        self.seed = arguments.seed or draw.seed_of(ROOT)
        self.only = arguments.only.split(",") if arguments.only else list(PARTS)
        self.variant = Variant(self.folder, BUILD)
        self.results = self.folder / "results.jsonl"
        self.begun = time.monotonic()

    def tell(self, words):
        print(f"mutants: {time.monotonic() - self.begun:5.0f} s: {words}", file=sys.stderr, flush=True)

    # ---- drawing and building

    def mutations(self):
        """The mutations that are built, in the order of the draw. A folder keeps its draw."""
        drawn = self.folder / "drawn.json"
        if drawn.exists():
            known = json.loads(drawn.read_text())
            wanted = {(self.seed, self.arguments.count), *([LISTED] if self.arguments.keys else [])}
            if (known["seed"], known["count"]) not in wanted or not {*self.only} <= {*known["parts"]}:
                sys.exit(f"{self.folder} contains another draw: {known['seed']}, {known['count']} mutations, {known['parts']}")
            return [Mutation(**{**one, "form": Form(one["form"])}) for one in known["mutations"]]
        made = self.make()
        listed = [{**dataclasses.asdict(one), "form": one.form.value} for one in made]
        seed, count = LISTED if self.arguments.keys else (self.seed, self.arguments.count)
        drawn.write_text(json.dumps({"seed": seed, "count": count, "parts": self.only, "mutations": listed}))
        return made

    def make(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        points = list(draw.points(ROOT))
        if self.arguments.keys:
            sample = draw.numbered([one for one in points if self.is_listed(one)])
        else:
            sample = draw.sample(points, self.seed, self.arguments.count, SPARE)
        sample = [one for one in sample if row_of(one.file)[0] in self.only]
        self.tell(f"{len(sample)} {'listed' if self.arguments.keys else f'drawn by {self.seed}'}")
        built = self.variant.make(sample, self.tell)
        self.tell(f"{len(built)} built, {len(self.variant.dropped)} rejected by the compiler")
        return built

    def chosen(self, built):
        """The requested number of mutants for each part, in the order of the draw. The parts alternate according to
        their shares, so that the results of an interrupted campaign are a sample of the whole."""
        if self.arguments.keys:
            return [one for one in built if self.is_listed(one)]
        chosen = []
        for part in self.only:
            wanted = round(self.arguments.count * draw.SHARES[part])
            mine = [one for one in built if row_of(one.file)[0] == part][:wanted]
            chosen += [((rank + 1) / wanted, one) for rank, one in enumerate(mine)]
        return [one for _, one in sorted(chosen, key=lambda ranked: ranked[0])]

    # ---- running the checks

    def run(self):
        chosen = self.chosen(self.mutations())
        open_verdicts = {"undecided", *ALIVE} if self.arguments.again else {"undecided"}
        decided = {row["number"] for row in self.rows() if row["verdict"] not in open_verdicts}
        left = [one for one in chosen if one.number not in decided]
        if self.arguments.again:
            for folder in ("proof", "deep"):  # the stored runs without a mutant do not contain the new checks
                shutil.rmtree(self.folder / folder, ignore_errors=True)
        if left:
            self.assess(left)
        self.assess_deep(chosen)
        return self.rows()

    def is_listed(self, one):
        return one.key in self.listed

    @functools.cached_property
    def listed(self):
        return score.read_list(Path(self.arguments.keys), reasons=False)

    def assess(self, left):
        at_load = assess.reached_at_load(sys.executable, self.variant.build / "python", MOST)
        # Mutants that act while the target is loaded need every check, and each check loads the target again. Such
        # mutants run last, or not at all.
        ordered = sorted(left, key=lambda one: one.number in at_load)
        if self.arguments.no_load:
            ordered = [one for one in ordered if one.number not in at_load]
        if ordered:
            self.ask(self.begin("proof", self.arguments.select), at_load, ordered)

    def assess_deep(self, chosen):
        """Runs `assay ops --deep` for the kernels that no check killed."""
        alive = {row["number"] for row in self.rows() if row["verdict"] in ALIVE and not row.get("deep")}
        left = [one for one in chosen if one.number in alive and row_of(one.file)[0] == KERNELS]
        if not left or not self.arguments.deep:
            return
        suite = self.folder / "suite"
        environment = {**os.environ, "PYTHONPATH": str(self.variant.build / "python")}
        subprocess.run([sys.executable, deep_suite.__file__, suite, self.arguments.deep], env=environment, check=True)
        proof = self.begin("deep", deep_suite.MODULE, suite)
        self.ask(proof, set(), left, deep=True)

    def begin(self, folder, select, suite=None):
        proof = assess.Proof(BUILD / "bin" / "assay", self.variant.profile(), self.folder / folder,
                             self.arguments.jobs, self.arguments.timeout_scale, select, suite)  # fmt: skip
        proof.begin()
        self.tell(f"{len(proof.clean)} checks on the clean device, {len(proof.costs)} pass")
        broken = sorted(name for name, verdict in proof.clean.items() if verdict in assess.KILLS)
        if len(broken) > MOST_BROKEN * len(proof.clean):
            raise assess.Refused(f"{len(broken)} checks fail although no mutation is active, so the copy differs from the device: {' '.join(broken)}")
        return proof

    def ask(self, proof, at_load, left, deep=False):
        by_number = {one.number: one for one in left}
        assessment = assess.Assessment(proof, at_load, self.tell, lambda number: (by_number[number].file, by_number[number].function))
        done = 0
        for batch in assess.batches(list(by_number)):
            with self.results.open("a") as results:
                for outcome in assessment.assess(batch):
                    one = by_number[outcome.number]
                    row = {**dataclasses.asdict(outcome), "key": one.key, "file": one.file, "line": one.line, "rule": one.rule,
                           "at_load": one.number in at_load, "deep": deep}  # fmt: skip
                    results.write(json.dumps(row) + "\n")
            done += len(batch)
            self.tell(f"{done} of {len(left)} assessed, {minutes_of_processor():.0f} minutes of processor")

    def rows(self):
        """The last result of each mutant."""
        lines = self.results.read_text().splitlines() if self.results.exists() else []
        return list({row["number"]: row for row in map(json.loads, lines)}.values())


def minutes_of_processor():
    """Processor minutes of all child processes."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (spent.ru_utime + spent.ru_stime) / 60


def show(rows, seed):
    equivalent, survivors = score.read_known()
    print(f"seed {seed}; {minutes_of_processor():.0f} minutes of processor, of this call", *score.tables(rows, (equivalent, score.legal_of(survivors))),
          "", "not killed", sep="\n")
    print(*score.survivors_of(rows, equivalent, survivors), sep="\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n\n")[0])
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--out", default=BUILD / "mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--select", default="all")
    parser.add_argument("--seed")
    parser.add_argument("--only")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--keys")
    parser.add_argument("--no-load", action="store_true")
    parser.add_argument("--timeout-scale", type=float, default=1)
    parser.add_argument("--deep", default="float32,complex64,int64,bool")
    campaign = Campaign(parser.parse_args())
    try:
        rows = campaign.run()
    except (CannotBuild, assess.Lost, assess.Refused) as problem:
        sys.exit(f"mutants: {problem}")
    show(rows, campaign.seed)
    return any(row["verdict"] == "undecided" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
