# SPDX-License-Identifier: BSD-3-Clause
"""Refusals of a backend: which exceptions are refusals, and of which means."""
