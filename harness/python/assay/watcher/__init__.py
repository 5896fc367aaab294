# SPDX-License-Identifier: BSD-3-Clause
"""A program under watch: each of its operators done again on the CPU, the first wrong one, and a program that shows it."""
