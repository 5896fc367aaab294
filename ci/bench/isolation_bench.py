# SPDX-License-Identifier: BSD-3-Clause
"""Measures the cost of isolation in milliseconds per check, in every mode and both hosts, as elapsed time and as
processor time. Beside each value stand a lower bound of the same kind, measured alternately with the value, and the
cost of the usual ways to isolate tests. Then measures the supervisor itself. Prints the values and judges nothing. On a
busy machine, only the processor times are meaningful.

Usage: ci/bench/isolation_bench.py [--checks N] [--torch] [--target LIBRARY] [--rounds N] [--large N]

--torch    native hosts and lower bounds load libtorch, those in Python run `import torch` (of this interpreter)
--target   library of a backend, loaded by the jobs of the mode fork-clean
--large    number of checks in the long runs of the second table (20000; the last row has five times as many)

Uses pytest and pytest-forked if this interpreter has them."""

import argparse
import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import typing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
TORTURE = ROOT / "harness" / "host" / "torture"

NATIVE = f"--host={BUILD / 'tests' / 'torture_host'}"
PYTHON = f"--python={sys.executable} -m assay.host"

USERS = [path for path in [os.environ.get("PYTHONPATH")] if path]

PYTHON_FLOOR = """
import ctypes, os, sys, time
def now():
    spent = os.times()
    return time.monotonic() * 1000, sum(spent[:4]) * 1000
if sys.argv[2]:
    import torch
if sys.argv[3]:
    ctypes.CDLL(sys.argv[3])
n = int(sys.argv[1])
start = now()
for _ in range(n):
    pid = os.fork()
    if pid == 0:
        if sys.argv[4]:
            ctypes.CDLL(sys.argv[4])
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        sys.exit("a child did not come to its end")
print(*((b - a) / n for a, b in zip(start, now())))
"""
SUITE = """
import unittest
{torch}
class Nothing(unittest.TestCase):
    pass
for number in range({count}):
    setattr(Nothing, f"test_{{number}}", lambda self: None)
"""


class Bench:
    def __init__(self, torch, target, rounds):
        self.torch, self.target, self.rounds = torch, target, rounds
        self.preload = ""
        if torch:
            folder = importlib.util.find_spec("torch").submodule_search_locations[0]
            self.preload = str(Path(folder) / "lib" / "libtorch_cpu.so")

    def environment(self):
        return dict(
            os.environ,
            PYTHONPATH=os.pathsep.join(map(str, (ROOT / "harness" / "python", TORTURE, *USERS))),
            ASSAY_LIBRARIES=str(BUILD / "lib"),
            ASSAY_HOST_TARGET="torture_target_with_torch" if self.torch else "torture_target",
            ASSAY_TORTURE_LIBRARY=str(BUILD / "tests" / "torture_checks.so"),
            OMP_NUM_THREADS="1",
            TORCH_DEVICE_BACKEND_AUTOLOAD="0",  # otherwise `import torch` would load the target
        )

    def with_torch(self, program):
        """The supervisor never loads torch. A native host preloads torch."""
        if program != NATIVE or not self.preload:
            return program
        name, _, command = program.partition("=")
        return f"{name}=env LD_PRELOAD={self.preload} {command}"

    def run(self, program, mode, *more):
        """Returns the cost and the last line of output."""
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
            words = [BUILD / "tests" / "torture_run", f"--out={folder}/run", f"--mode={mode}",
                     "--check-ms=60000", "--silence-ms=60000", "--load-ms=60000", self.with_torch(program)]
            return timed([*map(str, words), *more], self.environment())

    def per_check(self, program, mode, checks, *more):
        return per_piece(lambda count: self.run(program, mode, f"--bench={count}", *more)[0], checks)

    def floor(self, checks, python, loaded="", child=""):
        """The cost of fork, _exit and wait in a process with the same libraries. Each child loads `child`."""
        command = [BUILD / "tests" / "fork_floor", checks, loaded or self.preload, *([child] if child else [])]
        if python:
            command = [sys.executable, "-c", PYTHON_FLOOR, checks, "torch" if self.torch else "", loaded, child]
        return Price(*map(float, timed([*map(str, command)], self.environment())[1].split()))

    def beside(self, floor, value):
        """Measures both values alternately, once per round, so that a busy machine affects both equally. Returns the
        medians."""
        pairs = [(floor(), value()) for _ in range(self.rounds)]
        return tuple(Price(*map(statistics.median, zip(*column))) for column in zip(*pairs))


class Price(typing.NamedTuple):
    """Elapsed milliseconds, and processor milliseconds including all child processes."""

    wall: float
    cpu: float


