# SPDX-License-Identifier: BSD-3-Clause
"""A small model of a library, its inputs, and its training as a program for assay/programs/judge.py.

Created by the files <library>_models.py. This file depends on no library and gives no verdict.
"""

import dataclasses
import random
from collections.abc import Callable, Mapping

import torch
from suites.libraries.rounded_functions import rounded

SEED = 20260102
RATE, EPSILON = 1e-3, 1e-3  # with a smaller epsilon, a gradient that is only a rounding error would become a full step
STEPS = 3
MOST_PARAMETERS = 2_500_000
# limit of the bytes that forward saves for backward in double; the device needs half of them, plus other memory
MOST_KEPT = 256 << 20


class Unfit(Exception):
    """Raised with the reason why there is no small model. The device does not cause this."""


@dataclasses.dataclass
class Tiny:
    """`make()` returns the module on the CPU in float32. `inputs`: the keyword arguments of a call, as CPU tensors.
    `way`: the name of an implementation of attention, or None. `mode`: "train", or "eval" if training draws random
    numbers."""

    make: Callable
    inputs: Mapping
    way: str | None = None
    mode: str = "train"

    def model(self):
        """The model, ready for training."""
        model = self.make()
        take_chance_out(model)
        return model.train(self.mode == "train")


def take_chance_out(model):
    """Sets every attribute of a module that holds a dropout probability to 0."""
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if "drop" in name and isinstance(value, float):
                setattr(module, name, 0.0)
        if isinstance(module, torch.nn.modules.dropout._DropoutNd):
            module.p = 0.0


def map_tensors(change, tree):
    if isinstance(tree, torch.Tensor):
        return change(tree)
    if isinstance(tree, Mapping):
        return {key: map_tensors(change, one) for key, one in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [map_tensors(change, one) for one in tree]
    return tree


def tensors_of(tree):
    """The tensors of an output in order, including those in dataclasses of the library."""
    if isinstance(tree, torch.Tensor):
        yield tree
    elif isinstance(tree, Mapping):
        yield from tensors_of(list(tree.values()))
    elif isinstance(tree, (list, tuple)):
        for one in tree:
            yield from tensors_of(one)
    elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        yield from tensors_of(vars(tree))


def loss_of(answer):
    """Returns the model's own loss, or else the mean square of all floating-point outputs that require a gradient."""
    own = answer.get("loss") if isinstance(answer, Mapping) else None
    if isinstance(own, torch.Tensor) and own.requires_grad:
        return own.mean()
    numbers = [one for one in tensors_of(answer) if one.is_floating_point() and one.requires_grad and one.numel()]
    if not numbers:
        raise Unfit("no output of the model requires a gradient")
    return sum((one.float() if one.dtype.itemsize < 4 else one).square().mean() for one in numbers)


def training(tiny):
    """The program: three steps of AdamW."""

    def library_model(place):
        torch.default_generator.manual_seed(SEED)
        model = place.model(tiny.model)
        inputs = map_tensors(place.put, tiny.inputs)
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, eps=EPSILON)

        def loss(number):
            with place.autocast():
                return loss_of(model(**inputs))

        with rounded(place):
            place.train(model, optimizer, loss, STEPS)

    return library_model


def draws(call):
    """Whether the call draws random numbers from torch's generator, Python's, or numpy's if numpy is installed."""

    def states():
        return [torch.default_generator.get_state().tolist(), random.getstate(), _numpy_state()]

    before = states()
    call()
    return states() != before


def _numpy_state():
    try:
        import numpy
    except ImportError:
        return None
    name, keys, *rest = numpy.random.get_state()
    return name, keys.tolist(), rest


def checked(make, inputs_to_try, way=None, most=MOST_PARAMETERS):
    """Returns a Tiny with the first inputs that the CPU accepts, in a mode that draws no random numbers, or raises
    Unfit.

    This function runs the model in double, as the reference does, because some implementations of attention overflow
    there with two kinds of masks.
    """
    first = None
    for inputs in inputs_to_try:
        tiny = Tiny(make, inputs, way)
        try:
            model = tiny.model().double()
            _need_few(model, most)
            if draws(lambda: _try(model, inputs)):
                tiny.mode = "eval"
                if draws(lambda: _try(model.eval(), inputs)):
                    raise Unfit("the model draws random numbers")
            return tiny
        except Unfit:
            raise
        except Exception as error:
            first = first or error
    raise Unfit(f"on the CPU, {in_words(first)}")


def each_way(make, ways):
    """Returns the models that can be created. If there is none, raises Unfit with the reason of the first model."""
    made, first = [], None
    for way in ways:
        try:
            made.append(make(way))
        except Unfit as unfit:
            first = first or unfit
    if not made:
        raise first
    return made


def _try(model, inputs):
    kept = {}

    def keep(tensor):
        if tensor.layout is torch.strided:
            kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = loss_of(model(**map_tensors(lambda one: one.double() if one.is_floating_point() else one, inputs)))
    if sum(kept.values()) > MOST_KEPT:
        raise Unfit(f"the model cannot be made small: it keeps {sum(kept.values()) >> 20} MiB for backward")
    if not loss.isfinite():
        raise ArithmeticError("the loss is not finite")
    loss.backward()


def _need_few(model, most):
    count = sum(one.numel() for one in model.parameters())
    if count > most:
        raise Unfit(f"the model cannot be made small: {count:,} parameters")
    if not any(one.requires_grad for one in model.parameters()):
        raise Unfit("the model has no parameters that can be trained")


def in_words(error):
    words = " ".join(line.strip() for line in str(error).splitlines())
    return f"{type(error).__name__}: {words[:200]}"
