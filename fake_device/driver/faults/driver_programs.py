# SPDX-License-Identifier: BSD-3-Clause
"""Runs the driver's test programs with a given environment.

Used by the tests of faults and variants. Must not depend on the contents of the programs.
"""

import concurrent.futures
import os
import subprocess
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD"])
DEADLINE = 500
# These programs read FAKEDEV_FAULT and FAKEDEV_VARIANT themselves.
SKIPPED = {"settings_test", "fault_test"}


def table(what):
    """The rows that `fakedev faults` or `fakedev variants` prints."""
    out = subprocess.run([BUILD / "bin" / "fakedev", what], check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def names():
    sources = Path(__file__).resolve().parents[1].rglob("*_test.c")
    return sorted({source.stem for source in sources} - SKIPPED)


def run(program, **environment):
    """(passed, output) of a test program. A program that exceeds the deadline has failed."""
    environment = {**os.environ, **environment, "CK_VERBOSITY": "normal",
                   "CK_TIMEOUT_MULTIPLIER": "10"}
    try:
        done = subprocess.run(
            [BUILD / "tests" / program], env=environment, timeout=DEADLINE, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )
    except subprocess.TimeoutExpired as late:
        return False, f"{program} hangs\n{late.stdout}"
    return done.returncode == 0, f"{program}: status {done.returncode}\n{done.stdout}"


def run_all(jobs):
    """(job, passed, output) for each job. A job is a tuple of program and environment."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [(job, pool.submit(run, job[0], **job[1])) for job in jobs]
        for job, future in futures:
            yield job, *future.result()
