# SPDX-License-Identifier: BSD-3-Clause
"""Operators that PyTorch composes from other operators, and operators with several forms. A backend that has one form
must support all forms with the same result."""

import functools

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.refused_cases import ask_refused
from assay.checks.value_cases import ask_values, numbers

PLAIN = {"": lambda one: one}
MATRIX, WIDE, BATCH = (3, 4), (4, 5), (2, 3, 4)
# Shapes of the arguments, and the call. PyTorch has a composite form of each operator.
COMPOSITE = {
    "linear": ((BATCH, (5, 4), (5,)), F.linear),
    "einsum": ((BATCH, (2, 5, 4)), lambda x, y: torch.einsum("bij,bkj->ikb", x, y)),
    "tensordot": ((BATCH, (4, 3, 5)), lambda x, y: torch.tensordot(x, y, ([1, 2], [1, 0]))),
    "matmul": ((BATCH, WIDE), torch.matmul),
    "chain_matmul": ((MATRIX, WIDE, (5, 2)), lambda *parts: torch.linalg.multi_dot(parts)),
    "outer": (((3,), (4,)), torch.outer),
    "reshape": ((BATCH,), lambda x: x.transpose(0, 1).reshape(6, 4)),
    "flatten": ((BATCH,), lambda x: x.flatten(1)),
    "unflatten": ((BATCH,), lambda x: x.unflatten(2, (2, 2))),
    "movedim": ((BATCH,), lambda x: x.movedim(0, 2)),
    "chunk": ((BATCH,), lambda x: x.chunk(3, 2)),
    "tensor_split": ((BATCH,), lambda x: x.tensor_split((1, 3), 2)),
    "tile": ((MATRIX,), lambda x: x.tile(2, 3)),
    "narrow": ((BATCH,), lambda x: x.narrow(2, 1, 2)),
    "broadcast_to": (((3, 1),), lambda x: x.broadcast_to(2, 3, 4)),
    "expand_as": (((3, 1), MATRIX), lambda x, y: x.expand_as(y)),
    "meshgrid": (((3,), (4,)), lambda x, y: torch.meshgrid(x, y, indexing="ij")),
    "diff": ((MATRIX,), lambda x: x.diff(dim=1)),
    "trapezoid": ((MATRIX,), lambda x: torch.trapezoid(x, dim=0)),
    "cov": ((MATRIX,), torch.cov),
    "cosine_similarity": ((MATRIX, MATRIX), F.cosine_similarity),
    "pairwise_distance": ((MATRIX, MATRIX), F.pairwise_distance),
    "layer_norm": ((MATRIX, (4,), (4,)), lambda x, w, b: F.layer_norm(x, (4,), w, b)),
    "instance_norm": (((2, 3, 6),), F.instance_norm),
    "batch_norm": (((4, 3), (3,), (3,)), lambda x, w, b: F.batch_norm(x, None, None, w, b, True)),
    "softmax": ((MATRIX,), lambda x: x.softmax(-1)),
    "cross_entropy": ((MATRIX, MATRIX), lambda x, y: F.cross_entropy(x, y.softmax(1))),
    "margin_ranking_loss": (((3,), (3,), (3,)), F.margin_ranking_loss),
    "max_pool1d": (((2, 3, 8),), lambda x: F.max_pool1d(x, 2)),
    "pad": ((MATRIX,), lambda x: F.pad(x, (1, 2), value=3)),
    "conv1d": (((1, 2, 7), (3, 2, 3)), F.conv1d),
    "where of a number": ((MATRIX,), lambda x: torch.where(x > 0, x, 7.0)),
    "selu": ((MATRIX,), F.selu),
    "square": ((MATRIX,), torch.square),
}
# name: (a factory that core composes, the same operators of core applied to an empty tensor).
FACTORIES = {
    "zeros": (torch.zeros, torch.Tensor.zero_),
    "ones": (torch.ones, lambda empty: empty.fill_(1)),
    "full": (functools.partial(torch.full, fill_value=3), lambda empty: empty.fill_(3)),
    "arange": (lambda shape, **kind: torch.arange(shape.numel(), **kind), lambda empty: torch.arange(empty.numel(), out=empty)),
    "rand": (torch.rand, lambda empty: empty.uniform_(0, 1)),
    "randn": (torch.randn, lambda empty: empty.normal_(0, 1)),
}
# name: (function, in-place form, form for lists). x and y have no zero and no negative number.
FORMS = {
    "add": (lambda x, y, **out: torch.add(x, y, alpha=3, **out), lambda x, y: x.add_(y, alpha=3), lambda x, y: torch._foreach_add([x], [y], alpha=3)[0]),
    "sub": (lambda x, y, **out: torch.sub(x, y, alpha=3, **out), lambda x, y: x.sub_(y, alpha=3), lambda x, y: torch._foreach_sub([x], [y], alpha=3)[0]),
    "mul": (lambda x, y, **out: torch.mul(x, y, **out), lambda x, y: x.mul_(y), lambda x, y: torch._foreach_mul([x], [y])[0]),
    "div": (lambda x, y, **out: torch.div(x, y, **out), lambda x, y: x.div_(y), lambda x, y: torch._foreach_div([x], [y])[0]),
    "maximum": (lambda x, y, **out: torch.maximum(x, y, **out), None, lambda x, y: torch._foreach_maximum([x], [y])[0]),
    "pow": (lambda x, y, **out: torch.pow(x, y, **out), lambda x, y: x.pow_(y), lambda x, y: torch._foreach_pow([x], [y])[0]),
    "exp": (lambda x, y, **out: torch.exp(x, **out), lambda x, y: x.exp_(), lambda x, y: torch._foreach_exp([x])[0]),
    "sqrt": (lambda x, y, **out: torch.sqrt(x, **out), lambda x, y: x.sqrt_(), lambda x, y: torch._foreach_sqrt([x])[0]),
    "neg": (lambda x, y, **out: torch.neg(x, **out), lambda x, y: x.neg_(), lambda x, y: torch._foreach_neg([x])[0]),
    "abs": (lambda x, y, **out: torch.abs(x, **out), lambda x, y: x.abs_(), lambda x, y: torch._foreach_abs([x])[0]),
    "reciprocal": (lambda x, y, **out: torch.reciprocal(x, **out), lambda x, y: x.reciprocal_(), lambda x, y: torch._foreach_reciprocal([x])[0]),
    "lerp": (lambda x, y, **out: torch.lerp(x, y, 0.25, **out), lambda x, y: x.lerp_(y, 0.25), lambda x, y: torch._foreach_lerp([x], [y], 0.25)[0]),
    "addcmul": (lambda x, y, **out: torch.addcmul(x, x, y, value=2, **out), lambda x, y: x.addcmul_(x.clone(), y, value=2), lambda x, y: torch._foreach_addcmul([x], [x], [y], 2)[0]),
    "clamp": (lambda x, y, **out: torch.clamp(x, 1, 2, **out), lambda x, y: x.clamp_(1, 2), None),
    "remainder": (lambda x, y, **out: torch.remainder(x, y, **out), lambda x, y: x.remainder_(y), None),
    "tril": (lambda x, y, **out: torch.tril(x, **out), lambda x, y: x.tril_(), None),
    "cumsum": (lambda x, y, **out: torch.cumsum(x, 1, **out), lambda x, y: x.cumsum_(1), None),
    "addmm": (lambda x, y, **out: torch.addmm(x, y, y, beta=2, alpha=3, **out), lambda x, y: x.addmm_(y, y, beta=2, alpha=3), None),
}  # fmt: skip
RANKS = {
    "two vectors": ((4,), (4,)), "matrix and vector": ((3, 4), (4,)), "vector and matrix": ((4,), (4, 5)), "two matrices": ((3, 4), (4, 5)),
    "batch and vector": ((2, 3, 4), (4,)), "vector and batch": ((4,), (2, 4, 5)), "batch and matrix": ((2, 3, 4), (4, 5)), "matrix and batch": ((3, 4), (2, 4, 5)),
    "two batches": ((2, 3, 4), (2, 4, 5)), "one batch for all": ((1, 3, 4), (2, 4, 5)), "batches that broadcast": ((2, 1, 3, 4), (1, 3, 4, 5)),
    "batches of different ranks": ((2, 3, 3, 4), (3, 4, 5)), "many batches and a vector": ((2, 2, 3, 4), (4,)), "a vector and many batches": ((4,), (2, 2, 4, 5)),
    "five dims": ((2, 1, 2, 3, 4), (3, 1, 4, 5)), "batch size 0": ((0, 3, 4), (0, 4, 5)), "batch size 0 that broadcasts": ((0, 1, 3, 4), (2, 4, 5)),
}  # fmt: skip
NO_RANKS = {
    f"matmul of {one} and {other}": lambda to, kept, one=one, other=other: torch.matmul(to(torch.ones(one)), to(torch.ones(other)))
    for one, other in (((2, 3, 4), (3, 4, 5)), ((2, 1, 3, 4), (3, 3, 5)), ((3, 4), (3, 5)), ((4,), (5,)), ((4,), (3, 5)), ((3, 4), (3,)), ((), (4,)), ((4, 4), ()), ((2, 2, 3, 4), (3, 2, 4, 5)))
}  # fmt: skip
CONVOLUTIONS = {
    "conv1d": (F.conv1d, (2, 3, 7), (4, 3, 3)),
    "conv2d": (F.conv2d, (2, 3, 6, 7), (4, 3, 3, 2)),
    "conv3d": (F.conv3d, (1, 2, 4, 5, 4), (3, 2, 2, 2, 2)),
    "conv_transpose1d": (F.conv_transpose1d, (2, 3, 5), (3, 4, 3)),
    "conv_transpose2d": (F.conv_transpose2d, (1, 3, 4, 5), (3, 2, 3, 2)),
}
NORMS = {
    "norm": lambda x: torch.norm(x), "norm of order 1": lambda x: torch.norm(x, 1), "norm of order 3": lambda x: torch.norm(x, 3, 1), "norm of order -1": lambda x: torch.norm(x, -1, 0),
    "norm of order inf": lambda x: torch.norm(x, float("inf")), "norm of order -inf": lambda x: torch.norm(x, -float("inf"), 1), "norm of order 0": lambda x: torch.norm(x, 0, 0), "norm over rows": lambda x: torch.norm(x, dim=1, keepdim=True),
    "norm over both dims": lambda x: torch.norm(x, 2, (0, 1)), "fro": lambda x: torch.norm(x, "fro"), "frobenius norm over both dims": lambda x: torch.norm(x, "fro", (0, 1), True), "nuc": lambda x: torch.norm(x, "nuc"),
    "norm in float64": lambda x: torch.norm(x, 2, 0, dtype=torch.float64), "x.norm": lambda x: x.norm(2, -1), "vector_norm": lambda x: torch.linalg.vector_norm(x, 2.5, 1), "matrix_norm": lambda x: torch.linalg.matrix_norm(x, 1),
    "matrix_norm inf": lambda x: torch.linalg.matrix_norm(x, float("inf")), "linalg.norm": lambda x: torch.linalg.norm(x), "normalize": lambda x: F.normalize(x, dim=1), "renorm": lambda x: torch.renorm(x, 2, 0, 1.5),
    "clip": lambda x: clipped(x),
}  # fmt: skip


