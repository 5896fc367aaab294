# SPDX-License-Identifier: BSD-3-Clause
"""What changed between two PyTorchs, and whom it hits. Reading order: harness/drift/README.md."""
