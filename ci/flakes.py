# SPDX-License-Identifier: BSD-3-Clause
"""Runs checks on the fake device without faults many times, each time in a new random order and with a new seed. A
check is a flake if its verdict differs between runs or if it does not pass. An unobservable check is not a flake,
because the check reports that it could not observe enough. Such checks are only counted.

Usage: ci/flakes [N [EXPR]] [--checks COUNT] [--jobs 1,8] [--load none,compute,memory] [--first NUMBER]

--checks   stops after this number of checks, whatever the number of runs
--jobs     numbers of jobs; the runs alternate between all pairs of jobs and load
--load     additional load on each processor: none, a process that computes, or one that copies memory
--first    number of the first run (1), which is also its seed: continues an earlier series

Prints each finding at once, then a table by jobs and load, then `N runs, M with findings`. The exit status is 0 only if
M is 0. On SIGTERM it stops and prints the results so far."""

import argparse
import collections
import contextlib
import dataclasses
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
WELL = ("pass", "noted", "skip", "unobservable")
WHILE_WANTED = "import os\nmine = os.getppid()\nwhile os.getppid() == mine:\n    "
LOADS = {
    "none": None,
    "compute": WHILE_WANTED + "sum(range(1000000))",
    "memory": "room = bytearray(1 << 26)\n" + WHILE_WANTED + "room[:] = bytes(1 << 26)",
}
LOAD_PROCESSES = os.cpu_count() or 1


@dataclasses.dataclass
class Way:
    """The results for one combination of number of jobs and load."""

    jobs: int
    load: str
    runs: int = 0
    checks: int = 0
    unobservable: int = 0
    findings: int = 0


@contextlib.contextmanager
def loaded(load):
    """Starts the load processes, which end with the block or with this process."""
    code = LOADS[load]
    count = LOAD_PROCESSES if code else 0
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def verdicts_of(run):
    """Returns {check: final verdict} for the checks that count."""
    records = [json.loads(line) for line in (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    counted = {check["id"] for check in records[0]["checks"] if not check.get("support")}
    ends = [record for record in records if record["event"] == "end" and record["final"]]
    return {record["id"]: record["verdict"] for record in ends if record["id"] in counted}


class Flakes:
    def __init__(self, select):
        self.select = select
        self.usual = {}  # check -> its first verdict other than unobservable
        self.unobservable = collections.Counter()

    def run(self, number, way, room):
        """Runs the checks once and prints the findings. Returns True if there were none."""
        out = Path(room) / str(number)
        words = [f"--select={self.select}", f"--seed={number}", f"--shuffle={number}", f"--jobs={way.jobs}"]
        command = [BUILD / "bin" / "assay", "run", "--target=fakedev", *words, f"--out={out}", "--quiet"]
        with loaded(way.load):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        try:
            verdicts = verdicts_of(out)
        except (OSError, ValueError, LookupError) as error:
            verdicts, done.returncode = {}, done.returncode or f"{done.returncode}, but its journal: {error}"
        wrong = self.count(way, verdicts)
        if wrong or done.returncode != 0:
            print(f"run {number}, {' '.join(words)}, load {way.load}: exit status {done.returncode}", *wrong, sep="\n  ")
            print(done.stdout, end="", flush=True)
            subprocess.run([BUILD / "bin" / "assay", "report", out], check=False)
        subprocess.run(["rm", "-rf", out], check=True)
        return not wrong and done.returncode == 0

    def count(self, way, verdicts):
        way.runs += 1
        way.checks += len(verdicts)
        wrong = []
        for check, verdict in verdicts.items():
            if verdict == "unobservable":
                way.unobservable += 1
                self.unobservable[check] += 1
                continue
            usual = self.usual.setdefault(check, verdict)
            if verdict not in WELL or verdict != usual:
                wrong.append(f"{check}: {verdict}" + (f", and {usual} before" if verdict != usual else ""))
        way.findings += bool(wrong)
        return wrong

    def never_seen(self):
        """Checks that were unobservable in every run."""
        return [check for check in self.unobservable if check not in self.usual]


def print_table(ways, flakes):
    print(f"{'jobs':>4} {'load':8} {'runs':>6} {'checks':>7} {'unobservable':>12} {'with findings':>13}")
    for way in ways:
        print(f"{way.jobs:4} {way.load:8} {way.runs:6} {way.checks:7} {way.unobservable:12} {way.findings:13}")
    for check, count in sorted(flakes.unobservable.items()):
        print(f"unobservable {count} times{', always' if check in flakes.never_seen() else ''}: {check}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n")[0])
    parser.add_argument("runs", nargs="?", type=int)
    parser.add_argument("select", nargs="?", default="all")
    parser.add_argument("--checks", type=int)
    parser.add_argument("--jobs", default=str(os.cpu_count() or 1))
    parser.add_argument("--load", default="none")
    parser.add_argument("--first", type=int, default=1)
    arguments = parser.parse_args()
    jobs, loads = arguments.jobs.split(","), arguments.load.split(",")
    if unknown := set(loads) - set(LOADS):
        parser.error(f"unknown load {', '.join(sorted(unknown))}: expected {', '.join(LOADS)}")
    ways = [Way(int(count), load) for count, load in itertools.product(jobs, loads)]
    flakes, bad, number = Flakes(arguments.select), 0, 0
    most = arguments.runs or (sys.maxsize if arguments.checks else 50)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="assay-flakes-") as room, contextlib.suppress(KeyboardInterrupt):
        while number < most and sum(way.checks for way in ways) < (arguments.checks or sys.maxsize):
            well = flakes.run(arguments.first + number, ways[number % len(ways)], room)
            number += 1
            bad += not well
    if arguments.checks or len(ways) > 1 or flakes.unobservable:
        print_table(ways, flakes)
    print(f"{sum(way.checks for way in ways)} checks; {number} runs, {bad} with findings")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