def clipped(x):
    """A gradient after clip_grad_norm_, and the norm that it returned."""
    weight = torch.nn.Parameter(torch.zeros_like(x))
    weight.grad = x.clone()
    return torch.nn.utils.clip_grad_norm_([weight], 1.0), weight.grad


class ComposedFactories(Case):
    def test_factories(self):
        """operators.composed_factories_work_if_their_parts_work"""
        self.is_about(*(f"aten::{name}" for name in FACTORIES))
        kind, shape = self.sample_kind, torch.Size(self.sample_kind.shape((2, 3)))
        for name, (make, compose), one in each(self, FACTORIES):
            with one:
                empty = torch.empty(shape.numel() if name == "arange" else shape, dtype=kind.dtype, device=self.device)
                parts = self.on_cpu(self.op(f"the operators of which PyTorch composes {name}", compose, empty))
                self.compare(name, functools.partial(make, shape, dtype=kind.dtype), parts)

    def compare(self, name, make, parts):
        what = f"torch.{name} for the device works like the operators of which PyTorch composes it"
        try:
            seen = make(device=self.device)
        except Exception as error:
            self.expect(False, what, f"raised {type(error).__name__}: {error}")
            return
        self.expect_device(seen, self.device, what)
        if name.startswith("rand"):
            self.expect_equal((seen.shape, seen.dtype), (parts.shape, parts.dtype), what)
        else:
            self.expect_tensor(seen, parts, what)


