# SPDX-License-Identifier: BSD-3-Clause
"""Every convolution of torch_geometric that accepts nodes and edges. Each model has two equal convolutions with an
activation between them."""

import copy

import torch
from suites.libraries.tiny_model import Unfit, checked
from torch import nn

WARM = ("torch_geometric.nn",)
NODES, EDGES, WIDTH = 12, 30, 8


def names():
    from torch_geometric.nn import conv

    return {name: name for name in conv.__all__ if name.endswith("Conv")}


class Net(nn.Module):
    def __init__(self, make):
        super().__init__()
        self.first, self.second = make(), make()

    def forward(self, x, edge_index):
        return self.second(torch.tanh(self.first(x, edge_index)), edge_index)


def tinies(name):
    from torch_geometric.nn import conv

    draw = torch.Generator().manual_seed(20260106)
    inputs = {"x": torch.randn(NODES, WIDTH, generator=draw), "edge_index": torch.randint(NODES, (2, EDGES), generator=draw)}
    first = None
    for arguments in ((WIDTH, WIDTH), (nn.Linear(WIDTH, WIDTH),), (WIDTH,), (), (WIDTH, WIDTH, 2)):
        try:
            # Copied, because training changes a layer that both convolutions would share.
            return [checked(lambda: Net(lambda: getattr(conv, name)(*copy.deepcopy(arguments))), [inputs])]
        except TypeError as error:
            first = first or Unfit(f"no small model is known: {error}")
        except Unfit as unfit:
            first = first or unfit
    raise first
