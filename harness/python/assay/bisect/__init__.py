# SPDX-License-Identifier: BSD-3-Clause
"""assay bisect finds the revision of a backend, the version of torch, or both, that introduced a failure."""
