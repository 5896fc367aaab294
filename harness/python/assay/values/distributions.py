# SPDX-License-Identifier: BSD-3-Clause
"""Tests operators that draw random numbers by the distribution of the numbers.

No single random number can be wrong. So the tests draw so many numbers that a correct generator fails a statement with
a probability of 10^-12. The statements concern the share of each value, the whole distribution function (Dvoretzky,
Kiefer, Wolfowitz), and probabilities of 0 and 1. Further statements concern the elements that dropout keeps and scales,
and the independence of numbers that are neighbours or one block apart.
"""

import math
import warnings

import torch
from assay.values import own_torch
from assay.values.trees import tensors

COUNT = 65537  # a multiple of any block size, plus one
ODDS = 1e-13
BOUND = math.sqrt(math.log(2 / ODDS) / 2 / COUNT)  # bound for a share and for a distribution function
# bound for a mean of products: probability below 1e-18, with a margin because the mean is only nearly normal
DEVIATIONS = 9
LAGS = (1, 2, 3, 4, 32, 64, 128, 256, 512, 1024, 4096)


# ---- statements about numbers -------------------------------------------------------------------------


def _of_shares(numbers, shares):
    """`shares` maps each value to its probability. Other values must not occur."""
    rest = torch.ones_like(numbers, dtype=torch.bool)
    for value, share in shares.items():
        met = numbers == value
        rest &= ~met
        seen = met.double().mean().item()
        bound = BOUND * (COUNT / numbers.numel()) ** 0.5
        if abs(seen - share) > bound or share in (0, 1) and seen != share:
            return f"{seen:.4f} of the numbers are {value:g}, expected {share:.4f} within {bound:.4f}"
    if rest.any():
        return f"{rest.sum().item()} numbers are not among the possible values, for example {numbers[rest][0].item():g}"
    return None


def _of_function(numbers, function, low, high):
    """`function` is the cumulative distribution function. All numbers must be between `low` and `high`."""
    if not (numbers.isfinite() & (numbers >= low) & (numbers <= high)).all():
        return f"from {numbers.min().item():g} to {numbers.max().item():g}, expected from {low:g} to {high:g}"
    expected = function(numbers.sort().values)
    steps = torch.arange(COUNT + 1, dtype=torch.float64) / COUNT
    off = own_torch.torch.maximum((steps[1:] - expected).abs(), (steps[:-1] - expected).abs())
    if off.max() > BOUND:
        at = int(off.argmax())
        return (f"{at / COUNT:.4f} of the numbers are below {numbers.sort().values[at].item():g}, "
                f"expected {expected[at].item():.4f} within {BOUND:.4f}")
    return None


def _of_neighbours(levels):
    """`levels` are numbers that have mean 0 and variance 1 if the generator is right."""
    for lag in LAGS:
        products = levels[lag:] * levels[:-lag]
        seen = products.mean().item() * len(products) ** 0.5
        if abs(seen) > DEVIATIONS:
            return f"numbers {lag} apart are not independent: {abs(seen):.0f} standard deviations"
    return None


def _continuous(draw, function, low=-math.inf, high=math.inf):
    def ask(device, dtype):
        numbers = draw(device, dtype).cpu().double().reshape(-1)
        levels = (function(numbers) - 0.5) * 12**0.5
        return _of_function(numbers, function, low, high) or _of_neighbours(levels)

    return ask


def _discrete(draw, shares):
    def ask(device, dtype):
        numbers = draw(device, dtype).cpu().double().reshape(-1)
        mean = sum(value * share for value, share in shares.items())
        spread = sum((value - mean) ** 2 * share for value, share in shares.items()) ** 0.5
        said = _of_shares(numbers, shares)
        return said or (_of_neighbours((numbers - mean) / spread) if spread else None)

    return ask


# ---- distributions --------------------------------------------------------------------------------------


def _empty(device, dtype):
    return torch.empty(COUNT, device=device, dtype=dtype)


def _full(device, dtype, value=1.0, *shape):
    return torch.full(shape or (COUNT,), value, dtype=dtype).to(device)


def normal_function(mean=0.0, deviation=1.0):
    return lambda x: 0.5 * torch.erfc((mean - x) / deviation / 2**0.5)


def _geometric_shares(p, most=150):
    return {k: p * (1 - p) ** (k - 1) for k in range(1, most)}


def _bernoulli(p):
    return _discrete(lambda device, dtype: torch.bernoulli(_full(device, dtype, p)), {0: 1 - p, 1: p})


