# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of values: tolerances, reasons not to compare, distributions of random numbers."""
