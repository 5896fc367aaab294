# SPDX-License-Identifier: BSD-3-Clause
"""The function that mutated copies of the package's files call. It is copied into the package as _assay_mutant.py."""

from ._driver import library

is_on = library.assay_mutant_ask
