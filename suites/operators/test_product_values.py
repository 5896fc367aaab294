# SPDX-License-Identifier: BSD-3-Clause
"""Values and gradients of products: matrices, convolutions, recurrent cells, attention."""

import itertools

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.checks.value_cases import ask_values, numbers, with_gradients, written_to

PLAIN = {"": lambda one: one}
DTYPES = (torch.float32, torch.float64, torch.int64, torch.bfloat16)
# Input (batch, channels, sizes), weight, options. Each option differs from its default, and all sizes differ.
CONVOLUTIONS = {
    "conv1d": (F.conv1d, (2, 4, 11), (6, 4, 3), {}),
    "conv1d of stride 2": (F.conv1d, (2, 4, 11), (6, 4, 3), {"stride": 2, "padding": 1}),
    "conv1d of two groups": (F.conv1d, (2, 4, 11), (6, 2, 3), {"groups": 2, "dilation": 2}),
    "conv1d of one example": (F.conv1d, (4, 11), (6, 4, 3), {}),
    "conv2d": (F.conv2d, (2, 3, 7, 9), (5, 3, 3, 2), {}),
    "conv2d with all options": (
        F.conv2d,
        (2, 4, 9, 8),
        (6, 2, 3, 2),
        {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2},
    ),
    "depthwise conv2d": (F.conv2d, (2, 3, 6, 5), (6, 1, 3, 3), {"groups": 3, "padding": 1}),
    "conv2d of padding same": (F.conv2d, (2, 3, 6, 5), (4, 3, 3, 3), {"padding": "same"}),
    "conv2d with a window of one element": (F.conv2d, (3, 5, 4, 6), (7, 5, 1, 1), {}),
    "conv2d with one output element": (F.conv2d, (2, 3, 4, 5), (2, 3, 4, 5), {}),
    "conv2d with batch size 0": (F.conv2d, (0, 3, 7, 9), (5, 3, 3, 2), {}),
    "conv3d": (F.conv3d, (2, 3, 4, 5, 6), (4, 3, 2, 3, 2), {"stride": (1, 2, 1), "padding": (0, 1, 1)}),
    "conv3d of two groups": (F.conv3d, (1, 4, 4, 5, 6), (4, 2, 2, 3, 2), {"groups": 2, "dilation": (1, 1, 2)}),
    "conv_transpose1d": (F.conv_transpose1d, (2, 4, 7), (4, 3, 3), {"stride": 2, "output_padding": 1}),
    "conv_transpose2d": (F.conv_transpose2d, (2, 4, 5, 6), (4, 3, 3, 2), {}),
    "conv_transpose2d with all options": (
        F.conv_transpose2d,
        (2, 4, 5, 6),
        (4, 3, 3, 2),
        {"stride": (2, 3), "padding": (1, 0), "output_padding": (1, 2), "groups": 2, "dilation": (2, 1)},
    ),
    "conv_transpose3d": (
        F.conv_transpose3d,
        (1, 2, 3, 4, 3),
        (2, 3, 2, 3, 2),
        {"stride": (1, 2, 2), "padding": (0, 1, 0)},
    ),
}


def channels_last(tensor):
    return tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor


def gradients_of_some(call, wanted):
    """Requires gradients only for the arguments with these indices."""

    def asked(*given):
        for number, one in enumerate(given):
            one.requires_grad_(number in wanted)
        made = call(*given)
        made.backward(numbers(*made.shape, low=0.5, high=2).to(made.dtype).to(made.device))
        return made.detach(), [one.grad for one in given]

    return asked


