# SPDX-License-Identifier: BSD-3-Clause
"""Which operators change dtype inside an autocast region: a sample of each of PyTorch's lists.

A list applies to the whole region, but each operator is tested alone. If the backend lacks an operator, only the
test of that operator is blocked.
"""

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.mixed_precision import low_precision, region
from assay.values.closeness import expect_near
from assay.values.judge import Reference, compare

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
    "norm by its overload": lambda a: torch.ops.aten.norm.Scalar(a, 2),
    "norm over a dimension by its overload": lambda a: torch.ops.aten.norm.ScalarOpt_dim(a, 2, [0]),
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
    """Small values that are well away from 0 and exact in 16 bits."""
    return (torch.arange(16, dtype=dtype).reshape(4, 4) + 4) / 8


def dtype_of(op, *inputs):
    """Returns the dtype of the result, or None if the inputs are refused for any reason."""
    try:
        return op(*inputs).dtype
    except RuntimeError:
        return None


def on_cpu(op, dtypes):
    """Returns the dtype that PyTorch's CPU autocast gives for these inputs. The list requires at least this dtype."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return dtype_of(op, *(matrix(dtype) for dtype in dtypes))


class Casting(Case):
    def offered(self, table, count):
        """Returns the operators of a list that accept float32 outside any region. Other operators cannot be tested."""
        inputs = [self.on_device(matrix())] * count
        found = {name: op for name, op in table.items() if dtype_of(op, *inputs)}
        self.note("not offered", sorted(table.keys() - found.keys()))
        if not found:
            self.block(f"none of {', '.join(table)} accepts float32", "operators of the list")
        return found

    def test_low_precision_ops_return_low_precision(self):
        """amp.low_precision_ops_return_low_precision"""
        half, x = low_precision(self), self.on_device(matrix())
        self.clause("AMP-013")
        registered = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastPrivateUse1")
        self.note("autocast operators registered", str(len(registered)))
        self.clause("AMP-009")
        for name, op, one in each(self, self.offered(LOWER, 2)):
            with one:
                with region(self):
                    seen = op(x, x)
                self.expect_device(seen, self.device, f"{name} stays on the device")
                if on_cpu(op, (torch.float32, torch.float32)) == torch.bfloat16:
                    self.expect_dtype(seen, half, f"{name} returns the lower precision")

    def test_low_precision_values(self):
        """amp.low_precision_values_match_the_cpu"""
        half, x = low_precision(self), matrix()
        y = self.on_device(x)
        with region(self):
            seen = torch.mm(y, y)
        expected = torch.mm(x.to(half).float(), x.to(half).float()).to(half)
        expect_near(self, seen, expected, f"mm of inputs rounded to {half}")

    def test_offered_dtypes(self):
        """amp.region_computes_in_every_listed_dtype"""
        offered = self.offered(LOWER, 2)
        cases = {
            f"{name} in a region of {dtype}": (op, dtype)
            for dtype in self.device_module.get_amp_supported_dtype()
            for name, op in offered.items()
        }
        for name, (op, dtype), one in each(self, cases):
            with one:
                self.compare_in_region(name, op, dtype)

    def compare_in_region(self, name, op, dtype):
        rounded = [matrix().to(dtype)] * 2
        with self.asks_a_special_case(), region(self, dtype=dtype):
            seen = op(*(self.on_device(matrix()) for _ in rounded))
        if on_cpu(op, (torch.float32, torch.float32)) != torch.bfloat16:
            return
        self.expect_dtype(seen, dtype, f"the result of {name} has that dtype")
        for difference in compare(seen, Reference.of(op, rounded)):
            self.expect(False, f"{name}, which is a listed dtype, equals the CPU's result", str(difference))

    def expect_widened(self, table):
        """Expects that a region widens either all operators of a float32 list or no operator of the list. Operators
        that the CPU's autocast widens must be widened in any case."""
        half = low_precision(self)
        narrow, wide = self.on_device(matrix(half)), self.on_device(matrix())
        offered = self.offered(table, 1)
        outside = {name for name, op in offered.items() if dtype_of(op, narrow) == torch.float32}
        with region(self):
            for name, op in offered.items():
                self.expect_dtype(op(wide), torch.float32, f"{name} of float32 stays float32")
            widened = {name for name, op in offered.items() if self.is_wide(op, narrow)}
        least = {name for name, op in offered.items() if on_cpu(op, [torch.bfloat16]) == torch.float32}
        owed = offered.keys() if widened - outside - least else least
        self.note("float32 in a region", sorted(widened))
        self.expect_equal(sorted(owed - widened), [], "no required operator of the float32 list returns half precision")

    def is_wide(self, op, x):
        try:
            return op(x).dtype == torch.float32
        except NotImplementedError:
            raise  # the region refuses an operator that works outside
        except RuntimeError:  # the operator does not support half precision, and autocast does not widen its inputs
            return False

    def test_fp32_ops_return_float32(self):
        """amp.fp32_ops_return_float32"""
        self.expect_widened(FLOAT32)

    def test_reductions_return_float32(self):
        """amp.reductions_return_float32"""
        self.expect_widened(FLOAT32_UNLESS_GIVEN)

    def test_reduction_keeps_requested_dtype(self):
        """amp.reduction_keeps_requested_dtype"""
        half = low_precision(self)
        x = self.on_device(matrix(half))
        with region(self):
            self.expect_dtype(x.sum(dtype=half), half, "sum with a dtype gives that dtype")
            self.expect_dtype(torch.softmax(x, -1, dtype=half), half, "softmax with a dtype gives that dtype")

    def test_promotion_takes_widest(self):
        """amp.promotion_uses_the_widest_dtype"""
        half = low_precision(self)
        mixed = self.on_device(matrix(half)), self.on_device(matrix())
        for name, op, one in each(self, self.offered(WIDEST, 2)):
            with one:
                outside = dtype_of(op, *mixed)
                with region(self):
                    seen = op(*mixed).dtype if outside else dtype_of(op, *mixed)
                what = f"{name} of {half} and float32 does not return a narrower dtype in a region"
                self.expect_true(seen in (outside, torch.float32), what, f"{seen} in the region, {outside} outside")

    def expect_kept(self, dtype, tables):
        """Expects that each operator gives the same dtype inside a region as outside. If an operator refuses the dtype
        outside, then PyTorch may call another overload for this dtype inside, but must not cast."""
        x = self.on_device(matrix().to(dtype))
        for count, table in tables:
            for name, op in table.items():
                outside = dtype_of(op, *[x] * count)
                with region(self):
                    within = op(*[x] * count).dtype if outside else dtype_of(op, *[x] * count)
                what = f"{name} of {dtype} gives the same dtype inside a region as outside"
                self.expect_equal(within, outside or (dtype if within == dtype else None), what)

    def test_float64_is_not_cast(self):
        """amp.float64_is_not_cast"""
        x = self.on_device(matrix(torch.float64))
        lists = (2, LOWER), (1, FLOAT32), (1, FLOAT32_UNLESS_GIVEN), (2, WIDEST)
        self.clause("AMP-015")
        self.expect_kept(torch.float64, lists)
        self.clause("AMP-009")
        with region(self):
            self.expect_dtype(torch.mm(x, x), torch.float64, "mm of float64 stays float64")

    def test_integers_are_not_cast(self):
        """amp.integers_are_not_cast"""
        x = self.on_device(torch.arange(4))
        self.expect_kept(torch.int64, [(2, LOWER), (2, {"cat": WIDEST["cat"]})])
        with region(self):
            self.expect_dtype(x + x, torch.int64, "integers stay integers")
            self.expect_dtype(x.sum(), torch.int64, "integers stay integers in an operator of the float32 list")
            self.expect_dtype(torch.cat([x, x]), torch.int64, "integers stay integers in an operator of the widening list")

    def test_cpu_is_not_cast(self):
        """amp.cpu_tensors_are_not_cast"""
        x = matrix()
        with region(self):
            self.expect_dtype(torch.mm(x, x), torch.float32, "a CPU product stays float32")
            self.expect_dtype(torch.exp(x.half()), torch.float16, "exp of a CPU half tensor stays half")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.on_device(x)
            self.expect_dtype(torch.mm(y, y), torch.float32, "CPU autocast does not cast device tensors")

    def test_every_operator_passes_through(self):
        """amp.every_operator_has_an_autocast_fallthrough"""
        x = self.on_device(matrix())
        calls = {
            "an operator on no list": (lambda: x + x, matrix() * 2),
            "a view": (lambda: x.t(), matrix().t()),
            "a copy": (lambda: x.clone(), matrix()),
            "a factory": (lambda: torch.zeros_like(x), torch.zeros(4, 4)),
        }
        for call, _ in calls.values():
            call()  # if the operator is refused without autocast, the case does not test autocast
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
        """amp.binary_cross_entropy_error_names_its_replacement"""
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
                    "the error is PyTorch's advice",
                    f"the error is {str(error)[:80]!r}",
                )
                self.note("binary_cross_entropy", "refused with PyTorch's advice")
                return
        self.expect_dtype(seen, half, "if it is not refused, it runs in half precision")
        self.note("binary_cross_entropy", f"runs in {half}")
