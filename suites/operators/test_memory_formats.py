# SPDX-License-Identifier: BSD-3-Clause
"""Memory layout of results, views of the same bytes as another dtype, and operators on lists of tensors."""

import torch
from assay.checks import Case
from assay.checks.asking import Many, each
from assay.checks.value_cases import ask_values, numbers

LAST, LAST_3D, PLAIN, KEPT = torch.channels_last, torch.channels_last_3d, torch.contiguous_format, torch.preserve_format
# Calls on a tensor in one of LAYOUTS. The result must have the CPU's strides.
MADE = {
    "contiguous": lambda x: x.contiguous(), "clone": lambda x: x.clone(), "clone to contiguous": lambda x: x.clone(memory_format=PLAIN), "to a dtype": lambda x: x.to(torch.float64),
    "to a dtype, contiguous": lambda x: x.to(torch.float64, memory_format=PLAIN), "to a copy": lambda x: x.to(x.device, copy=True), "to a device and a dtype": lambda x: x.to(x.device, torch.int32),
    "empty_like": lambda x: torch.empty_like(x), "zeros_like": lambda x: torch.zeros_like(x), "full_like": lambda x: torch.full_like(x, 2), "ones_like of a dtype": lambda x: torch.ones_like(x, dtype=torch.int64),
    "rand_like": lambda x: torch.rand_like(x), "empty_like, contiguous": lambda x: torch.empty_like(x, memory_format=PLAIN), "empty_like, kept": lambda x: torch.empty_like(x, memory_format=KEPT),
}  # fmt: skip
OF_FOUR = {
    "channels_last": lambda x: x.contiguous(memory_format=LAST), "clone to channels_last": lambda x: x.clone(memory_format=LAST), "to channels_last": lambda x: x.to(memory_format=LAST), "empty_like": lambda x: torch.empty_like(x, memory_format=LAST),
    "resize_": lambda x: x.resize_(2, 3, 5, 4, memory_format=LAST), "resize_ to the same number of elements": lambda x: x.resize_(x.shape, memory_format=LAST), "empty": lambda x: torch.empty(x.shape, memory_format=LAST, device=x.device),
}  # fmt: skip
OF_FIVE = {
    "channels_last_3d": lambda x: x.contiguous(memory_format=LAST_3D), "clone to channels_last_3d": lambda x: x.clone(memory_format=LAST_3D), "to channels_last_3d": lambda x: x.to(memory_format=LAST_3D), "resize_": lambda x: x.resize_(2, 3, 2, 5, 4, memory_format=LAST_3D),
    "empty": lambda x: torch.empty(x.shape, memory_format=LAST_3D, device=x.device),
}  # fmt: skip
LAYOUTS = {
    "that is contiguous": lambda x: x,
    "in channels_last": lambda x: x.contiguous(memory_format=LAST),
    "with permuted dims": lambda x: x.contiguous().permute(3, 1, 0, 2),
    "with holes": lambda x: x[:, :, ::2],
    "that is expanded": lambda x: x[:, :1].expand(2, 3, 4, 6),
    "of one channel": lambda x: x[:, :1],
}
# Calls on x and y, which are channels_last, on z, which is contiguous, and on a number for each channel.
ELEMENTWISE = {
    "abs": lambda x, y, z, c: x.abs(), "exp": lambda x, y, z, c: x.exp(), "relu": lambda x, y, z, c: x.relu(), "neg": lambda x, y, z, c: -x,
    "add": lambda x, y, z, c: x + y, "mul": lambda x, y, z, c: x * y, "add of a number": lambda x, y, z, c: x + 1, "mul by a number for each channel": lambda x, y, z, c: x * c,
    "add of a contiguous tensor": lambda x, y, z, c: x + z, "add to a contiguous tensor": lambda x, y, z, c: z + x, "eq": lambda x, y, z, c: x == y, "clamp": lambda x, y, z, c: x.clamp(-1, 1),
    "where": lambda x, y, z, c: torch.where(x > 0, x, y), "pow": lambda x, y, z, c: x.pow(2), "maximum": lambda x, y, z, c: torch.maximum(x, y), "addcmul": lambda x, y, z, c: torch.addcmul(x, y, y, value=2),
    "lerp": lambda x, y, z, c: torch.lerp(x, y, 0.25), "sigmoid": lambda x, y, z, c: x.sigmoid(), "in place": lambda x, y, z, c: x.clone().add_(y),
}  # fmt: skip
DTYPES = (
    (torch.float32, torch.int32), (torch.int32, torch.int64), (torch.float32, torch.int16), (torch.float64, torch.uint8),
    (torch.float32, torch.complex64), (torch.complex64, torch.float32), (torch.int16, torch.float16), (torch.uint8, torch.bool),
)  # fmt: skip


