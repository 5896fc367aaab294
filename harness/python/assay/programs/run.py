# SPDX-License-Identifier: BSD-3-Clause
"""One run of a small program on one device in one dtype, with the recorded values.

A program is a function whose parameter is a `Run`. The program creates its models and inputs through the run, so that they start with
the same numbers on every device. All other code is plain torch. Recorded values (a loss, a gradient, which tensors
share memory) are kept in order, so the first difference shows where a run went wrong. This file gives no verdict; see
judge.py.
"""

import contextlib
import dataclasses
import traceback

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

SEED = 20260101


@dataclasses.dataclass
class Seen:
    """One recorded value. Values of one `group` are compared on the same scale."""

    name: str
    value: object
    group: str


class Run:
    """`low` is the dtype of autocast regions; None disables autocast, as in the reference run. `moved` is a seed for
    changing all inputs by a rounding, which shows how such a change propagates; None changes nothing."""

    def __init__(self, device, dtype, low=None, moved=None):
        self.device, self.dtype, self.low = torch.device(device), dtype, low
        self.moves = None if moved is None else torch.Generator().manual_seed(moved)
        self.source = torch.Generator().manual_seed(SEED)
        self.seen = []
        self.steps = 0

    # ---- inputs of a program --------------------------------------------------------------------

    def put(self, value):
        """Copies a CPU tensor to this run's device. Floating-point numbers get this run's dtype."""
        return self.moved(self.cast(value)).contiguous().to(self.device)

    def moved(self, value):
        """Changes each number by at most one unit in the last place, up or down."""
        if self.moves is None or not value.is_floating_point():
            return value
        by = torch.rand(value.shape, generator=self.moves, dtype=torch.float64).mul_(2).sub_(1)
        return (value.double() * (1 + torch.finfo(self.low or value.dtype).eps * by)).to(value.dtype)

    def cast(self, value):
        if value.is_complex():
            return value.to(torch.complex128 if self.dtype is torch.float64 else torch.complex64)
        return value.to(self.dtype) if value.is_floating_point() else value

    def numbers(self, *shape):
        return self.put(torch.randn(shape, generator=self.source))

    def uniform(self, *shape):
        return self.put(torch.rand(shape, generator=self.source))

    def labels(self, count, *shape):
        return self.put(torch.randint(count, shape, generator=self.source))

    def made(self, make):
        """The result of `make()` on the CPU, in this run's dtype. Every run gets the same numbers."""
        state = torch.default_generator.get_state()
        torch.default_generator.manual_seed(SEED)
        try:
            model = make().to(self.dtype)
        finally:
            torch.default_generator.set_state(state)
        if self.moves is not None and isinstance(model, torch.nn.Module):
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.copy_(self.moved(parameter))
        return model

    def model(self, make):
        """The module that `make()` returns, moved to the device with Module.to."""
        return self.made(make).to(self.device)

    def move(self, model, device=None):
        """Calls Module.to, for programs that depend on the identity of parameters. Records which parameters are shared
        and which are still the same objects. Other programs do not call this function, because otherwise all programs
        would fail if Module.to creates new parameters."""
        before = dict(model.named_parameters())
        model = model.to(device or self.device)
        after = dict(model.named_parameters())
        self.see("the identity of parameters after Module.to", _changed(before, after))
        self.see("parameters that are shared after Module.to", shared(model))
        return model

    def autocast(self):
        if self.low is None:
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=self.low)

    # ---- recorded values ------------------------------------------------------------------------

    def see(self, name, value, group=None):
        if isinstance(value, torch.Tensor):
            value = value.detach().contiguous().cpu().clone()
        self.seen.append(Seen(name, value, group or name))

    def see_gradients(self, parameters, when):
        """`parameters` are pairs of name and parameter. Missing gradients are recorded before all values."""
        parameters = [(name, one) for name, one in parameters if one.requires_grad]
        missing = [name for name, one in parameters if one.grad is None]
        self.see(f"missing gradients of {when}", missing)
        for name, one in parameters:
            if one.grad is not None:
                gradient = one.grad.to_dense() if one.grad.is_sparse else one.grad
                self.see(f"the gradient of {name} in {when}", gradient, f"gradients of {when}")

    def see_state(self, model, when="at the end"):
        for name, value in model.state_dict().items():
            self.see(f"{name} {when}", value, f"state {when}")

    # ---- the training loop of most programs ---------------------------------------------------------

    def step(self, model, optimizer, loss):
        """Runs backward of one loss and a step of the optimizer."""
        self.steps += 1
        self.see(f"the loss of step {self.steps}", loss)
        optimizer.zero_grad()
        loss.backward()
        self.see_gradients(model.named_parameters(), f"step {self.steps}")
        optimizer.step()

    def train(self, model, optimizer, loss_of, steps=3):
        """`loss_of(number)` returns the loss of that step."""
        for number in range(steps):
            self.step(model, optimizer, loss_of(number))
        self.see_state(model)


def shared(model):
    """Groups of names of parameters that are the same object."""
    groups = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        groups.setdefault(id(parameter), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _changed(before, after):
    return [name for name, one in after.items() if before.get(name) is not one]


def finished(program, run):
    """Runs the program. Returns the run, and None or the exception that ended the run, with the line of the program."""
    try:
        program(run)
    except Exception as error:
        return run, (error, line_of(error, program))
    return run, None


def line_of(error, program):
    """`file:line` of the innermost frame in the file of the program."""
    file = program.__code__.co_filename
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{file.split('/')[-1]}:{lines[-1]}" if lines else file.split("/")[-1]


class _Raising(TorchDispatchMode):
    """Remembers the tensors that were passed to the last call that raised."""

    def __init__(self):
        super().__init__()
        self.given = None

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        try:
            return function(*arguments, **(named or {}))
        except Exception:
            self.given = [leaf for leaf in tree_leaves((arguments, named)) if isinstance(leaf, torch.Tensor)]
            raise


def raising_call(program, run):
    """The tensors that were passed to the operator that ended this run, or None if no operator raised."""
    with _Raising() as mode:
        _, error = finished(program, run)
    return mode.given if error else None
