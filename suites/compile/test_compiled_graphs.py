# SPDX-License-Identifier: BSD-3-Clause
"""How often a function is compiled: once for equal calls, and again for another device."""

import sys

import torch
from assay.checks import asking
from suites.compile.compiled import BACKENDS, PRELOAD, CompileCase


def step(x):
    return x * 2 + torch.ones(x.shape, device=x.device)


class CompiledGraphs(CompileCase):
    def expect_graphs(self, recorder, count, what):
        return self.expect_equal(len(recorder.graphs), count, f"{what}, backend {recorder.name}: number of graphs")

    def test_full_graph(self):
        """compile.plain_function_is_captured_as_one_graph"""
        wanted = step(self.matrix())
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, recorder = self.compile(step, backend, fullgraph=True)
                seen = compiled(self.matrix())
                what = "a plain function with fullgraph=True"
                self.require(self.expect_graphs(recorder, 1, what))
                self.expect_same(seen, wanted, f"{what}, backend {backend}")
                calls = [node for node in recorder.graphs[0].graph.nodes if node.op.startswith("call_")]
                self.expect_true(len(calls) >= 2, "the graph contains the operations of the function", f"{len(calls)} calls")

    def test_second_call(self):
        """compile.second_call_with_equal_shapes_does_not_compile_again"""
        first, second = self.matrix(), self.matrix(start=9.0)
        wanted = step(second)
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, recorder = self.compile(step, backend)
                compiled(first)
                self.require(self.expect_graphs(recorder, 1, "the first call"))
                seen = compiled(second)
                self.expect_graphs(recorder, 1, "a second call with the same shape")
                self.expect_same(seen, wanted, f"the second call, backend {backend}")

    def test_other_devices(self):
        """compile.argument_on_another_device_is_compiled_again"""
        arguments = [self.matrix(0), self.matrix(1), self.matrix().cpu()]
        wanted = [step(one) for one in arguments]
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, recorder = self.compile(step, backend)
                for count, (one, result) in enumerate(zip(arguments, wanted), start=1):
                    self.expect_same(compiled(one), result, f"the result for an argument on {one.device}, backend {backend}")
                    self.expect_graphs(recorder, count, f"the first call with an argument on {one.device}")
                for one, result in zip(arguments, wanted):
                    self.expect_same(compiled(one), result, f"the later result for an argument on {one.device}, backend {backend}")
                self.expect_graphs(recorder, len(arguments), "later calls on the same devices")

    def test_cpu(self):
        """compile.argument_on_the_cpu_is_compiled_again"""
        arguments = [self.matrix(), self.matrix().cpu(), self.matrix()]
        wanted = [step(one) for one in arguments]
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, recorder = self.compile(step, backend)
                for one, result in zip(arguments, wanted):
                    self.expect_same(compiled(one), result, f"the result for an argument on {one.device}, backend {backend}")
                self.expect_graphs(recorder, 2, "calls with arguments of two device types")

    def test_dynamic(self):
        """compile.dynamic_shapes_compile_one_graph_for_two_sizes"""
        arguments = [self.matrix(size=size) for size in (4, 6)]
        wanted = [step(one) for one in arguments]
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, recorder = self.compile(step, backend, dynamic=True)
                for one, result in zip(arguments, wanted):
                    self.expect_same(compiled(one), result, f"the result for size {len(one)}, backend {backend}")
                self.expect_graphs(recorder, 1, "two sizes with dynamic=True")

    def test_own_backends(self):
        """compile.backends_of_the_package_equal_eager_mode"""
        self.note("backends of the package", ", ".join(own_backends()) or "none")
        arguments = [self.matrix(number) for number in range(len(self.devices[:2]))] + [self.matrix(size=6), self.matrix().t()]
        arguments.append(self.matrix(size=5))  # after the second size, the sizes are symbols
        wanted = [step(one) for one in arguments]
        many = asking.Many(self)
        for name in ("eager", *own_backends()):
            compiled, _ = self.compile(step, name)
            try:
                compiled(arguments[0])
            except Exception as error:
                self.note(f"refused by the backend {name}", f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
                continue
            for one, result in zip(arguments + arguments, wanted + wanted):
                words = f"the backend {name} with an argument {tuple(one.shape)} of strides {one.stride()} on {one.device}"
                with many.one(words), self.asks_a_special_case():
                    self.expect_same(compiled(one), result, f"the result of {words}")
        many.conclude()

    def test_registry(self):
        """compile.registered_backend_is_found_by_its_name"""
        seen = []

        def own(graph, inputs):
            seen.append(graph)
            return graph.forward

        name = "assay_compiler"
        self.addCleanup(_forget_backend, name)
        torch._dynamo.register_backend(own, name=name)
        listed = torch._dynamo.list_backends(exclude_tags=())
        self.expect_true(name in listed, "list_backends(exclude_tags=()) lists a registered backend", f"{sorted(listed)}")
        result = torch.compile(lambda x: x + 1, backend=name)(torch.ones(2))
        self.expect_tensor(result, torch.full((2,), 2.0), "torch.compile finds the backend by its name")
        self.expect_equal(len(seen), 1, "the registered backend receives the graph")


def own_backends():
    """Names of compile backends that are registered by a package other than PyTorch. The package must be loaded."""
    torch._dynamo.list_backends(exclude_tags=())  # PyTorch registers its own backends at the first call
    registry = torch._dynamo.backends.registry
    modules = {name: entry.module for name, entry in registry._BACKENDS.items() if entry is not None}
    modules |= {name: getattr(call, "__module__", None) or "" for name, call in registry._COMPILER_FNS.items()}
    roots = {name: module.partition(".")[0] for name, module in modules.items()}
    return sorted(name for name, root in roots.items() if root != "torch" and root in sys.modules)


def _forget_backend(name):
    """Removes the backend from PyTorch's tables, which have no public function for it."""
    registry = torch._dynamo.backends.registry
    for table in (registry._BACKENDS, registry._COMPILER_FNS):
        table.pop(name, None)
