# SPDX-License-Identifier: BSD-3-Clause
"""torch.ctc_loss as it is without a dispatch mode: while one is on, core wants the lengths where the targets are; without one
it reads those of the CPU. Called by assay/watcher/mode.py.
"""

import functools

import torch


def keep():
    """Returns a function that takes it back."""
    ctc_loss = torch.ctc_loss

    @functools.wraps(ctc_loss)
    def kept(log_probs, targets, input_lengths, target_lengths, *more, **named):
        lengths = [one.tolist() if isinstance(one, torch.Tensor) and one.device.type == "cpu" else one
                   for one in (input_lengths, target_lengths)]
        return ctc_loss(log_probs, targets, *(lengths if all(type(one) is list for one in lengths) else
                                              (input_lengths, target_lengths)), *more, **named)

    torch.ctc_loss = kept
    return lambda: setattr(torch, "ctc_loss", ctc_loss)
