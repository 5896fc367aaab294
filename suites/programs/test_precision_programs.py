# SPDX-License-Identifier: BSD-3-Clause
"""Training in mixed precision with and without a scaler, and techniques that save memory: checkpoints, gradient
accumulation."""

import torch
import torch.nn.functional as F
from assay.checks.mixed_precision import low_precision
from assay.programs.judge import ProgramCase, program
from assay.values.own_torch import torch as own_torch
from torch import nn
from torch.utils.checkpoint import checkpoint

PRELOAD = ("torch._dynamo",)


def layers():
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.LayerNorm(16), nn.Linear(16, 16), nn.SiLU(), nn.Linear(16, 3))


def mixed_precision(place):
    model, x, y = place.model(layers), place.numbers(12, 6), place.labels(3, 12)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def loss_of(number):
        with place.autocast():
            return F.cross_entropy(model(x), y)

    place.train(model, optimizer, loss_of)
    place.see("the dtype of weights", str({one.dtype for one in model.parameters()} - {place.dtype}))


def scaled_mixed_precision(place):
    """The second step overflows. This step must be skipped, the scale is halved, and training continues."""
    model, y = place.model(layers), place.labels(3, 12)
    batches = [place.numbers(12, 6) for _ in range(4)]
    batches[1][0, 0] = torch.inf
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(place.device.type, init_scale=64.0, growth_interval=2)
    for number, x in enumerate(batches):
        before = model[0].weight.detach().clone()
        optimizer.zero_grad()
        with place.autocast():
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        if number != 1:
            place.see(f"the loss of step {number + 1}", loss)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            place.see_gradients(model.named_parameters(), f"step {number + 1}")
        scaler.step(optimizer)
        scaler.update()
        place.see(f"whether step {number + 1} was taken", not own_torch.equal(before, model[0].weight))
        place.see(f"the scale after step {number + 1}", scaler.get_scale())
    place.see_state(model)


def low_precision_weights(place):
    """Trains without autocast: the weights have 16 bits, and the normalization runs in 16 bits."""
    model, x = place.model(layers), place.numbers(12, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    place.train(model, optimizer, lambda number: model(x).square().mean())


def long_sums(place):
    """Adds positive numbers, because a sum that is kept in 16 bits stops growing."""
    x, rows = place.uniform(40000), place.uniform(4, 6000)
    cancelling = torch.randint(64, (20000,), generator=place.source) / 64  # exact in float32 in any order of summation
    place.see("the sum of 40000 numbers that cancel out", place.put(torch.cat([cancelling, -cancelling])).sum())
    place.see("the sum of 40000 numbers", x.sum() / 64)
    place.see("their mean", x.mean())
    place.see("their norm", x.norm())
    place.see("a product of long rows", rows @ rows.t() / 64)
    place.see("the softmax of long rows", rows.softmax(-1))
    place.see("the logarithm of the sum of exponentials", rows.logsumexp(-1))
    place.see("long rows, normalised", F.layer_norm(rows, (6000,)))
    place.see("the variance of long rows", rows.var(-1))


def checkpointed(place):
    model, x = place.model(layers), place.numbers(12, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def loss_of(number):
        with place.autocast():
            middle = checkpoint(model[:3], x, use_reentrant=False)
            return checkpoint(model[3:], middle, use_reentrant=False).square().mean()

    place.train(model, optimizer, loss_of)


@program("programs.accumulated_and_clipped_gradients_train")
def accumulation_and_clipping(place):
    """Four parts of a batch make one step. First the norm of all gradients is clipped, then each element."""
    model, x, y = place.model(layers), place.numbers(12, 6), place.labels(3, 12)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for step in range(2):
        optimizer.zero_grad(set_to_none=step == 0)
        for rows, wanted in zip(x.split(3), y.split(3), strict=True):
            (F.cross_entropy(model(rows), wanted) / 4).backward()
        place.see_gradients(model.named_parameters(), f"step {step + 1}")
        place.see(f"the norm of step {step + 1}", nn.utils.clip_grad_norm_(model.parameters(), 0.3))
        nn.utils.clip_grad_value_(model.parameters(), 0.05)
        place.see_gradients(model.named_parameters(), f"step {step + 1} after clipping")
        optimizer.step()
    place.see_state(model)


class PrecisionPrograms(ProgramCase):
    def test_mixed(self):
        """programs.mixed_precision_trains"""
        self.judge(mixed_precision, low=low_precision(self))

    def test_scaled(self):
        """programs.mixed_precision_skips_an_overflowing_step"""
        self.judge(scaled_mixed_precision, low=low_precision(self))

    def test_low_weights(self):
        """programs.model_with_16_bit_weights_trains"""
        self.judge(low_precision_weights, dtype=low_precision(self))

    def test_long_sums(self):
        """programs.long_sums_in_16_bits_are_accurate"""
        self.judge(long_sums, dtype=low_precision(self))

    def test_checkpointed(self):
        """programs.checkpointed_layers_train"""
        self.judge(checkpointed)

    def test_checkpointed_mixed(self):
        """programs.checkpointed_mixed_precision_trains"""
        self.judge(checkpointed, low=low_precision(self))
