# SPDX-License-Identifier: BSD-3-Clause
"""The Python host: a program that uses the host library, which is written in C. See __main__.py. Suites use
report.py."""

import sys

SAFE = ["-P"] if sys.version_info >= (3, 11) else []  # options of the interpreters that this package starts
