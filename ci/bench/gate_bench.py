#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cost of the gate on 5,000 checks x 20 targets: reading 60 runs, deciding, writing the decision.
Time of
the processor. The goal is 100 ms for deciding.

    ASSAY_BUILD=build gate_bench.py [CHECKS [TARGETS]]"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("ASSAY_BUILD", HERE.parent.parent / "build"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        runs = f"{folder}/runs"
        subprocess.run([sys.executable, HERE / "make_runs.py", runs, *sys.argv[1:]], check=True)
        return subprocess.run([BUILD / "tests" / "gate_bench", runs], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
