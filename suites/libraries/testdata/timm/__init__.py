# SPDX-License-Identifier: BSD-3-Clause
"""A replacement of timm for library_models_test.py."""

import types

import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.end = nn.Conv2d(3, 4, 8, stride=8, bias=False), nn.Linear(4, 4, bias=False)

    def forward(self, x):
        return self.end(self.last(torch.tanh(self.image(x)).mean((2, 3))))

    def last(self, x):
        return x


class Added(Plain):
    def __init__(self):
        super().__init__()
        self.start = nn.Parameter(torch.ones(4))

    def last(self, x):
        return torch.addmm(self.start, x, x.t() @ x)


class Draws(Plain):
    def last(self, x):
        return x + torch.randn_like(x)


class DrawsInTraining(Plain):
    def last(self, x):
        return x + torch.randn_like(x) if self.training else x


class Refused(Plain):
    def last(self, x):
        return x @ x


class Large(Plain):
    def __init__(self):
        super().__init__()
        self.more = nn.Linear(2000, 2000)


MODELS = {"test_plain": Plain, "test_added": Added, "test_draws": Draws, "test_draws_in_training": DrawsInTraining,
          "test_refused": Refused, "test_large": Large}


def list_models(pattern):
    return list(MODELS) if pattern == "test_*" else []


def create_model(name, pretrained, num_classes):
    return MODELS[name]()


def get_pretrained_cfg(name):
    return types.SimpleNamespace(input_size=(3, 64, 64))
