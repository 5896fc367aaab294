# SPDX-License-Identifier: BSD-3-Clause
"""Watches a program: repeats its operators on the CPU, finds the first wrong one, and writes a reproducer."""
