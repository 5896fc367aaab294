# SPDX-License-Identifier: BSD-3-Clause
"""Small programs under test: one run in one place, and the verdict."""
