# SPDX-License-Identifier: BSD-3-Clause
"""torch.compile with the generated code of the device: results, streams, devices, errors, refusals."""

import tempfile
import unittest
import unittest.mock

import torch
import torch._dynamo
import torch._inductor.config
from torch import nn
from torch._inductor.codecache import CppCodeCache

from in_child import output
from torch_fakedev import testing

# Inductor's cache of generated Python code does not detect changes of the code generator.
torch._inductor.config.force_disable_caches = True


def numbers(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(1)).to("fakedev")


def patterns(x, scalar, index):
    """One call of each kind, so that one compilation covers all kinds."""
    y = x @ x.t()
    return (
        torch.relu(x * 2 + 1).sin(), x.clone().mul_(scalar).add_(1), x[index], x.t().reshape(-1)[1:] * 2,
        y.softmax(-1), y.sum(), y.mean(0), y.argmax(-1), y.cumsum(0), x.to(torch.bfloat16) * 3, x.double().exp(),
        torch.where(x > 0, x, -x), torch.cat([x, x * 2], 1), x.new_zeros(0, 3) + 1,
    )


def branches(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() - 1, (x,))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(2, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 8), nn.LayerNorm(8),
            nn.Dropout(0.25), nn.GELU(), nn.Linear(8, 3))

    def forward(self, x):
        return self.layers(x)


def trained(compile_with, autocast):
    """Losses and parameters of three steps of training."""
    torch.manual_seed(5)
    model = Model().to("fakedev")
    run = compile_with(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, labels, losses = numbers(6, 2, 4, 4), torch.arange(6, device="fakedev") % 3, []
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast("fakedev", dtype=torch.bfloat16, enabled=autocast):
            losses.append(nn.functional.cross_entropy(run(x), labels))
        losses[-1].backward()
        optimizer.step()
    return losses, list(model.state_dict().values())


class Compiled(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        torch.fakedev.set_device(0)

    def equal(self, function, *arguments, **options):
        torch.testing.assert_close(torch.compile(function, **options)(*arguments), function(*arguments))

    def test_patterns_equal_eager_and_run_on_the_device(self):
        testing.forget_trace()
        self.equal(patterns, numbers(8, 5), torch.tensor(2.5), torch.tensor([1, 3]), fullgraph=True)
        kernels = [r for r in testing.trace() if r.executed and str(r.what).startswith("cpp_")]
        self.assertTrue(kernels)
        self.assertEqual({0}, {r.status for r in kernels})

    def test_branches_equal_eager(self):
        self.equal(branches, numbers(8, 5))

    def test_equal_kernels_of_the_cpu_and_the_device_are_distinct(self):
        x = numbers(8, 5)
        with torch._inductor.config.patch(compile_threads=1):
            self.equal(lambda a, b: (a + 1, b + 1), x, x.cpu())

    def test_more_tensors_than_a_launch_takes(self):
        inputs = [torch.full((2,), float(i), device="fakedev") for i in range(600)]
        self.equal(lambda *x: torch.cat(x).sin(), *inputs)

    def test_another_device_than_the_current_one(self):
        x = numbers(8, 5)
        with torch.fakedev.device(1):
            self.equal(lambda a, b: (a * 2, (a.sum().to(b.device) + b)), x, numbers(3).to("fakedev:1"))

    def test_dynamic_sizes_share_a_kernel(self):
        function, load = torch.compile(lambda x: (x * x.shape[0]).sum(0), dynamic=True), CppCodeCache.load_async
        with unittest.mock.patch.object(CppCodeCache, "load_async", side_effect=load) as compiled:
            for size in (5, 7):
                x = numbers(size, 3)
                torch.testing.assert_close(function(x), (x * size).sum(0))
        self.assertEqual(1, compiled.call_count)

    def test_training_equals_eager(self):
        for autocast in (False, True):
            with self.subTest(autocast=autocast), torch._inductor.config.patch(fallback_random=True):
                torch._dynamo.reset()
                tolerance = {"rtol": 0.02, "atol": 0.02} if autocast else {}
                expected = trained(lambda model: model, autocast)
                torch.testing.assert_close(trained(torch.compile, autocast), expected, **tolerance)

    def test_random_numbers_follow_the_seed(self):
        function = torch.compile(lambda x: (torch.rand_like(x), nn.functional.dropout(x, 0.5)))
        x, seen = torch.ones(1000, device="fakedev"), []
        for seed in (3, 4, 3):
            torch.manual_seed(seed)
            seen.append(function(x))
        torch.testing.assert_close(seen[0], seen[2], rtol=0, atol=0)
        self.assertFalse(torch.equal(seen[0][0], seen[1][0]))
        self.assertAlmostEqual(0.5, seen[0][0].mean().item(), delta=0.1)
        self.assertEqual({0.0, 2.0}, set(seen[0][1].tolist()))

    def test_kernel_runs_on_the_current_stream(self):
        function, x = torch.compile(lambda x: x.mul_(2)), torch.ones(8, device="fakedev")
        function(x)
        torch.accelerator.synchronize()
        stream = torch.Stream("fakedev")
        if testing.variant("eager_streams"):
            self.skipTest("streams are eager")
        with testing.Gate(stream), stream:
            function(x)
            self.assertFalse(stream.query())
            self.assertTrue(torch.fakedev.default_stream().query())
            with torch.fakedev.stream(torch.fakedev.default_stream()):
                self.assertEqual([2] * 8, x.tolist())
        stream.synchronize()
        self.assertEqual([4] * 8, x.tolist())

    def test_bad_index_raises_and_the_device_goes_on(self):
        function, x = torch.compile(lambda x, i: x[i] * 2), numbers(8)
        with self.assertRaisesRegex(torch.AcceleratorError, "index out of bounds"):
            function(x, torch.tensor([1, 9], device="fakedev"))
            torch.accelerator.synchronize()
        torch.testing.assert_close(function(x, torch.tensor([1, 7], device="fakedev")), x[[1, 7]] * 2)


class Refused(unittest.TestCase):
    """Each program runs in a child process with an empty cache, so that a refusal cannot be hidden by cached code."""

    def refusal(self, before="", body="x + 1", **environment):
        with tempfile.TemporaryDirectory() as folder:
            return output(f"""
                import torch, torch._inductor.codegen.cpp
                {before}
                try:
                    torch.compile(lambda x: {body})(torch.ones(2, device="fakedev"))
                except Exception as error:
                    print(" ".join(str(error).split()))
            """, TORCHINDUCTOR_CACHE_DIR=folder, **environment)

    def test_without_a_compiler(self):
        self.assertRegex(self.refusal(CXX="/nosuch/c++"), "found no C\\+\\+ compiler; install one, set CXX, or compile "
                                                          "with backend='aot_eager'")

    def test_with_another_interface_of_inductor(self):
        before = "del torch._inductor.codegen.cpp.CppScheduling.define_kernel"
        self.assertRegex(self.refusal(before), "no code generator for the Inductor of torch .*backend='aot_eager'")

    def test_stream_inside(self):
        before = """
                def on_a_stream(x):
                    with torch.Stream("fakedev"):
                        return x + 1
        """
        self.assertRegex(self.refusal(before, "on_a_stream(x)"), "no code for a stream inside a compiled function")

    def test_cpp_wrapper(self):
        before = "torch._inductor.config.cpp_wrapper = True"
        self.assertRegex(self.refusal(before), "fakedev has no C\\+\\+ wrapper")


if __name__ == "__main__":
    unittest.main()
