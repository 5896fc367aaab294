# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether the programs of suites/programs detect mutants in kernels that they reach, and whether a watch names
the operator.

Usage: .venv/bin/python ci/mutate/by_programs.py [--campaign DIR] [--count N] [--jobs N] [--timeout-scale X]
       .venv/bin/python ci/mutate/by_programs.py --program CHECK DEVICE

--campaign  folder of ci/mutants (build/mutants) with mutants and results; the folder `programs` is made in it
--count     number of kernel mutants (40): the first of the draw that a program reaches, without those in
            equivalent.tsv and those in survivors.tsv that no clause forbids or only an instrument detects
--program   runs the program of a check on a device and judges nothing

For each mutant that a program detects, the program runs under `assay watch --all`. The first operator that the watch
names has wrong results, raises, or ends or hangs its process. The reproducer of that operator must show the error with
the mutant but not without it."""

import argparse
import dataclasses
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import assess
import score
from mutation import Form, Mutation
from themes import KERNELS, row_of
from variant import ROOT

BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
SUITES = ROOT / "suites"
WATCH_SECONDS = 900
SHOWN_SECONDS = 120


@dataclasses.dataclass
class Named:
    """The result for a mutant that a program detected. `operator` is the first that was named, or ""; `how` is wrong,
    raised, died or stopped; `shown` is True if the reproducer shows the error with the mutant only."""

    operator: str = ""
    how: str = ""
    line: str = ""
    shown: bool = False


# ---- one program, unjudged -------------------------------------------------------------------------


def run_program(check, device):
    import torch
    from assay.programs.judge import ProgramCase
    from assay.programs.run import Run, finished

    def judge(_case, program, dtype=torch.float32, low=None, what=None):
        finished(program, Run(device, dtype, low))
        return True

    ProgramCase.judge = judge
    for path in sorted((SUITES / "programs").glob("test_*.py")):
        if f'"""{check}"""' in path.read_text(encoding="utf-8"):
            return call_method(importlib.import_module(f"suites.programs.{path.stem}"), check)
    return sys.exit(f"by_programs: there is no program {check}")


def call_method(module, check):
    for case in vars(module).values():
        for name, method in vars(case).items() if isinstance(case, type) else ():
            if getattr(method, "__doc__", None) == check:
                return getattr(case(name), name)()
    return None


# ---- the campaign ------------------------------------------------------------------------------------


class ByPrograms:
    def __init__(self, arguments):
        self.arguments, self.folder = arguments, Path(arguments.campaign).resolve()
        self.room = self.folder / "programs"
        self.profile = self.folder / "mutants.yaml"

    def run(self):
        proof = assess.Proof(BUILD / "bin" / "assay", self.profile, self.room / "proof", self.arguments.jobs,
                             self.arguments.timeout_scale, "programs")  # fmt: skip
        self.room.mkdir(exist_ok=True)
        proof.begin()
        for name in [name for name in proof.costs if not name.startswith("programs.")]:
            # The checks on which programs depend detect more mutants than the programs.
            del proof.costs[name], proof.reached[name]
        chosen = self.chosen(proof)
        outcomes = []
        for batch in assess.batches([one.number for one in chosen]):
            outcomes += assess.Assessment(proof, set(), tell).assess(batch)
            tell(f"{len(outcomes)} of {len(chosen)} asked")
        self.show({one.number: one for one in chosen}, outcomes)

    def chosen(self, proof):
        equivalent, survivors = score.read_known()
        legal = {*equivalent, *(key for key, row in survivors.items() if row[0] in "de")}
        drawn = json.loads((self.folder / "drawn.json").read_text())["mutations"]
        reached = set().union(*proof.reached.values())
        kernels = [Mutation(**{**one, "form": Form(one["form"])}) for one in drawn]
        return [one for one in kernels if row_of(one.file)[0] == KERNELS and one.number in reached
                and one.key not in legal][: self.arguments.count]  # fmt: skip

    def show(self, by_number, outcomes):
        others = {row["number"]: row for row in map(json.loads, (self.folder / "results.jsonl").read_text().splitlines())}
        counts = dict.fromkeys(("noticed", "named", "shown", "checks", "deep"), 0)
        for outcome in outcomes:
            named = self.named(outcome) if outcome.verdict == "killed" else Named()
            other = others.get(outcome.number, {"verdict": "not asked"})
            is_deep = other["verdict"] == "killed" and bool(other.get("deep"))
            counts["noticed"] += outcome.verdict == "killed"
            counts["named"] += bool(named.operator)
            counts["shown"] += named.shown
            counts["checks"] += other["verdict"] == "killed" and not is_deep
            counts["deep"] += is_deep
            words = [by_number[outcome.number].key.replace("\t", " "), outcome.verdict, outcome.check, named.operator, named.how, named.line,
                     "shown" if named.shown else "", other["verdict"], "by ops" if is_deep else ""]  # fmt: skip
            print(outcome.number, *words, sep="\t", flush=True)
        print(f"{len(outcomes)} wrong kernels: programs notice {counts['noticed']}; of these a watch names an operator for "
              f"{counts['named']}, and {counts['shown']} reproducers show it alone. All checks kill {counts['checks']}, "
              f"assay ops --deep {counts['deep']} more.")  # fmt: skip

    def named(self, outcome):
        out = self.room / f"watch-{outcome.number}"
        shutil.rmtree(out, ignore_errors=True)
        said = self.assay("watch", "--all", "--target", self.profile, "--out", out, "--", sys.executable, __file__,
                          "--program", outcome.check, "fakedev", mutation=outcome.number)  # fmt: skip
        if not (out / "watch.json").exists():
            tell(f"{outcome.number}: no watch: {said.stderr[-300:]}")
            return Named()
        first = json.loads((out / "watch.json").read_text()).get("first")
        if not first:
            return Named()
        shower = (out / (first["reproducer"] or "none")).with_suffix(".py")
        shown = shower.exists() and self.python(shower, outcome.number) == 1 and self.python(shower, 0) == 0
        return Named(first["op"], first["how"], first["line"], shown)

    def assay(self, *words, mutation):
        """A program that takes too long is stopped, and the watch reports the running call."""
        said = subprocess.Popen([str(BUILD / "bin" / "assay"), *map(str, words)], env={**os.environ, "ASSAY_MUTANT": str(mutation)},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        try:
            output, errors = said.communicate(timeout=WATCH_SECONDS)
        except subprocess.TimeoutExpired:
            said.terminate()
            output, errors = said.communicate()
        return subprocess.CompletedProcess(said.args, said.returncode, output, errors)

    def python(self, program, mutation):
        environment = {**os.environ, "ASSAY_MUTANT": str(mutation), "FAKEDEV_DEVICES": "2",
                       "PYTHONPATH": str(self.folder / "tree" / "build" / "python")}  # fmt: skip
        asked = subprocess.Popen([sys.executable, str(program)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 start_new_session=True)  # fmt: skip
        try:
            return asked.wait(timeout=SHOWN_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(asked.pid, signal.SIGKILL)
            return int(mutation != 0)  # a call that never returns also shows the error


def tell(words):
    print(f"by_programs: {words}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n\n")[0])
    parser.add_argument("--campaign", default=BUILD / "mutants")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout-scale", type=float, default=1)
    parser.add_argument("--program", nargs=2, metavar=("CHECK", "DEVICE"))
    arguments = parser.parse_args()
    if arguments.program:
        run_program(*arguments.program)
    else:
        ByPrograms(arguments).run()


if __name__ == "__main__":
    main()
