# SPDX-License-Identifier: BSD-3-Clause
"""Code that Inductor generates, for the sizes, dtypes, streams and threads of programs, compared with eager mode."""

import torch
from assay.checks import asking
from suites.compile.compiled import PRELOAD, GeneratedCodeCase
from suites.compile.test_compiled_results import loss_of


def sums(x):
    return x * 2 + 1, x.sum(), (x * x).sum(0)


def doubled(x):
    return x * 2 + 1, x.sum(0)


def products_in_bfloat16(x, y):
    with torch.autocast(x.device.type, dtype=torch.bfloat16):
        return torch.relu(torch.mm(x, y)) * 2, x + y


def drawn(x):
    return torch.rand_like(x), torch.nn.functional.dropout(x, 0.5)


class GeneratedCode(GeneratedCodeCase):
    def test_sizes(self):
        """compile.generated_code_for_dynamic_shapes_equals_eager_mode"""
        compiled = torch.compile(sums, dynamic=True)
        for size in (4, 7, 300):
            wanted, _ = self.eager(sums, lambda: (self.matrix(size=size),))
            seen = compiled(self.matrix(size=size))
            self.expect_same(seen, wanted, f"a function with dynamic=True, for a matrix of size {size}")
            self.ask_special_cases()

    def test_dtypes(self):
        """compile.generated_code_for_another_dtype_equals_eager_mode"""
        compiled = torch.compile(doubled)
        dtypes = {str(dtype): dtype for dtype in (torch.float32, torch.int32, torch.bfloat16, torch.float16)}
        for name, dtype, one in asking.each(self, dtypes):
            with one:
                make = lambda: (self.on_device(torch.arange(8).reshape(4, 2).to(dtype)),)
                wanted, _ = self.eager(doubled, make)
                self.expect_same(compiled(*make()), wanted, f"a compiled function called with {name}")

    def test_autocast(self):
        """compile.generated_code_under_autocast_equals_eager_mode"""
        make = lambda: (self.matrix(), self.matrix(start=20.0))
        wanted, _ = self.eager(products_in_bfloat16, make)
        with self.asks_a_special_case():
            seen = torch.compile(products_in_bfloat16)(*make())
            self.expect_same(seen, wanted, "a compiled function with an autocast region")

    def test_gradients(self):
        """compile.gradients_of_generated_code_equal_eager_mode"""
        wanted = self.gradients_of(loss_of)
        with self.asks_a_special_case():
            seen = self.gradients_of(torch.compile(loss_of))
            self.expect_same(seen, wanted, "loss and gradients of a function that Inductor compiled")

    def test_stream(self):
        """compile.generated_code_runs_on_the_current_stream"""
        compiled = torch.compile(lambda x: x * 2 + 1)
        for number in range(len(self.devices[:2])):
            x = self.matrix(number)
            stream = self.supported("streams", torch.Stream, x.device)
            wanted = (self.on_cpu(x) + 5) * 2 + 1
            compiled(x)
            torch.accelerator.synchronize(x.device)
            with self.held(stream):
                with stream:
                    x.add_(5)
                    result = compiled(x)
            stream.synchronize()
            what = f"on a stream of {x.device}, a compiled function reads what earlier work on this stream has written"
            self.expect_tensor(result, wanted, what)
            self.ask_special_cases()

    def test_random(self):
        """compile.random_numbers_of_generated_code_follow_the_seed"""
        x = self.on_device(torch.ones(1000))
        self.op("aten::rand_like", torch.rand_like, x)
        compiled, seen = torch.compile(drawn), []
        with self.asks_a_special_case():
            for seed in (3, 4, 3):
                torch.manual_seed(seed)
                seen += [[self.on_cpu(one) for one in compiled(x)] for _ in range(2)]
        first, second, other, _, again, later = seen
        self.expect_same((again, later), (first, second), "the same seed gives the same numbers")
        for kind, one, of_another_seed, next_one in zip(("rand_like", "dropout"), first, other, second):
            equal = f"equal numbers: {one[:8].tolist()}"
            self.expect_true(not one.equal(of_another_seed), f"{kind}: another seed gives other numbers", equal)
            self.expect_true(not one.equal(next_one), f"{kind}: the next call gives other numbers", equal)
        is_in_range = bool(((first[0] >= 0) & (first[0] < 1)).all())
        self.expect_true(is_in_range, "rand_like returns numbers from 0 to 1", f"{first[0].min()} to {first[0].max()}")
        self.expect_equal(first[1].unique().tolist(), [0.0, 2.0], "dropout with p=0.5 returns 0 or the doubled element")
