# SPDX-License-Identifier: BSD-3-Clause
"""Suites of the contract. A module beside the checks of a suite is imported as suites.<suite>.<module>."""
