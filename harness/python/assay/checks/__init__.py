# SPDX-License-Identifier: BSD-3-Clause
"""Base of every Python check, and what its author calls: `from assay.checks import Case`."""

from assay.checks.case import Case, Ended

__all__ = ["Case", "Ended"]
