# SPDX-License-Identifier: BSD-3-Clause
"""assay clients: tests of other people's libraries, on the CPU and on a target, and what differs."""
