# SPDX-License-Identifier: BSD-3-Clause
"""Small programs under test: one run on one device, and the verdict."""
