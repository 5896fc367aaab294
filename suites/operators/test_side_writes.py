# SPDX-License-Identifier: BSD-3-Clause
"""Writes of operators into tensors other than their result, and into tensors whose elements share memory."""

import contextlib
import warnings

import torch
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.late import raised
from assay.values.closeness import each_offered, expect_near, works
from assay.values.own_torch import torch as own_torch

EXPANDED = {
    "fill_": lambda x, index, mask: x.fill_(2),
    "zero_": lambda x, index, mask: x.zero_(),
    "masked_fill_": lambda x, index, mask: x.masked_fill_(mask, 2),
    "index_fill_": lambda x, index, mask: x.index_fill_(0, index, 2.0),
    "index_fill_ by its aten operator": lambda x, index, mask: torch.ops.aten.index_fill_(x, 0, index, 2.0),
    "index_put_": lambda x, index, mask: x.index_put_((index,), x.new_ones(3)),
    "index_put_ that accumulates": lambda x, index, mask: x.index_put_((index,), x.new_ones(3), accumulate=True),
    "an assignment to columns": lambda x, index, mask: (x.__setitem__((slice(None), index), 5.0), x)[1],
    "index_put_ of columns": lambda x, index, mask: torch.ops.aten.index_put_(x, [None, index], x.new_ones(2) * 3),
}


def in_order(given):
    return torch.arange(5).to(given.device)


def into_its_own_index(device):
    rows = torch.arange(5).to(device)
    return torch.index_select(torch.arange(5).to(device), 0, rows, out=rows)


