# SPDX-License-Identifier: BSD-3-Clause
"""The base class of every Python check and the functions for its author: `from assay.checks import Case`."""

from assay.checks.case import Case, Ended

__all__ = ["Case", "Ended"]
