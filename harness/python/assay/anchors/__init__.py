# SPDX-License-Identifier: BSD-3-Clause
"""Anchors of the contract: the text that each names in a PyTorch."""
