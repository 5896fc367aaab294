# SPDX-License-Identifier: BSD-3-Clause
"""Reads the contract with `assay list --format json`. The C program is the only reader of conformance.yaml and
contract.yaml. Needs no torch."""

import functools
import json
import os
import subprocess

from assay import places


@functools.cache
def listed(data=None, torch=""):
    """The document of `assay list` for the contract in the folder `data`. If `torch` is given, the document has only
    the clauses that this release promises."""
    words = [places.program(), "list", "--format", "json", *(["--torch", torch] if torch else [])]
    environment = {**os.environ, "ASSAY_DATA": str(data or places.data())}
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise ValueError(f"the contract cannot be read: {done.stderr.strip()}")
    return json.loads(done.stdout)


def clauses(data=None, torch=""):
    return listed(data, torch)["clauses"]
