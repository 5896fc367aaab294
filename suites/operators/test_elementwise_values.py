# SPDX-License-Identifier: BSD-3-Clause
"""Values of elementwise operators: every dtype, scalars, factors, broadcasting, out= and in-place forms."""

import operator

import torch
from assay.checks import Case
from assay.checks.value_cases import ask_values, numbers, written_to

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
COMPLEX = (torch.complex64, torch.complex128)
RARE = (torch.complex32, torch.uint16, torch.uint32, torch.uint64)
NAN, INFINITY = float("nan"), float("inf")
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, NAN, INFINITY, -INFINITY, 1e-30, 3e30, -7.0)

# Integers that float64 cannot represent. No result overflows with these integers.
LARGE = torch.tensor([2**53 + 1, -(2**53) - 1, 2**53 + 3, 3, -2, 1])
EXACT = """
    add sub rsub floor_divide remainder fmod maximum minimum eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor
""".split()
MILD = tuple(one for one in EDGES if one not in (1e-30, 3e30))

OF_ONE = """
    abs neg sign square reciprocal sqrt rsqrt exp log sin cos tanh erf sigmoid relu ceil floor round trunc frac
    isnan isinf isfinite logical_not bitwise_not conj_physical angle expm1 log1p log2 log10 exp2 tan atan sinh
    signbit sgn positive
""".split()
OF_TWO = """
    add sub mul div true_divide fmod remainder floor_divide pow atan2 maximum minimum fmax fmin eq ne lt le gt ge
    logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor hypot copysign logaddexp heaviside rsub
""".split()
WITH_A_NUMBER = """
    add sub mul div fmod remainder floor_divide pow eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor rsub
    clamp_min clamp_max
""".split()
IN_PLACE = """
    add_ sub_ mul_ div_ pow_ remainder_ fmod_ eq_ lt_ bitwise_and_ bitwise_xor_ atan2_ copysign_ logical_or_
    floor_divide_
""".split()
IN_PLACE_OF_ONE = """
    abs_ neg_ exp_ sqrt_ sigmoid_ tanh_ relu_ round_ reciprocal_ logical_not_ bitwise_not_ sin_ zero_ sign_
    conj_physical_ rsqrt_ trunc_ erf_ log_
""".split()
SHAPES = (
    ((5, 7), (5, 7)),
    ((3, 1, 5), (4, 1)),
    ((1030,), (1,)),
    ((2, 3), ()),
    ((0, 3), (1, 3)),
    ((2, 1, 2, 3, 1, 2), (3, 1, 3, 2, 2)),
)


def bits_of(tensor):
    """Creates tensors of a dtype that few operators support from their bytes."""
    return tensor.contiguous().view(torch.uint8)


def positive_where_asked(name, tensor):
    """Excludes negative numbers for calls that would return NaN, because a result NaN tests little."""
    if name.startswith(("sqrt", "rsqrt", "log")) and tensor.is_floating_point():
        return tensor.abs() + 0.5
    return tensor


# Operands of the calls with scalar arguments.
THREE = [
    (numbers(4, 5), numbers(4, 5, seed=1), numbers(4, 5, seed=2, low=1)),
    (numbers(4, 1), numbers(5, seed=1), numbers(3, 1, 1, low=1)),
    (numbers(4, 5, dtype=torch.float64), numbers(4, 5, dtype=torch.float64, seed=1), numbers(4, 5, dtype=torch.float64, low=1)),
]  # fmt: skip
FLOAT_PAIRS = [sample[:2] for sample in THREE]
COMPLEX_PAIRS = [(numbers(4, 5, dtype=dtype), numbers(4, 5, dtype=dtype, seed=1)) for dtype in COMPLEX]
PAIRS = [*FLOAT_PAIRS, (numbers(3, 4, dtype=torch.int64), numbers(3, 4, dtype=torch.int64, seed=1))]
FINITE = [(numbers(4, 9),), (numbers(1030),), (numbers(3, 5, dtype=torch.float64),)]
ONE = [FINITE[0], (torch.tensor(EDGES),), FINITE[1], (numbers(7, dtype=torch.int64),), FINITE[2]]
BY_ZEROS = [
    (torch.tensor([5, -5, 0, INFINITY, -INFINITY, NAN, 7, -7, 2.5], dtype=dtype),
     torch.tensor([0, 0, 0, 0, -0.0, 0, INFINITY, INFINITY, -0.0], dtype=dtype))
    for dtype in FLOATS
]  # fmt: skip

