# SPDX-License-Identifier: BSD-3-Clause
"""Values of operators that reduce, search, sort and count: over one dim and several, with and without keepdim, of
every dtype."""

import functools
import itertools

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.checks.value_cases import ask_values, numbers, written_to

NAN = float("nan")
DTYPES = (
    torch.float32,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
    torch.float16,
    torch.complex64,
)
SUMS = ("sum", "mean", "amax", "amin", "all", "any", "nansum", "count_nonzero", "std", "var", "logsumexp")
OF_ONE_DIM = (
    "prod", "argmax", "argmin", "max", "min", "cumsum", "cumprod", "cummax", "cummin", "sort", "argsort", "median", "softmax",
    "log_softmax", "logcumsumexp", "mode",
)  # fmt: skip
LARGE = torch.tensor([[2**53 + 1, -7], [2**53 + 3, 2**53 + 2], [-(2**53) - 1, 5]])  # not exact in float64
DIMS = (0, 1, 2, -1, -2, -3, (0, 2), (1, -1), (-3, -1), (0, 1, 2))


def three_dims(dtype):
    """Numbers of which no two neighbours are equal, because sorting equal numbers may give any order."""
    return numbers(4, 3, 5, dtype=dtype)


def apart(*shape):
    """Numbers of which no two are equal."""
    count = torch.Size(shape).numel()
    return torch.randperm(count, generator=torch.Generator().manual_seed(count)).float().reshape(shape) - count / 2


def with_nan():
    x = apart(4, 6)
    x[1, 2] = x[2, 0] = x[2, 5] = NAN
    return x


def tuple_of(result):
    return tuple(result) if isinstance(result, tuple) else result


OF_ALL_KINDS = [(three_dims(dtype),) for dtype in DTYPES]
FRACTIONS = [(torch.tensor([[0.5, 256.0, 0.0], [0.25, 0.0, 0.0]]),)]  # converted to bytes, these numbers become 0
IS_LAST = torch.arange(257 * 256) == 257 * 256 - 1  # more elements than a two-level reduction holds


def with_options(name, **options):
    """The function `name` of torch with these options."""
    return functools.partial(getattr(torch, name), **options)


SUMS_BY_OPTION = {
    "sum of many": (torch.sum, [(torch.ones(257 * 256),), (numbers(257, 5)[:, :3],), (torch.ones(2**17 + 2**16 + 64),)]),
    "sum of many along a dim": (with_options("sum", dim=1), [(torch.ones(2, 2**17 + 64),), (torch.ones(2, 2**17 + 64, dtype=torch.int32),)]),
    "sum of integers beyond the range of their dtype": (torch.sum, [(torch.full((9,), torch.iinfo(dtype).max, dtype=dtype),)
                                                                    for dtype in (torch.int32, torch.int16, torch.uint8)]),
    "cumsum of integers beyond the range of their dtype": (with_options("cumsum", dim=0), [(torch.full((9,), 2**31 - 1, dtype=torch.int32),)]),
    "max of many": (torch.max, [(torch.arange(257.0 * 256),)]),
    "argmax of many": (torch.argmax, [(torch.arange(257.0 * 256),)]),
    "any of many": (torch.any, [(IS_LAST,)]),
    "all of many": (torch.all, [(~IS_LAST,)]),
    **{
        f"{name} in {title}": (with_options(name, dtype=dtype, **dim), samples)
        for dim, names in (({}, ("sum", "mean", "prod")), ({"dim": 0}, ("cumsum", "cumprod", "softmax", "log_softmax")))
        for name in names
        for title, dtype, samples in (("float64", torch.float64, OF_ALL_KINDS), ("int32", torch.int32, OF_ALL_KINDS[:4]))
    },
    **{
        f"{name}{title} into an out= of bytes": (written_to(with_options(name, **dim), torch.uint8), FRACTIONS)
        for name in ("all", "any")
        for title, dim in (("", {}), (" over one dim", {"dim": 1}))
    },
    **{f"{name} over no dims": (with_options(name, dim=()), OF_ALL_KINDS[:3]) for name in ("sum", "mean", "amax", "amin", "any", "all")},
    **{
        f"{name} with correction {correction}": (with_options(name, correction=correction, **dims), OF_ALL_KINDS[:2])
        for correction in (0, 1, 2)
        for name, dims in (("var", {"dim": (0, 2)}), ("std_mean", {"dim": 1, "keepdim": True}))
    },
    **{
        f"norm of order {order}": (functools.partial(torch.linalg.vector_norm, ord=order, dim=1), OF_ALL_KINDS[:2])
        for order in (0, 1, 2, 3, float("inf"), -float("inf"))
    },
}  # fmt: skip

