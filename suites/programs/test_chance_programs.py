# SPDX-License-Identifier: BSD-3-Clause
"""Programs that draw random numbers: the same seed twice, dropout in forward and backward, and the distribution of the
numbers. Also contains a program that runs out of memory and continues."""

import torch
import torch.nn.functional as F
from assay.programs.judge import ProgramCase
from torch import distributions, nn
from torch.utils.checkpoint import checkpoint

PRELOAD = ("torch._dynamo",)
MANY = 20000
SPREADS = 6  # largest error of a mean in standard errors; with a fixed seed, a correct generator always passes
BEYOND = (1 << 46) + 4096  # more bytes than any memory has


def everything_that_draws(device, seed):
    """Draws random numbers on the device to initialize, permute, add noise, apply dropout and sample."""
    torch.manual_seed(seed)
    with device:
        model = nn.Sequential(nn.Linear(6, 12), nn.Dropout(0.3), nn.Tanh(), nn.Linear(12, 3))
        x = torch.randn(20, 6)[torch.randperm(20)]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    seen = []
    for _ in range(3):
        y = model(x + 0.1 * torch.randn_like(x))
        wanted = y.detach().softmax(-1).multinomial(1)[:, 0]
        loss = F.cross_entropy(y, wanted) + F.gumbel_softmax(y, hard=True).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen.append(loss.detach().cpu())
    return torch.stack(seen)


def drawn(device):
    """Maps a name to (numbers, the distribution that they were drawn from). The parameters are on the device."""

    def number(value):
        return torch.full((MANY,), value, device=device)

    kinds = {
        "Normal": distributions.Normal(number(2.0), number(0.5)),
        "Uniform": distributions.Uniform(number(-1.0), number(3.0)),
        "Exponential": distributions.Exponential(number(2.0)),
        "Gamma": distributions.Gamma(number(3.0), number(2.0)),
        "Beta": distributions.Beta(number(2.0), number(3.0)),
        "Poisson": distributions.Poisson(number(4.0)),
        "Bernoulli": distributions.Bernoulli(number(0.3)),
        "Laplace": distributions.Laplace(number(1.0), number(2.0)),
    }
    torch.manual_seed(11)
    return {name: (kind.sample(), kind) for name, kind in kinds.items()}


class ChancePrograms(ProgramCase):
    def test_same_seed(self):
        """programs.same_seed_gives_the_same_training"""
        self.need_device_seeds()
        for device in self.devices[:2]:
            with self.subTest(device=str(device)):
                curves = [everything_that_draws(device, seed) for seed in (3, 3, 4)]
                self.expect_tensor(curves[1], curves[0], f"the same seed gives the same losses on {device}")
                self.expect_different(curves[2], curves[0], f"another seed gives other losses on {device}")

    def test_dropout(self):
        """programs.dropout_uses_the_same_mask_in_backward"""
        self.need_device_seeds()
        x = self.on_device(torch.ones(MANY)).requires_grad_()
        for name, drop in {"dropout": lambda x: F.dropout(x, 0.25),
                           "checkpointed dropout": lambda x: checkpoint(F.dropout, x, 0.25, use_reentrant=False)}.items():
            with self.subTest(drop=name):
                torch.manual_seed(2)
                seen = drop(x)
                gradient = self.on_cpu(torch.autograd.grad(seen, x, self.on_device(torch.ones(MANY)))[0])
                seen = self.on_cpu(seen)
                self.expect_tensor(gradient, seen, f"{name} drops the same elements in backward as in forward")
                self.expect_tensor(seen[seen != 0], torch.full_like(seen[seen != 0], 1 / 0.75), "the kept elements are scaled",
                                   1e-5)
                share = (seen == 0).double().mean().item()
                bound = SPREADS * (0.25 * 0.75 / MANY) ** 0.5
                self.expect_true(abs(share - 0.25) < bound, f"{name} drops one element in four", f"{share:.4f} are dropped")

    def test_moments(self):
        """programs.random_numbers_have_the_right_moments"""
        for name, (seen, kind) in drawn(self.device).items():
            with self.subTest(distribution=name):
                seen = self.on_cpu(seen).double()
                mean, variance = (self.on_cpu(value)[0].item() for value in (kind.mean, kind.variance))
                off = abs(seen.mean().item() - mean)
                self.expect_true(off < SPREADS * (variance / MANY) ** 0.5, f"numbers of {name} have the mean of the distribution",
                                 f"{seen.mean().item():.4f}, expected {mean:.4f}")
                ratio = seen.var().item() / variance
                self.expect_true(0.85 < ratio < 1.15, f"numbers of {name} have the variance of the distribution",
                                 f"{seen.var().item():.4f}, expected {variance:.4f}")
                kinds = seen.unique().numel() if name not in ("Poisson", "Bernoulli") else MANY
                self.expect_true(kinds > MANY // 4, f"numbers of {name} do not repeat", f"{kinds} of {MANY} are different")

    def test_memory(self):
        """programs.training_continues_after_out_of_memory"""

        def lack_of_memory(place):
            model, x = place.model(lambda: nn.Linear(5, 5)), place.numbers(8, 5)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for number in range(4):
                if number % 2 and place.device.type != "cpu":
                    self.expect_raises(RuntimeError, "a request for more than any memory is refused", torch.empty, BEYOND,
                                       dtype=torch.uint8, device=place.device)
                place.step(model, optimizer, (model(x) - x).square().mean())
            place.see_state(model)

        self.judge(lack_of_memory)
