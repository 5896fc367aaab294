# SPDX-License-Identifier: BSD-3-Clause
"""Tensors with more dimensions than a kernel's table of sizes may hold, contiguous and permuted."""

import torch
from assay.checks import Case
from assay.checks.value_cases import ask_values, numbers

SHAPE = (2, 1, 2, 3, 1, 2, 1, 2, 3, 2, 1, 2)
# tested first: a backend that supports this shape and fails for more dimensions has not refused; dims 3 and -4 are as
# in SHAPE
FEW = (2, 3, 2, 3, 2)
TURNED = (7, 3, 11, 0, 5, 9, 1, 8, 2, 10, 4, 6)


def turned(tensor):
    """The same values with the dimensions in another order in memory."""
    if tensor.dim() != len(TURNED):
        return tensor
    back = [TURNED.index(dim) for dim in range(len(TURNED))]
    return tensor.permute(TURNED).contiguous().permute(back)


class ManyDimensions(Case):
    def test_many(self):
        """operators.tensors_of_many_dims_match_the_cpu"""
        one = [
            (numbers(*shape, dtype=dtype),)
            for dtype in (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float16)
            for shape in (FEW, SHAPE)
        ]
        two = [(x, numbers(*x.shape, dtype=x.dtype, seed=1)) for (x,) in one] + [(one[1][0], numbers(3, 1, 1, 2))]

        def mask_of(x):
            return numbers(*x.shape, dtype=torch.bool, seed=3).to(x.device)

        def index_of(x):
            return numbers(*x.shape, dtype=torch.int64, low=0, high=2).to(x.device)

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
            "where": (lambda x, y: torch.where(mask_of(x), x, y), two),
            "masked_fill_": (lambda x: x.masked_fill_(mask_of(x), 2), one),
            "masked_select": (lambda x: x.masked_select(mask_of(x)), one),
            "addcmul": (lambda x, y: torch.addcmul(x, y, y, value=2), two[:4]),
            "clamp": (lambda x: x.clamp(-1, 2), one[:4]),
            "lerp": (lambda x, y: torch.lerp(x, y, 0.3), two[:2]),
            "mse_loss": (torch.nn.functional.mse_loss, two[:2]),
            "cat": (lambda x, y: torch.cat([x, y], 3), two[:-1]),
            "flip": (lambda x: x.flip(3), one),
            "gather": (lambda x: x.gather(3, index_of(x)), one),
            "scatter": (lambda x: x.scatter(3, index_of(x), 2), one),
            "scatter of a source": (lambda x, y: x.scatter(-4, index_of(x) * 0 + 1, y * 0 + 2), two[:-1]),
            "scatter_add": (lambda x, y: x.scatter_add(-4, index_of(x), y), two[:-1]),
            "index_select": (lambda x: x.index_select(-4, torch.tensor([2, 0], device=x.device)), one),
            "index": (lambda x: x[:, :, torch.tensor([1, 0], device=x.device), 1], one),
            "index_put_": (lambda x: x.index_put_((torch.tensor([1], device=x.device),), x[:1] + x[:1]), one[:4]),
            "sum over three dims": (lambda x: x.sum((0, 3, -4)), one),
            "sum over the first dim, kept": (lambda x: x.sum(0, keepdim=True), one),
            "prod over one dim": (lambda x: x.prod(-4), one),
            "prod over one dim, kept": (lambda x: x.prod(3, keepdim=True), one),
            "amin over two dims": (lambda x: x.amin((3, -1)), one[:6]),
            "max over one dim": (lambda x: tuple(x.max(-4)), one[:4]),
            "argmax over one dim": (lambda x: x.argmax(3), one[:4]),
            "any over one dim": (lambda x: x.any(3), one),
            "cumsum": (lambda x: x.cumsum(3), one),
            "softmax": (lambda x: x.softmax(3), one[:2]),
            "log_softmax": (lambda x: x.log_softmax(0), one[:2]),
            "matmul": (lambda x: x.float() @ x.float().mT, one[:4]),
            "unfold": (lambda x: x.unfold(3, 2, 1) * 2, one[:4]),
        }
        calls["a list for every dim"] = (
            lambda x: x[(torch.tensor([0, 1, 1], device=x.device),) * x.dim()],
            [(numbers(*(2,) * dims),) for dims in range(3, 11)],
        )
        crossed = (lambda x: (torch.tensor([[0], [1]], device=x.device),) + (torch.tensor([0, 1], device=x.device),) * (x.dim() - 1))
        calls["lists for every dim, the first one transposed"] = lambda x: x[crossed(x)], [(numbers(*(2,) * dims),) for dims in range(3, 11)]
        calls["lists for every dim, the first one transposed, written"] = (
            lambda x: x.index_put_(crossed(x), x.new_tensor([[5, 6], [7, 8]])),
            [(numbers(*(2,) * dims),) for dims in range(3, 11)],
        )
        calls["a list of lists"] = (
            lambda x: x[torch.tensor([[1, 0]], device=x.device)],
            [(numbers(*(2,) * dims),) for dims in range(3, 11)],
        )
        calls["a list of lists, written"] = (
            lambda x: x.index_put_((torch.tensor([[1, 0]], device=x.device),), x.new_tensor(5)),
            [(numbers(*(2,) * dims),) for dims in range(3, 11)],
        )
        for name, call in {
            "an index of as many dims": lambda x: x.flatten()[x.long().remainder(2)],
            "an index of as many dims, written": lambda x: x.new_zeros(4).index_put_((x.long().remainder(2),), x, accumulate=True),
        }.items():
            calls[name] = call, [(numbers(*(2,) * dims),) for dims in range(3, 11)]
        rising = {
            "sum": lambda x: x.sum(1), "amax": lambda x: x.amax((0, -1)), "argmax": lambda x: x.argmax(1), "cumsum": lambda x: x.cumsum(1), "gather": lambda x: x.gather(1, x.long() * 0 + 1),
            "index_select": lambda x: x.index_select(1, torch.tensor([1, 0], device=x.device)), "scatter": lambda x: x.scatter(1, x.long() * 0 + 1, 2), "abs": lambda x: x.mT.abs(), "add": lambda x: x.mT + x,
            "sum of all elements": lambda x: x.sum(), "argmax of all elements": lambda x: x.argmax(), "cumsum of a permuted tensor": lambda x: x.transpose(0, 1).cumsum(-1),
            "contiguous": lambda x: x.mT.contiguous(), "nonzero": lambda x: x.nonzero(), "softmax": lambda x: x.softmax(1), "fill_": lambda x: x.clone().mT.fill_(2),
        }  # fmt: skip
        for name, call in rising.items():
            calls[f"{name} of one more dim each time"] = call, [(numbers(*(2,) * dims),) for dims in range(3, 11)]
        ask_values(self, calls, layouts={"": lambda tensor: tensor, "with reversed dims": turned})
