# SPDX-License-Identifier: BSD-3-Clause
"""Operators of PyTorch under test: their samples, the forms in which they are called, the questions to each."""
