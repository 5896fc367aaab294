# SPDX-License-Identifier: BSD-3-Clause
"""Which operators change dtype inside an autocast region: a sample of each of PyTorch's lists.

A list is a promise of the whole region, so each operator is looked at alone: one that the backend
does not have blocks itself and not the rest.
"""

import assay
import torch
import torch.nn.functional as F
from closeness import expect_near
from mixed_precision import low_precision, region

LOWER = {
    "mm": lambda a, b: torch.mm(a, b),
    "matmul": lambda a, b: a @ b,
    "addmm": lambda a, b: torch.addmm(a, a, b),
    "mv": lambda a, b: torch.mv(a, b[0]),
    "bmm": lambda a, b: torch.bmm(a[None], b[None]),
    "baddbmm": lambda a, b: torch.baddbmm(a[None], a[None], b[None]),
    "linear": lambda a, b: F.linear(a, b),
    "conv2d": lambda a, b: F.conv2d(a[None, None], b[None, None, :2, :2]),
}
FLOAT32 = {
    "exp": torch.exp,
    "log": torch.log,
    "pow": lambda a: torch.pow(a, 2),
    "reciprocal": torch.reciprocal,
    "rsqrt": torch.rsqrt,
    "log1p": torch.log1p,
    "softplus": F.softplus,
    "layer_norm": lambda a: F.layer_norm(a, a.shape[-1:]),
    "mse_loss": lambda a: F.mse_loss(a, a),
    "logsumexp": lambda a: torch.logsumexp(a, 0),
}
FLOAT32_UNLESS_GIVEN = {
    "softmax": lambda a: torch.softmax(a, -1),
    "log_softmax": lambda a: torch.log_softmax(a, -1),
    "sum": lambda a: a.sum(),
    "sum over a dimension": lambda a: a.sum(0),
    "prod": lambda a: a.prod(),
    "cumsum": lambda a: a.cumsum(0),
    "norm": lambda a: a.norm(),
}
WIDEST = {
    "cat": lambda half, full: torch.cat([half, full]),
    "stack": lambda half, full: torch.stack([half, full]),
    "addcmul": lambda half, full: torch.addcmul(half, full, half),
    "addcdiv": lambda half, full: torch.addcdiv(half, full, full),
    "atan2": lambda half, full: torch.atan2(half, full),
    "dot": lambda half, full: torch.dot(half[0], full[0]),
}


def matrix(dtype=torch.float32):
    """Small, well away from 0, exact in 16 bits."""
    return (torch.arange(16, dtype=dtype).reshape(4, 4) + 4) / 8


