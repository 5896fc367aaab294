# SPDX-License-Identifier: BSD-3-Clause
"""Refusals of a backend: decides which exceptions are refusals, and which means they refuse."""
