# SPDX-License-Identifier: BSD-3-Clause
"""Keeps torch.ctc_loss working under a dispatch mode. Under a mode, core requires the lengths on the device of the
targets. Without a mode, core also accepts lengths on the CPU. Called by assay/watcher/mode.py.
"""

import functools

import torch


def keep():
    """Installs the replacement. Returns a function that removes it."""
    ctc_loss = torch.ctc_loss

    @functools.wraps(ctc_loss)
    def kept(log_probs, targets, input_lengths, target_lengths, *more, **named):
        lengths = [one.tolist() if isinstance(one, torch.Tensor) and one.device.type == "cpu" else one
                   for one in (input_lengths, target_lengths)]
        return ctc_loss(log_probs, targets, *(lengths if all(type(one) is list for one in lengths) else
                                              (input_lengths, target_lengths)), *more, **named)

    torch.ctc_loss = kept
    return lambda: setattr(torch, "ctc_loss", ctc_loss)