def timed(command, environment=None):
    """The cost of a command and its last line of output."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Price(wall * 1000, cpu * 1000), done.stdout.strip().rpartition("\n")[2]


def per_piece(measure, count):
    """The cost per check, computed from runs of two lengths, so that the start of a host does not count."""
    short = max(1, count // 10)
    long, first = measure(count), measure(short)
    return Price(*((a - b) / (count - short) for a, b in zip(long, first)))


def usual_ways(bench, checks):
    """The cost per check of the usual ways to isolate tests without assay."""
    torch = "import torch" if bench.torch else ""
    yield "a fresh Python per check", min(timed([sys.executable, "-c", torch or "pass"])[0] for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        def suite(count):
            path = Path(folder, f"test_{count}.py")
            path.write_text(SUITE.format(torch=torch, count=count))
            return path.name

        ways = {"plain unittest, one process": [sys.executable, "-m", "unittest"]}
        if all(map(importlib.util.find_spec, ("pytest", "pytest_forked"))):
            ways["pytest --forked"] = [sys.executable, "-m", "pytest", "-q", "--forked", "-p", "no:cacheprovider"]
        os.chdir(folder)
        for name, command in ways.items():
            yield name, per_piece(lambda count: timed([*command, suite(count)])[0], checks)
        os.chdir(ROOT)


def print_row(name, value, floor=None, goal=""):
    print(f"{name:28}", end="")
    for i in range(2):
        beside = f"{floor[i]:9.3f}{value[i] / floor[i]:7.2f}" if floor else " " * 16
        print(f"{value[i]:11.3f}{beside}", end="")
    print(f"  {goal}", flush=True)


def table_of_modes(bench, checks):
    print(f"{'ms per check':28}{'clock':>11}{'floor':>9}{'ratio':>7}{'processor':>11}{'floor':>9}{'ratio':>7}  goal")
    few = max(100, checks // 10)
    hosts = ((NATIVE, False, "native", checks), (PYTHON, True, "Python", max(200, checks // 5)))
    for program, python, word, count in hosts:
        bare = lambda: bench.floor(count, python, loaded=bench.target)
        loads = lambda: bench.floor(few, python, child=bench.target)
        load = [f"--load={bench.target}"] if bench.target else []
        rows = (
            ("fork-loaded", bare, count, load, "1.5"),
            ("fork-loaded, 2 jobs", bare, count, [*load, "--jobs=2"], ""),
            ("fork-clean", loads, few, load, "1.3"),
            ("exec", loads, few, load, ""),
            ("batch", bare, count, load, ""),
        )
        for mode, floor, number, more, goal in rows:
            base, value = bench.beside(
                floor, lambda: bench.per_check(program, mode.partition(",")[0], number, *more))
            print_row(f"{word}, {mode}", value, base, goal)
    for name, value in usual_ways(bench, max(200, checks // 5)):
        print_row(name, value)


def cost(bench, checks, *more):
    price, words = bench.run(NATIVE, "fork-loaded", f"--bench={checks}", "--cost=1", *more)
    _, cpu, size = words.split()
    return price.wall, float(cpu), int(size)


def table_of_the_supervisor(bench, large):
    print(f"\n{'the supervisor itself':50}{'':12}  goal")
    wall, cpu, size = cost(bench, large)
    print(f"{'processor per job, ms':50}{cpu / large:12.3f}  0.3")
    print(f"{f'memory of a run of {large} jobs, MiB':50}{size / 1024:12.1f}  32")
    longer, more_cpu, more_size = cost(bench, 5 * large)
    print(f"{f'{5 * large} jobs: time over 5 x that of {large}':50}{longer / wall / 5:12.2f}  1")
    print(f"{f'{5 * large} jobs: its processor over 5 x that of {large}':50}{more_cpu / cpu / 5:12.2f}  1")
    alone, both = bench.beside(lambda: bench.run(NATIVE, "fork-loaded", "--burn=200")[0],
                               lambda: bench.run(NATIVE, "fork-loaded", "--burn=200", "--jobs=2")[0])
    print(f"{'jobs of 20 ms of processor: gain of 2 in parallel':50}{alone.wall / both.wall:12.2f}  1.8")
    assay = [str(BUILD / "bin" / "assay"), "list"]
    listed = [timed(assay)[0] for _ in range(15)]
    clock, cpu = (statistics.median(column) for column in zip(*listed))
    print(f"{'assay list, ms of the clock, of the processor':50}{clock:12.1f}{cpu:12.1f}  50")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checks", type=int, default=2000)
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--target", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", type=int, default=20000)
    options = parser.parse_args()
    bench = Bench(options.torch, options.target and os.path.abspath(options.target), options.rounds)
    table_of_modes(bench, options.checks)
    table_of_the_supervisor(Bench(False, "", options.rounds), options.large)


if __name__ == "__main__":
    main()