WITH_FACTORS = {
    "add with alpha -2.5": (lambda x, y: torch.add(x, y, alpha=-2.5), FLOAT_PAIRS),
    "add with alpha 3": (lambda x, y: torch.add(x, y, alpha=3), PAIRS),
    "sub with alpha 3": (lambda x, y: torch.sub(x, y, alpha=3), PAIRS),
    "rsub with alpha 2": (lambda x, y: torch.rsub(x, y, alpha=2), PAIRS),
    "add with complex alpha": (lambda x, y: torch.add(x, y, alpha=2 - 3j), COMPLEX_PAIRS),
    "sub with complex alpha": (lambda x, y: torch.sub(x, y, alpha=2 - 3j), COMPLEX_PAIRS),
    "addcmul with complex value": (lambda x, y: torch.addcmul(x, x, y, value=2 - 3j), COMPLEX_PAIRS),
    "add of a number on the host": (lambda x: torch.add(x, torch.tensor(2.5), alpha=3), ONE),
    "sub with alpha of a number on the host": (lambda x: torch.sub(torch.tensor(2.5), x, alpha=3), ONE),
    "addcmul": (lambda x, y, z: torch.addcmul(x, y, z, value=-1.5), THREE),
    "addcdiv": (lambda x, y, z: torch.addcdiv(x, y, z, value=-1.5), THREE),
    "threshold backward": (lambda x, y: torch.ops.aten.threshold_backward(x, y, -0.5), PAIRS),
    "threshold backward with a high threshold": (lambda x, y: torch.ops.aten.threshold_backward(x, y, 0.5), PAIRS),
    "lerp with a number": (lambda x, y: torch.lerp(x, y, 0.3), FLOAT_PAIRS),
    "lerp with weight 0.5": (lambda x, y: torch.lerp(x, y, 0.5), [*FLOAT_PAIRS, (torch.tensor([torch.inf, 1, 3e38]), torch.tensor([1, -torch.inf, -3e38]))]),
    "lerp with weight above 0.5": (lambda x, y: torch.lerp(x, y, 0.8), FLOAT_PAIRS),
    "lerp with a tensor": (lambda x, y, z: torch.lerp(x, y, z), THREE),
    "where": (lambda x, y, z: torch.where(x > 0, y, z), THREE),
    "where of bytes": (lambda x, y, z: torch.where((x > 0).to(torch.uint8), y, z), THREE),
    "where of a number": (lambda x, y: torch.where(x > 0, y, 2.0), FLOAT_PAIRS),
    "where with a number first": (lambda x, y: torch.where(x > 0, 7.0, y), FLOAT_PAIRS),
    "clamp with both bounds": (lambda x: x.clamp(-1, 2), ONE),
    "clamp with exchanged bounds": (lambda x: x.clamp(2, -1), ONE),
    "clamp with a minimum": (lambda x: x.clamp(min=-1), ONE),
    "clamp with a maximum": (lambda x: x.clamp(max=1), ONE),
    "clamp with fractions": (lambda x: x.clamp(-0.5, 1.5), ONE),
    "clamp with tensors": (lambda x, y, z: torch.clamp(x, y, z), THREE),
    "clamp_min of a tensor": (torch.clamp_min, PAIRS),
    "clamp_max of a tensor": (torch.clamp_max, PAIRS),
    "round to decimals": (lambda x: torch.round(x, decimals=2), ONE[:1]),
    "round to tens": (lambda x: torch.round(x * 30, decimals=-1), ONE[:1]),
    "nan_to_num": (lambda x: x.nan_to_num(2, 3, -4), ONE),
    "div rounded to zero": (lambda x, y: torch.div(x, y, rounding_mode="trunc"), FLOAT_PAIRS),
    "div rounded down": (lambda x, y: torch.div(x, y, rounding_mode="floor"), FLOAT_PAIRS),
    "div rounded down, by zeros": (lambda x, y: torch.div(x, y, rounding_mode="floor"), BY_ZEROS),
    "div rounded to zero, by zeros": (lambda x, y: torch.div(x, y, rounding_mode="trunc"), BY_ZEROS),
    "remainder by zeros": (torch.remainder, BY_ZEROS),
    "fmod by zeros": (torch.fmod, BY_ZEROS),
    "threshold": (lambda x: torch.threshold(x, 0.5, -3), ONE),
    "leaky_relu": (lambda x: torch.nn.functional.leaky_relu(x, 0.2), ONE),
    "gelu": (torch.nn.functional.gelu, FINITE),
    "silu": (torch.nn.functional.silu, FINITE),
    "softplus": (lambda x: torch.nn.functional.softplus(x, 2, 1), FINITE),
    "logit": (lambda x: torch.logit(x, 0.2), FINITE),
}

