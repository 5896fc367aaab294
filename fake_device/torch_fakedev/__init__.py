# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch backend of the fake device."""


def _autoload():
    """Entry point of the group torch.backends."""
