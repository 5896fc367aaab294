# SPDX-License-Identifier: BSD-3-Clause
"""Faults of torch.compile. Packages of vendors replace this function, with defects like these."""

import functools
import importlib

import torch


def _around(make):
    """Returns a function that installs a fault: torch.compile(model) becomes make(model, compile), where compile(model)
    compiles as before."""

    def place():
        clean = torch.compile

        def wrapper(model=None, **options):
            if model is None:
                return functools.partial(wrapper, **options)
            return make(model, functools.partial(clean, **options))

        torch.compile = wrapper

    return place


def _with_arguments(change):
    """Returns a fault: a compiled function gets `change(argument, device of the first call)` in place of each tensor
    argument."""

    def make(model, compile):
        compiled, first = compile(model), []

        def call(*arguments):
            first.extend(one.device for one in arguments if isinstance(one, torch.Tensor))
            return compiled(*(change(one, first[0]) if isinstance(one, torch.Tensor) else one for one in arguments))

        return call

    return _around(make)


def _as_if_contiguous(tensor, _):
    return torch.as_strided(tensor, tensor.shape, torch.empty(tensor.shape, device="meta").stride())


def _without_gradients(model, compile):
    return torch.no_grad()(compile(model))


def _forgetting(model, compile):
    compiled = compile(model)

    def call(*arguments):
        torch._dynamo.reset()
        return compiled(*arguments)

    return call


def _transfers_are_not_captured():
    """Simulates a package that patches Dynamo. The patch takes effect before the first compilation, because an import
    of Dynamo takes a second."""

    def make(model, compile):
        compiler = importlib.import_module("torch._dynamo.variables.tensor").TensorVariable
        clean = compiler.call_method

        def call_method(self, tx, name, *arguments, **options):
            if name in ("cpu", "to"):
                torch._dynamo.exc.unimplemented("transfer", name, "fakedev does not capture transfers", [])
            return clean(self, tx, name, *arguments, **options)

        compiler.call_method = call_method
        return compile(model)

    _around(make)()


def _leaving_streams(model, compile):
    compiled = compile(model)

    def call(*arguments):
        result = compiled(*arguments)
        torch.accelerator.set_stream(torch.Stream(arguments[0].device))
        return result

    return call


PLACES = {
    "core.compile_does_nothing": _around(lambda model, compile: model),
    "core.compiled_calls_take_copies": _with_arguments(lambda tensor, first: tensor.clone()),
    "core.compiled_code_has_no_gradients": _around(_without_gradients),
    "core.compiled_code_ignores_strides": _with_arguments(_as_if_contiguous),
    "core.compiled_code_is_never_kept": _around(_forgetting),
    "core.compiled_code_stays_on_its_device": _with_arguments(lambda tensor, first: tensor.to(first)),
    "core.compiled_shapes_are_fixed": _around(lambda model, compile: compile(model, dynamic=False)),
    "core.compiled_streams_stay_current": _around(_leaving_streams),
    "core.graph_breaks_are_errors": _around(lambda model, compile: compile(model, fullgraph=True)),
    "core.transfers_are_not_captured": _transfers_are_not_captured,
}
