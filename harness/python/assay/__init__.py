# SPDX-License-Identifier: BSD-3-Clause
"""assay tests PyTorch backends for conformance. For example, this code watches a program:

    import assay

    with assay.watch() as found:          # or watch(everything=True, out="found")
        train(model)
    found.verdict, found.first, found.document

The base class of a check is `assay.checks.Case`. This file runs in every process under test, so it imports only modules
that Python itself has already loaded.
"""

import os
import sys

__all__ = ["watch"]

# Programs of assay never import from the user's current folder (harness/session/safe_path.h). The variable
# PYTHONSAFEPATH is removed here, so that programs of the backend and of the user run unchanged.
if os.environ.get("PYTHONSAFEPATH") == "assay":
    del os.environ["PYTHONSAFEPATH"]
# Python before 3.11 ignores PYTHONSAFEPATH, so `python -m assay.host` has put the current folder first in sys.path.
if sys.version_info < (3, 11) and sys.argv[:1] == ["-m"] and sys.path[:1] == [os.getcwd()]:
    if any(word.startswith("assay.") for word in sys.orig_argv[1:4]):
        del sys.path[0]


def watch(out=None, everything=False, most_mib=64, most_seconds=0, quiet=False):
    """Context manager that repeats on the CPU each operator call of the device, and compares the results.

    `everything` compares every call. `out` is the folder for the results. If `out` is not given, a new folder is
    created below runs/. `quiet` suppresses all output. The limits are the same as for `assay watch`."""
    from assay.watcher.block import Block

    return Block(out, everything, most_mib, most_seconds, quiet)
