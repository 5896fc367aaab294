# SPDX-License-Identifier: BSD-3-Clause
"""Stores runs over time in one SQLite file, exports them as JSON lines, and builds the site. See README.md."""