def backward_of(mask):
    """The requested gradients of a convolution with a bias."""
    return lambda slope, x, weight: torch.ops.aten.convolution_backward(
        slope, x, weight, [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, list(mask))  # fmt: skip


class ProductValues(Case):
    def test_matrices(self):
        """operators.matrix_products_match_the_cpu"""
        shapes = {"mm": [((3, 5), (5, 4)), ((1, 7), (7, 1)), ((33, 65), (65, 17)), ((4, 1), (1, 6)), ((17, 130), (130, 3))],
                  "bmm": [((2, 3, 5), (2, 5, 4)), ((1, 33, 9), (1, 9, 34)), ((3, 1, 4), (3, 4, 1))],
                  "dot": [((9,), (9,)), ((1030,), (1030,)), ((0,), (0,))], "mv": [((3, 5), (5,)), ((40, 33), (33,))],
                  "outer": [((4,), (6,))], "inner": [((2, 3, 5), (4, 5))], "vdot": [((9,), (9,))], "kron": [((2, 3), (3, 2))],
                  "matmul": [((5,), (5, 3)), ((3, 5), (5,)), ((2, 1, 3, 5), (1, 4, 5, 2)), ((2, 3, 5), (5,)), ((4, 3, 5), (5, 2)), ((3, 5), (4, 5, 2))]}  # fmt: skip
        calls = {}
        for name, pairs in shapes.items():
            samples = [
                (numbers(*one, dtype=dtype), numbers(*other, dtype=dtype, seed=1))
                for one, other in pairs
                for dtype in DTYPES
            ]
            calls[name] = getattr(torch, name), samples
        added = {"addmm": ((3, 4), (3, 5), (5, 4)), "baddbmm": ((2, 3, 4), (2, 3, 5), (2, 5, 4)), "addmv": ((3,), (3, 5), (5,)),
                 "addbmm": ((3, 4), (2, 3, 5), (2, 5, 4)), "addr": ((3, 4), (3,), (4,))}  # fmt: skip
        for name, (first, one, other) in added.items():
            for dtype in DTYPES[:3]:
                for shape in {first, (first[-1],), ()} if name in ("addmm", "baddbmm") else {first}:
                    given = [
                        (
                            numbers(*shape, dtype=dtype),
                            numbers(*one, dtype=dtype, seed=1),
                            numbers(*other, dtype=dtype, seed=2),
                        )
                    ]
                    for beta, alpha in ((1, 1), (2, 1), (1, 3), (0, 2), (3, 0), (-2, 2), (0.5, 1), (1.0, 1.5), (0.0, 2.0)):
                        what = f"{name} of beta {beta} and alpha {alpha}"
                        before = calls.get(what, (None, []))[1]
                        calls[what] = (
                            (lambda *g, f=getattr(torch, name), b=beta, a=alpha: f(*g, beta=b, alpha=a)),
                            before + given,
                        )
            floats = [tuple(numbers(*shape, seed=2) for shape in (first, one, other))]
            over_nan = lambda x, *g, f=getattr(torch, name): f(x * float("nan"), *g, beta=0)  # noqa: E731
            calls[f"{name} with beta 0 and NaN in the added tensor"] = over_nan, floats
            calls[f"{name}_"] = (lambda x, *g, n=f"{name}_": getattr(x, n)(*g, beta=2, alpha=3)), floats
            calls[f"{name} into out="] = written_to(getattr(torch, name)), floats
        for name in ("mm", "bmm", "matmul", "dot", "mv"):
            calls[f"{name} into out="] = written_to(getattr(torch, name)), calls[name][1][:1]
        calls["linear"] = (
            F.linear,
            [
                (numbers(2, 3, 5), numbers(4, 5), numbers(4)),
                (numbers(5), numbers(4, 5), numbers(4)),
                (numbers(0, 5), numbers(4, 5), numbers(4)),
                (numbers(7, 5), numbers(4, 5), None),
            ],
        )
        tiles = {"addmm": ((40, 70), (40, 300), (300, 70)), "baddbmm": ((2, 40, 35), (2, 40, 300), (2, 300, 35)), "addmv": ((300,), (300, 300), (300,))}
        for name, shapes in tiles.items():
            call = lambda *g, f=getattr(torch, name): f(*g, beta=2, alpha=3)  # noqa: E731
            calls[f"{name} of several tiles"] = call, [tuple(numbers(*shape, seed=seed) for seed, shape in enumerate(shapes))]
        large = torch.tensor([[2**53 + 1, 1], [1, 3]])  # float64 cannot represent 2**53 + 1
        calls |= {f"{name} of large numbers": (getattr(torch, name), [given]) for name, given in
                  {"mm": (large, large.t() % 4), "bmm": (large[None], large[None] % 4), "mv": (large, large[1]), "dot": (large[0], large[1])}.items()}  # fmt: skip
        calls["einsum"] = (lambda x, y: torch.einsum("bij,bkj->ibk", x, y)), [(numbers(2, 3, 5), numbers(2, 4, 5))]
        ask_values(self, calls)

    def test_gradients_of_matrices(self):
        """operators.gradients_of_products_match_the_cpu"""

        def floats(*shapes):
            return [tuple(numbers(*shape, seed=number) for number, shape in enumerate(shapes))]

        calls = {
            "mm": (torch.mm, floats((3, 5), (5, 4))), "bmm": (torch.bmm, floats((2, 3, 5), (2, 5, 4))), "mv": (torch.mv, floats((3, 5), (5,))),
            "matmul": (torch.matmul, floats((2, 1, 3, 5), (4, 5, 2))), "dot": (torch.dot, floats((9,), (9,))), "linear": (F.linear, floats((2, 3, 5), (4, 5), (4,))),
            "addmm": (lambda *g: torch.addmm(*g, beta=2, alpha=3), floats((4,), (3, 5), (5, 4))),
            "baddbmm": (lambda *g: torch.baddbmm(*g, beta=2, alpha=3), floats((2, 3, 4), (2, 3, 5), (2, 5, 4))),
        }  # fmt: skip
        ask_values(self, calls, gradients=True)

    def test_complex(self):
        """operators.complex_products_match_the_cpu"""

        def pair(one, other):
            return [
                (numbers(*one, dtype=dtype), numbers(*other, dtype=dtype, seed=1))
                for dtype in (torch.complex64, torch.complex128)
            ]

        calls = {
            "mm": (torch.mm, pair((3, 5), (5, 4))),
            "bmm": (torch.bmm, pair((2, 3, 5), (2, 5, 4))),
            "mm of many": (torch.mm, pair((3, 200), (200, 4))),
            "dot": (torch.dot, pair((9,), (9,))),
            "vdot": (torch.vdot, pair((9,), (9,))),
            "mv": (torch.mv, pair((3, 5), (5,))),
            "addmm": (lambda x, y: torch.addmm(x[:, :3], x, y, beta=2, alpha=3), pair((3, 5), (5, 3))),
            "conj views": (lambda x, y: torch.mm(x.conj(), y.mH), pair((3, 5), (4, 5))),
            "bmm of conj views": (lambda x, y: torch.bmm(x.conj(), y.mH), pair((2, 3, 5), (2, 4, 5))),
        }
        ask_values(self, calls)
        ask_values(self, {f"gradients of {name}": row for name, row in calls.items()}, gradients=True)

    def test_convolutions(self):
        """operators.convolutions_match_the_cpu"""
        calls = {}
        for name, (function, given, weight, options) in CONVOLUTIONS.items():
            channels = weight[0] if "transpose" not in name else weight[1] * options.get("groups", 1)
            for dtype in (torch.float32, torch.float64):
                parts = (
                    numbers(*given, dtype=dtype),
                    numbers(*weight, dtype=dtype, seed=1),
                    numbers(channels, dtype=dtype, seed=2),
                )
                before = calls.get(name, (None, []))[1]
                call = lambda *g, f=function, o=options: f(*g, **o)  # noqa: E731
                calls[f"{name} without bias"] = call, [one[:2] for one in before] + [parts[:2]]
                calls[name] = call, [*before, parts]
        ask_values(
            self,
            calls,
            family=lambda name: name.removesuffix(" without bias"),
            layouts={
                **PLAIN,
                "channels_last": channels_last,
                "transposed": lambda one: one.transpose(0, 1).contiguous().transpose(0, 1) if one.dim() > 1 else one,
            },
        )

    def test_gradients_of_convolutions(self):
        """operators.gradients_of_convolutions_match_the_cpu"""
        calls = {}
        for name, (function, given, weight, options) in CONVOLUTIONS.items():
            channels = weight[0] if "transpose" not in name else weight[1] * options.get("groups", 1)
            parts = numbers(*given), numbers(*weight, seed=1), numbers(channels, seed=2)
            call = lambda *g, f=function, o=options: f(*g, **o)  # noqa: E731
            calls[name] = with_gradients(call), [parts]
            for wanted in ((0,), (1,), (2,), (0, 2)):
                calls[f"{name}, gradients of {wanted}"] = gradients_of_some(call, wanted), [parts]
            calls[f"{name} without bias"] = with_gradients(call), [parts[:2]]
        # with the gradient of the bias, the CPU returns more gradients than requested
        for mask in ((True, True, False), (True, False, False), (False, True, False)):
            calls[f"convolution_backward of {mask}"] = backward_of(mask), [(numbers(2, 4, 5, 5), numbers(2, 3, 7, 7), numbers(4, 3, 3, 3))]
        ask_values(self, calls, layouts={**PLAIN, "channels_last": channels_last})

    def cells(self, kind, bias):
        """A function of the input, the states and the four parameters of a cell."""

        def call(*given):
            x, states, parameters = given[0], given[1 : 2 if kind != "LSTM" else 3], given[2 if kind != "LSTM" else 3 :]
            function = {"LSTM": torch.lstm_cell, "GRU": torch.gru_cell, "RNN": torch.rnn_tanh_cell}[kind]
            made = function(x, list(states) if kind == "LSTM" else states[0], *parameters)
            return tuple_of(made)

        many = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
        shapes = [
            (3, 5),
            (3, 4),
            *([(3, 4)] if kind == "LSTM" else []),
            (many * 4, 5),
            (many * 4, 4),
            *([(many * 4,)] * 2 if bias else []),
        ]
        return call, [
            tuple(numbers(*shape, seed=number, low=-1, high=1, dtype=dtype) for number, shape in enumerate(shapes))
            for dtype in (torch.float32, torch.float64)
        ]

    def test_cells(self):
        """operators.recurrent_cells_match_the_cpu"""
        self.is_about("aten::_thnn_fused_lstm_cell", "aten::_thnn_fused_gru_cell")
        calls = {
            f"{kind} cell, bias {bias}": self.cells(kind, bias)
            for kind, bias in itertools.product(("LSTM", "GRU", "RNN"), (True, False))
        }
        ask_values(self, calls)
        ask_values(self, {f"gradients of {name}": row for name, row in calls.items()}, gradients=True)
        one = {}
        for number, bias in itertools.product((0, 1), (True, False)):
            cell, samples = self.cells("LSTM", bias)
            one[f"gradients of the {('hidden', 'cell')[number]} state of an LSTM cell, bias {bias}"] = (
                lambda *given, c=cell, n=number: c(*given)[n],
                samples,
            )
        ask_values(self, one, layouts=PLAIN, gradients=True)
        layers = {}
        for kind, options in itertools.product(
            ("LSTM", "GRU", "RNN"), ({}, {"bidirectional": True, "num_layers": 2}, {"bias": False, "batch_first": True})
        ):
            layers[f"{kind} layer, {options}"] = layer_of(getattr(torch.nn, kind), options), [(numbers(4, 3, 5),)]
            layers[f"{kind} layer of seven, {options}"] = layer_of(getattr(torch.nn, kind), options, 7), [(numbers(4, 3, 5),)]
            states = 2 if kind == "LSTM" else 1
            first = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1), 4 if options.get("batch_first") else 3, 4
            layers[f"{kind} layer from a state, {options}"] = layer_of(getattr(torch.nn, kind), options), [
                (numbers(4, 3, 5), *(numbers(*first, seed=seed, low=-1, high=1) for seed in range(states)))]
        ask_values(self, layers, layouts=PLAIN, gradients=True)

    def test_attention(self):
        """operators.attention_matches_the_cpu"""

        def given(*shapes, mask=None, dtype=torch.float32):
            parts = [numbers(*shape, seed=number, low=-1, high=1, dtype=dtype) for number, shape in enumerate(shapes)]
            return [tuple(parts) if mask is None else (*parts, mask)]

        same, other = ((2, 3, 5, 4),) * 3, ((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6))
        attend = F.scaled_dot_product_attention
        calls = {
            "attention": (attend, given(*same) + given(*same, dtype=torch.float64)), "attention of different lengths": (attend, given(*other)),
            "attention of three dims": (attend, given((2, 5, 4), (2, 5, 4), (2, 5, 4))),
            "causal attention": (lambda q, k, v: attend(q, k, v, is_causal=True), given(*same)),
            "scaled attention": (lambda q, k, v: attend(q, k, v, scale=0.3), given(*same)),
            "attention with a mask": (lambda q, k, v, m: attend(q, k, v, m), given(*other, mask=numbers(5, 7, seed=9)) + given(*other, mask=numbers(2, 3, 5, 7, seed=9)) + given(*other, mask=numbers(2, 1, 1, 7, seed=9))),
            "attention with a bool mask": (lambda q, k, v, m: attend(q, k, v, m), given(*other, mask=numbers(5, 7, dtype=torch.bool) | (torch.arange(7) == 2)) + given(*other, mask=(torch.arange(7) < 5).expand(2, 1, 1, 7).contiguous())),
            "attention of shared heads": (lambda q, k, v: attend(q, k, v, enable_gqa=True), given((2, 4, 5, 4), (2, 2, 5, 4), (2, 2, 5, 4))),
        }  # fmt: skip
        ask_values(self, calls)
        ask_values(self, {f"gradients of {name}": row for name, row in calls.items()}, gradients=True)
        some = {}
        for name in ("attention of different lengths", "attention with a mask"):
            call, samples = calls[name]
            for wanted in ((0,), (1,), (2,), (0, 2), (3,), (1, 3)):
                if max(wanted) < len(samples[0]):
                    some[f"{name}, gradients of {wanted}"] = gradients_of_some(call, wanted), samples[:2]
        ask_values(self, some, layouts=PLAIN)


def layer_of(kind, options, hidden=4):
    """All results of a layer with fixed parameters, as a function of the input and the initial states."""

    def call(x, *states):
        layer = kind(5, hidden, **options)
        with torch.no_grad():
            for number, one in enumerate(layer.parameters()):
                one.copy_(numbers(*one.shape, seed=number, low=-1, high=1))
        made, state = layer.to(x.dtype).to(x.device)(x, *([states] if len(states) > 1 else states))
        return made, state

    return call


def tuple_of(made):
    return tuple(made) if isinstance(made, tuple) else (made,)
