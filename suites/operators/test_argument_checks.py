# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that operators must refuse: numbers out of range, wrong indices, other devices. Also tests dtypes that an
operator must not refuse although the backend's kernel does not support them."""

import warnings

import torch
from assay.checks import Case, random_numbers
from assay.checks.asking import each
from assay.refusals import behind_fallback
from assay.values.closeness import works

BYTES = {
    "fill_": lambda x, mask, index: x.fill_(300),
    "masked_fill_": lambda x, mask, index: x.masked_fill_(mask, 300),
    "scatter_": lambda x, mask, index: x.scatter_(0, index, 300),
}
# dtype: bounds of uniform_ that the dtype cannot represent, or whose difference it cannot represent.
BOUNDS = {torch.float32: [(0, 1e39), (-3e38, 3e38)], torch.float16: [(0, 1e6), (-65000, 65000)]}
# The longest randperm of a dtype: its largest exact integer.
LONGEST = {torch.uint8: 256, torch.float16: 2049}
INDICES = {
    "too many indices": lambda x, i: x[i, i, i],
    "index shapes that do not broadcast": lambda x, i: x[i.repeat(2), i.repeat(3)],
    "a mask of another shape": lambda x, i: x[i.repeat(5).bool()],
    "a floating index": lambda x, i: x[i.float()],
    "an index into zero rows": lambda x, i: x[:0][i],
    "an index into zero rows of zero columns": lambda x, i: x[:0, :0][i],
}
# Operators for which backends with a fallback often have kernels, and dtypes that those kernels often lack.
SERVED = {
    "abs of complex32": ("aten::abs.out", lambda device: half_complex().to(device).abs()),
    "abs of complex64": ("aten::abs.out", lambda device: half_complex().to(device).cfloat().abs()),
    "rand of complex64": (
        "aten::uniform_",
        lambda device: torch.rand(64, dtype=torch.complex64, device=device).abs().sum() * 0,
    ),
    "exp of complex64": ("aten::exp.out", lambda device: half_complex().to(device).cfloat().exp()),
    "sigmoid of complex64": ("aten::sigmoid.out", lambda device: half_complex().to(device).cfloat().sigmoid()),
    "floor_divide of int8": ("aten::div.out_mode", lambda device: torch.full((2,), 7, dtype=torch.int8).to(device) // 2),
    "abs of eight dims that cannot be merged": ("aten::abs.out", lambda device: torch.arange(-99.0, 6462).reshape((3,) * 8).to(device)[(slice(2),) * 8].abs()),
    "add of complex32": ("aten::add.out", lambda device: torch.add(half_complex().to(device), half_complex().to(device), alpha=2).cfloat()),
    "neg of complex32": ("aten::neg.out", lambda device: half_complex().to(device).neg().cfloat()),
    "fill_ of complex32": ("aten::fill_.Scalar", lambda device: half_complex().to(device).fill_(2).cfloat()),
    "index_select of complex32": ("aten::index_select", lambda device: half_complex().to(device).index_select(0, torch.tensor([1, 0]).to(device)).cfloat()),
    "where of complex32": (
        "aten::where.self",
        lambda device: torch.where(torch.tensor([True, False]).to(device), half_complex().to(device), half_complex().neg().to(device)).cfloat(),
    ),
    "an index of complex32": ("aten::index.Tensor", lambda device: half_complex().to(device)[torch.tensor([1, 0]).to(device)].cfloat()),
    "where of float16 and a complex number": (
        "aten::where.self",
        lambda device: torch.where(torch.tensor([True, False]).to(device), torch.ones(2).half().to(device), 1j).cfloat(),
    ),
}  # fmt: skip
EIGHT_BITS = torch.float8_e4m3fn
# Calls with a dtype that a backend need not support.
SERVED_IN_EIGHT_BITS = {
    "zeros of float8": ("aten::zero_", lambda device: torch.zeros(3, dtype=EIGHT_BITS, device=device).float()),
    "fill_ of float8": ("aten::fill_.Scalar", lambda device: torch.zeros(3, dtype=EIGHT_BITS).to(device).fill_(2).float()),
    "add into float8": ("aten::add.out", lambda device: written_in_eight_bits(device, lambda x, out: torch.add(x, x, out=out))),
    "exp into float8": ("aten::exp.out", lambda device: written_in_eight_bits(device, lambda x, out: torch.exp(x, out=out))),
    "index_select of float8": ("aten::index_select", lambda device: square(device).index_select(0, torch.tensor([1, 0]).to(device)).float()),
    "where of float8": (
        "aten::where.self", lambda device: torch.where(torch.tensor([[True], [False]]).to(device), square(device), square(device).t()).float(),
    ),
    "an index of float8": ("aten::index.Tensor", lambda device: square(device)[torch.tensor([1, 0]).to(device)].float()),
    "mm of float8": ("aten::mm.out", lambda device: torch.mm(square(device), torch.tensor([[1, 0.5], [4, 2]]).to(EIGHT_BITS).to(device)).float()),
    "addmm of float8": ("aten::addmm.out", lambda device: torch.addmm(*[square(device)] * 3, beta=0.5, alpha=2).float()),
}


def square(device):
    return torch.tensor([[0.5, 1], [2, 4]]).to(EIGHT_BITS).to(device)


def written_in_eight_bits(device, call):
    x, out = torch.tensor([0.5, 1, 2]).to(device), torch.zeros(3, dtype=EIGHT_BITS).to(device)
    return call(x, out).float()


def half_complex():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # complex32 is experimental, and PyTorch warns about it
        return torch.full((2,), 3 + 4j, dtype=torch.complex32)


class ArgumentChecks(Case):
    def test_numbers(self):
        """operators.numbers_outside_the_range_of_the_dtype_are_rejected"""
        mask, index = self.on_device(torch.ones(3).bool()), self.on_device(torch.zeros(1).long())
        for name, call, one in each(self, BYTES):
            with one:
                x = self.on_device(torch.arange(3, dtype=torch.uint8))
                what = f"{name} refuses 300 for uint8"
                if self.expect_raises(RuntimeError, what, call, x, mask, index) is not None:
                    unchanged = torch.arange(3, dtype=torch.uint8)
                    self.expect_tensor(x, unchanged, f"{name} changes nothing when the call is refused")

    def test_index_errors(self):
        """operators.wrong_indices_raise_index_error"""
        x, index = self.on_device(torch.ones(3, 3)), self.on_device(torch.ones(1, dtype=torch.long))
        self.on_cpu(x[index])
        for name, call, one in each(self, INDICES):
            with one:
                self.expect_raises(IndexError, f"{name}: raises IndexError", call, x, index)

    def test_foreign_indices(self):
        """operators.indices_of_another_device_are_rejected"""
        index = self.on_device(torch.ones(1, dtype=torch.long))
        tensors = [torch.ones(3)] + [self.on_device(torch.ones(3), number) for number in range(1, len(self.devices))]
        for tensor in tensors:
            what = f"a tensor on {tensor.device} refuses indices on {index.device}"
            error = self.expect_raises(RuntimeError, what, tensor.__getitem__, index)
            if error is not None:
                first = str(error).split("\n")[0]
                named = ("device", tensor.device.type, index.device.type)
                self.expect_true(any(word in first.lower() for word in named), f"{what} and names the devices", first)

    def serves(self, call):
        """Returns the result of the call, or its error, or None if there is neither a kernel nor a fallback."""
        try:
            return self.on_cpu(call(self.device))
        except RuntimeError as error:
            if self.refused_means(str(error)):
                self.note("refused", error)
                return None
            return error

    def test_served(self):
        """operators.kernels_call_the_fallback_for_unsupported_arguments"""
        self.on_device(half_complex())
        self.need_fallback()
        # If the copy itself does not support the dtype, these calls cannot be tested.
        in_halves, in_eight = (works(lambda made=made: self.on_cpu(made())) for made in (
            lambda: half_complex().to(self.device).cfloat(), lambda: square(self.device).float()))
        for name, (operator, call) in (SERVED | (SERVED_IN_EIGHT_BITS if in_eight else {})).items():
            if not works(lambda call=call: call("cpu")) or "complex32" in name and not in_halves:
                continue
            wanted, seen = call("cpu"), self.serves(call)
            if isinstance(seen, RuntimeError):
                if behind_fallback.has_kernel(operator):
                    self.expect(False, f"{name} works, at least on the CPU", str(seen).split("\n")[0])
                else:
                    self.note(f"{name} raised, and the backend has no kernel for it", str(seen).split("\n")[0])
            elif seen is not None:
                self.expect_tensor(seen, wanted, f"{name} equals the CPU's result", rtol=1e-3, atol=1e-3)

    def need_fallback(self):
        """Ends the check if there is no fallback. A fallback that refuses every operator does not count."""
        refused = behind_fallback.refusal(self)
        if refused:
            self.lacks("fallback", refused)

    def test_nested(self):
        """operators.nested_tensors_with_gradients_do_not_crash"""
        x = self.on_device(torch.ones(2, 2)).requires_grad_()
        self.asks("torch.nested.as_nested_tensor of two tensors that require a gradient works or is refused")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # nested tensors are a prototype, and PyTorch warns about them
                torch.nested.as_nested_tensor([x, x])
        except RuntimeError as error:
            self.note("refused", error)


class RandomArguments(random_numbers.Drawing):
    def test_bounds(self):
        """operators.uniform_rejects_invalid_bounds"""
        for dtype, all_bounds in BOUNDS.items():
            for low, high in all_bounds:
                x = self.on_device(torch.zeros(64, dtype=dtype))
                what = f"uniform_({low}, {high}) of {dtype} is refused"
                if self.expect_raises(RuntimeError, what, x.uniform_, low, high) is not None:
                    unchanged = torch.zeros(64, dtype=dtype)
                    self.expect_tensor(x, unchanged, f"{what}, and nothing is changed")

    def test_permutation(self):
        """operators.randperm_rejects_sizes_beyond_the_dtype"""
        for dtype, longest in LONGEST.items():
            self.clause("GEN-037")
            seen = self.on_cpu(torch.randperm(longest, dtype=dtype, device=self.device))
            count = len(set(seen.tolist()))
            what = f"randperm({longest}) of {dtype} is a permutation"
            self.expect_equal(count, longest, what)
            self.clause("OPS-083")
            what = f"randperm({2 * longest}) of {dtype}, whose largest exact integer is {longest}, is refused"
            self.expect_raises(RuntimeError, what, torch.randperm, 2 * longest, dtype=dtype, device=self.device)

    def test_complex_uniform(self):
        """operators.complex_uniform_fills_both_parts"""
        try:
            drawn = torch.rand(1000, dtype=torch.complex64, device=self.device)
        except NotImplementedError as error:
            self.block(str(error), self.refused_means(error) or "aten::uniform_")
        drawn = self.on_cpu(drawn)
        for name, part in (("real", drawn.real), ("imaginary", drawn.imag)):
            inside = bool((part >= 0).all() and (part < 1).all())
            self.expect_true(inside, f"the {name} part is in [0, 1)", f"the largest is {part.max().item()}")
            spread = part.std().item()
            self.expect_true(0.2 < spread < 0.4, f"the {name} part is uniform", f"its deviation is {spread}")
