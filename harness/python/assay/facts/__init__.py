# SPDX-License-Identifier: BSD-3-Clause
"""Reads the facts of one PyTorch: headers, operators, Python and symbols."""
