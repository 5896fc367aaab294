# SPDX-License-Identifier: BSD-3-Clause
"""Programs compiled for one torch, and the cache that keeps them."""