# Operands of fills and factories. A factory needs only the device of its operand.
ALL_KINDS = [(numbers(4, 9, dtype=dtype),) for dtype in (*FLOATS, *WHOLE, *COMPLEX, torch.bool)]
ALL_KINDS += [(numbers(1030),), (numbers(0, 3),), (numbers(),)]
PLACE = ALL_KINDS[:1]
RARE_KINDS = [(numbers(4, 9).to(dtype),) for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.complex32)]
RARE_KINDS += [(numbers(4, 9, low=0).to(dtype),) for dtype in (torch.uint16, torch.uint32, torch.uint64)]

FILLS = {
    "fill_ of a number beyond 2**63": (lambda x: bits_of(x.fill_(2**63 + 5)), [(numbers(4, 9, low=0).to(torch.uint64),)]),
    "zero_ in rare dtypes": (lambda x: bits_of(x.zero_()), RARE_KINDS),
    "zero_ of one element": (lambda x: x.zero_(), [(numbers(1, low=1, dtype=dtype),) for dtype in (*FLOATS, *WHOLE, torch.bool)]),
    "zero_ of one element of many": (lambda x: (x[2:3].zero_(), x)[1], [(numbers(5, low=1, dtype=dtype),) for dtype in (*FLOATS, *WHOLE)]),
    "zero_ of one element in rare dtypes": (lambda x: bits_of(x.zero_()), [(one[:1, :1],) for (one,) in RARE_KINDS]),
    "fill_ of a complex number": (lambda x: x.fill_(2 - 3j), [(numbers(4, 9, dtype=dtype),) for dtype in COMPLEX]),
    "masked_fill_ of a complex number": (lambda x, m: x.masked_fill_(m, 2 - 3j), [(numbers(4, 9, dtype=dtype), numbers(4, 9, dtype=torch.bool)) for dtype in COMPLEX]),
    "masked_fill_ in rare dtypes": (lambda x, m: bits_of(x.masked_fill_(m, 2)), [(one, numbers(4, 9, dtype=torch.bool)) for (one,) in RARE_KINDS]),
    "fill_ of a tensor": (lambda x: x.fill_(x.new_tensor(3)), ALL_KINDS),
    "fill_ of a tensor of the host": (lambda x: x.fill_(torch.tensor(3)), ALL_KINDS),
    "masked_fill_": (lambda x: x.masked_fill_(x == 1, 2), ALL_KINDS),
    "masked_fill": (lambda x, m: x.masked_fill(m, -2.5), [(numbers(4, 9), numbers(4, 9, dtype=torch.bool)), (numbers(4, 9), numbers(9, dtype=torch.bool)),
                                                         (numbers(9), numbers(4, 1, dtype=torch.bool))]),
    "masked_fill of a tensor": (lambda x, m, v: x.masked_fill(m, v), [(numbers(4, 9), numbers(4, 1, dtype=torch.bool), numbers(seed=3))]),
    "ones_like": (torch.ones_like, ALL_KINDS),
    "zeros_like": (torch.zeros_like, ALL_KINDS),
    "full_like": (lambda x: torch.full_like(x, 2), ALL_KINDS),
    "full of an integer that float64 cannot represent": (lambda x: torch.full((2, 3), 2**53 + 1, device=x.device), PLACE),
    "fill_ of an integer that float64 cannot represent": (lambda x: x.fill_(-(2**53) - 1), [(numbers(4, 9, dtype=torch.int64),)]),
    "new_full": (lambda x: x.new_full((2, 3), 2), ALL_KINDS),
}  # fmt: skip

