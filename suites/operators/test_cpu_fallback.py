# SPDX-License-Identifier: BSD-3-Clause
"""Operators without a kernel of the backend: the backend's fallback computes them on the CPU, or they are refused by
name.

The checks use operators of PyTorch for which few backends have kernels, and custom operators for which none can
have one.
"""

import contextlib
import warnings

import torch
import torch.nn.functional as F
from assay.checks import Case, late
from assay.checks.asking import Many, each
from assay.checks.value_cases import numbers
from assay.refusals import shape as refusals
from assay.values.own_torch import torch as own_torch

SCHEMAS = (
    "doubled(Tensor x) -> Tensor",
    "picked(Tensor[] xs, Tensor? y=None) -> Tensor",
    "made(int count, *, Device device) -> Tensor",
    "raised_(Tensor(a!) x) -> Tensor(a!)",
    "into(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
    "drawn(Tensor x, *, Generator? generator=None) -> Tensor",
    "unserved(Tensor x) -> Tensor",
)
KERNELS = {
    "doubled": lambda x: x * 2,
    "picked": lambda xs, y=None: xs[0] + 1 if y is None else xs[0] + y,
    "made": lambda count, device: torch.arange(float(count)),
    "raised_": lambda x: x.add_(1),
    "into": lambda x, out: torch.mul(x, 2, out=out),
    "drawn": lambda x, generator=None: torch.rand(x.shape, generator=generator),
}
OWN = "assay_fallback"
# Maps the operator that the fallback must compute to a call. x has five numbers in ascending order.
RESULTS = {
    "aten::histc": lambda x: torch.histc(x, 4, -3, 3),
    "aten::bincount": lambda x: torch.bincount(x.long().abs()),
    "aten::lgamma.out": torch.lgamma,
    "aten::i0.out": torch.i0,
    "aten::searchsorted.Tensor": lambda x: torch.searchsorted(x, x),
    "aten::_unique2": lambda x: torch.unique(x, return_inverse=True)[1],
    "own": lambda x: torch.ops.assay_fallback.doubled(x),
}
# (operator, argument that determines the device of the result): call.
PLACED = {
    ("aten::histc", "its tensor"): lambda x: torch.histc(x, 4, -3, 3),
    ("aten::bincount", "its tensor"): lambda x: torch.bincount(x.long().abs()),
    ("own", "its tensor"): lambda x: torch.ops.assay_fallback.doubled(x),
    ("aten::triu_indices", "the requested device"): lambda x: torch.triu_indices(3, 3, device=x.device),
    ("aten::tril_indices", "the requested device"): lambda x: torch.tril_indices(3, 3, device=x.device),
    ("own", "the requested device"): lambda x: torch.ops.assay_fallback.made(3, device=x.device),
    ("own", "the first tensor of its list"): lambda x: torch.ops.assay_fallback.picked([x, x]),
}
INPLACE = {
    "aten::lgamma.out": lambda x: x.lgamma_(),
    "aten::erfinv.out": lambda x: x.erfinv_(),
    "aten::i0.out": lambda x: x.i0_(),
    "aten::masked_scatter_": lambda x: x.masked_scatter_(torch.ones_like(x, dtype=torch.bool), torch.full_like(x, 5)),
    "aten::put_": lambda x: x.put_(torch.zeros(1, dtype=torch.int64, device=x.device), torch.full_like(x[:1], 5)),
    "own": lambda x: torch.ops.assay_fallback.raised_(x),
}
OUTPUTS = {
    "aten::lgamma.out": lambda x, out: torch.lgamma(x, out=out),
    "aten::erfinv.out": lambda x, out: torch.erfinv(x, out=out),
    "aten::i0.out": lambda x, out: torch.i0(x, out=out),
    "own": lambda x, out: torch.ops.assay_fallback.into(x, out=out),
}
# Calls that are made twice: with an optional tensor, and with None in its place.
OPTIONAL = {
    "aten::bincount": lambda x, y: torch.bincount(x.long().abs(), weights=y),
    "aten::searchsorted.Tensor": lambda x, y: torch.searchsorted(x, x, sorter=y if y is None else torch.argsort(x)),
    "aten::nll_loss_forward.output": lambda x, y: F.nll_loss(x[None], torch.tensor([2], device=x.device), weight=y),
    "own": lambda x, y: torch.ops.assay_fallback.picked([x], y),
}
# Operators that only other devices implement.
UNSERVED = {
    "aten::cudnn_affine_grid_generator": lambda x: torch.ops.aten.cudnn_affine_grid_generator(x.expand(1, 2, 5)[..., :3], 1, 1, 2, 2),
    "aten::_cudnn_init_dropout_state": lambda x: torch.ops.aten._cudnn_init_dropout_state(0.5, True, 7, dtype=torch.uint8, device=x.device),
    "aten::miopen_batch_norm": lambda x: torch.ops.aten.miopen_batch_norm(x[None, :, None], x, x, x, x, True, 0.1, 1e-5),
    "assay_fallback::unserved": lambda x: torch.ops.assay_fallback.unserved(x),
}


