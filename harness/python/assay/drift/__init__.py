# SPDX-License-Identifier: BSD-3-Clause
"""Compares two versions of PyTorch and finds the backends that a change affects. README.md gives the reading order."""
