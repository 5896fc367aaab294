# SPDX-License-Identifier: BSD-3-Clause
"""Images: classification in channels_last, denoising by a UNet, compression by a VAE, generation by a GAN."""

import torch
import torch.nn.functional as F
from assay.programs.judge import program
from torch import nn

PRELOAD = ("torch._dynamo",)


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 6, 3, padding=1), nn.Conv2d(6, 6, 3, stride=2, padding=1, groups=2)
        self.norm, self.scores = nn.BatchNorm2d(6), nn.Linear(6, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
        x = F.adaptive_avg_pool2d(F.hardswish(self.second(x)), 1)
        return self.scores(x.flatten(1))


@program("programs.vision_model_trains_in_channels_last")
def images_in_channels_last(place):
    model = place.model(Images).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-3)
    x, y = place.numbers(6, 3, 10, 10).to(memory_format=torch.channels_last), place.labels(4, 6)
    place.train(model, optimizer, lambda number: F.cross_entropy(model(x), y))
    with torch.no_grad():
        place.see("the scores in eval", model.eval()(x))


class UNet(nn.Module):
    """Downsamples, adds the time in the middle, and upsamples with the skip connections."""

    def __init__(self):
        super().__init__()
        self.enter, self.down = nn.Conv2d(2, 8, 3, padding=1), nn.Conv2d(8, 8, 3, stride=2, padding=1)
        self.time, self.norm = nn.Linear(4, 8), nn.GroupNorm(2, 8)
        self.up, self.leave = nn.ConvTranspose2d(8, 8, 2, stride=2), nn.Conv2d(16, 2, 1)

    def forward(self, x, time):
        angles = time[:, None] * torch.tensor([1.0, 0.1], dtype=x.dtype, device=x.device)
        when = self.time(torch.cat([angles.sin(), angles.cos()], dim=1))
        x = F.silu(self.enter(x))
        low = (self.down(x) + when[..., None, None]).contiguous(memory_format=torch.channels_last)
        low = F.silu(self.norm(low))
        low = F.interpolate(self.up(low), scale_factor=1.0, mode="nearest")
        return self.leave(torch.cat([x, low], dim=1))


@program("programs.diffusion_model_trains_and_samples")
def diffusion(place):
    model = place.model(UNet).to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-4)
    kept = torch.linspace(0.99, 0.1, 8, device=place.device, dtype=place.dtype)
    clean, noise, times = place.numbers(4, 2, 8, 8), place.numbers(4, 2, 8, 8), place.labels(8, 4)

    def loss_of(number):
        share = kept[times][:, None, None, None]
        dirty = share.sqrt() * clean + (1 - share).sqrt() * noise
        return F.mse_loss(model(dirty.contiguous(memory_format=torch.channels_last), times.to(clean.dtype)), noise)

    place.train(model, optimizer, loss_of)
    with torch.no_grad():
        x = noise
        for number in range(7, 4, -1):
            time = torch.full((4,), float(number), device=x.device, dtype=x.dtype)
            x = (x - (1 - kept[number]) * model(x, time)) / kept[number].sqrt()
            place.see(f"the image at time {number}", x)


class Squeezed(nn.Module):
    def __init__(self):
        super().__init__()
        self.reads = nn.Sequential(nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.ELU(), nn.Flatten(), nn.Linear(64, 6))
        self.writes = nn.Sequential(nn.Linear(3, 64), nn.ELU(), nn.Unflatten(1, (4, 4, 4)), nn.Upsample(scale_factor=2),
                                    nn.ReflectionPad2d(1), nn.Conv2d(4, 1, 3))

    def forward(self, x, noise):
        mean, spread = self.reads(x).chunk(2, dim=1)
        return self.writes(mean + noise * (spread / 2).exp()), mean, spread


@program("programs.variational_autoencoder_trains")
def variational_autoencoder(place):
    model, x, noise = place.model(Squeezed), place.uniform(5, 1, 8, 8), place.numbers(5, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-4)

    def loss_of(number):
        scores, mean, spread = model(x, noise)
        likely = F.binary_cross_entropy_with_logits(scores, x, reduction="sum")
        return likely - 0.5 * (1 + spread - mean.square() - spread.exp()).sum()

    place.train(model, optimizer, loss_of)


@program("programs.generative_adversarial_networks_train")
def adversaries(place):
    """Two models and two optimizers. One model is trained while the other does not change."""
    maker = place.model(lambda: nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 4), nn.Tanh()))
    judge = place.model(lambda: nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)))
    makes = torch.optim.Adam(maker.parameters(), lr=1e-3, betas=(0.5, 0.9), eps=1e-4)
    judges = torch.optim.Adam(judge.parameters(), lr=1e-3, betas=(0.5, 0.9), eps=1e-4)
    real, noise = place.numbers(6, 4).tanh(), place.numbers(6, 3)
    yes, no = torch.ones_like(real[:, :1]), torch.zeros_like(real[:, :1])
    says = F.binary_cross_entropy_with_logits
    for _ in range(2):
        made = maker(noise)
        place.step(judge, judges, says(judge(real), yes) + says(judge(made.detach()), no))
        judge.requires_grad_(False)
        place.step(maker, makes, says(judge(made), yes))
        judge.requires_grad_(True)
    place.see_state(maker)
    place.see_state(judge)