def _dropout(function, p, channels=False):
    """Tests dropout of a tensor of twos. With `channels`, dropout must keep or drop each channel as a whole."""
    shares = {0: p, 2 / (1 - p): 1 - p} if p < 1 else {0: 1}

    def draw(device, dtype):
        if not channels:
            return function(_full(device, dtype, 2.0), p=p, training=True)
        made = function(_full(device, dtype, 2.0, COUNT, 2, *channels), p=p, training=True).cpu()
        whole = made.reshape(COUNT, 2, -1)
        return torch.where((whole == whole[..., :1]).all(-1), whole[..., 0], math.nan)[:, 0]

    values = {torch.tensor(value, dtype=torch.float32).item(): share for value, share in shares.items()}
    return _discrete(draw, values)


def _multinomial(device, dtype):
    return torch.multinomial(torch.tensor([0.1, 0.2, 0.0, 0.3, 0.4], dtype=dtype).to(device), COUNT, replacement=True)


def _permuted(device, dtype):
    made = torch.randperm(COUNT, device=device).cpu()
    if not own_torch.torch.equal(made.sort().values, torch.arange(COUNT)):
        raise AssertionError("the result is not a permutation")
    return (made + 0.5) / COUNT


F = torch.nn.functional
DISTRIBUTIONS = {  # name of an OpInfo -> its statements; each statement is a function of device and dtype
    "uniform": [_continuous(lambda d, t: _empty(d, t).uniform_(-2, 3), lambda x: (x + 2) / 5, -2, 3)],
    "rand_like": [_continuous(lambda d, t: torch.rand_like(_full(d, t)), lambda x: x, 0, 1)],
    "normal_in_place": [_continuous(lambda d, t: _empty(d, t).normal_(2, 3), normal_function(2, 3))],
    "randn": [_continuous(lambda d, t: torch.randn(COUNT, device=d, dtype=t), normal_function())],
    "randn_like": [_continuous(lambda d, t: torch.randn_like(_full(d, t)), normal_function())],
    "normal": [_continuous(lambda d, t: torch.normal(_full(d, t, 2.0), _full(d, t, 3.0)), normal_function(2, 3)),
               _continuous(lambda d, t: torch.normal(_full(d, t, 2.0), 0.5), normal_function(2, 0.5))],
    "normal_number_mean": [_continuous(lambda d, t: torch.normal(2.0, _full(d, t, 3.0)), normal_function(2, 3))],
    "exponential": [_continuous(lambda d, t: _empty(d, t).exponential_(2), lambda x: -torch.expm1(-2 * x), 0)],
    "cauchy": [_continuous(lambda d, t: _empty(d, t).cauchy_(1, 2), lambda x: torch.atan((x - 1) / 2) / math.pi + 0.5)],
    "log_normal": [_continuous(lambda d, t: _empty(d, t).log_normal_(0.5, 0.25),
                               lambda x: normal_function(0.5, 0.25)(x.log()), 0)],
    "geometric": [_discrete(lambda d, t: _empty(d, t).geometric_(0.25), _geometric_shares(0.25))],
    "bernoulli": [_bernoulli(0.3), _bernoulli(0.0), _bernoulli(1.0)],
    "randint": [_discrete(lambda d, t: torch.randint(-3, 7, (COUNT,), device=d), {k: 0.1 for k in range(-3, 7)})],
    "randint_like": [_discrete(lambda d, t: torch.randint_like(_full(d, t), -3, 7), {k: 0.1 for k in range(-3, 7)})],
    "randperm": [_continuous(_permuted, lambda x: x, 0, 1)],
    "multinomial": [_discrete(_multinomial, {0: 0.1, 1: 0.2, 2: 0.0, 3: 0.3, 4: 0.4})],
    "nn_functional_dropout": [_dropout(F.dropout, p) for p in (0.25, 0.5, 0.0, 1.0)],
    "nn_functional_dropout2d": [_dropout(F.dropout2d, p, (2, 2)) for p in (0.25, 0.0, 1.0)],
    "nn_functional_dropout3d": [_dropout(F.dropout3d, p, (1, 2, 2)) for p in (0.25, 0.0, 1.0)],
    "nn_functional_rrelu": [_continuous(lambda d, t: F.rrelu(_full(d, t, -2.0), 0.1, 0.4, True), lambda x: (x + 0.8) / 0.6, -0.8000001,
                                        -0.1999999)],
    "nn_functional_alpha_dropout": [_discrete(
        lambda d, t: F.alpha_dropout(_full(d, t, 0.0), 0.25, True) > 0, {0: 0.25, 1: 0.75})],
}


def unseeded(draw):
    """Returns a message if torch.manual_seed does not determine the numbers. Returns None if the seed determines the
    numbers, or if PyTorch warns that it cannot seed the device."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = []
        for seed in (3, 3):
            torch.manual_seed(seed)
            made.append([one.cpu() for one in tensors(draw())])
    if any("does not take effect" in str(one.message) for one in said):
        return None
    same = all(own_torch.torch.allclose(*pair, rtol=0, atol=0, equal_nan=True) for pair in zip(*made))
    return None if same else "the same seed gives other numbers"
