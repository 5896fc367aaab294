# SPDX-License-Identifier: BSD-3-Clause
"""Calls that reach the backend without _lazy_init, each as the first call of a process.

Each call runs in its own forked child. This process never starts the device, so a fork is safe. A backend that
starts during its import refuses the call in the child; that is a clean refusal.
"""

import unittest

import torch
from assay.checks import Case


def _record():
    torch.Event().record()


class GuardFirstCall(Case):
    def calls(self):
        device = self.device
        return {
            "torch.Stream(device)": lambda: torch.Stream(device),
            "torch.Event().record()": _record,
            "torch.Generator(device)": lambda: torch.Generator(device).initial_seed(),
            "tensor.pin_memory()": lambda: torch.ones(4).pin_memory(),
            "accelerator.memory_stats()": lambda: torch.accelerator.memory_stats(device.index),
            "accelerator.empty_cache()": torch.accelerator.empty_cache,
        }

    def test_any_first_call(self):
        """guard.any_call_can_be_the_first_use_of_the_device"""
        for name, call in self.calls().items():
            what = f"{name} as the first call of a process works or raises a clear error"
            answer = self.forked(lambda: call() and None, what)
            text = answer.get("text", "")
            self.note(name, text.split("\n")[0] or "works")
            if "error" in answer and "allocator" not in text.lower():
                # ALLOC-023 covers an allocator that PyTorch cannot cast.
                self.expect_true("INTERNAL ASSERT" not in text, what, text[:400])


if __name__ == "__main__":
    unittest.main()
