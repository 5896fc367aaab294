# SPDX-License-Identifier: BSD-3-Clause
"""Tensors of more dimensions than a kernel's table of sizes may have room for, as they lie and turned round."""

import assay
import torch
from value_cases import ask_values, numbers

SHAPE = (2, 1, 2, 3, 1, 2, 1, 2, 3, 2, 1, 2)
TURNED = (7, 3, 11, 0, 5, 9, 1, 8, 2, 10, 4, 6)


def turned(tensor):
    """Its dimensions in another order in memory; the same values at the same places."""
    if tensor.dim() != len(TURNED):
        return tensor
    back = [TURNED.index(dim) for dim in range(len(TURNED))]
    return tensor.permute(TURNED).contiguous().permute(back)


class ManyDimensions(assay.Case):
    def test_many(self):
        """operators.many_dimensions_are_computed"""
        one = [
            (numbers(*SHAPE, dtype=dtype),)
            for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float16)
        ]
        two = [(x, numbers(*SHAPE, dtype=x.dtype, seed=1)) for (x,) in one] + [(one[0][0], numbers(3, 1, 1, 2))]
        mask = numbers(*SHAPE, dtype=torch.bool, seed=3)
        index = numbers(*SHAPE, dtype=torch.int64, low=0, high=2)
        calls = {name: (getattr(torch, name), one) for name in ("abs", "neg", "exp", "sqrt", "sigmoid", "logical_not", "sum", "amax", "prod", "mean", "any", "all",
                                                              "argmax", "nonzero", "clone", "ones_like", "floor", "relu", "isnan", "sign")}  # fmt: skip
        calls |= {
            name: (getattr(torch, name), two)
            for name in (
                "add",
                "sub",
                "mul",
                "div",
                "eq",
                "lt",
                "maximum",
                "pow",
                "logical_and",
                "atan2",
                "bitwise_and",
                "fmod",
            )
        }
        calls |= {
            "to float64": (lambda x: x.to(torch.float64), one),
            "contiguous": (lambda x: x.contiguous(), one),
            "fill_": (lambda x: x.fill_(2), one),
            "zero_": (lambda x: x.zero_(), one),
            "copy_": (lambda x, y: x.copy_(y), two),
            "add_": (lambda x, y: x.add_(y), two),
            "where": (lambda x, y: torch.where(mask.to(x.device), x, y), two),
            "masked_fill_": (lambda x: x.masked_fill_(mask.to(x.device), 2), one),
            "masked_select": (lambda x: x.masked_select(mask.to(x.device)), one),
            "addcmul": (lambda x, y: torch.addcmul(x, y, y, value=2), two[:2]),
            "clamp": (lambda x: x.clamp(-1, 2), one[:2]),
            "lerp": (lambda x, y: torch.lerp(x, y, 0.3), two[:1]),
            "mse_loss": (torch.nn.functional.mse_loss, two[:1]),
            "cat": (lambda x, y: torch.cat([x, y], 3), two),
            "flip": (lambda x: x.flip(3), one),
            "gather": (lambda x: x.gather(3, index.to(x.device)), one),
            "scatter": (lambda x: x.scatter(3, index.to(x.device), 2), one),
            "scatter_add": (lambda x, y: x.scatter_add(8, index.to(x.device), y), two),
            "index_select": (lambda x: x.index_select(8, torch.tensor([2, 0], device=x.device)), one),
            "index": (lambda x: x[:, :, torch.tensor([1, 0], device=x.device), 1], one),
            "index_put_": (lambda x: x.index_put_((torch.tensor([1], device=x.device),), x[:1] + x[:1]), one[:2]),
            "sum over three dims": (lambda x: x.sum((0, 3, 8)), one),
            "sum over the first, kept": (lambda x: x.sum(0, keepdim=True), one),
            "amin over two dims": (lambda x: x.amin((3, -1)), one[:3]),
            "max over one": (lambda x: tuple(x.max(8)), one[:2]),
            "cumsum": (lambda x: x.cumsum(3), one),
            "softmax": (lambda x: x.softmax(3), one[:1]),
            "log_softmax": (lambda x: x.log_softmax(0), one[:1]),
            "matmul": (lambda x: x.float() @ x.float().mT, one[:2]),
            "unfold": (lambda x: x.unfold(3, 2, 1) * 2, one[:2]),
        }  # fmt: skip
        ask_values(self, calls, layouts={"": lambda tensor: tensor, "turned round": turned})
