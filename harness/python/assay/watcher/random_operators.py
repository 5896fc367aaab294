# SPDX-License-Identifier: BSD-3-Clause
"""Judges the random operators of a watched program by moments, when enough numbers were drawn.

Only numbers that the program draws are used. The watch draws no numbers, because this would change the program's later
numbers. Each number is mapped to a level with mean 0 and variance 1, so that calls with different bounds can be
combined. If the first numbers of two calls are equal, the seed was repeated, and the numbers count once. Called by
assay/watcher/mode.py.
"""

import math

import torch
from assay.values.distributions import DEVIATIONS, normal_function

HEAD = 64  # this many first numbers distinguish two calls; calls with fewer numbers are ignored
ENOUGH = 1 << 16
MOST = 1 << 18  # the second and last judgement
LAGS = (1, 32, 64, 256)
NAMES = "the mean", "the spread", *(f"the product of numbers {lag} apart" for lag in LAGS)
FEWEST = 1 << 9
FEW_DEVIATIONS = math.sqrt(2 * math.log(2 / 1e-9))  # of sums of bounded numbers; the odds concern one statement
LEAST_SHARE = 0.05  # the moments of rarer values vary too much by chance


def _levels(function):
    """Maps numbers by their cumulative probability to levels with mean 0 and variance 1."""
    return lambda numbers: (function(numbers) - 0.5) * 12**0.5


def _uniform(low, high):
    """The form of a uniform distribution. A draw from [0, 1) is never 1, but scaling may round it up to `high`."""
    most = math.nextafter(1, 0) if high == 1 else high
    return (_levels(lambda x: (x - low) / (high - low)), low, most) if high > low else None


def _normal(mean, deviation):
    return (_levels(normal_function(mean, deviation)), -math.inf, math.inf) if deviation > 0 else None


def _exponential(rate):
    return _levels(lambda x: -torch.expm1(-rate * x)), 0, math.inf


def _values(mean, variance, low, high):
    """Levels of integers."""
    return (lambda numbers: (numbers - mean) / variance**0.5, low, high)


def reach_of(form):
    """The largest distance of a level from 0, if the form is bounded."""
    to_level, low, high = form
    return max(to_level(torch.tensor([low, high], dtype=torch.float64)).abs().max().item(), 12**0.5 / 2)


def _share(p):
    if not isinstance(p, float):
        raise TypeError("shares of a tensor")
    return _values(p, p * (1 - p), 0, 1) if LEAST_SHARE <= p <= 1 - LEAST_SHARE else None


def _whole(low, high):
    count = high - low
    return _values((low + high - 1) / 2, (count * count - 1) / 12, low, high - 1) if 1 < count <= 1 << 24 else None


def _kept(given):
    return _share(1 - given["p"]) if given.get("train") is not False else None


FORMS = {  # operator -> the function from a number to a level, and the range of all numbers
    "uniform_": lambda given: _uniform(given["from"], given["to"]),
    "rand": lambda given: _uniform(0, 1),
    "rand_like": lambda given: _uniform(0, 1),
    "normal_": lambda given: _normal(given["mean"], given["std"]),
    "randn": lambda given: _normal(0, 1),
    "randn_like": lambda given: _normal(0, 1),
    "exponential_": lambda given: _exponential(given["lambd"]),
    "bernoulli_": lambda given: _share(given["p"]),
    "bernoulli": lambda given: _share(given["p"]),
    "native_dropout": _kept,
    "randint": lambda given: _whole(given.get("low", 0), given["high"]),
    "randint_like": lambda given: _whole(given.get("low", 0), given["high"]),
    "random_": lambda given: _whole(given.get("from", 0), given["to"]),
}
RESULT = {"native_dropout": 1}


def form_of(function, arguments, named):
    """The form of a call, or None if its distribution is not known."""
    form = FORMS.get(function._schema.name.split("::")[1])
    given = {one.name: one.default_value for one in function._schema.arguments if one.has_default_value()}
    given.update(zip((one.name for one in function._schema.arguments), arguments), **named)
    try:
        return form(given) if form else None
    except (KeyError, TypeError):  # an overload with different arguments: a tensor, or no bounds
        return None


def numbers_of(function, result):
    """The drawn numbers in a result."""
    if isinstance(result, (list, tuple)):
        result = result[RESULT.get(function._schema.name.split("::")[1], 0)]
    return result


class Drawn:
    """All numbers that one operator drew in one dtype."""

    def __init__(self):
        self.heads, self.count, self.calls, self.looks, self.reach = set(), 0, 0, 0, 0.0
        # The sums of the levels, of their squares minus 1, and of products of levels at these distances.
        self.sums = [0.0] * (2 + len(LAGS))
        self.fourth = 0.0

    def is_enough(self):
        return self.count >= MOST

    def add(self, form, numbers):
        """Adds numbers. Returns a description if a number is impossible, False if the call does not count, else
        None."""
        to_level, low, high = form
        if numbers.numel() <= HEAD or not (numbers.is_floating_point() or numbers.dtype in (torch.int64, torch.int32, torch.bool)):
            return False
        numbers = numbers.detach().contiguous().cpu().reshape(-1).double()
        if not bool(((numbers >= low) & (numbers <= high)).all()):
            return f"numbers from {numbers.min().item():g} to {numbers.max().item():g}, expected from {low:g} to {high:g}"
        head = numbers[:HEAD].numpy().tobytes()
        if head in self.heads:
            return False
        self.heads.add(head)
        levels, self.reach = to_level(numbers[HEAD:]), max(self.reach, reach_of(form))
        squares = levels * levels - 1
        self.count, self.calls = self.count + levels.numel(), self.calls + 1
        for at, one in enumerate((levels, squares, *(levels[lag:] * levels[:-lag] for lag in LAGS))):
            self.sums[at] += one.sum().item()
        self.fourth += (squares * squares).sum().item()
        return None

    def take_calls(self):
        """The number of calls since the last query."""
        calls, self.calls = self.calls, 0
        return calls

    def verdict(self):
        """Returns a description of the error, "" if the numbers are right, or None if there are too few numbers. The
        numbers are judged when there are ENOUGH and when there are MOST."""
        if self.count < (ENOUGH, MOST)[min(self.looks, 1)] or self.looks > 1:
            return None
        self.looks += 1
        spreads = (1.0, (self.fourth / self.count) ** 0.5, *(1.0 for _ in LAGS))
        for name, total, spread in zip(NAMES, self.sums, spreads, strict=True):
            off = abs(total) / self.count**0.5
            if off > DEVIATIONS * spread + 1e-9:
                return f"of {self.count} numbers drawn {name} is {off / max(spread, 1e-9):.0f} standard deviations off"
        return ""

    def verdict_on_few(self):
        """Like verdict(), for fewer numbers than ENOUGH. The bounds hold for any count: levels are bounded, so Hoeffding's
        inequality bounds their sum, and Azuma's the sums of products. A right generator fails with a probability below
        1e-8. Returns None if the numbers have been judged or there are too few."""
        if self.looks or self.count < FEWEST:
            return None
        square = self.reach**2
        for name, total, reach in zip(NAMES, self.sums, (self.reach, square, *(square for _ in LAGS)), strict=True):
            if abs(total) > reach * FEW_DEVIATIONS * self.count**0.5 + 1e-9 * self.count:
                return f"of {self.count} numbers drawn {name} is off by {abs(total) / self.count:.3g}, more than chance allows"
        return ""