def the_lists(dtype=torch.float32):
    """Two lists of four tensors each: different sizes, a view, and an empty tensor."""
    shapes = ((3, 2), (0, 3), (1, 4), (5,))
    return tuple(tuple(numbers(*shape, dtype=dtype, low=1, seed=seed) for shape in shapes) for seed in (0, 1))


LISTS = {
    "add": lambda a, b: torch._foreach_add(a, b), "add with alpha": lambda a, b: torch._foreach_add(a, b, alpha=2), "add of a number": lambda a, b: torch._foreach_add(a, 2), "add of numbers": lambda a, b: torch._foreach_add(a, [1.0, 2.0, 3.0, 4.0]),
    "sub": lambda a, b: torch._foreach_sub(a, b), "mul": lambda a, b: torch._foreach_mul(a, b), "mul by numbers": lambda a, b: torch._foreach_mul(a, [1.0, 2.0, 3.0, 4.0]), "mul by a tensor": lambda a, b: torch._foreach_mul(a, b[0][0, 0].clone()),
    "div": lambda a, b: torch._foreach_div(a, b), "maximum": lambda a, b: torch._foreach_maximum(a, b), "clamp_min": lambda a, b: torch._foreach_clamp_min(a, 2), "pow": lambda a, b: torch._foreach_pow(a, 2), "lerp": lambda a, b: torch._foreach_lerp(a, b, 0.25),
    "addcmul": lambda a, b: torch._foreach_addcmul(a, a, b, 2), "addcdiv": lambda a, b: torch._foreach_addcdiv(a, a, b, [1.0, 2.0, 3.0, 4.0]), "sqrt": lambda a, b: torch._foreach_sqrt(a), "exp": lambda a, b: torch._foreach_exp(a), "neg": lambda a, b: torch._foreach_neg(a),
    "abs": lambda a, b: torch._foreach_abs(a), "reciprocal": lambda a, b: torch._foreach_reciprocal(a), "norm": lambda a, b: torch._foreach_norm(a[:3]), "add_": lambda a, b: torch._foreach_add_(a, b, alpha=3), "add_ of a number": lambda a, b: torch._foreach_add_(a, 2),
    "mul_": lambda a, b: torch._foreach_mul_(a, 3), "sub_": lambda a, b: torch._foreach_sub_(a, b), "div_": lambda a, b: torch._foreach_div_(a, b), "addcmul_": lambda a, b: torch._foreach_addcmul_(a, a, b, 2), "addcdiv_": lambda a, b: torch._foreach_addcdiv_(a, b, b, 2), "zero_": lambda a, b: torch._foreach_zero_(a),
    "copy_": lambda a, b: torch._foreach_copy_(a, b), "lerp_": lambda a, b: torch._foreach_lerp_(a, b, 0.5), "sqrt_": lambda a, b: torch._foreach_sqrt_(a), "neg_": lambda a, b: torch._foreach_neg_(a),
}  # fmt: skip