class Casting(assay.Case):
    def test_low_precision_ops_return_low_precision(self):
        """amp.low_precision_ops_return_low_precision"""
        half, x = low_precision(self), self.on_device(matrix())
        registered = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastPrivateUse1")
        self.note("autocast operators registered", str(len(registered)))
        for name, op in LOWER.items():
            with self.subTest(op=name), region(self):
                seen = op(x, x)
                self.expect_dtype(seen, half, f"{name} is on the lower-precision list")
                self.expect_device(seen, self.device, f"{name} stays on the device")

    def test_low_precision_values(self):
        """amp.low_precision_values_follow_cpu"""
        half, x = low_precision(self), matrix()
        y = self.on_device(x)
        with region(self):
            seen = torch.mm(y, y)
        expected = torch.mm(x.to(half).float(), x.to(half).float()).to(half)
        expect_near(self, seen, expected, f"mm of inputs rounded to {half}")

    def test_fp32_ops_return_float32(self):
        """amp.fp32_ops_return_float32"""
        x = self.on_device(matrix(low_precision(self)))
        for name, op in FLOAT32.items():
            with self.subTest(op=name), region(self):
                self.expect_dtype(op(x), torch.float32, f"{name} is on the float32 list")

    def test_reductions_return_float32(self):
        """amp.reductions_return_float32"""
        x = self.on_device(matrix(low_precision(self)))
        for name, op in FLOAT32_UNLESS_GIVEN.items():
            with self.subTest(op=name), region(self):
                self.expect_dtype(op(x), torch.float32, f"{name} is on the float32 list")

    def test_reduction_keeps_requested_dtype(self):
        """amp.reduction_keeps_requested_dtype"""
        half = low_precision(self)
        x = self.on_device(matrix(half))
        with region(self):
            self.expect_dtype(x.sum(dtype=half), half, "sum with a dtype gives that dtype")
            self.expect_dtype(torch.softmax(x, -1, dtype=half), half, "softmax likewise")
            self.expect_dtype(x.sum(), torch.float32, "without one it is float32")

    def test_promotion_takes_widest(self):
        """amp.promotion_takes_widest"""
        half = self.on_device(matrix(low_precision(self)))
        full = self.on_device(matrix())
        for name, op in WIDEST.items():
            with self.subTest(op=name), region(self):
                seen = op(half, full)
                self.expect_dtype(seen, torch.float32, f"{name} widens mixed inputs")

    def test_float64_is_not_cast(self):
        """amp.float64_is_not_cast"""
        x = self.on_device(matrix(torch.float64))
        with region(self):
            self.expect_dtype(torch.mm(x, x), torch.float64, "mm of float64 stays float64")
            self.expect_dtype(torch.exp(x), torch.float64, "exp of float64 stays float64")

    def test_integers_are_not_cast(self):
        """amp.integers_are_not_cast"""
        x = self.on_device(torch.arange(4))
        with region(self):
            self.expect_dtype(x + x, torch.int64, "integers stay integers")
            self.expect_dtype(x.sum(), torch.int64, "also in operators of the float32 list")
            self.expect_dtype(torch.cat([x, x]), torch.int64, "and of the widening list")

    def test_cpu_is_not_cast(self):
        """amp.cpu_is_not_cast"""
        x = matrix()
        with region(self):
            self.expect_dtype(torch.mm(x, x), torch.float32, "a CPU product stays float32")
            self.expect_dtype(torch.exp(x.half()), torch.float16, "CPU exp of half stays half")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.on_device(x)
            self.expect_dtype(torch.mm(y, y), torch.float32, "CPU autocast leaves the device alone")

    def test_every_operator_passes_through(self):
        """amp.every_operator_passes_through"""
        x = self.on_device(matrix())
        calls = {
            "an operator on no list": (lambda: x + x, matrix() * 2),
            "a view": (lambda: x.t(), matrix().t()),
            "a copy": (lambda: x.clone(), matrix()),
            "a factory": (lambda: torch.zeros_like(x), torch.zeros(4, 4)),
        }
        for call, _ in calls.values():
            call()  # what is refused without autocast as well says nothing about autocast
        self.is_about("aten::")
        for name, (call, expected) in calls.items():
            try:
                with region(self):
                    seen = call()
            except NotImplementedError as error:
                first = str(error).splitlines()[0]
                self.expect(False, f"{name} works under autocast", f"raised {first[:160]!r}")
                continue
            self.expect_tensor(seen, expected, f"{name} works under autocast")

    def test_banned_loss_says_why(self):
        """amp.banned_loss_says_why"""
        half = low_precision(self)
        x = self.on_device(torch.full((4,), 0.5, dtype=half))
        with region(self):
            try:
                seen = F.binary_cross_entropy(x, x)
            except RuntimeError as error:
                if isinstance(error, NotImplementedError):
                    raise
                self.expect_true(
                    "unsafe to autocast" in str(error),
                    "the refusal is PyTorch's advice",
                    f"it says {str(error)[:80]!r}",
                )
                self.note("binary_cross_entropy", "refused with advice")
                return
        self.expect_dtype(seen, half, "without the ban it runs in half")
        self.note("binary_cross_entropy", f"runs in {half}")
