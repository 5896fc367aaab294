# SPDX-License-Identifier: BSD-3-Clause
"""Runs a few lines of Python in a new process, for code that can run only once per process or may kill the process."""

import os
import subprocess
import sys
import textwrap

DEADLINE = 120


def run(code, **environment):
    """Returns the finished process: returncode, stdout, stderr. Keyword arguments become environment variables."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def output(code, **environment):
    """Returns the output of the code. If it fails, raises with its standard error."""
    done = run(code, **environment)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}\n{done.stderr}")
    return done.stdout.strip()
