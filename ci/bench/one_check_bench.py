# SPDX-License-Identifier: BSD-3-Clause
"""The cost of one check alone by `assay run`, when its target is known from an earlier run, beside what
any program pays for `import torch`. Both in turn, best of some rounds; prints and judges nothing.

Usage: ci/bench/one_check_bench.py [--target TARGET] [--check ID] [--rounds N]

The goal is a ratio of 2. Wants a machine that does nothing else; of the columns of the processor others
at work change less."""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
IMPORT = [sys.executable, "-c", "import torch"]


def cost(command):
    """Seconds of the clock and of the processor, and the exit status."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, env=dict(os.environ, TORCH_DEVICE_BACKEND_AUTOLOAD="0"))
    clock, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.returncode


def run_of(arguments, folder):
    return [BUILD / "bin" / "assay", "run", "--target", arguments.target, "--select", f"check:{arguments.check}",
            "--quiet", "--out", folder]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="fakedev")
    parser.add_argument("--check", default="guard.device_guard_restores_the_device")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as room:
        if cost(run_of(arguments, f"{room}/first"))[2] != 0:
            sys.exit(f"assay run of {arguments.check} on {arguments.target} did not leave with 0")
        pairs = [(cost(run_of(arguments, f"{room}/{number}")), cost(IMPORT)) for number in range(arguments.rounds)]
    for place, name in enumerate(("clock", "processor")):
        run, floor = (min(pair[kind][place] for pair in pairs) for kind in (0, 1))
        print(f"{name:<10} one check {run:.2f} s   import torch {floor:.2f} s   ratio {run / floor:.2f}")


if __name__ == "__main__":
    main()
