# SPDX-License-Identifier: BSD-3-Clause
"""Builds libraries against one torch and caches them."""
