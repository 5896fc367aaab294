# SPDX-License-Identifier: BSD-3-Clause
"""The Python host: a program around the host library (C), see __main__.py. Suites use report.py.

Nothing is imported from the folder that the user happens to be in (harness/session/safe_path.h). An interpreter
older than 3.11 knows no such setting and is told here, before its first import.
"""

import os
import sys

SAFE = ["-P"] if sys.version_info >= (3, 11) else []  # for interpreters that are started from here

if os.environ.get("PYTHONSAFEPATH") == "assay":
    del os.environ["PYTHONSAFEPATH"]
if sys.version_info < (3, 11) and sys.argv[:1] == ["-m"] and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]
