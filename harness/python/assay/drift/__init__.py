# SPDX-License-Identifier: BSD-3-Clause
"""Changes between two PyTorchs, and whom they hit. Reading order: README.md."""
