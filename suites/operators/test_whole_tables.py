# SPDX-License-Identifier: BSD-3-Clause
"""One call of every kind of operator: in each dtype, with empty and zero-dimensional tensors, and into every kind of
out=.

Other files test many forms of each operator in few dtypes. Here each operator has one form. The arguments of this form
differ from their neutral values and from each other.
"""

import contextlib
import re
import warnings

import torch
from assay.checks import Case
from assay.checks.asking import Many, each
from assay.checks.value_cases import ask_values, numbers
from assay.values.own_torch import torch as own_torch
from suites.operators.every_operator import OF_ROWS, operands

ALL = (
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128,
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
)  # fmt: skip
PLAIN = {"": lambda one: one}
AS_WRITTEN = {"": lambda one: one, "turned": lambda one: one.mT.contiguous().mT if one.dim() > 1 else one}


# The calls with out=.
INTO = {
    "abs": lambda x, y, i, out: torch.abs(x, out=out), "exp": lambda x, y, i, out: torch.exp(x, out=out), "floor": lambda x, y, i, out: torch.floor(x, out=out), "add": lambda x, y, i, out: torch.add(x, y, alpha=2, out=out),
    "sub": lambda x, y, i, out: torch.sub(x, y, alpha=2, out=out), "mul": lambda x, y, i, out: torch.mul(x, y, out=out), "div": lambda x, y, i, out: torch.div(x, y, out=out), "maximum": lambda x, y, i, out: torch.maximum(x, y, out=out),
    "pow": lambda x, y, i, out: torch.pow(x, 2, out=out), "clamp": lambda x, y, i, out: torch.clamp(x, -1, 1, out=out), "lerp": lambda x, y, i, out: torch.lerp(x, y, 0.25, out=out), "where": lambda x, y, i, out: torch.where(x > 0, x, y, out=out),
    "addcmul": lambda x, y, i, out: torch.addcmul(x, x, y, value=2, out=out), "cumsum": lambda x, y, i, out: torch.cumsum(x, 1, out=out), "cumprod": lambda x, y, i, out: torch.cumprod(x, 0, out=out), "softmax": lambda x, y, i, out: torch.softmax(x, 1, out=out),
    "log_softmax": lambda x, y, i, out: torch.log_softmax(x, 0, out=out), "sum": lambda x, y, i, out: torch.sum(x[None] * y, 0, out=out), "mean": lambda x, y, i, out: torch.mean(torch.stack([x, y]), 0, out=out), "prod": lambda x, y, i, out: torch.prod(torch.stack([x, y]), 0, out=out),
    "amax": lambda x, y, i, out: torch.amax(torch.stack([x, y]), 0, out=out), "mm": lambda x, y, i, out: torch.mm(x, y[:3], out=out), "addmm": lambda x, y, i, out: torch.addmm(y, x, y[:3], beta=2, alpha=3, out=out), "bmm": lambda x, y, i, out: torch.bmm(x.expand(1, 4, 3), y[None, :3], out=out[None])[0],
    "matmul": lambda x, y, i, out: torch.matmul(x, y[:3], out=out), "gather": lambda x, y, i, out: torch.gather(x, 0, i[:, None].expand(4, 3), out=out), "index_select": lambda x, y, i, out: torch.index_select(x, 0, i, out=out), "cat": lambda x, y, i, out: torch.cat([x[:1], y[:3]], out=out),
    "stack": lambda x, y, i, out: torch.stack([x[0], y[0], x[1], y[1]], out=out), "scatter": lambda x, y, i, out: torch.scatter(x, 0, i[:, None].expand(4, 3), y, out=out), "take": lambda x, y, i, out: torch.take(x, i[:, None].expand(4, 3), out=out), "tril": lambda x, y, i, out: torch.tril(x, out=out),
    "sort": lambda x, y, i, out: torch.sort(x, 1, out=(out, torch.empty(0, dtype=torch.int64, device=x.device)))[0], "masked_select": lambda x, y, i, out: torch.masked_select(x, torch.ones_like(x).bool(), out=out.view(-1)) if out.is_contiguous() else out.copy_(x),
    "cos": lambda x, y, i, out: torch.cos(x, out=out), "erf": lambda x, y, i, out: torch.erf(x, out=out), "log": lambda x, y, i, out: torch.log(x.abs() + 1, out=out), "neg": lambda x, y, i, out: torch.neg(x, out=out),
    "reciprocal": lambda x, y, i, out: torch.reciprocal(x, out=out), "rsqrt": lambda x, y, i, out: torch.rsqrt(x.abs() + 1, out=out), "sigmoid": lambda x, y, i, out: torch.sigmoid(x, out=out), "sign": lambda x, y, i, out: torch.sign(x, out=out),
    "sqrt": lambda x, y, i, out: torch.sqrt(x.abs() + 1, out=out), "tanh": lambda x, y, i, out: torch.tanh(x, out=out), "round": lambda x, y, i, out: torch.round(x, out=out), "conj_physical": lambda x, y, i, out: torch.conj_physical(x, out=out),
    "fmod": lambda x, y, i, out: torch.fmod(x, y, out=out), "remainder": lambda x, y, i, out: torch.remainder(x, y, out=out), "atan2": lambda x, y, i, out: torch.atan2(x, y, out=out), "minimum": lambda x, y, i, out: torch.minimum(x, y, out=out),
    "pow of a tensor": lambda x, y, i, out: torch.pow(x.abs(), y, out=out), "div rounded to zero": lambda x, y, i, out: torch.div(x, y, rounding_mode="trunc", out=out), "div rounded down": lambda x, y, i, out: torch.div(x, y, rounding_mode="floor", out=out),
    "clamp_min": lambda x, y, i, out: torch.clamp_min(x, 0.5, out=out), "clamp_max": lambda x, y, i, out: torch.clamp_max(x, 0.5, out=out), "addcdiv": lambda x, y, i, out: torch.addcdiv(x, x, y, value=2, out=out), "lerp with weight above 0.5": lambda x, y, i, out: torch.lerp(x, y, 0.8, out=out),
    "amin": lambda x, y, i, out: torch.amin(torch.stack([x, y]), 0, out=out), "max along": lambda x, y, i, out: torch.max(torch.stack([x, y]), 0, out=(out, torch.empty(0, dtype=torch.int64, device=x.device))).values,
    "min along": lambda x, y, i, out: torch.min(torch.stack([x, y]), 0, out=(out, torch.empty(0, dtype=torch.int64, device=x.device))).values, "baddbmm": lambda x, y, i, out: torch.baddbmm(y[None], x[None], y[None, :3], beta=2, alpha=3, out=out[None])[0],
    "scatter of a number": lambda x, y, i, out: torch.scatter(x, 0, i[:, None].expand(4, 3), 2.5, out=out), "scatter_add": lambda x, y, i, out: torch.scatter_add(x, 0, i[:, None].expand(4, 3), y, out=out),
    "index": lambda x, y, i, out: torch.ops.aten.index.Tensor_out(x, [i], out=out), "mse_loss": lambda x, y, i, out: torch.ops.aten.mse_loss.out(x, y, 0, out=out), "smooth_l1_loss": lambda x, y, i, out: torch.ops.aten.smooth_l1_loss.out(x, y, 0, 0.5, out=out),
    "threshold backward": lambda x, y, i, out: torch.ops.aten.threshold_backward.grad_input(x, y, 0.5, grad_input=out), "sigmoid backward": lambda x, y, i, out: torch.ops.aten.sigmoid_backward.grad_input(x, y, grad_input=out),
    "tanh backward": lambda x, y, i, out: torch.ops.aten.tanh_backward.grad_input(x, y, grad_input=out), "softmax backward": lambda x, y, i, out: torch.ops.aten._softmax_backward_data.out(x, y, 1, x.dtype, grad_input=out),
    "log_softmax backward": lambda x, y, i, out: torch.ops.aten._log_softmax_backward_data.out(x, y, 0, x.dtype, out=out),
}  # fmt: skip
# Calls whose result has another dtype, with that dtype.
INTO_OTHERS = {
    "argmax": (torch.int64, lambda x, y, i, out: torch.argmax(torch.stack([x, y]), 0, out=out)), "argmin": (torch.int64, lambda x, y, i, out: torch.argmin(torch.stack([x, y]), 0, out=out)), "argmax kept": (torch.int64, lambda x, y, i, out: torch.argmax(torch.stack([x, y]), 0, True, out=out[None])[0]),
    "sum of integers": (torch.int64, lambda x, y, i, out: torch.sum(torch.stack([x, y]).int(), 0, out=out)), "mean in float64": (torch.float64, lambda x, y, i, out: torch.mean(torch.stack([x, y]), 0, dtype=torch.float64, out=out)), "prod in float64": (torch.float64, lambda x, y, i, out: torch.prod(torch.stack([x, y]), 0, dtype=torch.float64, out=out)),
    "cumsum in float64": (torch.float64, lambda x, y, i, out: torch.cumsum(x, 0, dtype=torch.float64, out=out)), "all": (torch.bool, lambda x, y, i, out: torch.all(torch.stack([x, y]) > 0, 0, out=out)), "any": (torch.bool, lambda x, y, i, out: torch.any(torch.stack([x, y]) > 0, 0, out=out)),
    "eq": (torch.bool, lambda x, y, i, out: torch.eq(x, y, out=out)), "lt": (torch.bool, lambda x, y, i, out: torch.lt(x, y, out=out)), "ge a number": (torch.bool, lambda x, y, i, out: torch.ge(x, 0.5, out=out)), "logical_and": (torch.bool, lambda x, y, i, out: torch.logical_and(x > 0, y, out=out)),
    "logical_not": (torch.bool, lambda x, y, i, out: torch.logical_not(x > 0, out=out)), "bitwise_and": (torch.int64, lambda x, y, i, out: torch.bitwise_and((x * 9).long(), (y * 9).long(), out=out)), "bitwise_not": (torch.int64, lambda x, y, i, out: torch.bitwise_not((x * 9).long(), out=out)),
    "floor of integers": (torch.int64, lambda x, y, i, out: torch.floor((x * 9).long(), out=out)), "abs of complex numbers": (torch.float32, lambda x, y, i, out: torch.abs(torch.complex(x, y), out=out)),
    "arange": (torch.int64, lambda x, y, i, out: torch.arange(1, 13, out=out.view(-1)).view(4, 3) if out.is_contiguous() and out.numel() else out.fill_(3)), "mm of integers": (torch.int64, lambda x, y, i, out: torch.mm((x * 9).long(), (y * 9).long()[:3], out=out)),
}  # fmt: skip
# Calls on four-dimensional tensors in channels_last, into an empty output.
INTO_IMAGES = {
    "add": lambda x, y, out: torch.add(x, y, out=out), "mul": lambda x, y, out: torch.mul(x, y, out=out), "exp": lambda x, y, out: torch.exp(x, out=out), "clamp": lambda x, y, out: torch.clamp(x, -1, 1, out=out), "abs": lambda x, y, out: torch.abs(x, out=out),
    "eq": lambda x, y, out: torch.eq(x, y, out=out), "where": lambda x, y, out: torch.where(x > 0, x, y, out=out), "addcmul": lambda x, y, out: torch.addcmul(x, x, y, value=2, out=out), "lerp": lambda x, y, out: torch.lerp(x, y, 0.25, out=out),
    "cat": lambda x, y, out: torch.cat([x, y], 1, out=out), "cat with an empty first tensor": lambda x, y, out: torch.cat([x[:, :0], y], 1, out=out), "sum": lambda x, y, out: torch.sum(x, 2, keepdim=True, out=out), "amax": lambda x, y, out: torch.amax(x, (0, 3), out=out), "softmax": lambda x, y, out: torch.softmax(x, 1, out=out),
    "log_softmax": lambda x, y, out: torch.log_softmax(x, 2, out=out), "cumsum": lambda x, y, out: torch.cumsum(x, 1, out=out), "threshold backward": lambda x, y, out: torch.ops.aten.threshold_backward.grad_input(x, y, 0.5, grad_input=out), "floor": lambda x, y, out: torch.floor(x, out=out),
}  # fmt: skip


