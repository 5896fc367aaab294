# SPDX-License-Identifier: BSD-3-Clause
"""torch.compile with backends that generate no code, torch.export, FakeTensor, opcheck."""

import unittest

import torch
import torch._dynamo
from torch._subclasses import FakeTensorMode

from in_child import output

PATTERNS = {
    "pointwise": lambda x: torch.relu(x * 2 + 1).sin(),
    "view": lambda x: x.t().reshape(-1)[1:],
    "in place": lambda x: x.clone().add_(1).mul_(2),
    "reduction": lambda x: (x.sum(), x.mean(0), x.softmax(-1)),
    "to the host and back": lambda x: (x.cpu() + 1).to("fakedev") * 2,
}


class Compile(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        self.graphs = 0

    def count(self, graph, _):
        self.graphs += 1
        return graph

    def test_patterns_equal_eager_in_one_graph(self):
        x = torch.randn(3, 4, device="fakedev")
        for backend in ("eager", "aot_eager"):
            for name, function in PATTERNS.items():
                with self.subTest(backend=backend, pattern=name):
                    torch._dynamo.reset()
                    compiled = torch.compile(function, backend=backend, fullgraph=True)
                    torch.testing.assert_close(compiled(x), function(x))

    def test_recompiles_for_another_device_only(self):
        compiled = torch.compile(lambda x: x + 1, backend=self.count)
        for device, graphs in (("fakedev:0", 1), ("fakedev:0", 1), ("fakedev:1", 2), ("cpu", 3)):
            self.assertEqual(device, str(compiled(torch.ones(2, device=device)).device))
            self.assertEqual(graphs, self.graphs)

    def test_dynamic_sizes_share_a_graph(self):
        compiled = torch.compile(lambda x: x + 1, backend=self.count, dynamic=True)
        for size in (5, 7):
            self.assertEqual(size, compiled(torch.ones(size, device="fakedev")).numel())
        self.assertEqual(1, self.graphs)

    def test_graph_breaks_keep_results(self):
        def function(x):
            y = x + 1
            torch._dynamo.graph_break()
            return y * 2 if y.sum().item() > 0 else y

        x = torch.ones(2, device="fakedev")
        compiled = torch.compile(function, backend="aot_eager")
        torch.testing.assert_close(compiled(x), function(x))

    def test_gradients_equal_eager(self):
        for backend in ("eager", "aot_eager"):
            torch._dynamo.reset()
            model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU()).to("fakedev")
            x = torch.randn(2, 3, device="fakedev")
            model(x).sum().backward()
            expected = [p.grad.clone() for p in model.parameters()]
            model.zero_grad()
            torch.compile(model, backend=backend)(x).sum().backward()
            torch.testing.assert_close([p.grad for p in model.parameters()], expected)

    def test_stream_inside(self):
        def function(x):
            stream = torch.Stream("fakedev")
            with stream:
                y = x + 1
            stream.synchronize()
            return y

        x = torch.ones(2, device="fakedev")
        torch.accelerator.synchronize()
        self.assertEqual([2, 2], torch.compile(function, backend="eager")(x).tolist())

    def test_export(self):
        model, x = torch.nn.Linear(3, 2).to("fakedev"), torch.randn(2, 3, device="fakedev")
        exported = torch.export.export(model, (x,))
        torch.testing.assert_close(exported.module()(x), model(x))


class Fake(unittest.TestCase):
    def test_index_is_kept(self):
        with FakeTensorMode():
            x = torch.ones(2, device="fakedev:1")
            self.assertEqual("fakedev:1", str((x + 1).device))

    def test_own_operator(self):
        """Core's test_autograd_registration supports only the CPU, CUDA and XPU."""
        torch.library.opcheck(
            torch.ops.fakedev.scaled_square.default,
            (torch.randn(3, device="fakedev", requires_grad=True), 2.0),
            test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))

    def test_package_imports_no_compiler(self):
        self.assertEqual("[]", output("""
            import sys, torch
            print([m for m in ("torch._dynamo", "torch._inductor") if m in sys.modules])
        """))


if __name__ == "__main__":
    unittest.main()
