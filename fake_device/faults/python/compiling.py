# SPDX-License-Identifier: BSD-3-Clause
"""Faults of the registrations with the compiler: the DeviceInterface, code generation, the backend's own operator."""

import importlib
import warnings

import torch

from .. import _compile, _devices

_operators = torch.library.Library("fakedev", "IMPL")  # empty unless its fault is armed


def _interface():
    return importlib.import_module("torch._dynamo.device_interface").get_interface_for_device("fakedev")


def _method(name, make):
    """Returns a function that installs a fault: a method of the interface becomes make(clean method)."""

    def place():
        setattr(_interface(), name, staticmethod(make(getattr(_interface(), name))))

    return place


def _returning_new(exchange):
    return lambda device: exchange(device) if device < 0 else exchange(device) * 0 + device


class _OwnStream:
    """A stream that Dynamo cannot capture, because it does not derive from torch.Stream."""


def _streams_are_of_their_own():
    _interface().Stream = _OwnStream


def _interface_is_an_object():
    table = importlib.import_module("torch._dynamo.device_interface").device_interfaces
    table["fakedev"] = _interface()()


def _bfloat16_is_unknown(_):
    def is_bf16_supported(including_emulation=False):
        raise NotImplementedError

    return is_bf16_supported


def _workers_use_the_device():
    def get_device_properties(device=None):
        index = _devices.current_device() if device is None else device
        torch.empty(1, device=f"fakedev:{index}").fill_(1).cpu()
        return _devices.get_device_properties(index)

    _interface().Worker.get_device_properties = staticmethod(get_device_properties)


def _wrong_shape():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = lambda x, scale: x.new_empty((*x.shape, 1))
        _operators.impl("scaled_square", wrong, "Meta", allow_override=True)


class _Silent:
    def __init__(self, *_, **__):
        raise NotImplementedError


def _refused_without_words():
    _compile.code_generator = lambda name: _Silent


def _packages_refused_without_words():
    clean = _compile.code_generator
    _compile.code_generator = lambda name: _Silent if name == "CppWrapperCodegen" else clean(name)


def _backend_drops_the_device():
    """Registers a compile backend. The cache keys of the backend contain the shapes of the inputs, but
    not the device."""
    cache = {}

    def fakedev_graphs(graph, inputs):
        def run(*arguments):
            return graph(*(one.to(device) if isinstance(one, torch.Tensor) else one for one in arguments))

        tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
        device = tensors[0].device
        return cache.setdefault((len(graph.graph.nodes), *(one.shape for one in tensors)), run)

    importlib.import_module("torch._dynamo").register_backend(fakedev_graphs)


def _loads_the_compiler():
    importlib.import_module("torch._dynamo")


def _kernels_found_by_name():
    """Replaces the function that compiles a kernel when Inductor asks for the code generator."""
    find, kept = _compile.code_generator, {}

    def remembering(clean):
        def compiled(tasks, name, types, source):
            if name not in kept:
                kept[name] = clean(tasks, name, types, source)
            return kept[name]

        return compiled

    def code_generator(name):
        found, module = find(name), importlib.import_module(f"{_compile.__package__}._code_generator")
        if not hasattr(module, "is_spoiled"):
            module.is_spoiled, module.compiled = True, remembering(module.compiled)
        return found

    _compile.code_generator = code_generator


PLACES = {
    "python.code_generation_is_refused_without_words": _refused_without_words,
    "python.compile_backend_drops_the_device": _backend_drops_the_device,
    "python.compiled_kernels_found_by_name": _kernels_found_by_name,
    "python.import_loads_the_compiler": _loads_the_compiler,
    "python.interface_allows_triton": _method("raise_if_triton_unavailable", lambda clean: lambda device=None: None),
    "python.interface_counts_one_device": _method("device_count", lambda clean: lambda: 1),
    "python.interface_does_not_know_bfloat16": _method("is_bf16_supported", _bfloat16_is_unknown),
    "python.interface_exchange_returns_new": _method("exchange_device", _returning_new),
    "python.interface_is_an_object": _interface_is_an_object,
    "python.interface_minus_one_switches": _method(
        "maybe_exchange_device", lambda clean: lambda device: clean(max(device, 0))
    ),
    "python.interface_returns_stream_objects": _method(
        "get_raw_stream", lambda clean: lambda device: torch.accelerator.current_stream(device)
    ),
    "python.interface_streams_are_of_their_own": _streams_are_of_their_own,
    "python.own_operator_predicts_a_wrong_shape": _wrong_shape,
    "python.packages_are_refused_without_words": _packages_refused_without_words,
    "python.workers_use_the_device": _workers_use_the_device,
}