FACTORIES = {
    "arange into out=": (lambda x: torch.arange(2, 20, 2, out=x), [(numbers(9),), (numbers(9, dtype=torch.int64),), (numbers(3),), (numbers(3, 3),)]),
    "arange beyond the exact integers of float64": (lambda x: [torch.arange(2**53 + first, 2**53 + 9, 2, device=x.device) for first in (0, 1)], PLACE),
    "arange beyond the exact integers of float32": (lambda x: torch.arange(2**24 - 3, 2**24 + 5, dtype=torch.float32, device=x.device), PLACE),
    "long arange beyond the exact integers of float32": (lambda x: torch.arange(2**24 - 3, 2**24 + 40, dtype=torch.float32, device=x.device).long(), PLACE),
    "arange of fractions in short integers": (lambda x: torch.arange(0.5, 30.5, 1.5, dtype=torch.int32, device=x.device), PLACE),
    "arange of fractions in integers": (lambda x: torch.arange(0.5, 7, 2, dtype=torch.int64, device=x.device), PLACE),
    "linspace": (lambda x: torch.linspace(-1, 2, 7, device=x.device), PLACE),
    "eye": (lambda x: torch.eye(3, 5, device=x.device), PLACE),
    "full": (lambda x: torch.full((2, 3), 7, device=x.device), PLACE),
    "tril": (lambda x: torch.tril(x, 1), [(numbers(4, 5),)]),
    "triu": (lambda x: torch.triu(x, -1), [(numbers(2, 4, 5),)]),
}  # fmt: skip


