# SPDX-License-Identifier: BSD-3-Clause
"""The question that the mutated copies of the package's files ask. Copied into it as _assay_mutant.py."""

from ._driver import library

is_on = library.assay_mutant_ask
