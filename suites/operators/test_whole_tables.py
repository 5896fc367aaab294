# SPDX-License-Identifier: BSD-3-Clause
"""One call of every kind of operator: in each dtype, over no elements and no dims, into every kind of out=.

The other files ask each operator in all of its forms, of a few dtypes. Here each has one form, whose arguments differ from
their neutral values and from each other.
"""

import warnings

import assay
import torch
from asking import Many, each
from every_operator import OF_ROWS, operands
from value_cases import ask_values

ALL = (
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128,
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
)  # fmt: skip
PLAIN = {"": lambda one: one}
AS_WRITTEN = {
    "": lambda one: one,
    "turned": lambda one: one.mT.contiguous().mT if one.dim() > 1 else one,
}


# As they are called with out=.
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
}  # fmt: skip


def outputs_for(like):
    """name -> an output of that kind."""
    return {
        "as it comes": torch.full_like(like, 9),
        "turned": torch.full_like(like.t(), 9).contiguous().t(),
        "with holes": torch.full((4, 6), 9, dtype=like.dtype)[:, ::2],
        "behind others": torch.full((6, 3), 9, dtype=like.dtype)[2:],
        "longer": torch.full((4, 3), 9, dtype=torch.float64),
        "complex": torch.full((4, 3), 9, dtype=torch.complex128),
        "empty": torch.empty(0, dtype=like.dtype),
    }


def laid_out(there, device):
    """The same tensor with the same strides and offset on the device."""
    base = torch.full(
        (there.untyped_storage().nbytes() // there.element_size(),),
        9,
        dtype=there.dtype,
    ).to(device)
    return base.as_strided(there.shape, there.stride(), there.storage_offset()), base


class WholeTables(assay.Case):
    def test_dtypes(self):
        """operators.every_dtype_is_computed"""
        self.need_any_kind()
        calls = {name: (call, [operands(dtype, 4, 3) for dtype in ALL]) for name, call in OF_ROWS.items()}
        ask_values(self, calls, layouts=PLAIN, places=self.devices[:1])

    def test_empty(self):
        """operators.no_elements_and_no_dims_are_computed"""
        self.need_any_kind()
        shapes = ((0, 3), (4, 0), (0, 0), ())
        samples = [(*operands(dtype, *shape)[:2], torch.arange(0)) for dtype in (torch.float32, torch.int64, torch.float16) for shape in shapes]  # fmt: skip
        calls = {name: (call, samples) for name, call in OF_ROWS.items()}
        ask_values(self, calls, layouts=PLAIN, places=self.devices[:1])

    def test_long(self):
        """operators.more_than_a_block_is_computed"""
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
            "prod of all",
        }
        calls = {name: (call, samples) for name, call in OF_ROWS.items() if name not in few}
        ask_values(self, calls, layouts=PLAIN, places=self.devices[:1])

    def test_outputs(self):
        """operators.every_kind_of_output_is_written"""
        self.need_any_kind()
        x, y, rows = operands(torch.float32, 4, 3)
        self.clause("OPS-086")
        many = Many(self)
        for name, call in INTO.items():
            for kind, there in outputs_for(x).items():
                with many.one(f"{name} into an output {kind}"):
                    self.compare_output(f"{name} into an output {kind}", call, (x, y, rows), there)
            with many.one(f"{name} of operands that lie otherwise into an empty output"):
                what = f"{name} of operands that lie otherwise into an empty output"
                self.compare_output(what, call, (x, y.t().contiguous().t(), rows), torch.empty(0))
        many.conclude()
        with self.clause("OPS-067"):
            self.refuse_outputs_elsewhere(x, y, rows)

    def compare_output(self, what, call, given, there):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            here, base = laid_out(there, self.device)
            try:
                wanted = call(*given, out=there)
            except (RuntimeError, IndexError):
                return
            seen = call(*(one.to(self.device) for one in given), out=here)  # as they lie
        self.expect_tensor(seen, wanted, f"{what} is the CPU's", rtol=1e-4, atol=1e-5)
        self.expect_tensor(here, there, f"{what} is there afterwards", rtol=1e-4, atol=1e-5)
        self.expect_equal(here.stride(), there.stride(), f"{what} leaves it the CPU's strides")
        if base.numel() and there.untyped_storage().nbytes() == base.untyped_storage().nbytes():
            whole = torch.empty(0, dtype=there.dtype).set_(there.untyped_storage())
            self.expect_tensor(base, whole, f"{what} writes nothing else", rtol=1e-4, atol=1e-5)

    def refuse_outputs_elsewhere(self, x, y, rows):
        """An out= of the CPU alone: one on another device of the same backend is taken by core's own fallback, too."""
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
                        f"{name} leaves an out= of the CPU alone",
                    )
                else:
                    self.expect(False, f"{name} refuses an out= of the CPU", "it was taken")
