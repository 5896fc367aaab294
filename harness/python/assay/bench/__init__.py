# SPDX-License-Identifier: BSD-3-Clause
"""Times of a device: launches, copies, allocations, events and operators."""
