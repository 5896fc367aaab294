# SPDX-License-Identifier: BSD-3-Clause
"""Tensors with more dimensions than a kernel's table of sizes may hold, contiguous and permuted."""

import torch
from assay.checks import Case
from assay.checks.value_cases import ask_values, numbers

SHAPE = (2, 1, 2, 3, 1, 2, 1, 2, 3, 2, 1, 2)
# tested first: if a backend supports this shape, an exception for more dimensions is no refusal; dims 3 and -4 have the
# same sizes as in SHAPE
FEW = (2, 3, 2, 3, 2)
TURNED = (7, 3, 11, 0, 5, 9, 1, 8, 2, 10, 4, 6)
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float16)

ONE = [(numbers(*shape, dtype=dtype),) for dtype in DTYPES for shape in (FEW, SHAPE)]
ALIKE = [(x, numbers(*x.shape, dtype=x.dtype, seed=1)) for (x,) in ONE]
TWO = [*ALIKE, (ONE[1][0], numbers(3, 1, 1, 2))]
RISING = [(numbers(*(2,) * dims),) for dims in range(3, 11)]

OF_ONE = "abs neg exp sqrt sigmoid logical_not sum amax prod mean any all argmax nonzero clone ones_like floor relu isnan sign"
OF_TWO = "add sub mul div eq lt maximum pow logical_and atan2 bitwise_and fmod"


def mask_of(x):
    return numbers(*x.shape, dtype=torch.bool, seed=3).to(x.device)


def index_of(x):
    return numbers(*x.shape, dtype=torch.int64, low=0, high=2).to(x.device)


def places(x, *where):
    return torch.tensor(where, device=x.device)


def crossed(x):
    """Returns one index tensor for every dimension. The first index tensor is a column."""
    return (places(x, [0], [1]),) + (places(x, 0, 1),) * (x.dim() - 1)


CALLS = {
    **{name: (getattr(torch, name), ONE) for name in OF_ONE.split()},
    **{name: (getattr(torch, name), TWO) for name in OF_TWO.split()},
    "to float64": (lambda x: x.to(torch.float64), ONE),
    "contiguous": (lambda x: x.contiguous(), ONE),
    "fill_": (lambda x: x.fill_(2), ONE),
    "zero_": (lambda x: x.zero_(), ONE),
    "copy_": (lambda x, y: x.copy_(y), TWO),
    "add_": (lambda x, y: x.add_(y), TWO),
    "where": (lambda x, y: torch.where(mask_of(x), x, y), TWO),
    "masked_fill_": (lambda x: x.masked_fill_(mask_of(x), 2), ONE),
    "masked_select": (lambda x: x.masked_select(mask_of(x)), ONE),
    "addcmul": (lambda x, y: torch.addcmul(x, y, y, value=2), TWO[:4]),
    "clamp": (lambda x: x.clamp(-1, 2), ONE[:4]),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), TWO[:2]),
    "mse_loss": (torch.nn.functional.mse_loss, TWO[:2]),
    "cat": (lambda x, y: torch.cat([x, y], 3), ALIKE),
    "flip": (lambda x: x.flip(3), ONE),
    "gather": (lambda x: x.gather(3, index_of(x)), ONE),
    "scatter": (lambda x: x.scatter(3, index_of(x), 2), ONE),
    "scatter of a source": (lambda x, y: x.scatter(-4, index_of(x) * 0 + 1, y * 0 + 2), ALIKE),
    "scatter_add": (lambda x, y: x.scatter_add(-4, index_of(x), y), ALIKE),
    "index_select": (lambda x: x.index_select(-4, places(x, 2, 0)), ONE),
    "index": (lambda x: x[:, :, places(x, 1, 0), 1], ONE),
    "index_put_": (lambda x: x.index_put_((places(x, 1),), x[:1] + x[:1]), ONE[:4]),
    "sum over three dims": (lambda x: x.sum((0, 3, -4)), ONE),
    "sum over the first dim, kept": (lambda x: x.sum(0, keepdim=True), ONE),
    "prod over one dim": (lambda x: x.prod(-4), ONE),
    "prod over one dim, kept": (lambda x: x.prod(3, keepdim=True), ONE),
    "amin over two dims": (lambda x: x.amin((3, -1)), ONE[:6]),
    "max over one dim": (lambda x: tuple(x.max(-4)), ONE[:4]),
    "argmax over one dim": (lambda x: x.argmax(3), ONE[:4]),
    "any over one dim": (lambda x: x.any(3), ONE),
    "cumsum": (lambda x: x.cumsum(3), ONE),
    "softmax": (lambda x: x.softmax(3), ONE[:2]),
    "log_softmax": (lambda x: x.log_softmax(0), ONE[:2]),
    "matmul": (lambda x: x.float() @ x.float().mT, ONE[:4]),
    "unfold": (lambda x: x.unfold(3, 2, 1) * 2, ONE[:4]),
    "a list for every dim": (lambda x: x[(places(x, 0, 1, 1),) * x.dim()], RISING),
    "lists for every dim, the first one transposed": (lambda x: x[crossed(x)], RISING),
    "lists for every dim, the first one transposed, written": (lambda x: x.index_put_(crossed(x), x.new_tensor([[5, 6], [7, 8]])), RISING),
    "a list of lists": (lambda x: x[places(x, [1, 0])], RISING),
    "a list of lists, written": (lambda x: x.index_put_((places(x, [1, 0]),), x.new_tensor(5)), RISING),
    "an index of as many dims": (lambda x: x.flatten()[x.long().remainder(2)], RISING),
    "an index of as many dims, written": (lambda x: x.new_zeros(4).index_put_((x.long().remainder(2),), x, accumulate=True), RISING),
}  # fmt: skip
CALLS_OF_RISING_DIMS = {
    "sum": lambda x: x.sum(1),
    "amax": lambda x: x.amax((0, -1)),
    "argmax": lambda x: x.argmax(1),
    "cumsum": lambda x: x.cumsum(1),
    "gather": lambda x: x.gather(1, x.long() * 0 + 1),
    "index_select": lambda x: x.index_select(1, places(x, 1, 0)),
    "scatter": lambda x: x.scatter(1, x.long() * 0 + 1, 2),
    "abs": lambda x: x.mT.abs(),
    "add": lambda x: x.mT + x,
    "sum of all elements": lambda x: x.sum(),
    "argmax of all elements": lambda x: x.argmax(),
    "cumsum of a permuted tensor": lambda x: x.transpose(0, 1).cumsum(-1),
    "contiguous": lambda x: x.mT.contiguous(),
    "nonzero": lambda x: x.nonzero(),
    "softmax": lambda x: x.softmax(1),
    "fill_": lambda x: x.clone().mT.fill_(2),
}


def turned(tensor):
    """The same values with the dimensions in another order in memory."""
    if tensor.dim() != len(TURNED):
        return tensor
    back = [TURNED.index(dim) for dim in range(len(TURNED))]
    return tensor.permute(TURNED).contiguous().permute(back)


class ManyDimensions(Case):
    def test_many(self):
        """operators.tensors_of_many_dims_match_the_cpu"""
        rising = {f"{name} of one more dim each time": (call, RISING) for name, call in CALLS_OF_RISING_DIMS.items()}
        ask_values(self, CALLS | rising, layouts={"": lambda tensor: tensor, "with reversed dims": turned})
