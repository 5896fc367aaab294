# SPDX-License-Identifier: BSD-3-Clause
"""assay bisect: the revision of a backend, or the version of torch, or both, that brought a failure."""
