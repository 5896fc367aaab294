# SPDX-License-Identifier: BSD-3-Clause
"""assay clients runs the tests of third-party libraries on the CPU and on a target and reports the differences."""