class ElementwiseValues(Case):
    def test_one(self):
        """operators.unary_operators_match_the_cpu"""
        calls = {}
        for name in OF_ONE:
            samples = [(positive_where_asked(name, numbers(5, 7, dtype=dtype)),)
                       for dtype in (*FLOATS, *WHOLE, *COMPLEX, *RARE, torch.bool)]  # fmt: skip
            samples += [(torch.tensor(EDGES, dtype=dtype),) for dtype in FLOATS]
            samples += [
                (positive_where_asked(name, numbers(*shape)),) for shape in ((), (0, 3), (1030,), (2, 1, 3, 2, 1, 3, 2))
            ]
            calls[name] = getattr(torch, name), samples
        ask_values(self, calls)

    def test_two(self):
        """operators.binary_operators_match_the_cpu"""
        calls = {}
        for name in OF_TWO:
            samples = [(numbers(4, 9, dtype=dtype), numbers(4, 9, dtype=dtype, seed=1))
                       for dtype in (*FLOATS, *WHOLE, *COMPLEX, *RARE, torch.bool)]  # fmt: skip
            samples += [(numbers(*one), numbers(*other, seed=1)) for one, other in SHAPES]
            edges = torch.tensor(MILD)  # for quotients such as 1e60 the CPU itself gives two different results
            samples += [(edges[:, None], edges), (edges[:, None].double(), edges.double())]
            ends = torch.tensor([-128, -127, -3, -1, 1, 2, 127], dtype=torch.int8)
            samples += [(ends[:, None], ends), (numbers(6, dtype=torch.int64), torch.tensor([-3, -2, -1, 1, 2, 3]))]
            samples += [(LARGE[:, None], LARGE)] if name in EXACT else []
            calls[name] = getattr(torch, name), samples
        ask_values(self, calls)

    def test_kinds(self):
        """operators.result_dtypes_match_the_cpu"""
        dtypes = (
            torch.float32,
            torch.float64,
            torch.float16,
            torch.int64,
            torch.int32,
            torch.uint8,
            torch.bool,
            torch.complex64,
        )
        pairs = [(one, other) for one in dtypes for other in dtypes if one != other]
        calls = {}
        for name in ("add", "mul", "div", "sub", "maximum", "eq", "lt", "pow", "bitwise_or", "logical_and", "atan2"):
            samples = [(numbers(4, dtype=one), numbers(4, dtype=other, seed=1)) for one, other in pairs]
            samples += [(numbers(4, dtype=one), numbers(dtype=other, seed=1)) for one, other in pairs]
            calls[name] = getattr(torch, name), samples
        for number in (2, -1.5, True, 1 + 2j):
            for name in ("add", "mul", "div", "pow", "eq", "lt"):
                samples = [(numbers(4, dtype=dtype), number) for dtype in dtypes]
                calls[f"{name} with {number}"] = getattr(torch, name), samples
        calls["where"] = (
            torch.where,
            [(numbers(4, dtype=torch.bool), numbers(4, dtype=one), numbers(4, dtype=other)) for one, other in pairs],
        )
        for name in ("sum", "prod", "mean", "cumsum", "cumprod", "exp", "sqrt", "sigmoid", "all", "any", "amax"):
            function = getattr(torch, name)
            more = (0,) if name.startswith("cum") else ()
            calls[name] = function, [(numbers(6, dtype=dtype), *more) for dtype in dtypes]
        ask_values(self, calls, layouts={"": lambda one: one})

    def test_numbers(self):
        """operators.python_numbers_are_accepted_as_operands"""
        calls = {}
        for name in WITH_A_NUMBER:
            for number in (2, -3, 0.5, 0, True):
                samples = [
                    (numbers(4, 5, dtype=dtype),) for dtype in (torch.float32, torch.float64, *WHOLE, torch.bool)
                ]
                edges = [] if name == "pow" else [(torch.tensor(EDGES),)]  # IEEE and PyTorch differ for EDGES
                samples += [*edges, (numbers(1030),), (numbers(),)]
                calls[f"{name} with {number}"] = (lambda x, f=getattr(torch, name), n=number: f(x, n)), samples
        for name, call in {"3 - x": lambda x: 3 - x, "3 / x": lambda x: 3 / x, "2 ** x": lambda x: 2**x,
                           "7 % x": lambda x: 7 % x}.items():  # fmt: skip
            calls[name] = (
                call,
                [(numbers(9, dtype=dtype, low=1),) for dtype in (torch.float32, torch.int64, torch.int8)],
            )
        for exponent in (-2, -1, -0.5, 0, 0.5, 1, 2, 3, 2.5):
            calls[f"pow of {exponent}"] = (
                lambda x, n=exponent: torch.pow(x, n),
                [
                    (numbers(9, dtype=dtype, low=1),)
                    for dtype in (torch.float32, torch.float64, torch.complex64, torch.int64)
                ],
            )
        ask_values(self, calls)

    def test_factors(self):
        """operators.scalar_factors_match_the_cpu"""
        ask_values(self, WITH_FACTORS)

    def test_written(self):
        """operators.elementwise_out_and_in_place_match_the_cpu"""
        calls = {}
        pairs = [
            (numbers(4, 9, dtype=dtype), numbers(4, 9, dtype=dtype, low=1, seed=1))
            for dtype in (torch.float32, torch.float64, torch.int64, torch.uint8)
        ]
        pairs += [
            (numbers(4, 9), numbers(9, low=1)),
            (numbers(3, 1030), numbers(3, 1, low=1)),
            (numbers(4, 9), numbers(4, 9, dtype=torch.int64, low=1)),
        ]
        for name in IN_PLACE:
            call = operator.methodcaller
            calls[name] = (lambda x, y, n=name, call=call: call(n, y)(x)), pairs
            calls[f"{name} of a number"] = (lambda x, n=name, call=call: call(n, 3)(x)), [pair[:1] for pair in pairs]
        for name in IN_PLACE_OF_ONE:
            calls[name] = (
                operator.methodcaller(name),
                [(one.abs() + 1 if one.dtype.is_floating_point else one,) for one, _ in pairs[:4]],
            )
        for name in ("add", "mul", "div", "maximum", "atan2", "pow", "eq", "lt", "logical_and", "bitwise_and"):
            calls[f"{name} into out="] = written_to(getattr(torch, name)), pairs
        for name in ("add", "mul", "sub", "exp", "sigmoid"):
            given = pairs if name not in ("exp", "sigmoid") else [pair[:1] for pair in pairs]
            calls[f"{name} into an out= of float64"] = written_to(getattr(torch, name), torch.float64), given
        short = [(numbers(9, dtype=dtype, low=60, high=100),) for dtype in (torch.int8, torch.uint8, torch.float32)]
        ends = [(torch.tensor([-128, -100, 127], dtype=torch.int8),), (torch.tensor([1, 200, 255], dtype=torch.uint8),)]
        calls["div rounded down into an out= of int64"] = (
            written_to(lambda x, **out: torch.div(x, -1 if x.dtype is torch.int8 else 3, rounding_mode="floor", **out), torch.int64), ends)  # fmt: skip
        calls["addcmul into an out= of int64"] = written_to(lambda x, **out: torch.addcmul(x, x, x, value=2, **out), torch.int64), ends
        smaller = [(numbers(4, 5), numbers(5, seed=1), numbers(4, 1, seed=2, low=1))]
        calls |= {
            "lerp_ with a smaller end tensor": (lambda x, y, z: x.lerp_(y, 0.25), smaller),
            "addcmul_ of smaller factors": (lambda x, y, z: x.addcmul_(y, z, value=2), smaller),
            "addcdiv_ of smaller factors": (lambda x, y, z: x.addcdiv_(y, z, value=2), smaller),
        }
        calls["pow of 3 into an out= of int64"] = written_to(lambda x, **out: torch.pow(x, 3, **out), torch.int64), short
        for name in ("eq", "lt", "logical_and", "logical_not"):
            given = pairs if name != "logical_not" else [pair[:1] for pair in pairs]
            calls[f"{name} into an out= of int32"] = written_to(getattr(torch, name), torch.int32), given
        for name in ("exp", "abs", "sqrt", "neg", "floor", "sign", "bitwise_not", "reciprocal"):
            calls[f"{name} into out="] = written_to(getattr(torch, name)), [(one.abs() + 1,) for one, _ in pairs]
        ask_values(self, calls)

    def test_filled(self):
        """operators.fills_and_factories_match_the_cpu"""
        calls = {f"fill_ of {value}": ((lambda x, v=value: x.fill_(v)), ALL_KINDS) for value in (0, 1, -1, 7.5, True)}
        for value in (0, 2):
            calls[f"fill_ of {value} in rare dtypes"] = (lambda x, v=value: bits_of(x.fill_(v))), RARE_KINDS
        calls |= FILLS
        for ends in ((5,), (2, 9), (2, 9, 3), (9, 2, -2), (0, 1, 0.1), (1.5, 7, 0.75), (3, 3), (0, 3000), (-5, 5, 2.5)):
            for end, dtype in (("", None), (" in float64", torch.float64), (" in int32", torch.int32)):
                calls[f"arange of {ends}{end}"] = (lambda x, e=ends, t=dtype: torch.arange(*e, device=x.device, dtype=t)), PLACE
        ask_values(self, calls | FACTORIES)