def address_of(tensor):
    """Returns the data pointer, or None if the tensor has no storage."""
    try:
        return tensor.data_ptr()
    except RuntimeError:
        return None


def given():
    return torch.tensor([-0.75, -0.5, 0.25, 0.5, 0.75])


class CpuFallback(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()
        library = torch.library.Library(OWN, "DEF")
        self.addCleanup(library._destroy)
        for schema in SCHEMAS:
            library.define(schema)
        for name, kernel in KERNELS.items():
            library.impl(name, kernel, "CPU")

    def need_fallback(self):
        """Ends the check if there is no fallback: then an operator that only the CPU has is refused."""
        x = self.on_device(given())
        try:
            torch.ops.assay_fallback.doubled(x)
        except Exception as error:
            self.lacks("fallback", error)

    def test_refused(self):
        """operators.unsupported_operator_is_named_in_the_error"""
        x = self.on_device(given())
        for operator, call in UNSERVED.items():
            error = late.raised(self.device, call, x)
            if error is None and operator.startswith("aten"):
                continue  # a backend may implement this operator
            name = operator.partition("::")[2]
            told = f"raised {type(error).__name__}: {str(error).splitlines()[:1]}" if error else "the operator was computed"
            named = error is not None and refusals.is_refusal(error) and name in str(error)
            self.expect_true(named, f"{operator}, which has no kernel, is refused with its name in the error", told)

    def test_results(self):
        """operators.fallback_results_match_the_cpu"""
        self.need_fallback()
        for operator, call, one in each(self, RESULTS):
            with one:
                seen = call(self.on_device(given()))
                self.expect_device(seen, self.device, f"the result of {operator}, computed on the CPU, is on the device")
                self.expect_tensor(seen, call(given()), f"{operator}, computed on the CPU, has the right values")

    def test_places(self):
        """operators.fallback_results_are_on_the_device_of_the_inputs"""
        self.need_fallback()
        many = Many(self)
        for (operator, where), call in PLACED.items():
            for device in self.devices[:2]:
                with many.one(f"{operator} on {device}"):
                    self.expect_device(call(given().to(device)), device, f"the result of {operator} is on the device of {where}")
        many.conclude()

    def test_in_place(self):
        """operators.fallback_updates_tensors_in_place"""
        self.need_fallback()
        for operator, call, one in each(self, INPLACE):
            with one:
                self.compare_in_place(f"{operator} in place on a tensor, computed on the CPU,", call, lambda x: x)
                self.compare_in_place(f"{operator} in place on a slice, computed on the CPU,", call, lambda x: x[1:4])

    def compare_in_place(self, what, call, part):
        here, there = self.on_device(given()), given()
        mine = part(here)
        call(part(there))
        self.expect_true(call(mine) is mine, f"{what} returns the tensor it was called on", "it returned another tensor")
        self.expect_tensor(here, there, f"{what} changes only that tensor", rtol=1e-5, atol=1e-6)

    def test_outputs(self):
        """operators.fallback_fills_out_tensors"""
        self.need_fallback()
        for operator, call, one in each(self, OUTPUTS):
            with one:
                for kind, sizes in {"right": (5,), "empty": (0,), "too long": (7,), "of another shape": (2, 2)}.items():
                    self.compare_output(f"{operator} into an output that is {kind}", call, sizes)

    def compare_output(self, what, call, sizes):
        (here, warned), (there, wanted) = (self.written(what, call, device, sizes) for device in (self.device, torch.device("cpu")))
        self.expect_tensor(here, there, f"{what} writes the CPU's result", rtol=1e-5, atol=1e-6)
        self.expect_equal(warned, wanted, f"{what} warns of a resize exactly when the CPU does")

    def written(self, what, call, device, sizes):
        """The output, and whether a warning about a resize was given."""
        out = torch.full(sizes, 9.0).to(device)
        before = address_of(out)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            seen = call(given().to(device), out)
        self.expect_true(seen is out, f"{what} returns that output", "it returned another tensor")
        if sizes == (5,):
            self.expect_equal(address_of(out), before, f"{what} keeps the memory of the output")
        return out, any("was resized" in str(one.message) for one in warned)

    def test_optional(self):
        """operators.fallback_accepts_none_tensors"""
        self.need_fallback()
        for operator, call, one in each(self, OPTIONAL):
            with one:
                here, there, other = self.on_device(given()), given(), torch.arange(5.0) + 1
                for what, mine, theirs in (("a tensor", self.on_device(other), other), ("None", None, None)):
                    with contextlib.nullcontext() if mine is not None else self.asks_a_special_case():
                        seen = call(here, mine)
                    self.expect_tensor(seen, call(there, theirs), f"{operator} passes {what} to the CPU", rtol=1e-5, atol=1e-6)

    def test_generators(self):
        """operators.fallback_does_not_ignore_a_generator"""
        self.need_fallback()
        x, draw = self.on_device(given()), torch.ops.assay_fallback.drawn
        self.expect_device(draw(x), self.device, "numbers that are drawn on the CPU without a generator are on the device")
        torch.manual_seed(7)
        wanted = torch.rand(5, generator=torch.Generator().manual_seed(9))
        seen = draw(x, generator=torch.Generator().manual_seed(9))
        self.expect_tensor(seen, wanted, "a draw on the CPU uses a given CPU generator")
        ours = self.generator()
        what = "a draw on the CPU refuses a generator of the device or uses it"
        try:
            first, again, other = (draw(x, generator=ours.manual_seed(seed)).cpu() for seed in (9, 9, 10))
        except Exception as error:
            told = f"raised {type(error).__name__}: {str(error).splitlines()[:1]}"
            self.expect_true(isinstance(error, RuntimeError) and "INTERNAL ASSERT" not in str(error), what, told)
        else:
            follows = own_torch.equal(first, again) and not own_torch.equal(first, other)
            self.expect_true(follows, what, "the numbers do not depend on its seed")

    def generator(self):
        try:
            return torch.Generator(self.device)
        except Exception as error:
            self.lacks("rng", error)

    def test_copied_back(self):
        """operators.copy_from_and_resize_sets_the_sizes"""
        copy = torch.ops.aten._copy_from_and_resize
        wanted = numbers(3, 4)
        for kind, sizes in {"empty": (0,), "right": (3, 4), "too small": (2, 2), "too large": (5, 6)}.items():
            for place in ("cpu", self.device):
                out = self.on_device(torch.full(sizes, 9.0))
                self.op("aten::_copy_from_and_resize", copy, wanted.to(place), out)
                self.expect_tensor(out, wanted, f"a copy from {place} into a tensor that is {kind} sets its sizes and values")
        whole = self.on_device(torch.full((4, 6), 9.0))
        self.op("aten::_copy_from_and_resize", copy, wanted, whole.t()[1:4])
        expected = torch.full((4, 6), 9.0)
        expected.t()[1:4] = wanted
        self.expect_tensor(whole, expected, "a copy from the CPU into a slice of the right size writes that slice")