class MemoryFormats(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()

    def test_formats(self):
        """operators.memory_formats_are_kept"""
        there = {"four dims": numbers(2, 3, 4, 6)}
        plain = {name: LAYOUTS[name] for name in ("that is contiguous", "in channels_last")}
        self.compare_strides(OF_FOUR, there, plain)
        self.compare_strides(OF_FIVE, {"five dims": numbers(2, 3, 2, 4, 6)}, {"that is contiguous": lambda x: x})
        self.compare_strides(MADE, there, LAYOUTS)

    def compare_strides(self, makers, tensors, layouts):
        many = Many(self)
        for name, make in makers.items():
            for kind, tensor in tensors.items():
                for layout, arrange in layouts.items():
                    what = f"{name} of a tensor of {kind} {layout}"
                    with many.one(what):
                        wanted, seen = make(arrange(tensor.clone())), make(arrange(tensor.to(self.device)))
                        self.expect_equal(
                            (seen.shape, seen.stride()), (wanted.shape, wanted.stride()), f"{what} has the CPU's strides"
                        )
                        if "empty" not in name and "rand" not in name and "resize" not in name:
                            self.expect_tensor(seen, wanted, f"{what} has the CPU's values", rtol=1e-5, atol=1e-6)
        many.conclude()

    def test_elementwise(self):
        """operators.elementwise_operators_keep_channels_last"""
        x, y, z = (numbers(2, 3, 4, 6, seed=seed) for seed in range(3))
        given = x.contiguous(memory_format=LAST), y.contiguous(memory_format=LAST), z, numbers(1, 3, 1, 1)
        here = [self.laid_out(one) for one in given]
        for name, call, one in each(self, ELEMENTWISE):
            with one:
                seen, wanted = call(*here), call(*given)
                self.expect_equal(seen.stride(), wanted.stride(), f"{name} of tensors in channels_last has the CPU's strides")
                self.expect_tensor(seen, wanted, f"{name} of tensors in channels_last has the CPU's values", rtol=1e-5, atol=1e-6)

    def laid_out(self, there):
        """A copy that keeps the strides, which a plain copy may lose."""
        here = torch.empty_strided(there.shape, there.stride(), dtype=there.dtype, device=self.device)
        return here.copy_(there)

    def test_dtypes(self):
        """operators.views_of_other_dtypes_share_memory"""
        for _, (dtype, other), one in each(self, {f"a view of {one} as {other}": (one, other) for one, other in DTYPES}):
            with one:
                there = numbers(4, 8, dtype=dtype, low=0, high=1)
                here = self.on_device(there)
                wanted = there.view(other)
                self.on_device(wanted)  # the backend does not support that dtype
                seen = self.viewed(here, other)
                self.expect_equal(seen.shape, wanted.shape, f"a view of {dtype} as {other} has the CPU's sizes")
                self.expect_tensor(seen, wanted, f"a view of {dtype} as {other} has the same bytes")
                self.expect_tensor(here[1:3].view(other), there[1:3].view(other), f"a view of a slice of {dtype} as {other} has the same bytes")
                seen[1].zero_(), wanted[1].zero_()
                self.expect_tensor(here, there, f"a write to a view of {dtype} as {other} changes the tensor")
        x = self.on_device(numbers(4, 3, dtype=torch.int16))
        self.expect_raises(RuntimeError, "a view as a wider dtype that does not fit is refused", x.view, torch.int32)
        self.expect_raises(RuntimeError, "a view of columns as a wider dtype is refused", x.t().view, torch.int32)

    def viewed(self, tensor, dtype):
        """The view is the subject: if both dtypes are supported, a refusal of the view is a failure."""
        try:
            return tensor.view(dtype)
        except RuntimeError as error:
            self.require(self.expect(False, f"a view of {tensor.dtype} as {dtype} works", str(error)))

    def test_lists(self):
        """operators.foreach_operators_match_the_cpu"""
        calls = {}
        for name, call in LISTS.items():
            samples = [the_lists(), the_lists(torch.float64)]
            calls[f"_foreach_{name}"] = (lambda a, b, c=call: c(list(a), list(b)) or list(a)), samples
        ask_values(self, calls, layouts={"": lambda one: one, "column-major": lambda one: one.mT.contiguous().mT if one.dim() > 1 else one})  # fmt: skip
