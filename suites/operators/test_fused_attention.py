# SPDX-License-Identifier: BSD-3-Clause
"""Attention by a kernel of the backend: the kernel that PyTorch chooses must exist and give right results. Also tests
the fast path of transformer layers in evaluation."""

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.checks.asking import Many
from assay.checks.value_cases import ask_values, numbers
from assay.values.judge import Reference, compare
from torch.utils._python_dispatch import TorchDispatchMode

OVERRIDEABLE = "_scaled_dot_product_fused_attention_overrideable"
SAME = ((2, 3, 5, 4),) * 3
# Shapes of query, key and value, and the options. PyTorch must find an implementation for each row.
CHOSEN = {
    "heads": (SAME, {}),
    "a causal mask": (SAME, {"is_causal": True}),
    "a mask": (SAME, {"attn_mask": (5, 5)}),
    "different lengths": (((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 6)), {}),
    "three dims": (((2, 5, 4),) * 3, {}),
    "five dims": (((1, 2, 3, 5, 4),) * 3, {}),
    "dropout": (SAME, {"dropout_p": 0.5}),
    "dropout with probability 1": (SAME, {"dropout_p": 1.0}),
    "shared heads": (((2, 4, 5, 4), (2, 2, 5, 4), (2, 2, 5, 4)), {"enable_gqa": True}),
    "no rows": (((2, 3, 0, 4), (2, 3, 5, 4), (2, 3, 5, 4)), {}),
}
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class Seen(TorchDispatchMode):
    """Records the names of the attention operators that a call dispatches to."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if "scaled_dot_product" in str(function):
            self.names.append(str(function).split(".")[1])
        return function(*args, **(kwargs or {}))


def fused(query, key, value, mask=None, causal=False, scale=None):
    """Calls the fused operator on a device. On the CPU, returns the expected result."""
    if query.device.type == "cpu":
        return F.scaled_dot_product_attention(query, key, value, mask, is_causal=causal, scale=scale)
    return getattr(torch.ops.aten, OVERRIDEABLE)(query, key, value, mask, 0.0, causal, scale=scale)[0]


def has_kernel():
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{OVERRIDEABLE}", "PrivateUse1")


def backward_of(mask):
    """Returns the requested gradients of query, key, value and bias, computed by the operators themselves, and None for
    other gradients."""

    def call(query, key, value, bias, slope):
        if query.device.type == "cpu":
            return gradients_by_maths(mask, query, key, value, bias, slope)
        made = getattr(torch.ops.aten, OVERRIDEABLE)(query, key, value, bias, 0.0, False)
        backward = getattr(torch.ops.aten, f"{OVERRIDEABLE}_backward")
        return list(backward(slope, query, key, value, bias, list(mask), *made[:6], 0.0, False, *made[6:8]))

    return call


def gradients_by_maths(mask, *given):
    *parts, slope = given
    inputs = [one if one is None else one.detach().clone().requires_grad_() for one in parts]
    result = F.scaled_dot_product_attention(*inputs)
    wanted = [one for one, is_wanted in zip(inputs, mask, strict=True) if is_wanted and one is not None]
    found = iter(torch.autograd.grad(result, wanted, slope) if wanted else ())
    return [next(found) if is_wanted and one is not None else None for one, is_wanted in zip(inputs, mask, strict=True)]


def settled(module):
    """The module in evaluation, with fixed parameters."""
    with torch.no_grad():
        for number, one in enumerate(module.parameters()):
            one.copy_(numbers(*one.shape, seed=number, low=-1, high=1))
    return module.eval()


class FusedAttention(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()

    def tensors(self, shapes, options, dtype):
        """The tensors on the device. A mask is created from its shape."""
        parts = [self.on_device(numbers(*shape, seed=number, low=-1, high=1).to(dtype)) for number, shape in enumerate(shapes)]
        mask = options.get("attn_mask")
        return parts, options | ({"attn_mask": self.on_device(numbers(*mask).to(dtype))} if mask else {})

    def test_choice(self):
        """operators.chosen_attention_kernel_exists"""
        many = Many(self)
        for name, (shapes, options) in CHOSEN.items():
            for dtype in DTYPES:
                with many.one(f"attention of {dtype}, {name}"):
                    self.ask_choice(f"attention of {dtype}, {name}", *self.tensors(shapes, options, dtype))
        many.conclude()

    def ask_choice(self, what, parts, options):
        """If the composed form works, the implementation that PyTorch chooses must exist."""
        torch.ops.aten._scaled_dot_product_attention_math(*parts, **options)
        with Seen() as seen:
            try:
                result = F.scaled_dot_product_attention(*parts, **options)
            except Exception as error:
                told = f"raised {type(error).__name__}: {str(error).partition(chr(10))[0]}"
                chosen = seen.names[0] if seen.names else "no kernel"
                self.clause("OPS-055" if chosen == OVERRIDEABLE else "OPS-044")
                self.expect(False, f"{what} uses an implementation that exists on the device", f"PyTorch chose {chosen}, which {told}")
                return
        for clause in ("OPS-044", "OPS-055") if OVERRIDEABLE in seen.names else ("OPS-044",):
            self.clause(clause)
            self.expect_device(result, self.device, f"{what} is on the device")

    def test_values(self):
        """operators.fused_attention_matches_the_math_reference"""
        if not has_kernel():
            self.lacks("sdpa", f"no kernel of aten::{OVERRIDEABLE}")
        parts = tuple(numbers(*shape, seed=number, low=-1, high=1) for number, shape in enumerate(SAME))
        longer = tuple(numbers(*shape, seed=number, low=-1, high=1) for number, shape in enumerate(((2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4))))
        calls = {
            "fused attention": (lambda q, k, v: fused(q, k, v), [parts, longer]),
            "causal fused attention": (lambda q, k, v: fused(q, k, v, causal=True), [parts]),
            "fused attention with a mask": (lambda q, k, v, m: fused(q, k, v, m), [(*parts, numbers(2, 3, 5, 5, seed=9))]),
        }
        calls |= {
            "fused attention with one mask for all heads": (lambda q, k, v, m: fused(q, k, v, m), [(*parts, numbers(5, 5, seed=9))]),
            "fused attention with a bool mask": (lambda q, k, v, m: fused(q, k, v, m), [(*parts, numbers(2, 3, 5, 5, seed=9) > -1)]),
            "causal fused attention of different lengths": (lambda q, k, v: fused(q, k, v, causal=True), [longer]),
            "fused attention with a scale": (lambda q, k, v: fused(q, k, v, scale=0.7), [parts]),
        }
        for dtype in (torch.float64, torch.float16, torch.bfloat16):
            calls[f"fused attention of {dtype}"] = (lambda q, k, v: fused(q, k, v)), [tuple(one.to(dtype) for one in given) for given in (longer, (*longer[:2], numbers(2, 3, 7, 6, seed=2, low=-1, high=1)))]
        ask_values(self, calls)
        ask_values(self, {f"gradients of {name}": row for name, row in calls.items()}, gradients=True)
        bias, slope = numbers(2, 3, 5, 5, seed=9), numbers(2, 3, 5, 4, seed=8)
        masks = [tuple(number == one for one in range(4)) for number in range(4)] + [(True,) * 4, (False,) * 4, (True, True, True, False)]
        some = {f"backward of fused attention for {mask}": (backward_of(mask), [(*parts, bias, slope), (*parts, None, slope)]) for mask in masks}
        ask_values(self, some, layouts={"": lambda one: one})

    def test_fast_path(self):
        """operators.transformer_fast_path_matches_the_slow_path"""
        many = Many(self)
        for name, options in {"": {}, ", norm first": {"norm_first": True}, ", gelu": {"activation": "gelu"}}.items():
            for hidden in (False, True):
                what = f"TransformerEncoderLayer{name}{', with padding' if hidden else ''}"
                with many.one(what):
                    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True, **options)
                    self.compare_paths(what, layer, lambda one, x, hides: one(x, src_key_padding_mask=hides), hidden)
        for hidden in (False, True):
            what = f"MultiheadAttention{' with padding' if hidden else ''}"
            with many.one(what):
                layer = torch.nn.MultiheadAttention(8, 2, 0.0, batch_first=True)
                self.compare_paths(what, layer, lambda one, x, hides: one(x, x, x, key_padding_mask=hides, need_weights=False)[0], hidden)
        many.conclude()

    def compare_paths(self, what, layer, call, hidden):
        layer, x = settled(layer), numbers(2, 5, 8, low=-1, high=1)
        hides = torch.tensor([[False] * 5, [False] * 3 + [True] * 2]) if hidden else None
        seen = slice(None), slice(0, 3 if hidden else 5)  # results at the padding are not specified

        def both(module, *given):
            with torch.no_grad():
                quick = call(module, *given)[seen]
            return quick.clone(), call(module, *given)[seen].detach()

        reference = Reference(both(layer, x, hides)[1:], both(layer.double(), x.double(), hides)[1:], terms=80)
        ours = layer.float().to(self.device)
        quick, slow = both(ours, self.on_device(x), self.on_device(hides) if hidden else None)
        for path, one in ((f"{what} with gradients", slow), (f"{what} without gradients, on its fast path,", quick)):
            found = compare((one,), reference, self.device)
            self.expect(not found, f"{path} equals the CPU's result", str(found[0]) if found else None)
