# SPDX-License-Identifier: BSD-3-Clause
"""Writes of operators besides their result, and writes into tensors whose elements share memory."""

import contextlib
import warnings

import assay
import torch
from asking import each
from closeness import each_offered, expect_near
from late import raised

EXPANDED = {
    "fill_": lambda x, index, mask: x.fill_(2),
    "zero_": lambda x, index, mask: x.zero_(),
    "masked_fill_": lambda x, index, mask: x.masked_fill_(mask, 2),
    "index_fill_": lambda x, index, mask: x.index_fill_(0, index, 2.0),
    "index_put_": lambda x, index, mask: x.index_put_((index,), x.new_ones(3)),
    "index_put_ that adds up": lambda x, index, mask: x.index_put_((index,), x.new_ones(3), accumulate=True),
    "index_put_ of columns": lambda x, index, mask: torch.ops.aten.index_put_(x, [None, index], x.new_ones(2) * 3),
}
OVERLAPS = {
    "cumsum": lambda given, out: torch.cumsum(given, 0, out=out),
    "cumprod": lambda given, out: torch.cumprod(given, 0, out=out),
    "exp": lambda given, out: torch.exp(given, out=out),
    "add": lambda given, out: torch.add(given, 1, out=out),
    "copy_": lambda given, out: out.copy_(given),
    "mul_": lambda given, out: out.mul_(given),
    "masked_fill_": lambda given, out: out.view(torch.uint8)[:5].masked_fill_(given.view(torch.uint8)[:5].view(torch.bool), 1),
}
# Writes into a row that stands for two, with two other rows.
REPEATED = {
    "copy_": lambda x, rows: x.copy_(rows),
    "add_": lambda x, rows: x.add_(rows),
    "add_ of a number": lambda x, rows: x.add_(1),
    "mul_": lambda x, rows: x.mul_(rows),
    "sub_": lambda x, rows: x.sub_(rows),
    "exp_": lambda x, rows: x.exp_(),
    "add into out=": lambda x, rows: torch.add(rows, rows, out=x),
    "cumsum into out=": lambda x, rows: torch.cumsum(rows, 0, out=x),
}
NEW_MEMORY = {
    "resize_": lambda dtype, device: torch.arange(4).to(dtype).to(device).resize_(16),
    "empty": lambda dtype, device: torch.empty(16, dtype=dtype, device=device),
}


@contextlib.contextmanager
def deterministic():
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)


def quietly(call):
    """Such writes are deprecated, and core says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def is_overlap(error):
    return "refers to a single memory location" in str(error)


class SideWrites(assay.Case):
    def layers(self, kind):
        """The same layer on the device and on the CPU."""
        ours, theirs = (kind(3, track_running_stats=True) for _ in range(2))
        return self.op("aten::_copy_from", ours.to, self.device), theirs

    def expect_statistics(self, ours, theirs, what):
        for name in ("running_mean", "running_var"):
            wanted = getattr(theirs, name)
            expect_near(self, getattr(ours, name), wanted, f"{what}: {name}", times=4)

    def test_running_statistics(self):
        """operators.running_statistics_follow_training"""
        given = torch.linspace(-2, 5, 60).reshape(4, 3, 5)
        for kind in (torch.nn.BatchNorm1d, torch.nn.InstanceNorm1d):
            ours, theirs = self.layers(kind)
            theirs(given)
            ours(self.on_device(given))
            self.expect_statistics(ours, theirs, f"a step of training {kind.__name__} updates")
            ours.eval()(self.on_device(given + 1))
            self.expect_statistics(ours, theirs, f"evaluating {kind.__name__} leaves alone")

    def written(self, call, device, rows=1):
        """Rows of an expanded tensor after `call`, and whether that returned it; or core's words on its elements."""
        index, mask = (torch.tensor(one).to(device) for one in ([1], [True, False, True]))
        x = torch.ones(rows, 3).to(device).expand(2, 3)
        try:
            returned = quietly(lambda: call(x, index, mask))
        except RuntimeError as error:
            if not is_overlap(error):
                raise
            return error
        return self.on_cpu(x[:1]), returned is x

    def test_expanded(self):
        """operators.expanded_tensors_can_be_filled"""
        ours = lambda call: self.written(call, self.device)  # noqa: E731
        for name, seen in each_offered(self, EXPANDED, ours, lambda call: self.written(call, self.device, rows=2)):
            wanted, _ = self.written(EXPANDED[name], "cpu")
            what = f"{name} writes into an expanded tensor"
            if isinstance(seen, RuntimeError):
                self.expect(False, what, str(seen).split("\n")[0])
                continue
            self.expect_tensor(seen[0], wanted, what)
            self.expect_true(seen[1], f"{what}, which it returns", "it returned another tensor")

    def test_overlap(self):
        """operators.overlapping_output_is_refused"""
        for name, (error, x) in each_offered(self, OVERLAPS, self.error_of_overlap):
            what = f"{name} refuses an output that is partly its input"
            if self.expect_true(error is not None, what, "it returned"):
                unchanged = f"{name} changes nothing when it refuses"
                self.expect_tensor(x, torch.arange(1.0, 7.0), unchanged)

    def error_of_overlap(self, call):
        """The words of an operator on it, or None; and the tensor that is both."""
        x = self.on_device(torch.arange(1.0, 7.0))
        error = raised(self.device, call, x[1:], x[:-1])
        if isinstance(error, NotImplementedError) or not isinstance(error, (RuntimeError, type(None))):
            raise error
        self.block_if_refused(str(error))
        return error, x

    def test_repeated(self):
        """operators.writes_into_repeated_elements_are_refused"""
        rows = torch.arange(2.0, 8.0).reshape(2, 3)
        for name, call, one in each(self, REPEATED):
            with one:
                quietly(lambda call=call: call(self.on_device(torch.ones(2, 3)), self.on_device(rows)))
                row = self.on_device(torch.ones(1, 3))
                error = raised(self.device, call, row.expand(2, 3), self.on_device(rows))
                what = f"{name} refuses a tensor whose elements stand for several"
                told = f"raised {type(error).__name__}: {str(error).splitlines()[:1]}" if error else "it was taken"
                self.expect_true(isinstance(error, RuntimeError) and "INTERNAL ASSERT" not in str(error), what, told)
                self.expect_tensor(row, torch.ones(1, 3), f"{name} changes nothing when it refuses")

    def new_memory(self, make, dtype, device):
        with deterministic():
            return self.on_cpu(make(dtype, device))

    def test_new_memory(self):
        """operators.new_memory_is_filled"""
        self.on_cpu(torch.ones(64).to(self.device))  # so that memory taken again holds something
        for dtype in (torch.float32, torch.int64):
            ours = lambda make: self.new_memory(make, dtype, self.device)  # noqa: B023, E731
            for name, seen in each_offered(self, NEW_MEMORY, ours):
                wanted = self.new_memory(NEW_MEMORY[name], dtype, "cpu")
                what = f"{name} of {dtype} fills what it adds where determinism is asked for"
                same = torch.equal(seen.nan_to_num(7), wanted.nan_to_num(7))
                self.expect_true(same, what, f"got {seen.tolist()[:8]}, expected {wanted.tolist()[:8]}")
