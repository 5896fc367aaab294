# SPDX-License-Identifier: BSD-3-Clause
"""A compiled function returns what the plain function returns, changes what it changes, and has its gradients."""

import torch
from suites.compile.compiled import BACKENDS, PRELOAD, CompileCase
from suites.compile.interfaces import without_interfaces
from torch.utils.checkpoint import checkpoint



def pointwise(x, y):
    return (x * 2 + y - 1).abs(), -x, x > y


def views(x, y):
    return x.t()[1:] + 1, x.reshape(-1)[2:7] * 2, (x.unsqueeze(0).expand(2, 4, 4) + y)[1], x[:, 1]


def in_place(x, y):
    z = x * 1
    z.add_(y)
    z[1].mul_(3)
    z.t()[0].sub_(1)
    return z


def reductions(x, y):
    return x.sum(), y.sum(0), (x * y).sum(1, keepdim=True)


def products(x, y):
    return torch.mm(x, y), torch.mm(x.t(), y[:, :2]) + 1


def joined(x, y):
    return torch.cat([x, y[1:]]), torch.where(x > y, x, y)


def created(x, y):
    return torch.ones(3, device=x.device) + x.sum(), torch.zeros_like(y), torch.full((2,), 7.0, device=y.device)


def no_elements(x, y):
    return x[:0] * 2, y[2:2].sum()


PATTERNS = {
    "pointwise code": pointwise, "code with views": views, "in-place code": in_place, "reductions": reductions,
    "matrix products": products, "joined tensors": joined, "factories": created, "tensors without elements": no_elements,
}


def changes_its_argument(x, y):
    x.add_(y)
    return x * 2


def changes_a_view(x, y):
    x[1].mul_(2)
    x.t()[0].copy_(y[0])


def writes_into_a_result(x, y):
    torch.add(x, 1, out=y)
    return y.sum()


def changes_an_alias(x, y):
    row = x[0]
    y.copy_(x)
    row.add_(5)
    return x + row


CHANGES = {
    "a function that changes an argument": changes_its_argument,
    "a function that changes a view of an argument": changes_a_view,
    "a function with out=": writes_into_a_result,
    "a function that changes a tensor through an alias": changes_an_alias,
}


def broken(x, y):
    z = x + y
    torch._dynamo.graph_break()
    z = z * 2
    if z.sum().item() > 0:
        z = z - 1
    z.add_(int(y.sum()))
    return z, float(z.sum())


def there_and_back(x, y):
    return (x.cpu() + 1).to(y.device) * y, y.to("cpu").sum(), x.cpu().to(x.device)


def loss_of(x, w):
    hidden = torch.mm(x, w)
    hidden = hidden * hidden + x[0]
    return (hidden * w.t()).sum()


def through_a_checkpoint(x, w):
    return checkpoint(loss_of, x, w, use_reentrant=False) * 2


class CompiledResults(CompileCase):
    def test_compiles(self):
        """compile.plain_function_compiles"""
        x, y = self.pair()
        wanted = pointwise(x, y)
        for backend in BACKENDS:
            compiled, _ = self.compile(pointwise, backend, fullgraph=True)
            try:
                seen = compiled(x, y)
            except torch._dynamo.exc.InternalTorchDynamoError:
                raise  # an error inside the compiler is not a refusal
            except Exception as error:
                self.lacks("compile", error)
            self.expect_same(seen, wanted, f"the compiled function, backend {backend}")

    def test_patterns(self):
        """compile.results_equal_eager_mode"""
        self.each_equals_eager(PATTERNS, self.pair)

    def test_without_interface(self):
        """compile.results_equal_eager_mode_without_a_device_interface"""
        with without_interfaces(self.device_name):
            self.each_equals_eager({name: PATTERNS[name] for name in ("pointwise code", "in-place code")}, self.pair)

    def test_changes(self):
        """compile.changed_arguments_equal_eager_mode"""
        self.each_equals_eager(CHANGES, self.pair)

    def test_aliases(self):
        """compile.returned_views_share_memory_with_the_argument"""
        self.expect_tensor(self.matrix()[1], self.matrix()[1], "a row can be read")
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, _ = self.compile(lambda x: (x, x[1], x.t()), backend)
                x = self.matrix()
                same, row, turned = compiled(x)
                x.add_(100)
                words = f"follows a later change of the argument, backend {backend}"
                self.expect_tensor(same, x, f"the returned argument {words}")
                self.expect_tensor(row, x[1], f"the returned row {words}")
                self.expect_tensor(turned, x.t(), f"the returned transposed view {words}")

    def test_graph_breaks(self):
        """compile.results_across_graph_breaks_equal_eager_mode"""
        self.expect_equals_eager(broken, self.pair, "a function with graph breaks")

    def test_transfers(self):
        """compile.copies_to_and_from_the_cpu_stay_in_one_graph"""
        wanted = there_and_back(*self.pair())
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, recorder = self.compile(there_and_back, backend, fullgraph=True)
                words = f"a function with copies to and from the CPU, backend {backend}"
                self.expect_same(compiled(*self.pair()), wanted, words)
                self.expect_equal(len(recorder.graphs), 1, f"{words}: number of graphs")

    def expect_gradients(self, function, what):
        wanted = self.gradients_of(function)
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, _ = self.compile(function, backend)
                for call in ("first", "second"):
                    self.expect_same(self.gradients_of(compiled), wanted, f"{what}, backend {backend}, {call} call")

    def test_gradients(self):
        """compile.gradients_equal_eager_mode"""
        self.expect_gradients(loss_of, "loss and gradients of a compiled function")

    def test_checkpoint(self):
        """compile.gradients_through_a_checkpoint_equal_eager_mode"""
        self.expect_gradients(through_a_checkpoint, "loss and gradients of a compiled function with a checkpoint")

    def test_random(self):
        """compile.random_numbers_follow_the_seed_of_the_device"""
        def draw(x):
            return torch.rand(16, device=x.device), torch.nn.functional.dropout(x, 0.5)

        def seeded(function):
            torch.manual_seed(self.seed)
            return function(self.matrix())

        wanted = seeded(draw)
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, _ = self.compile(draw, backend)
                seeded(compiled)  # compilation itself may draw numbers
                self.expect_same(seeded(compiled), wanted, f"random numbers of a compiled function, backend {backend}")