DISTINCT = [
    (apart(4, 3, 5),),
    (apart(4, 3, 5).double(),),
    (apart(4, 3, 5).long(),),
    (apart(4, 3, 5).int(),),
    (apart(4, 300, 1),),
]
SEARCHES = {
    "sort in descending order": (lambda x: tuple_of(torch.sort(x, dim=1, descending=True)), DISTINCT),
    "topk": (lambda x: tuple_of(torch.topk(x, 2, dim=1)), DISTINCT),
    "topk of the smallest": (lambda x: tuple_of(torch.topk(x, 2, dim=0, largest=False)), DISTINCT),
    "kthvalue": (lambda x: tuple_of(torch.kthvalue(x, 2, dim=1)), DISTINCT),
    "diff": (lambda x: torch.diff(x, dim=1), DISTINCT),
    "flip": (lambda x: torch.flip(x, (0, 2)), DISTINCT),
    "roll": (lambda x: torch.roll(x, (1, -2), (0, 2)), DISTINCT),
    "unique": (lambda x: torch.unique(x % 7, return_counts=True), DISTINCT),
    "bincount": (lambda x: torch.bincount(x.reshape(-1) % 7), [(numbers(40, dtype=torch.int64, low=0, high=6),)]),
    "histc": (lambda x: torch.histc(x, 5, -2, 2), [(numbers(40),)]),
    "searchsorted": (lambda x, y: torch.searchsorted(x.sort().values, y), [(apart(20), numbers(3, 4))]),
    "cumsum in place": (lambda x: x.cumsum_(1), DISTINCT),
    "norm": (lambda x: torch.norm(x, dim=1), DISTINCT[:2]),
    "trace": (torch.trace, [(numbers(4, 6),)]),
    "cross": (lambda x, y: torch.cross(x, y, dim=1), [(numbers(4, 3), numbers(4, 3, seed=1))]),
    "equal": (lambda x, y: (torch.equal(x, y), torch.equal(x, x), torch.equal(x, x[:2])), [(numbers(4, 3), numbers(4, 3, seed=1)), (numbers(0), numbers(0)),
                                                                                         (with_nan(), with_nan())]),
    "allclose": (lambda x, y: (torch.allclose(x, y), torch.allclose(x, x + 1e-9)), [(numbers(4, 3), numbers(4, 3, seed=1))]),
}  # fmt: skip


def as_planes(tensor):
    """The same values with the last dimension first in memory."""
    return tensor.permute(2, 0, 1).contiguous().permute(1, 2, 0) if tensor.dim() == 3 else tensor


