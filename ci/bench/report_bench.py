#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures time, memory and size of each report format for 5,000 checks x 20 targets. A format for a single run gets
one run. The goals are 2 s and 200 MiB. Processor time is shown as well, because it does not depend on other load.

    ASSAY_BUILD=build report_bench.py [FORMAT...]"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ASSAY = Path(os.environ.get("ASSAY_BUILD", HERE.parent.parent / "build")) / "bin" / "assay"


def formats():
    """The formats that `assay report --help` lists."""
    said = subprocess.run([ASSAY, "report", "--format", "?", "x"], stderr=subprocess.PIPE, text=True, check=False).stderr
    return said.split("there are ")[1].split("\n")[0].split(", ")


def measure(arguments):
    """Elapsed seconds, processor seconds, MiB and exit status of one command."""
    start = time.monotonic()
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, HERE / "make_runs.py", f"{folder}/runs"], check=True)
        runs = sorted(Path(folder, "runs").iterdir())
        out = Path(folder, "report")
        print(f"{'format':<12}{'runs':>6}{'seconds':>10}{'cpu s':>8}{'MiB':>8}{'size MiB':>10}")
        for name in sys.argv[1:] or formats():
            command = [ASSAY, "report", "--format", name, "--output", out]
            given = runs
            seconds, cpu, memory, status = measure([*command, *given])
            if status == 64:
                given = runs[:1]
                seconds, cpu, memory, status = measure([*command, *given])
            if status:
                sys.exit(f"{name}: exit status {status}")
            size = out.stat().st_size / 2**20
            print(f"{name:<12}{len(given):>6}{seconds:>10.2f}{cpu:>8.2f}{memory:>8.0f}{size:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
