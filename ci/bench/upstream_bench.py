# SPDX-License-Identifier: BSD-3-Clause
"""The cost of `assay run --upstream` beyond the tests themselves: a process for each, its evidence, what it pays again.

Usage: ci/bench/upstream_bench.py [--count N] [--seed S] [--isolation MODE] [DIR...]

For each file or folder (default: a file of our own) N tests are drawn that pass. They run one after another in one
process (unittest), and each in a job of its own (`assay run --jobs 1`); the difference is the overhead. With
`--isolation batch-loaded` many share a process, and what does not pass there gets one of its own. The floor is a
fork of the same process that leaves at once. Per test of a run: the difference of a run of all and of a run of a third,
so that imports, the start and what a host does once are not in it. Prints a table; judges nothing. Wants a quiet
machine: with others at work the clock is theirs, and the processor takes longer for the same."""

import argparse
import gc
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
OWN = ROOT / "suites" / "upstream" / "testdata" / "own" / "test_arithmetic.py"
ASKED = 56900  # tests of the thirteen files whose time is of interest
SECONDS = 10  # for one test


def spent(who):
    """Milliseconds of the processor and of the clock, from any beginning."""
    used = resource.getrusage(who)
    return 1000 * (used.ru_utime + used.ru_stime), 1000 * time.monotonic()


def with_children():
    mine, children = spent(resource.RUSAGE_SELF), spent(resource.RUSAGE_CHILDREN)
    return mine[0] + children[0], mine[1]


def per(count, before, after):
    return [(late - early) / count for early, late in zip(before, after, strict=True)]


# ---- in the process that has loaded the target and imported the files ------------------------------------


def begin(folder):
    """The tests of the folder, as a host has them."""
    os.environ.update(ASSAY_LISTED=folder, TORCH_DEVICE_BACKEND_AUTOLOAD="0", FAKEDEV_DEVICES="2")
    from suites.upstream import test_upstream

    test_upstream.FAMILY.warm()
    import torch_fakedev  # noqa: F401

    test_upstream.FAMILY.loaded()
    return test_upstream.FAMILY, test_upstream.unittest_outcome


def forked(work):
    """The exit status of a child that does it."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        status = 2
        try:
            status = work()
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1]


def draw(family, outcomes, count, seed):
    """Tests that pass alone, in a fresh process."""
    names = sorted(family.tests)
    random.Random(seed).shuffle(names)
    good = []
    for name in names:
        test = family.tests[name]
        if forked(lambda test=test: len(outcomes.run(test.case, test.method).findings())) == 0:
            good.append(name)
        if len(good) == count:
            break
    return sorted(good)


def inside(folder, count, seed):
    family, outcomes = begin(folder)
    from assay.host import huge_pages

    names = draw(family, outcomes, count, seed)
    gc.collect()
    gc.freeze()
    huge_pages.collapse()
    before = with_children()
    for _ in names:
        forked(lambda: 0)
    floor = per(len(names), before, with_children())
    before = spent(resource.RUSAGE_SELF)
    for name in names:
        outcomes.run(family.tests[name].case, family.tests[name].method)
    plain = per(len(names), before, spent(resource.RUSAGE_SELF))
    return {"names": names, "floor": floor, "plain": plain, "tests": len(family.tests)}


# ---- beside it -------------------------------------------------------------------------------------------


def run_assay(folder, names, out, mode):
    command = [BUILD / "bin" / "assay", "run", "--upstream", folder, "--select", ",".join(names), "--out", out,
               "--jobs", "1", "--isolation", mode, "--quiet"]
    before = spent(resource.RUSAGE_CHILDREN)
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if status:
        sys.exit(f"{folder}: the run ended with {status}")
    return per(1, before, spent(resource.RUSAGE_CHILDREN))


def measure(folder, count, seed, mode, room):
    command = [sys.executable, __file__, "--inside", "--count", str(count), "--seed", str(seed), folder]
    words = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout
    told = json.loads(words.splitlines()[-1])
    names = told["names"]
    few = names[::3]
    short = run_assay(folder, few, f"{room}/few", mode)
    long = run_assay(folder, names, f"{room}/all", mode)
    return told, per(len(names) - len(few), short, long)


def print_row(folder, told, run):
    over = [mine - test for mine, test in zip(run, told["plain"], strict=True)]
    cells = [cell for pair in zip(told["plain"], told["floor"], run, over, strict=True) for cell in pair]
    minutes = ASKED * run[0] / 1000 / 60 / 2
    print(f"{Path(folder).name:12} {len(told['names']):5} of {told['tests']:5}",
          *(f"{cell:8.1f}" for cell in cells), f"{minutes:8.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", default=[str(OWN)])
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--isolation", default="fork-loaded")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(inside(options.folders[0], options.count, options.seed)))
        return
    print("ms for each test, processor and clock:   test itself      a bare fork    a job of its own     overhead   "
          f"minutes for {ASKED} on two processors")
    for folder in options.folders:
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as room:
            print_row(folder, *measure(str(Path(folder).resolve()), options.count, options.seed, options.isolation, room))


if __name__ == "__main__":
    main()