class ReductionValues(Case):
    def test_sums(self):
        """operators.reductions_match_the_cpu"""
        calls = {}
        for name in SUMS:
            function = getattr(torch, name)
            if name not in ("logsumexp",):
                calls[f"{name} of all elements"] = (
                    function,
                    [*OF_ALL_KINDS, (numbers(),), (numbers(1030),), (numbers(0),), (numbers(33, 65),), (with_nan(),), (LARGE,)],
                )
            for dim, keep in itertools.product(DIMS, (False, True)):
                if name == "count_nonzero" and keep:
                    continue
                more = {} if name == "count_nonzero" else {"keepdim": keep}
                if name in ("all", "any") and isinstance(dim, tuple) and len(dim) == 3 and keep:
                    continue
                calls[f"{name} over {dim}, {keep}"] = (lambda x, f=function, d=dim, m=more: f(x, dim=d, **m)), OF_ALL_KINDS
            calls[f"{name} of no elements"] = (
                (lambda x, f=function: f(x, dim=1)),
                [(numbers(3, 0),), (numbers(0, 3),), (numbers(0, 3, dtype=torch.int64),)],
            )
        calls |= SUMS_BY_OPTION
        ask_values(self, calls, layouts={"": lambda one: one})
        mixed = {
            name: calls[name]
            for name in ("sum over 1, True", "amax over (0, 2), False", "mean over -1, False", "all over 1, False")
        }
        ask_values(self, {f"{name} in its own layout": (call, samples[:3]) for name, (call, samples) in mixed.items()})

    def test_dims(self):
        """operators.reductions_and_sorts_along_a_dim_match_the_cpu"""
        calls = {}
        for name in OF_ONE_DIM:
            function = getattr(torch, name)
            mine = DISTINCT[:2] if "soft" in name or name == "logcumsumexp" else DISTINCT
            mine = [(one.sign() * 1.25,) for (one,) in mine] if name in ("prod", "cumprod") else mine
            for dim in (0, 1, 2, -1, -3):
                calls[f"{name} along {dim}"] = (lambda x, f=function, d=dim: tuple_of(f(x, dim=d))), mine
            if name not in ("prod", "cumprod"):
                calls[f"{name} of large numbers"] = (lambda x, f=function: tuple_of(f(x, dim=0))), [(LARGE,)]
            if name in ("prod", "argmax", "argmin", "max", "min", "median"):
                calls[f"{name} kept"] = (lambda x, f=function: tuple_of(f(x, dim=1, keepdim=True))), mine
                calls[f"{name} of all elements"] = function, [*mine, (numbers(),), (apart(1030),)]
        x = [(with_nan(),)]
        for name in ("argmax", "argmin", "max", "min", "amax", "amin", "cumsum", "sort", "nanmedian"):
            more = {"dim": 1, "stable": True} if name == "sort" else {"dim": 1}  # two NaN are equal elements
            calls[f"{name} with NaN"] = (lambda x, f=getattr(torch, name), m=more: tuple_of(f(x, **m))), x
        calls["median with NaN"] = (lambda x: x.median(dim=1).values), x
        ties = [(torch.tensor([[2.0, 5, 5, 1], [3, 3, 3, 3], [-1, -1, -2, -2]]),)]
        for name in ("max", "min", "argmax", "argmin"):
            calls[f"{name} of equal numbers"] = (lambda x, f=getattr(torch, name): tuple_of(f(x, dim=1))), ties
        ask_values(self, calls | SEARCHES, layouts={"": lambda one: one, "in planes": as_planes})

    def test_normalised(self):
        """operators.softmax_along_any_dim_matches_the_cpu"""
        calls = {}
        given = [
            (numbers(4, 3, 5),),
            (numbers(4, 3, 5, dtype=torch.float64),),
            (numbers(2, 300, 2, low=-60, high=60),),
            (numbers(0, 3, 2),),
            (numbers(4, 3, 5, dtype=torch.float16),),
        ]
        for name in ("softmax", "log_softmax", "softmin"):
            for dim in (0, 1, 2, -1):
                calls[f"{name} along {dim}"] = (lambda x, f=getattr(F, name), d=dim: f(x, dim=d)), given
        calls["softmax of a number"] = (lambda x: torch.softmax(x, 0)), [(numbers(),)]
        calls["softmax of float16 in float32"] = (
            (lambda x: torch.softmax(x, 1, dtype=torch.float32)),
            [(numbers(4, 9, dtype=torch.bfloat16),)],
        )
        calls["softmax of minus infinities"] = (
            (lambda x: torch.softmax(x, 1)),
            [(torch.tensor([[0, -torch.inf, 1], [-torch.inf, -torch.inf, -torch.inf], [torch.inf, 0, 0]]),)],
        )
        calls["softmax into out="] = written_to(lambda x, **more: torch.softmax(x, 1, **more)), given[:2]
        ask_values(self, calls)
        asked = {name: calls[name] for name in calls if "along" in name}
        for name in ("softmax", "log_softmax"):
            asked[f"{name} of float16 in float32"] = (
                (lambda x, f=getattr(torch, name): f(x, 1, dtype=torch.float32)),
                [(numbers(4, 9, dtype=dtype),) for dtype in (torch.float16, torch.bfloat16)],
            )
        ask_values(self, asked, gradients=True)

    def test_gradients(self):
        """operators.gradients_of_reductions_match_the_cpu"""
        given = [(apart(4, 3, 5) / 9,), (apart(4, 3, 5).double() / 9,)]
        calls = {}
        for name in ("sum", "mean", "amax", "amin", "std", "var", "cumsum", "prod", "cumprod"):
            for dim in (0, -1):
                calls[f"{name} along {dim}"] = (lambda x, f=getattr(torch, name), d=dim: f(x, dim=d)), given
        for name in ("sum", "mean", "max", "min", "norm", "std", "prod"):
            calls[f"{name} of all elements"] = getattr(torch, name), given
        for name in ("max", "min", "median"):
            calls[f"{name} along 1"] = (lambda x, f=getattr(torch, name): f(x, dim=1).values), given
        ask_values(self, calls, gradients=True)