class CompositeOperators(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()

    def test_composite(self):
        """operators.composite_operators_match_the_cpu_without_kernels"""
        calls = {
            name: (call, [tuple(numbers(*shape, seed=number) for number, shape in enumerate(shapes))])
            for name, (shapes, call) in COMPOSITE.items()
        }
        ask_values(self, calls)
        ask_values(self, {f"gradients of {name}": row for name, row in calls.items()}, layouts=PLAIN, gradients=True)

    def test_forms(self):
        """operators.all_forms_of_an_operator_agree"""
        x, y = (numbers(3, 3, low=0.5, high=3, seed=seed) for seed in (0, 1))
        for name, (function, in_place, on_list), one in each(self, FORMS):
            with one:
                here, other = self.on_device(x), self.on_device(y)
                wanted = function(here, other)
                forms = {
                    "into out=": lambda: function(here, other, out=self.on_device(torch.zeros(3, 3))),
                    "in place": in_place and (lambda: in_place(here.clone(), other)),
                    "of a list": on_list and (lambda: on_list(here, other)),
                }
                for kind, form in forms.items():
                    if form:
                        with self.asks_a_special_case():
                            self.expect_tensor(form(), wanted, f"{name} {kind} gives the result of {name}", rtol=1e-5, atol=1e-6)

    def test_ranks(self):
        """operators.matmul_follows_the_rank_rules"""
        calls = {
            f"matmul of {name}": (torch.matmul, [(numbers(*one), numbers(*other, seed=1))])
            for name, (one, other) in RANKS.items()
        }
        ask_values(self, calls)
        ask_refused(self, NO_RANKS)

    def test_convolutions(self):
        """operators.convolution_operators_are_registered"""
        self.is_about("aten::convolution_overrideable", "aten::convolution_backward_overrideable")
        for function, sizes, weights in CONVOLUTIONS.values():
            x, weight = (self.on_device(numbers(*one)).requires_grad_() for one in (sizes, weights))
            made = self.op("aten::convolution_overrideable", function, x, weight)
            slope = self.on_device(numbers(*made.shape))
            self.op("aten::convolution_backward_overrideable", made.backward, slope)
            what = f"{function.__name__} has gradients of its input and its weight"
            self.expect_true(None not in (x.grad, weight.grad), what, "a gradient is None")
        if torch._C._dispatch_has_kernel_for_dispatch_key("aten::convolution_overrideable", "PrivateUse1"):
            self.call_without_bias()

    def call_without_bias(self):
        """Calls the operator by its schema and passes None, where PyTorch itself passes an undefined tensor."""
        x, weight = numbers(2, 3, 7), numbers(4, 3, 3)
        with self.asks_a_special_case():
            seen = torch.ops.aten.convolution_overrideable(
                self.on_device(x), self.on_device(weight), None, [1], [0], [1], False, [0], 1
            )
        self.expect_tensor(seen, F.conv1d(x, weight), "convolution_overrideable accepts None as bias", rtol=1e-4, atol=1e-5)

    def test_norms(self):
        """operators.norms_match_the_cpu"""
        samples = [(numbers(4, 5),), (numbers(4, 5, dtype=torch.float64),)]
        ask_values(self, {name: (call, samples) for name, call in NORMS.items()})
