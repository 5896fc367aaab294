# SPDX-License-Identifier: BSD-3-Clause
"""Shape, dtype, strides and device of results must be the same as in PyTorch's fake tensors, because compiled programs
rely on fake tensors.

A call is tested only if the CPU's result agrees with the prediction. Otherwise the result of a correct fallback would
contradict the prediction.
"""

import itertools
import warnings

import torch
from assay.checks import Case
from assay.checks.asking import Many
from assay.checks.value_cases import numbers
from assay.refusals import behind_fallback
from suites.operators.every_operator import OF_ROWS, operands

PRELOAD = ["torch._subclasses.fake_tensor"]
LYING = {
    "rows": lambda one: one,
    "columns": lambda one: one.t().contiguous().t() if one.dim() == 2 else one,
    "rows and columns": lambda one: one.t().contiguous().t() if one.dim() == 2 and one[0, 0] > 0 else one,
    "every second element": lambda one: one.repeat_interleave(2, -1)[..., ::2] if one.dim() == 2 else one,
}
DTYPES = (torch.float32, torch.int64)
FUSED = "aten::_scaled_dot_product_fused_attention_overrideable"
ATTENDED = (((2, 3, 5, 4),) * 3, ((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6)))
QUERIES = {"contiguous queries": (0, 1, 2, 3), "queries with heads in an inner dim": (0, 2, 1, 3), "queries with reversed dims": (3, 2, 1, 0)}


def attended(*parts):
    """The tensors of the result. The backend may choose how it represents the seed and lengths without a tensor."""
    made = torch.ops.aten._scaled_dot_product_fused_attention_overrideable(*parts)
    return [one for one in made[:2] if isinstance(one, torch.Tensor)]


def tensors(results):
    return [results] if isinstance(results, torch.Tensor) else list(results)


def lies(tensor):
    """Shape, dtype and strides. The stride of a dim with one element does not matter."""
    strides = [stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]
    return list(tensor.shape), tensor.dtype, strides if tensor.numel() > 1 else []


def predicted(call, given):
    """Returns the prediction, or None if PyTorch cannot predict the result without values."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    try:
        with FakeTensorMode() as mode:
            return [(lies(one), one.device) for one in tensors(call(*map(mode.from_tensor, given)))]
    except Exception:
        return None


class PredictedResults(Case):
    def test_predicted(self):
        """operators.result_layouts_match_fake_tensors"""
        self.need_any_kind()
        many = Many(self)
        for name, call in OF_ROWS.items():
            for dtype in DTYPES:
                for kind, arrange in LYING.items():
                    given = [arrange(one) for one in operands(dtype, 4, 3)]
                    with many.one(f"{name} of {dtype}, {kind}"), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        self.compare(f"{name} of {dtype}, {kind}", call, given)
        if behind_fallback.has_kernel(FUSED):
            self.ask_attention(many)
        many.conclude()

    def ask_attention(self, many):
        """The CPU has no such operator, so the prediction is the only reference."""
        for shapes, dtype, (way, order) in itertools.product(ATTENDED, (torch.float32, torch.float16), QUERIES.items()):
            what = f"{FUSED} of {shapes} of {dtype}, {way}"
            query, *others = (numbers(*shape).to(dtype) for shape in shapes)
            query = query.permute(order).contiguous().permute(order)  # each permutation is its own inverse
            with many.one(what):
                self.expect_predicted(what, attended, [self.laid_out(one) for one in (query, *others)])
        query, *others = (self.laid_out(numbers(*shape)) for shape in ((2, 1, 5, 4), *ATTENDED[0][1:]))
        what = f"{FUSED} of queries that are expanded over the heads"
        with many.one(what):
            self.expect_predicted(what, attended, [query.expand(2, 3, 5, 4), *others])

    def expect_predicted(self, what, call, here, wanted=None):
        """`wanted`: the CPU's result, if the CPU has the operator."""
        said = predicted(call, here)
        if said is None or wanted is not None and [one for one, _ in said] != wanted:
            return
        seen = [(lies(one), one.device) for one in tensors(call(*here))]
        self.expect_equal(seen, said, f"{what} has the predicted sizes, dtype, strides and device")

    def compare(self, what, call, given):
        try:
            wanted = [lies(one) for one in tensors(call(*given))]
        except Exception:
            return
        self.expect_predicted(what, call, [self.laid_out(one) for one in given], wanted)

    def laid_out(self, there):
        """A copy that keeps the strides, which a plain copy may lose."""
        here = torch.empty_strided(there.shape, there.stride(), dtype=there.dtype, device=self.device)
        return here.copy_(there)
