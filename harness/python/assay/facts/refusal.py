# SPDX-License-Identifier: BSD-3-Clause
"""Refusal that ends a command: one sentence and an exit status."""

USAGE, INPUT, SYSTEM = 64, 65, 71


class Refusal(Exception):
    """Shown to the user as it is; the exit status is that of `assay` (assay --help)."""

    def __init__(self, sentence, status=INPUT):
        super().__init__(sentence)
        self.status = status
