# SPDX-License-Identifier: BSD-3-Clause
"""The Python host: a program around the host library (C), see __main__.py. Suites use report.py."""
