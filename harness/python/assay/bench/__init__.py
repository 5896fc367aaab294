# SPDX-License-Identifier: BSD-3-Clause
"""Measures the time that a device needs for launches, copies, allocations, events and operators."""
