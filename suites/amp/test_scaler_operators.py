# SPDX-License-Identifier: BSD-3-Clause
"""The two operators behind torch.amp.GradScaler: what they write and which arguments they refuse."""

import itertools

import torch
from assay.checks import Case
from assay.checks.refused_cases import ask_refused
from assay.checks.value_cases import LAYOUTS, ask_values, numbers

INFINITY, NAN = float("inf"), float("nan")


def unscaled(*given):
    """The last two arguments are found_inf and the inverse of the scale."""
    *gradients, found, inverse = given
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, inverse)


def with_bad(size, at, value):
    gradient = numbers(size)
    gradient[at] = value
    return gradient


def update(to, kept, *, scale=None, tracker=None, found=None):
    """Calls of the update operator in which one of the three state tensors is wrong."""
    scale = kept(to(torch.ones(1) if scale is None else scale))
    tracker = kept(to(torch.zeros(1, dtype=torch.int32) if tracker is None else tracker))
    found = to(torch.zeros(1) if found is None else found)
    torch._amp_update_scale_(scale, tracker, found, 2.0, 0.5, 3)  # the scale does not grow, so a wrong count is visible


def unscale(to, kept, *, gradient=None, found=None, inverse=None):
    gradient = kept(to(torch.ones(3) if gradient is None else gradient))
    found = kept(to(torch.zeros(1) if found is None else found))
    torch._amp_foreach_non_finite_check_and_unscale_(
        [gradient], found, to(torch.ones(1) if inverse is None else inverse)
    )


STATES = {
    "update of two scales": lambda to, kept: update(to, kept, scale=torch.ones(2)),
    "update of no scale": lambda to, kept: update(to, kept, scale=torch.ones(0)),
    "update of a float64 scale": lambda to, kept: update(to, kept, scale=torch.ones(1).double()),
    "update of two counts": lambda to, kept: update(to, kept, tracker=torch.zeros(2, dtype=torch.int32)),
    "update of an int64 count": lambda to, kept: update(to, kept, tracker=torch.zeros(1, dtype=torch.int64)),
    "update of a float count": lambda to, kept: update(to, kept, tracker=torch.zeros(1)),
    "update of two flags": lambda to, kept: update(to, kept, found=torch.zeros(2)),
    "update of a float64 flag": lambda to, kept: update(to, kept, found=torch.zeros(1).double()),
    "unscale of integers": lambda to, kept: unscale(to, kept, gradient=torch.ones(3).long()),
    "unscale with two flags": lambda to, kept: unscale(to, kept, found=torch.zeros(2)),
    "unscale with a float64 flag": lambda to, kept: unscale(to, kept, found=torch.zeros(1).double()),
    "unscale by two numbers": lambda to, kept: unscale(to, kept, inverse=torch.ones(2)),
    "unscale by a float64": lambda to, kept: unscale(to, kept, inverse=torch.ones(1).double()),
}  # fmt: skip


class ScalerOperators(Case):
    def test_unscale(self):
        """amp.unscale_operator_matches_the_cpu"""
        found, inverse = torch.zeros(1), torch.full((1,), 0.125)
        samples = [
            (numbers(5), found, inverse),
            (numbers(4, 300), numbers(7), numbers(0, 3), found, inverse),
            (numbers(3), torch.ones(1), inverse),
        ]
        samples += [
            (numbers(3), with_bad(600, at, bad), found, inverse)
            for at, bad in itertools.product((0, 300, -1), (INFINITY, -INFINITY, NAN))
        ]
        samples += [
            (with_bad(9, 4, NAN), numbers(3), found, inverse),
            (numbers(3, dtype=torch.float64), found, inverse),
            (numbers(), found, inverse),
        ]
        samples += [
            (numbers(3), found, torch.ones(1)),
            (numbers(3), torch.zeros(()), torch.full((), 3.0)),
            (numbers(3) * 1e38, found, torch.full((1,), 1e3)),
        ]
        ask_values(self, {"unscale": (unscaled, samples)}, layouts=LAYOUTS)

    def test_update(self):
        """amp.scale_update_matches_the_cpu"""
        samples = []
        for scale, count, found in itertools.product((1.0, 65536.0, 3e38, 1e-38), (0, 1, 2, 3), (0.0, 1.0, 3.0)):
            samples.append((torch.tensor([scale]), torch.tensor([count], dtype=torch.int32), torch.tensor([found])))
        calls = {
            f"update with growth {grown}, backoff {less} and interval {interval}": (
                lambda *g, o=(grown, less, interval): torch._amp_update_scale_(*g, *o),
                samples,
            )
            for grown, less, interval in ((2.0, 0.5, 3), (4.0, 0.25, 1), (1.5, 1.0, 2))
        }
        # PyTorch requires an int32 count for every dtype
        ask_values(self, calls, layouts={"": lambda one: one}, plain=lambda given: True)

    def test_states(self):
        """amp.scaler_tensors_of_wrong_dtype_are_rejected"""
        ask_refused(self, STATES)
