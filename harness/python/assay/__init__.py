# SPDX-License-Identifier: BSD-3-Clause
"""assay: conformance tests for PyTorch backends. For a program that runs already:

    import assay

    with assay.watch() as found:          # or watch(everything=True, out="found")
        train(model)
    found.verdict, found.first, found.document

The base class of a check is `assay.checks.Case`. This file runs in every process under test, so it imports nothing
that Python has not loaded itself.
"""

import os
import sys

__all__ = ["watch"]

# Programs of assay import nothing from the folder that the user happens to be in (harness/session/safe_path.h). The
# setting is removed, so that programs of the backend or the user run as ever.
if os.environ.get("PYTHONSAFEPATH") == "assay":
    del os.environ["PYTHONSAFEPATH"]
# Before Python 3.11 there is no such setting, and `python -m assay.host` has put that folder first.
if sys.version_info < (3, 11) and sys.argv[:1] == ["-m"] and sys.path[:1] == [os.getcwd()]:
    if any(word.startswith("assay.") for word in sys.orig_argv[1:4]):
        del sys.path[0]


def watch(out=None, everything=False, most_mib=64, most_seconds=0, quiet=False):
    """A block in which each operator that reaches the device is done again on the CPU and judged.

    `everything` compares every call, `out` is the folder for what is found (a new one under runs/), `quiet` prints nothing;
    the limits are those of `assay watch`."""
    from assay.watcher.block import Block

    return Block(out, everything, most_mib, most_seconds, quiet)
