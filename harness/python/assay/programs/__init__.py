# SPDX-License-Identifier: BSD-3-Clause
"""Small programs as tests of a backend: runs a program on a device and gives the verdict."""
