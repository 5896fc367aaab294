# SPDX-License-Identifier: BSD-3-Clause
"""Runs over time: one SQLite file, JSON lines of it, and the site that is made of it. See README.md."""
