# SPDX-License-Identifier: BSD-3-Clause
"""Tests of PyTorch's operators: their samples, the ways of calling them, and the comparison of each way."""
