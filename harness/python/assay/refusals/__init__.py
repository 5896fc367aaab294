# SPDX-License-Identifier: BSD-3-Clause
"""Refusals of a backend: which exceptions are one, and of what."""
