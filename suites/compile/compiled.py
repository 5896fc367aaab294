# SPDX-License-Identifier: BSD-3-Clause
"""Compiles functions on the device and compares them with eager mode.

The same function in eager mode on the same device gives the expected values. Other modules compare the results of eager
mode with the CPU. A check calls the function in eager mode first: if the backend refuses an operator in eager mode, the
check is blocked. After that, an exception of the compiled function is a failure.
"""

import importlib

import torch
from assay.checks import Case, asking
from assay.values.closeness import TOLERANCES, expect_near

BACKENDS = ("eager", "aot_eager")
# Modules that the first compilation imports, for PRELOAD of the test files.
PRELOAD = (
    "torch._dynamo", "torch._functorch.aot_autograd", "torch._dynamo.backends.debugging", "torch._dynamo.repro.after_aot",
    "torch.export._trace", "torch._inductor.scheduler",
)


class Recorder:
    """A backend of torch.compile that remembers each graph and passes it to the backend with this name."""

    def __init__(self, name):
        self.name, self.graphs = name, []

    def __call__(self, graph, inputs):
        self.graphs.append(graph)
        return torch._dynamo.lookup_backend(self.name)(graph, inputs)


class CompileCase(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()
        importlib.import_module("torch._dynamo").reset()

    def matrix(self, number=0, size=4, start=1.0):
        """A square matrix on one of the devices. All numbers are exact in float32, also as sums and products."""
        values = torch.arange(start, start + size * size).reshape(size, size)
        return self.on_device(values % 7 - 2, number)

    def compile(self, function, backend="eager", **options):
        """Returns the compiled function, and the recorder of its graphs."""
        torch._dynamo.reset()
        recorder = Recorder(backend)
        return torch.compile(function, backend=recorder, **options), recorder

    def expect_same(self, seen, wanted, what):
        """Expects equal structure, devices, dtypes, shapes and values. Returns whether all of them are equal."""
        if isinstance(wanted, (tuple, list)):
            counts = self.expect_equal(len(seen), len(wanted), f"{what}: number of results")
            pairs = list(zip(seen, wanted)) if counts else []
            return all([counts] + [self.expect_same(a, b, f"{what}, result {i}") for i, (a, b) in enumerate(pairs)])
        if not isinstance(wanted, torch.Tensor):
            return self.expect_equal(seen, wanted, what)
        if not self.expect_true(isinstance(seen, torch.Tensor), f"{what} is a tensor", f"{type(seen).__name__}"):
            return False
        held = [self.expect_device(seen, wanted.device, f"{what}: device")]
        if wanted.dtype in TOLERANCES:
            return all(held + [expect_near(self, seen, wanted, what, times=4)])
        return all(held + [self.expect_tensor(seen, wanted, what)])

    def eager(self, function, make):
        """Returns the results of the function in eager mode. If the CPU gives other results, the check is blocked,
        because the operators are wrong and not the compiler."""
        arguments, copies = make(), [self.on_cpu(one).clone() for one in make()]
        wanted, expected = (function(*arguments), arguments), (function(*copies), copies)
        if not _is_near(wanted, expected):
            self.block("in eager mode, the function gives other values than on the CPU", "the operators of the function")
        return wanted

    def expect_equals_eager(self, function, make, what, backends=BACKENDS, **options):
        """Compiles the function with each backend, and calls it twice with new arguments from `make`.

        The arguments after the call are results too, because the function may change them."""
        wanted = self.eager(function, make)
        for backend in backends:
            with self.asks_a_special_case():
                compiled, _ = self.compile(function, backend, **options)
                for call in ("first", "second"):
                    arguments = make()
                    self.expect_same((compiled(*arguments), arguments), wanted, f"{what}, backend {backend}, {call} call")

    def each_equals_eager(self, table, make, **options):
        for name, function, one in asking.each(self, table):
            with one:
                self.expect_equals_eager(function, make, name, **options)


class GeneratedCodeCase(CompileCase):
    """A check of the code that Inductor generates."""

    def require_registration(self):
        """Without code generator classes for the device, ends the check."""
        common().init_backend_registration()
        if common().get_scheduling_for_device(self.device_name) is None:
            self.lacks("inductor", f"Inductor has no code generator for {self.device_name}")


def common():
    """torch._inductor.codegen.common. Its import takes half a second, so no file of this folder imports it at the top."""
    from torch._inductor.codegen import common

    return common


def _is_near(seen, expected):
    """Compares results of the device with those of the CPU, without a report."""
    if isinstance(expected, (tuple, list)):
        return len(seen) == len(expected) and all(map(_is_near, seen, expected))
    if not isinstance(expected, torch.Tensor):
        return seen == expected
    seen = seen.detach().cpu()
    return seen.shape == expected.shape and torch.allclose(seen.double(), expected.double(), 1e-3, 1e-3)
