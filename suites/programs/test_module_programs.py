# SPDX-License-Identifier: BSD-3-Clause
"""Programs on modules: weight normalization, pruning, lazy modules, meta tensors, moved, copied and pickled modules."""

import copy
import pickle

import torch
import torch.nn.functional as F
from assay.programs.judge import program
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

PRELOAD = ("torch._dynamo",)


def network():
    return nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 5))


class Tied(nn.Module):
    """An encoder and a decoder that share one weight."""

    def __init__(self):
        super().__init__()
        self.there, self.back = nn.Linear(5, 5, bias=False), nn.Linear(5, 5, bias=False)
        self.register_buffer("shift", torch.linspace(-1, 1, 5))
        self.tie()

    def tie(self):
        """Ties the weights again after a move, like a program that does not rely on the move to keep weights shared."""
        self.back.weight = self.there.weight
        return self

    def forward(self, x):
        return self.back(torch.tanh(self.there(x) + self.shift))


@program("programs.optimizer_created_before_the_move_trains")
def optimizer_made_before_the_move(place):
    model = place.made(Tied)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model, x = place.move(model), place.numbers(8, 5)
    place.train(model, optimizer, lambda number: (model(x) - x).square().mean())


@program("programs.module_moved_to_the_cpu_and_back_trains")
def module_moved_there_and_back(place):
    """One optimizer for the whole training. The program moves the state of this optimizer by hand, as users do."""
    model = place.made(Tied)
    optimizer, x = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), place.numbers(8, 5)
    for device in (place.device, "cpu", place.device):
        model = place.move(model, device)
        for state in optimizer.state.values():
            state.update({key: value.to(device) for key, value in state.items() if torch.is_tensor(value)})
        here = x.to(device)
        place.step(model, optimizer, (model(here) - here).square().mean())
    place.see_state(model)


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).t()


def parametrized():
    model = nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 5), nn.Linear(5, 5))
    parametrizations.weight_norm(model[0])
    parametrizations.spectral_norm(model[2], n_power_iterations=2)
    parametrizations.orthogonal(model[4])
    parametrize.register_parametrization(model[5], "weight", Symmetric())
    return model


@program("programs.parametrized_weights_train")
def parametrized_weights(place):
    model, x = place.model(parametrized), place.numbers(8, 5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    place.train(model, optimizer, lambda number: (model(x) - x).square().mean())
    parametrize.remove_parametrizations(model[5], "weight", leave_parametrized=False)
    place.see("the weight without its parametrization", model[5].weight)


@program("programs.pruned_weights_train")
def pruned_weights(place):
    model, x = place.model(network), place.numbers(8, 5)
    prune.l1_unstructured(model[0], "weight", amount=0.4)
    prune.ln_structured(model[2], "weight", amount=0.5, n=2, dim=0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    place.see("the mask", model[0].weight_mask)
    place.train(model, optimizer, lambda number: (model(x) - x).square().mean())
    prune.remove(model[0], "weight")
    place.see("the pruned weight", model[0].weight)


@program("programs.lazy_modules_train")
def lazy_modules(place):
    """Moves a lazy module before its shape is known. The optimizer was created before the move and must get the new
    parameters."""
    model = place.move(place.made(lambda: nn.Sequential(nn.LazyConv1d(4, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = place.numbers(6, 3, 7)
    with torch.no_grad():
        model(x)
        for parameter in model.parameters():
            parameter.copy_(place.numbers(*parameter.shape) / 4)
    place.train(model, optimizer, lambda number: model(x).square().mean())


@program("programs.model_from_the_meta_device_trains")
def meta_then_empty(place):
    """A model on the meta device gets its memory here and its values from a file."""
    kept = place.made(network).state_dict()
    with torch.device("meta"):
        model = network().to(place.dtype)
    model = model.to_empty(device=place.device)
    place.see("the keys that the file lacks", str(model.load_state_dict(kept)))
    optimizer, x = torch.optim.SGD(model.parameters(), lr=0.1), place.numbers(8, 5)
    place.train(model, optimizer, lambda number: (model(x) - x).square().mean())


@program("programs.deep_copied_models_are_independent")
def deep_copies(place):
    """Trains a copy; the original must not change. Also copies the network as a target network."""
    model, x = place.model(Tied).tie(), place.numbers(8, 5)
    other = copy.deepcopy(model)
    place.see("whether the weights of the copy are tied", other.there.weight is other.back.weight)
    optimizer = torch.optim.SGD(other.parameters(), lr=0.1, momentum=0.9)
    place.train(other, optimizer, lambda number: (other(x) - model(x).detach()).square().mean() + other(x).mean())
    place.see_state(model, "of the original model")
    twin = copy.deepcopy(optimizer)
    kept = [value for state in twin.state.values() for value in state.values() if torch.is_tensor(value)]
    place.see("the momentum of a copied optimizer", kept[0])


@program("programs.pickled_model_continues_training")
def pickled_model_and_optimizer(place):
    model, x = place.model(Tied).tie(), place.numbers(8, 5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    place.step(model, optimizer, (model(x) - x).square().mean())
    model, optimizer = pickle.loads(pickle.dumps((model, optimizer)))
    place.see("whether the weights of the loaded model are tied", model.there.weight is model.back.weight)
    place.train(model, optimizer, lambda number: F.smooth_l1_loss(model(x), x))
