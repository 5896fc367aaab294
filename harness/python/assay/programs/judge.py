# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on a program: compares its run on the device with a run in double on the CPU.

A difference is allowed up to the tolerance of a single operator (values/judge.py), plus a multiple of the largest error
of the CPU's own run in that dtype. So the tolerance fits the accuracy of each program. If a value differs, the CPU runs
the program again with inputs changed by a rounding, because a single run may be exact by chance. The first difference
is reported.
"""

import sys
import time

from assay.checks.case import Case
from assay.programs import run as program_run
from assay.refusals import behind_fallback
from assay.refusals.operators import refusal
from assay.values.judge import FACTOR, tolerance
from assay.values.own_torch import torch

WIDE = torch.float64
MOVES = 4  # runs with inputs changed by a rounding
FIRST = 4  # number of names of a list that a message shows


class ProgramCase(Case):
    """The base class of checks that run a program."""

    def judge(self, program, dtype=torch.float32, low=None, what=None):
        """Runs the program in double and in `dtype` on the CPU, then on at most two usable devices."""
        what = what or f"{program.__name__.replace('_', ' ')}: the device's results equal the CPU's results in double"
        wide = self.run_on_cpu(program, WIDE)
        own = self.run_on_cpu(program, dtype, low)
        for device in self.devices[:2]:
            where = "" if device == self.device else f" on {device}, while another device is current"
            if self.judge_on(device, program, (dtype, low), wide, own, what + where) is None:
                return False
        return True

    def judge_on(self, device, program, dtypes, wide, own, what):
        """Runs the program on that device. Returns the recorded values, or None if they are wrong."""
        began = time.monotonic()
        run, error = program_run.finished(program, program_run.Run(device, *dtypes))
        took = time.monotonic() - began
        moved = []
        if first_difference(run.seen, wide, own, dtypes):
            moved = moved_runs(program, dtypes)
        held = self.expect_same(run.seen, wide, own, dtypes, what, moved)
        if held and error is not None:
            held = self.expect_no_error(error, run, what, program)
        if held:
            return run.seen
        self.look_again(program, run, program_run.Run(device, *dtypes), took,
                        lambda seen: first_difference(seen, wide, own, dtypes, moved))
        return None

    def look_again(self, program, failed, run, took, difference_of):
        """Runs the failed program once more under a watch and notes the result."""
        from assay.programs import second_look as program_second_look

        if known := program_second_look.of_no_operator(difference_of(failed.seen)):
            return self.note("under watch", known)
        if not program_second_look.has_time(self.seconds_left, took):
            return self.note("under watch", "the check has too little time left to run the program again")
        try:
            self.note("under watch", program_second_look.cause(program, run, difference_of, self.seconds_left))
        except Exception as error:  # this run only explains the failure, so its errors are ignored
            self.note("under watch", f"the program could not be watched: {type(error).__name__}: {error}")

    def need_device_seeds(self):
        """Blocks the check if torch.manual_seed cannot seed the device. If the device cannot be seeded, PyTorch only
        warns."""
        for name in ("manual_seed_all", "_is_in_bad_fork"):
            if not hasattr(self.device_module, name):
                self.block(f"torch.{self.device_name} has no {name}", f"module.{name}")

    def run_on_cpu(self, program, dtype, low=None):
        """Runs the program on the CPU. Raises an error of this run, because the device does not cause it."""
        run, error = program_run.finished(program, program_run.Run("cpu", dtype, low))
        if error is not None:
            raise error[0]
        return run.seen

    def expect_no_error(self, error, run, what, program):
        exception, line = error
        means = self.refused_means(exception) or refusal(exception)
        if means and not self.is_broken(exception, run, program):
            self.block(str(exception), means)
        last = f", after {run.seen[-1].name}" if run.seen else ""
        words = str(exception).strip().split("\n")[0][:300]
        return self.expect(False, what, f"{type(exception).__name__} in {line}{last}: {words}")

    def is_broken(self, exception, run, program):
        """True if an exception that looks like a refusal is a failure: a plain call raised the exception, and the
        backend has a working fallback (decision 0041)."""
        if not behind_fallback.is_broken(self, exception):
            return False
        given = program_run.raising_call(program, program_run.Run(run.device, run.dtype, run.low))
        return given is not None and all(map(behind_fallback.is_plain, given))

    def expect_same(self, seen, wide, own, dtypes, what, moved=()):
        """Compares recorded values. Values that are missing because a run stopped early are no difference."""
        words = first_difference(seen, wide, own, dtypes, moved)
        return self.expect(False, what, words) if words else True


def program(identity):
    """Makes the function below it the program of a check: a method of the class Programs of its module judges it."""

    def check_of(function):
        def test(case):
            case.judge(function)

        test.__doc__ = identity
        module = sys.modules[function.__module__]
        if not hasattr(module, "Programs"):
            module.Programs = type("Programs", (ProgramCase,), {"__module__": module.__name__})
        setattr(module.Programs, f"test_{function.__name__}", test)
        return function

    return check_of


def moved_runs(program, dtypes):
    """The recorded values of CPU runs whose inputs differ by one rounding error. Runs that did not complete are left out."""
    runs = (program_run.finished(program, program_run.Run("cpu", *dtypes, moved=seed)) for seed in range(MOVES))
    return [run.seen for run, error in runs if error is None]


def first_difference(seen, wide, own, dtypes, moved=()):
    """The first difference in words, or None. `moved` are further CPU runs; runs with other names are ignored."""
    scales, names = scales_of(wide), [one.name for one in wide]
    runs = [own, *(run for run in moved if [one.name for one in run] == names)]
    found = (difference(ours, reference, theirs, scales, dtypes)
             for ours, reference, *theirs in zip(seen, wide, *runs, strict=False))
    return next(filter(None, found), None)


def scales_of(seen):
    """The largest element of each group, the scale for comparing gradients that would be zero without rounding."""
    scales = {}
    for one in seen:
        if _is_number(one.value):
            scales[one.group] = max(scales.get(one.group, 0.0), largest(one.value))
    return scales


def difference(ours, reference, runs, scales, dtypes):
    """The difference in words, or None. `runs` has the same value in the CPU's runs. `dtypes` are the dtype of the run
    and the dtype of its autocast regions, or None."""
    (dtype, low), theirs = dtypes, runs[0]
    if ours.name != reference.name:
        return f"the program took another path: it recorded {ours.name}, expected {reference.name}"
    if not isinstance(reference.value, torch.Tensor):
        same = ours.value == reference.value
        return None if same else f"{ours.name}: {listed(ours.value, reference.value)}, expected {listed(reference.value, ours.value)}"
    # the lists of autocast operators may differ between devices
    fitting = {theirs.value.dtype} if low is None else {theirs.value.dtype, dtype, low}
    if ours.value.shape != reference.value.shape or ours.value.dtype not in fitting:
        return (f"{ours.name} is {ours.value.dtype} {tuple(ours.value.shape)}, "
                f"expected {theirs.value.dtype} {tuple(theirs.value.shape)}")
    if not reference.value.numel():
        return None
    if not _is_number(reference.value):
        return exact_difference(ours, reference)
    return rounded_difference(ours, reference, runs, scales[reference.group], low or dtype)


def listed(value, other):
    """The value as text. Of a long list of names, shows only the first names that the other list lacks."""
    if not isinstance(value, list) or len(value) <= FIRST or not isinstance(value[0], str):
        return repr(value)
    first = [name for name in value if name not in other][:FIRST] or value[:FIRST]
    return f"{', '.join(map(repr, first))} and {len(value) - len(first)} more"


def exact_difference(ours, reference):
    wrong = int((ours.value != reference.value).sum())
    return f"{ours.name}: {wrong} of {ours.value.numel()} elements differ" if wrong else None


def rounded_difference(ours, reference, runs, scale, dtype):
    error = error_of(ours.value, reference.value)
    own = max(largest(error_of(one.value, reference.value)) for one in runs if one.value.shape == reference.value.shape)
    allowed = tolerance(runs[0].value.to(reference.value.dtype), reference.value, [], dtype, 1)
    allowed = allowed + FACTOR * own + torch.finfo(dtype).eps * scale
    wrong = ~(error <= allowed)
    if not wrong.any():
        return None
    at = int(torch.where(torch.isnan(error), torch.inf, error / allowed).reshape(-1).argmax())
    values = [one.value.reshape(-1)[at].item() for one in (ours, reference)]
    return (f"{ours.name}: element {at} is {values[0]!r}, expected {values[1]!r}; {int(wrong.sum())} of "
            f"{wrong.numel()} elements differ; the CPU's own run in that dtype is off by {own:.2g}")


def error_of(value, reference):
    """The distance of each element, or 0 if both elements are NaN or the same infinity."""
    wide = value.to(reference.dtype)
    same = (wide == reference) | (torch.isnan(wide) & torch.isnan(reference))
    return torch.where(same, 0.0, (wide - reference).abs())


def largest(value):
    finite = torch.nan_to_num(value.abs().to(WIDE), 0.0, 0.0, 0.0)
    return finite.max().item() if finite.numel() else 0.0


def _is_number(value):
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
