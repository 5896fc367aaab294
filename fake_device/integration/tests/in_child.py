# SPDX-License-Identifier: BSD-3-Clause
"""Runs a few lines of Python in a fresh process, for what may happen once per process or kill it."""

import os
import subprocess
import sys
import textwrap

DEADLINE = 120


def run(code, **environment):
    """The finished process: returncode, stdout, stderr. Keywords become environment variables."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def output(code, **environment):
    """The output of the lines; raises with their standard error if they fail."""
    done = run(code, **environment)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}\n{done.stderr}")
    return done.stdout.strip()