OVERLAPS = {
    "cumsum": lambda given, out: torch.cumsum(given, 0, out=out),
    "cumprod": lambda given, out: torch.cumprod(given, 0, out=out),
    "exp": lambda given, out: torch.exp(given, out=out),
    "add": lambda given, out: torch.add(given, 1, out=out),
    "logical_and": lambda given, out: torch.logical_and(given, given, out=out),
    "logical_not": lambda given, out: torch.logical_not(given, out=out),
    "conj_physical": lambda given, out: torch.conj_physical(given, out=out),
    "where": lambda given, out: torch.where(given > 2, given, given, out=out),
    "eq": lambda given, out: torch.eq(given, given, out=out),
    "clamp": lambda given, out: torch.clamp(given, 0, 1, out=out),
    "addcmul": lambda given, out: torch.addcmul(given, given, given, out=out),
    "lerp": lambda given, out: torch.lerp(given, given, 0.3, out=out),
    "abs": lambda given, out: torch.abs(given, out=out),
    "floor": lambda given, out: torch.floor(given, out=out),
    "pow": lambda given, out: torch.pow(given, 2, out=out),
    "floor_divide_": lambda given, out: out.floor_divide_(given),
    "index_select": lambda given, out: torch.index_select(given, 0, in_order(given), out=out),
    "index_select into its index": lambda given, out: into_its_own_index(given.device),
    "gather": lambda given, out: torch.gather(given, 0, in_order(given), out=out),
    "scatter": lambda given, out: torch.scatter(given, 0, in_order(given), 2.0, out=out),
    "scatter_": lambda given, out: out.scatter_(0, in_order(given), given),
    "masked_select": lambda given, out: torch.masked_select(given, given > 0, out=out),
    "cat": lambda given, out: torch.cat([given[:2], given[2:]], out=out),
    "index_put_": lambda given, out: out.index_put_((in_order(given),), given),
    "copy_": lambda given, out: out.copy_(given),
    "mul_": lambda given, out: out.mul_(given),
    "masked_fill_": lambda given, out: out.view(torch.uint8)[:5].masked_fill_(given.view(torch.uint8)[:5].view(torch.bool), 1),
}
# Writes two different rows into one row that is expanded to two.
REPEATED = {
    "copy_": lambda x, rows: x.copy_(rows),
    "add_": lambda x, rows: x.add_(rows),
    "add_ of a number": lambda x, rows: x.add_(1),
    "mul_": lambda x, rows: x.mul_(rows),
    "sub_": lambda x, rows: x.sub_(rows),
    "exp_": lambda x, rows: x.exp_(),
    "relu_": lambda x, rows: x.relu_(),
    "clamp_": lambda x, rows: x.clamp_(0, 1),
    "floor_": lambda x, rows: x.floor_(),
    "eq_": lambda x, rows: x.eq_(rows),
    "pow_": lambda x, rows: x.pow_(2),
    "addcmul_": lambda x, rows: x.addcmul_(rows, rows),
    "lerp_": lambda x, rows: x.lerp_(rows, 0.5),
    "scatter_": lambda x, rows: x.scatter_(0, (rows * 0).long(), rows),
    "scatter_add_": lambda x, rows: x.scatter_add_(0, (rows * 0).long(), rows),
    "uniform_": lambda x, rows: x.uniform_(),
    "normal_": lambda x, rows: x.normal_(),
    "exponential_": lambda x, rows: x.exponential_(),
    "cauchy_": lambda x, rows: x.cauchy_(),
    "log_normal_": lambda x, rows: x.log_normal_(),
    "geometric_": lambda x, rows: x.geometric_(0.5),
    "random_": lambda x, rows: x.random_(5),
    "bernoulli_": lambda x, rows: x.bernoulli_(0.5),
    "bernoulli_ of a tensor": lambda x, rows: x.bernoulli_(rows * 0.1),
    "dropout_": lambda x, rows: torch.dropout_(x, 0.5, True),
    "where into out=": lambda x, rows: torch.where(rows > 3, rows, rows, out=x),
    "logical_and into out=": lambda x, rows: torch.logical_and(rows, rows, out=x),
    "logical_not into out=": lambda x, rows: torch.logical_not(rows, out=x),
    "conj_physical into out=": lambda x, rows: torch.conj_physical(rows, out=x),
    "abs into out=": lambda x, rows: torch.abs(rows, out=x),
    "index_select into out=": lambda x, rows: torch.index_select(rows, 0, (rows[0, :2] * 0).long(), out=x),
    "gather into out=": lambda x, rows: torch.gather(rows, 0, (rows * 0).long(), out=x),
    "mm into out=": lambda x, rows: torch.mm(rows[:, :2], rows, out=x),
    "cat into out=": lambda x, rows: torch.cat([rows[:1], rows[:1]], out=x),
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
    """Ignores warnings, because PyTorch warns that such writes are deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def is_overlap(error):
    return "refers to a single memory location" in str(error)


def sizes_beside(x, y, index):
    """Keeps a number on the stack of the TorchScript interpreter while the operator is called."""
    return [y.size(0), x.index_fill_(1, index, 2.0).size(0)]


class SideWrites(Case):
    def layers(self, kind):
        """The same layer on the device and on the CPU."""
        ours, theirs = (kind(3, track_running_stats=True) for _ in range(2))
        return self.op("aten::_copy_from", ours.to, self.device), theirs

    def expect_statistics(self, ours, theirs, what):
        for name in ("running_mean", "running_var"):
            wanted = getattr(theirs, name)
            expect_near(self, getattr(ours, name), wanted, f"{what}: {name}", times=4)

    def test_running_statistics(self):
        """operators.batch_norm_training_updates_running_statistics"""
        given = torch.linspace(-2, 5, 60).reshape(4, 3, 5)
        for kind in (torch.nn.BatchNorm1d, torch.nn.InstanceNorm1d):
            ours, theirs = self.layers(kind)
            theirs(given)
            ours(self.on_device(given))
            self.expect_statistics(ours, theirs, f"a step of training {kind.__name__} updates")
            ours.eval()(self.on_device(given + 1))
            self.expect_statistics(ours, theirs, f"evaluating {kind.__name__} does not change")

    def written(self, call, device, rows=1):
        """Returns the rows of an expanded tensor after `call`, and whether `call` returned that tensor. If PyTorch
        refuses the write, returns the error."""
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
        self.ask_expanded("")
        with torch.inference_mode():  # outside inference mode, PyTorch replaces the returned value by the tensor itself
            self.ask_expanded(" in inference mode")
        row = self.on_device(torch.zeros(1, 3))
        quietly(lambda: self.op("aten::fill_.Scalar", row.expand(0, 3).fill_, 5))
        self.expect_tensor(row, torch.zeros(1, 3), "fill_ of a row that is expanded to no rows writes nothing")
        mask = self.on_device(torch.ones(1, 3, dtype=torch.bool))
        quietly(lambda: self.op("aten::masked_fill_.Scalar", mask.expand(2, 3).masked_fill_, mask.expand(2, 3), False))
        self.expect_tensor(mask, torch.zeros(1, 3, dtype=torch.bool), "masked_fill_ of an expanded mask with itself as the mask")
        with torch.inference_mode():
            self.ask_scripted()

    def ask_scripted(self):
        """Tests the function only if TorchScript accepts it and the device accepts the call alone."""

        def given(place):
            x = torch.zeros(2, 1).to(place).expand(2, 3)
            return x, x, torch.tensor([1]).to(place)

        def plain(x, _, index):
            return torch.ops.aten.index_fill_(x, 1, index, 2.0)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if works(lambda: torch.jit.script(sizes_beside)(*given("cpu"))) and works(lambda: plain(*given(self.device)).cpu()):
                with self.asks_a_special_case():
                    seen = torch.jit.script(sizes_beside)(*given(self.device))
                self.expect_equal(seen, [2, 2], "a scripted function with index_fill_ of an expanded tensor returns the right sizes")

    def ask_expanded(self, where):
        ours = lambda call: self.written(call, self.device)  # noqa: E731
        for name, seen in each_offered(self, EXPANDED, ours, lambda call: self.written(call, self.device, rows=2)):
            wanted, _ = self.written(EXPANDED[name], "cpu")
            what = f"{name} writes into an expanded tensor{where}"
            if isinstance(seen, RuntimeError):
                self.expect(False, what, str(seen).split("\n")[0])
                continue
            self.expect_tensor(seen[0], wanted, what)
            self.expect_true(seen[1], f"{what} and returns it", "it returned another tensor")

    def test_overlap(self):
        """operators.overlapping_output_is_rejected"""
        for name, (error, x) in each_offered(self, OVERLAPS, self.error_of_overlap):
            what = f"{name} refuses an output that overlaps its input"
            if self.expect_true(error is not None, what, "the call returned"):
                unchanged = f"{name} changes nothing when the call is refused"
                self.expect_tensor(x, torch.arange(1.0, 7.0), unchanged)

    def error_of_overlap(self, call):
        """Returns the exception of an operator or None, and the tensor that contains both input and output."""
        x = self.on_device(torch.arange(1.0, 7.0))
        error = raised(self.device, call, x[1:], x[:-1])
        if isinstance(error, NotImplementedError) or not isinstance(error, (RuntimeError, type(None))):
            raise error
        self.block_if_refused(str(error))
        return error, x

    def test_repeated(self):
        """operators.writes_with_internal_overlap_are_rejected"""
        rows = torch.arange(2.0, 8.0).reshape(2, 3)
        for name, call, one in each(self, REPEATED):
            with one:
                quietly(lambda call=call: call(self.on_device(torch.ones(2, 3)), self.on_device(rows)))
                row = self.on_device(torch.ones(1, 3))
                error = raised(self.device, call, row.expand(2, 3), self.on_device(rows))
                what = f"{name} refuses a tensor whose elements share memory"
                told = f"raised {type(error).__name__}: {str(error).splitlines()[:1]}" if error else "the call was accepted"
                self.expect_true(isinstance(error, RuntimeError) and "INTERNAL ASSERT" not in str(error), what, told)
                self.expect_tensor(row, torch.ones(1, 3), f"{name} changes nothing when the call is refused")

    def new_memory(self, make, dtype, device):
        with deterministic():
            return self.on_cpu(make(dtype, device))

    def test_new_memory(self):
        """operators.deterministic_mode_fills_new_memory"""
        self.on_cpu(torch.ones(64).to(self.device))  # leaves memory that is not zero for reuse
        for dtype in (torch.float32, torch.int64):
            ours = lambda make: self.new_memory(make, dtype, self.device)  # noqa: B023, E731
            for name, seen in each_offered(self, NEW_MEMORY, ours):
                wanted = self.new_memory(NEW_MEMORY[name], dtype, "cpu")
                what = f"{name} of {dtype} fills new memory in deterministic mode"
                same = own_torch.equal(seen.nan_to_num(7), wanted.nan_to_num(7))
                self.expect_true(same, what, f"got {seen.tolist()[:8]}, expected {wanted.tolist()[:8]}")
