# SPDX-License-Identifier: BSD-3-Clause
"""Anchors of the contract: the text of PyTorch that each anchor names."""
