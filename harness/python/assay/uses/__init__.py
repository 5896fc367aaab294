# SPDX-License-Identifier: BSD-3-Clause
"""Finds the uses of PyTorch by a backend: in its sources, its libraries and its Python package."""
