# SPDX-License-Identifier: BSD-3-Clause
"""Facts of one PyTorch: its headers, operators, Python and symbols."""
