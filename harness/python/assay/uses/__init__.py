# SPDX-License-Identifier: BSD-3-Clause
"""Uses of PyTorch by a backend: in its sources, its libraries and its Python package."""