OF_OTHER_DTYPES = "that is longer", "that is complex"


def kind_of_output(name):
    """The name of a case without its operator, such as "into an output transposed"."""
    return re.sub(r"^.*? (?=into |of operands of which |of tensors in )", "", name)


def outputs_for(like):
    """Maps each kind of output to a tensor of that kind."""
    return {
        "that is contiguous": torch.full_like(like, 9),
        "that is transposed": torch.full_like(like.t(), 9).contiguous().t(),
        "with holes": torch.full((4, 6), 9, dtype=like.dtype)[:, ::2],
        "with an offset": torch.full((6, 3), 9, dtype=like.dtype)[2:],
        "that is longer": torch.full((4, 3), 9, dtype=torch.float64),
        "that is complex": torch.full((4, 3), 9, dtype=torch.complex128),
        "that is empty": torch.empty(0, dtype=like.dtype),
    }


def by_columns(tensor):
    return tensor.t().contiguous().t()


def laid_out(there, device):
    """The same tensor on the device with the same strides and offset."""
    base = torch.full((there.untyped_storage().nbytes() // there.element_size(),), 9, dtype=there.dtype).to(device)
    return base.as_strided(there.shape, there.stride(), there.storage_offset()), base


class WholeTables(Case):
    def test_dtypes(self):
        """operators.results_of_every_dtype_match_the_cpu"""
        self.need_any_kind()
        calls = {name: (call, [operands(dtype, 4, 3) for dtype in ALL]) for name, call in OF_ROWS.items()}
        ask_values(self, calls, layouts=PLAIN, places=self.devices[:1])

    def test_empty(self):
        """operators.empty_and_0_dim_tensors_match_the_cpu"""
        self.need_any_kind()
        shapes = ((0, 3), (4, 0), (0, 0), ())
        samples = [(*operands(dtype, *shape)[:2], torch.arange(0)) for dtype in (torch.float32, torch.int64, torch.float16) for shape in shapes]  # fmt: skip
        calls = {name: (call, samples) for name, call in OF_ROWS.items()}
        ask_values(self, calls, layouts=PLAIN, places=self.devices[:1])
        large = [(torch.empty(2**62, 2, 0),)]  # the product of its nonzero sizes overflows
        of_large = {"sum of no elements of two large dims": (lambda x: x.sum(), large), "abs of no elements of two large dims": (torch.abs, large)}
        ask_values(self, of_large, layouts=PLAIN, places=self.devices[:1])

    def test_long(self):
        """operators.large_tensors_match_the_cpu"""
        self.need_any_kind()
        samples = []
        for shape in ((1031, 3), (2, 4099)):
            x, y, _ = operands(torch.float32, *shape)
            samples.append((x, y, torch.arange(4) % shape[0]))
        few = {
            "mm",
            "addmm",
            "bmm",
            "baddbmm",
            "einsum",
            "linear",
            "outer",
            "diag",
            "cumprod",
            "prod of all elements",
        }
        calls = {name: (call, samples) for name, call in OF_ROWS.items() if name not in few}
        ask_values(self, calls, layouts=PLAIN, places=self.devices[:1])

    def test_outputs(self):
        """operators.every_kind_of_out_tensor_is_written"""
        self.need_any_kind()
        x, y, rows = operands(torch.float32, 4, 3)
        self.clause("OPS-086")
        many, served = Many(self, kind=kind_of_output), set()
        others = {name: (call, torch.empty(4, 3, dtype=dtype)) for name, (dtype, call) in INTO_OTHERS.items()}
        for name, (call, like) in ({name: (call, x) for name, call in INTO.items()} | others).items():
            for kind, there in outputs_for(like).items():
                with many.one(f"{name} into an output {kind}"), self.special_if(name in served and kind not in OF_OTHER_DTYPES):
                    self.compare_output(f"{name} into an output {kind}", call, (x, y, rows), there)
                    served.add(name)
            for lie, given in {"the second": (x, by_columns(y)), "the first": (by_columns(x), y), "both": (by_columns(x), by_columns(y))}.items():
                what = f"{name} of operands of which {lie} is column-major, into an empty output"
                with many.one(what), self.special_if(name in served):
                    self.compare_output(what, call, (*given, rows), torch.empty(0, dtype=like.dtype), lies_otherwise=True)
        image, other = (numbers(2, 3, 4, 5, seed=seed).contiguous(memory_format=torch.channels_last) for seed in (0, 1))
        for name, call in INTO_IMAGES.items():
            what = f"{name} of tensors in channels_last into an empty output"
            with many.one(what):
                self.compare_output(what, call, (image, other), torch.empty(0, dtype=torch.bool if name == "eq" else torch.float32), lies_otherwise=True)
        for name, call in INTO.items():
            for number in (0, 1):
                what = f"{name} into its own {('first', 'second')[number]} operand"
                with many.one(what):
                    self.compare_own(what, call, (x, y, rows), number)
        many.conclude()
        with self.clause("OPS-067"):
            self.refuse_outputs_elsewhere(x, y, rows)

    def compare_output(self, what, call, given, there, lies_otherwise=False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            here, base = laid_out(there, self.device)
            try:
                plain = call(*given, out=torch.empty(0, dtype=there.dtype)).clone()
                wanted = call(*given, out=there)
            except (RuntimeError, IndexError):
                return
            if plain.shape == wanted.shape and not own_torch.allclose(plain, wanted, equal_nan=True):
                return  # the CPU itself is wrong with such an output, for example for gradients of softmax into a column-major output
            seen = call(*(one.to(self.device) for one in given), out=here)  # keeps the strides of the operands
        self.expect_tensor(seen, wanted, f"{what} equals the CPU's result", rtol=1e-4, atol=1e-5)
        self.expect_tensor(here, there, f"{what} is in the output afterwards", rtol=1e-4, atol=1e-5)
        with self.clause("OPS-043") if lies_otherwise else contextlib.nullcontext():
            if not lies_otherwise or here.shape == there.shape:
                self.expect_equal(here.stride(), there.stride(), f"{what} gives the output the CPU's strides")
        if base.numel() and there.untyped_storage().nbytes() == base.untyped_storage().nbytes():
            whole = torch.empty(0, dtype=there.dtype).set_(there.untyped_storage())
            self.expect_tensor(base, whole, f"{what} writes nothing else", rtol=1e-4, atol=1e-5)

    def special_if(self, is_special):
        return self.asks_a_special_case() if is_special else contextlib.nullcontext()

    def compare_own(self, what, call, given, number):
        """Compares a call only if the CPU gives the same result as with another output tensor."""
        there, here = [one.clone() for one in given], [one.to(self.device) for one in given]
        try:
            wanted = call(*given, out=torch.empty(0)).clone()
            own = call(*there, out=there[number])
        except (RuntimeError, IndexError):
            return
        if own_torch.equal(own, wanted):
            call(*here, out=here[number])
            self.expect_tensor(here[number], there[number], f"{what} equals the CPU's result", rtol=1e-4, atol=1e-5)

    def refuse_outputs_elsewhere(self, x, y, rows):
        """An out= on the CPU must be refused. An out= on another device of the backend is not tested, because
        PyTorch's own fallback accepts it."""
        given = [self.on_device(one) for one in (x, y, rows)]
        for name, call, one in each(self, INTO):
            with one:
                out = torch.full((4, 3), 9.0)
                try:
                    call(*given, out=out)
                except NotImplementedError:
                    raise
                except (RuntimeError, ValueError):
                    self.expect_tensor(
                        out,
                        torch.full((4, 3), 9.0),
                        f"{name} does not change a refused out= of the CPU",
                    )
                else:
                    self.expect(False, f"{name} refuses an out= of the CPU", "the out= was accepted")
