# SPDX-License-Identifier: BSD-3-Clause
"""Data preparation: records that are cleaned and grouped, images that are cropped and rotated, signals that are
filtered, counters that wrap.

Sizes are odd and larger than a block of any kernel. Integers must be exact.
"""

import torch
import torch.nn.functional as F
from assay.programs.judge import program

PRELOAD = ("torch._dynamo",)
ROWS = 1037  # rows of a table
WIDTHS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


@program("programs.table_preprocessing_matches_the_cpu")
def table_preprocessing_matches_the_cpu(place):
    """Cleans, bins, groups, ranks and joins a table of times, flags, names as numbers, and prices with gaps."""
    times, people = place.labels(200000, ROWS) - 100000, place.labels(23, ROWS)
    prices, flags = place.labels(4000, ROWS).to(place.dtype) / 8 - 250, place.labels(256, ROWS).to(torch.uint8)
    holes = times.remainder(11) == 3
    prices = torch.where(holes, float("nan"), prices)
    place.see("the day of each", times // 86400)
    place.see("the second of each day", times.remainder(86400))
    place.see("the remainder rounded to zero", times.fmod(-3600))
    place.see("full hours", torch.div(times, 3600, rounding_mode="trunc"))
    place.see("the set flags", ((flags >> 3) & 5) ^ (flags << 1))
    known = prices[~prices.isnan()]
    place.see("the number of known prices", (~holes).sum())
    place.see("the known prices", known.clamp(-200.5, 200.5))
    filled = prices.nan_to_num(known.median().item()).masked_fill(flags < 16, 0.0)
    place.see("the positions of missing prices", holes.nonzero().flatten())
    kinds, back, counts = torch.unique(people, return_inverse=True, return_counts=True)
    place.see("the people", kinds)
    place.see("the records of each", counts)
    sums = torch.zeros(23, dtype=place.dtype, device=place.device).index_add_(0, back, filled, alpha=0.5)
    place.see("half of the sum that each paid", sums)
    place.see("the highest price of each person", torch.zeros_like(sums).scatter_reduce_(0, people, filled, "amax"))
    place.see("the person with the most records", counts.argmax())
    place.see("ranks", filled[:301].argsort(descending=True, stable=True))
    place.see("the five highest prices", filled.topk(5).values)
    place.see("the price range of each record", torch.bucketize(filled, place.put(torch.arange(-200.0, 201.0, 25.0)), right=True))
    place.see("the sum of each person, with the sign of the price", sums.gather(0, people) * filled.sign())
    place.see("the number of records of each person, from one-hot columns", F.one_hot(people, 23).sum(0))
    place.see("the differences of the sorted times", times.sort().values.diff())
    place.see("the logical combinations", flags.bool().logical_xor(holes).logical_or(people == 3))
    place.see("whether a person came today", torch.isin(people, people[:7]).logical_and(flags.bool()).any())
    table = torch.stack([filled, prices.nan_to_num(), flags.to(place.dtype)], 1)
    table[::3, 1] = -1.5
    table[people == 4] *= 2
    place.see("the table", table)
    place.see("the smallest of each column", table.min(0).values + table.argmin(0))
    place.see("the deviation of each column", table.std(0, correction=0))


@program("programs.image_augmentation_matches_the_cpu")
def image_augmentation_matches_the_cpu(place):
    """Converts images from bytes to numbers, crops, rotates, mirrors, pads and pastes them, and converts back."""
    images = place.labels(256, 5, 3, 37, 41).to(torch.uint8)
    x = images.to(place.dtype) / 256
    place.see("mirrored", x.flip(-1)[:, :, 3:, 1:-2])
    place.see("turned", x[:3].rot90(1, (2, 3)))
    place.see("rolled", images.roll((5, -9), (2, 3)))
    mean, spread = x.mean((0, 2, 3), keepdim=True), x.var((0, 2, 3), correction=1, keepdim=True).sqrt()
    place.see("normalized", (x - mean) / (spread + 1e-3))
    place.see("converted back to bytes", (x * 255).round().clamp_(0, 255).to(torch.uint8))
    place.see("clamped bytes", (x * 255.75).to(torch.uint8))
    place.see("clamped numbers", (40 - x * 99.75).long())
    place.see("half way", ((images[0].to(place.dtype) - 128) / 2).round())
    place.see("padded", F.pad(images, (2, 3, 1, 0), value=7))
    pasted = images.clone()
    pasted[1:4, :, 5:21:2, 7:30] = images[2, :, :8, 3:26]
    pasted[0, 1].fill_(9)
    pasted[:, 2, -1] = images[:, 0, 0]
    place.see("pasted", pasted)
    palette = place.numbers(256, 3)
    place.see("through a palette", palette[images[0, 0].long()].permute(2, 0, 1).contiguous())
    place.see("brightness", images.sum(dtype=torch.int64))
    place.see("the brightest pixel of each row", images.amax(3) - images.amin(3))
    place.see("the position of the brightest pixel", images.to(torch.int16).flatten(2).argmax(2))
    place.see("patches", x.unfold(2, 8, 7).unfold(3, 8, 11).sum((4, 5)))
    place.see("larger", F.interpolate(x[:1], scale_factor=2, mode="nearest"))
    place.see("smaller", F.avg_pool2d(x.to(memory_format=torch.channels_last), 3, 2))
    place.see("masked", torch.where(images > 100, images, images.new_tensor(3)).bitwise_not())
    grey = place.put(torch.tensor([0.25, 0.5, 0.25]))
    place.see("grey", torch.einsum("nchw,c->nhw", x, grey))


@program("programs.signal_processing_matches_the_cpu")
def signal_processing_matches_the_cpu(place):
    """One long signal: its envelope, windows, phase, and results of linear algebra."""
    t = place.put(torch.arange(4099) / 512)
    x = torch.sin(6.25 * t) * torch.exp(-t / 3) + 0.125 * torch.cos(40 * t + 1)
    place.see("the cumulative sum", x.cumsum(0))
    place.see("the cumulative maximum", x.abs().cummax(0).values)
    place.see("decibels", 20 * torch.log10(x.square() + 1e-3))
    place.see("squashed", torch.tanh(x) + torch.sigmoid(3 * x) * torch.erf(x) - x.relu().sqrt())
    place.see("raised to a power", (x.abs() + 0.5).pow(1.75) + torch.rsqrt(t + 1) + torch.log1p(t) + torch.expm1(-t))
    place.see("the phase", torch.atan2(x[1:], x[:-1] + 2))
    windows = x.unfold(0, 129, 61)[:65] * place.put(torch.hann_window(129, periodic=False, dtype=torch.float64))
    place.see("the median and deviation of the windows", torch.stack(torch.var_mean(windows, 1, correction=2)))
    place.see("the extremes of the windows", torch.stack([windows.amin(1), windows.amax(1), windows.norm(dim=1)]))
    basis = place.numbers(33, 129)
    scores = torch.addmm(place.numbers(33), windows, basis.t(), beta=0.5, alpha=-2)
    place.see("scores", scores)
    place.see("the shares of the windows", (scores / 64).softmax(1) + (scores / 64).log_softmax(0))
    three = basis[:, :99].reshape(33, 3, 33).transpose(0, 1)
    place.see("in batches", torch.baddbmm(place.numbers(3, 1, 65), three, scores.t().expand(3, 33, 65), alpha=0.25))
    place.see("the energy", torch.dot(x, x))
    wave = torch.polar(x.abs() + 0.5, 3 * x)
    place.see("turned", torch.view_as_real(wave * wave.conj().roll(1) + 2j * wave))
    place.see("the norm of the signal", wave.abs() + wave.angle())
    place.see("products", (1 + x[:65] / 8).cumprod(0).prod() + torch.logaddexp(x, -x).mean())
    place.see("mixed", torch.lerp(x, x.flip(0), 0.3).addcmul(x, t, value=-0.5).addcdiv(x, t + 2, value=3))
    place.see("every seventh sample in reverse order", x[3::7].flip(0) - x[: len(x[3::7])])


@program("programs.integer_arithmetic_matches_the_cpu")
def counters_wrap(place):
    """Integers of every width, as in counters, hashes and codes."""
    source = place.labels(1 << 31, 2, ROWS)
    for dtype in WIDTHS:
        a, b = source.to(dtype)
        divisor = torch.where(b == 0, torch.ones_like(b), b)
        place.see(f"sums, differences and products of {dtype}", torch.stack([a + b, a - b, a * b, a * 3 + 7]))
        place.see(f"quotients of {dtype}", torch.stack([a // divisor.abs().clamp(1, 100), a.remainder(divisor), a.fmod(divisor), torch.div(a, 7, rounding_mode="trunc")]))
        place.see(f"bits of {dtype}", torch.stack([a & b, a | b, a ^ b, ~a, a >> 2, a << 1]))
        place.see(f"order of {dtype}", torch.stack([a < b, a <= b, a > b, a >= b, a == b, a != b]))
        place.see(f"maximum and minimum of {dtype}", torch.stack([torch.maximum(a, b), torch.minimum(a, b), a.clamp(-5, 90)]))
        place.see(f"signs of {dtype}", torch.stack([-a, a.abs(), a.sign(), a.bool().to(dtype)]))
        place.see(f"totals of {dtype}", torch.stack([a.sum(), b.cumsum(0)[-1], a[:9].prod(), a.argmax(), b.argmin()]))
        place.see(f"the extremes of {dtype}", torch.stack([a.max(), b.min()]))
        place.see(f"conversions of {dtype}", a.to(place.dtype) / 4)
        place.see(f"permutations of {dtype}", a.index_select(0, (source[1] % ROWS)[:515]).index_fill(0, source[0, :5] % 515, 1))
    place.see("a slow count", torch.arange(-7, 3000, 11, device=place.device)[torch.arange(256, 0, -3, device=place.device)])
    hashed = torch.full((ROWS,), 5381, device=place.device)
    for _ in range(5):
        hashed = ((hashed << 5) + hashed) ^ source[0]
    place.see("hashes", hashed)
    places = torch.zeros(64, dtype=torch.int64, device=place.device)
    places.index_put_((hashed % 64,), source[1] % 1000, accumulate=True)
    place.see("sums by hash", places)
    place.see("chosen", hashed.masked_select(hashed % 3 == 1))
