# SPDX-License-Identifier: BSD-3-Clause
"""All ways to draw random numbers: distribution, generator, and refused parameters.

Bounds are seven standard errors wide, so that a correct generator stays inside for every seed.
"""

import contextlib
import math

import torch
from assay.checks.asking import each
from assay.checks.late import raised
from assay.checks.random_numbers import Drawing
from assay.checks.refused_cases import expect_refused, refused_by_cpu
from assay.values.closeness import works
from assay.values.own_torch import torch as own_torch
from suites.generator.random_draws import (
    COUNT,
    DRAWS,
    ERRORS,
    complex_draws,
    constant,
    dtype_of,
    family,
    filled,
    is_plain,
    normal,
)

# Refused calls: functions of a device tensor of ones. A refused call must not change the tensor.
REFUSED = {
    "uniform_ with exchanged bounds": lambda x: x.uniform_(3, 2),
    "normal_ with a negative deviation": lambda x: x.normal_(0, -1),
    "exponential_ of 0": lambda x: x.exponential_(0),
    "exponential_ with a negative rate": lambda x: x.exponential_(-1),
    "bernoulli_ above 1": lambda x: x.bernoulli_(1.5),
    "bernoulli_ below 0": lambda x: x.bernoulli_(-0.5),
    "bernoulli_ of NaN": lambda x: x.bernoulli_(float("nan")),
    "bernoulli_ with integers as probabilities": lambda x: x.bernoulli_(x.long()),
    "bernoulli of integers": lambda x: torch.bernoulli(x.long()),
    "uniform_ of integers": lambda x: x.long().uniform_(),
    "normal_ of integers": lambda x: x.long().normal_(),
    "exponential_ of integers": lambda x: x.long().exponential_(),
    "cauchy_ of integers": lambda x: x.long().cauchy_(),
    "log_normal_ of integers": lambda x: x.long().log_normal_(),
    "log_normal_ of complex numbers": lambda x: torch.complex(x, x).log_normal_(),
    "bernoulli_ with probabilities of another shape": lambda x: x.bernoulli_(x[:3] * 0.5),
    "normal of two shapes": lambda x: torch.normal(x, x[:3]),
    "uniform_ up to infinity": lambda x: x.uniform_(0, float("inf")),
    "uniform_ from NaN": lambda x: x.uniform_(float("nan"), 1),
    "uniform_ beyond the range of float32": lambda x: x.uniform_(-3e38, 3e38),
    "normal_ of NaN": lambda x: x.normal_(0, float("nan")),
    "exponential_ of NaN": lambda x: x.exponential_(float("nan")),
    "cauchy_ with a negative width": lambda x: x.cauchy_(0, -1),
    "geometric_ of NaN": lambda x: x.geometric_(float("nan")),
    "geometric_ above 1": lambda x: x.geometric_(1.5),
    "geometric_ below 0": lambda x: x.geometric_(-0.5),
    "log_normal_ with a negative deviation": lambda x: x.log_normal_(0, -1),
    "dropout with probability NaN": lambda x: torch.dropout(x, float("nan"), True),
    "native_dropout with probability above 1": lambda x: torch.native_dropout(x, 1.5, True),
    "native_dropout with probability below 0": lambda x: torch.native_dropout(x, -0.5, True),
    "randint above the range of uint8": lambda x: torch.randint(0, 300, (3,), dtype=torch.uint8, device=x.device),
    "randint below the range of uint8": lambda x: torch.randint(-1, 3, (3,), dtype=torch.uint8, device=x.device),
    "randperm beyond the exact integers of float16": lambda x: torch.randperm(5000, dtype=torch.float16, device=x.device),
    "multinomial into floats": lambda x: torch.multinomial(x, 2, out=torch.ones(2).to(x.device)),
    "multinomial of a negative count": lambda x: torch.multinomial(x, -1),
    "multinomial of more than all elements of a row": lambda x: torch.multinomial(torch.stack([x, x]), x.numel() + 1),
    "random_ with exchanged bounds": lambda x: x.random_(5, 5),
    "random_ to 0": lambda x: x.random_(0),
    "random_ above the range of uint8": lambda x: x.byte().random_(257),
    "random_ below the range of uint8": lambda x: x.byte().random_(-1, 5),
    "random_ above the range of int8": lambda x: x.to(torch.int8).random_(0, 129),
    "random_ below the range of int8": lambda x: x.to(torch.int8).random_(-129, 0),
    "random_ above the range of int16": lambda x: x.short().random_(0, 2**15 + 1),
    "random_ above the range of uint16": lambda x: x.to(torch.uint16).random_(0, 2**16 + 1),
    "random_ below the range of uint16": lambda x: x.to(torch.uint16).random_(-1, 5),
    "random_ above the range of int32": lambda x: x.int().random_(0, 2**31 + 1),
    "random_ below the range of int32": lambda x: x.int().random_(-(2**31) - 1, 5),
    "random_ of bools with a negative lower bound": lambda x: x.bool().random_(-1, 1),
    "random_ of bools up to 2": lambda x: x.bool().random_(0, 3),
    "cauchy_ of 0": lambda x: x.cauchy_(0, 0),
    "log_normal_ of 0": lambda x: x.log_normal_(0, 0),
    "geometric_ of 0": lambda x: x.geometric_(0),
    "geometric_ of 1": lambda x: x.geometric_(1),
    "normal with negative deviations": lambda x: torch.normal(x, -x),
    "normal with a negative deviation": lambda x: torch.normal(x, -1.0),
    "normal with a mean number and negative deviations": lambda x: torch.normal(0.0, -x),
    "normal with one negative deviation": lambda x: torch.normal(x, -x[:1]),
    "normal with a zero-dimensional negative deviation": lambda x: torch.normal(x, -x[0]),
    "normal with a mean number and one negative deviation": lambda x: torch.normal(0.0, -x[:1]),
    "randperm of a negative count": lambda x: torch.randperm(-1, device=x.device),
    "randint with exchanged bounds": lambda x: torch.randint(5, 5, (3,), device=x.device),
    "multinomial of integers": lambda x: torch.multinomial(x.long(), 1),
    "multinomial of no samples": lambda x: torch.multinomial(x, 0),
    "multinomial of more than all elements": lambda x: torch.multinomial(x, x.numel() + 1),
    "multinomial with zero weights": lambda x: torch.multinomial(x * 0, 1),
    "multinomial with a row of zero weights": lambda x: torch.multinomial(torch.stack([x, x * 0]), 1),
    "multinomial of negative numbers": lambda x: torch.multinomial(x - 2, 1),
    "multinomial of NaN": lambda x: torch.multinomial(x * float("nan"), 1),
    "multinomial of infinities": lambda x: torch.multinomial(x * float("inf"), 1),
    "multinomial of three dimensions": lambda x: torch.multinomial(x.reshape(1, 1, -1), 1),
    "multinomial of a zero-dimensional tensor": lambda x: torch.multinomial(x[0], 1),
    "dropout with probability above 1": lambda x: torch.dropout(x, 1.5, True),
    "dropout with probability below 0": lambda x: torch.dropout(x, -0.5, True),
}


def refused_before_drawing(call):
    """Returns whether the CPU leaves its generator unchanged when it refuses the call."""
    before = torch.get_rng_state()
    with contextlib.suppress(Exception):
        call(torch.ones(7))
    return own_torch.equal(torch.get_rng_state(), before)


DRAWN_IN_PLACE = {
    "uniform_": lambda x: x.uniform_(), "normal_": lambda x: x.normal_(), "bernoulli_": lambda x: x.bernoulli_(0.5), "random_": lambda x: x.random_(5),
    "exponential_": lambda x: x.exponential_(), "geometric_": lambda x: x.geometric_(0.5), "log_normal_": lambda x: x.log_normal_(),
}  # fmt: skip


def drawn_alone(device, name, where):
    """Returns a message if a draw into a part of a tensor skips elements or writes outside the part, or else ""."""
    x = torch.full((1000,), -9.0, device=device)
    DRAWN_IN_PLACE[name](x[where])
    stayed = x.cpu() == -9
    inside = stayed[where].clone()
    stayed[where] = False
    left_out, elsewhere = int(inside.sum()), 1000 - len(inside) - int(stayed.sum())
    return f"{name} of [{where.start}:{where.stop}:{where.step or 1}] skips {left_out} elements and writes {elsewhere} elements outside" if left_out or elsewhere else ""


def permuted_alone(device):
    x = torch.full((20,), -1, device=device)
    torch.randperm(10, out=x[::2])
    return x[::2].sort().values.tolist(), x[1::2].tolist()


class RandomOverloads(Drawing):
    def test_distributions(self):
        """generator.each_overload_draws_its_distribution"""
        self.compare_distributions(DRAWS)

    def test_complex(self):
        """generator.complex_normal_has_the_right_variance"""
        self.compare_distributions(complex_draws())

    def compare_distributions(self, rows):
        generator, served = self.any_generator(), set()
        for name, (draw, mean, deviation, possible), one in each(self, rows, plain=is_plain):
            with one:
                is_owed = family(name) in served and self.holds(dtype_of(name))
                with self.asks_a_special_case() if is_owed else contextlib.nullcontext():
                    drawn = self.on_cpu(draw(self.device, generator)).double()
                served.add(family(name))
                count = drawn.numel()
                self.expect_true(
                    possible(drawn),
                    f"{name} draws only possible numbers",
                    f"from {drawn.min().item()} to {drawn.max().item()}",
                )
                seen = drawn.mean().item()
                rounding = 0.01 * deviation if "16" in name else 0
                self.expect_true(
                    abs(seen - mean) <= ERRORS * deviation / math.sqrt(count) + rounding,
                    f"the mean of {name} is near {mean:.4g}",
                    f"{seen:.6g}",
                )
                seen = drawn.std().item()
                self.expect_true(
                    abs(seen / deviation - 1) < 0.12, f"the deviation of {name} is near {deviation:.4g}", f"{seen:.6g}"
                )
                self.expect_independent(name, (drawn - mean) / deviation)

    def holds(self, dtype):
        try:
            torch.zeros(1, dtype=dtype, device=self.device)
        except Exception:
            return False
        return True

    def expect_independent(self, name, drawn):
        """Expects that elements are independent of their neighbours and of elements a block or half a tensor away."""
        for apart in (1, 2, 64, 256, 1024, drawn.numel() // 2):
            pairs = drawn.numel() - apart
            seen = (drawn[apart:] * drawn[:-apart]).mean().item()
            self.expect_true(
                abs(seen) < 2 * ERRORS / math.sqrt(pairs),
                f"elements of {name} that are {apart} apart are independent",
                f"the correlation is {seen:.4g}",
            )

    def test_quartiles(self):
        """generator.extreme_values_have_the_right_frequency"""
        generator = self.any_generator()
        rows = {
            "cauchy_": (filled("cauchy_", 2.0, 3.0), {2.0: 0.5, -1.0: 0.25, 5.0: 0.75}),
            "cauchy_ with default parameters": (filled("cauchy_"), {0.0: 0.5, -1.0: 0.25, 1.0: 0.75}),
            "normal_": (filled("normal_", 2.0, 3.0), {2.0: 0.5, 5.0: 0.841345, -1.0: 0.158655, 8.0: 0.97725}),
            "exponential_": (
                filled("exponential_", 2.0),
                {0.5 * math.log(2): 0.5, 1.0: 1 - math.exp(-2), 0.05: 1 - math.exp(-0.1)},
            ),
            "uniform_": (filled("uniform_", -1.0, 3.0), {0.0: 0.25, 2.0: 0.75, 2.9: 0.975, -0.96: 0.01}),
            "geometric_": (filled("geometric_", 0.3), {1.5: 0.3, 2.5: 0.51}),
        }
        for name, (draw, shares), one in each(self, rows, plain=lambda name: True):
            with one:
                drawn = self.on_cpu(draw(self.device, generator)).double()
                for limit, share in shares.items():
                    seen = (drawn < limit).double().mean().item()
                    near = ERRORS * math.sqrt(share * (1 - share) / COUNT)
                    self.expect_true(
                        abs(seen - share) < near, f"{share:.4g} of {name} are below {limit:.4g}", f"{seen:.4g}"
                    )

    def test_generators(self):
        """generator.each_overload_uses_the_given_generator"""
        generator = self.generator()
        draws = {name: row[0] for name, row in DRAWS.items()}
        draws |= {"cauchy_": filled("cauchy_", 2.0, 3.0), "randperm": lambda d, g: torch.randperm(COUNT, device=d, generator=g),
                  "multinomial without replacement": lambda d, g: torch.multinomial(constant(1.0, d), COUNT // 2, generator=g)}  # fmt: skip
        served = set()
        for name, draw, one in each(self, draws):
            with one:
                self.compare_draws(name, draw, generator)
                served.add(name)
        self.clause("GEN-006")
        if self.takes(torch.Generator()):
            self.note("a generator of the CPU", "is accepted, which a fallback may do")
            return
        self.refuse_foreign({name: draws[name] for name in draws if name in served})

    def takes(self, generator):
        try:
            torch.rand(3, device=self.device, generator=generator)
        except Exception:
            return False
        return True

    def refuse_foreign(self, draws):
        other = torch.Generator()
        for name, draw, one in each(self, draws):
            with one:
                before = other.get_state()
                error = self.expect_raises(
                    RuntimeError, f"{name} refuses a CPU generator, as rand does", draw, self.device, other
                )
                if error is not None:
                    self.expect_tensor(other.get_state(), before, f"{name} does not advance the refused generator")

    def compare_draws(self, name, draw, generator):
        self.clause("GEN-036")
        drawn = []
        for seed in (self.seed, self.seed, self.seed + 1):
            generator.manual_seed(seed)
            drawn.append(self.on_cpu(draw(self.device, generator)))
        again = self.on_cpu(draw(self.device, generator))
        self.expect_tensor(drawn[1], drawn[0], f"{name} draws the same numbers after the same seed")
        self.expect_different(drawn[2], drawn[0], f"{name} draws other numbers after another seed")
        self.expect_different(again, drawn[2], f"two draws of {name} differ")

    def drawn_after_seed(self):
        torch.manual_seed(self.seed)
        return self.on_cpu(torch.rand(8, device=self.device))

    def test_refused(self):
        """generator.invalid_distribution_parameters_are_rejected"""
        self.clause("GEN-039")
        # torch.rand is a means here; a backend without torch.rand is tested with the other calls
        first = self.drawn_after_seed() if works(self.drawn_after_seed) else None
        is_reproduced = first is not None and own_torch.equal(self.drawn_after_seed(), first)
        if not is_reproduced:
            self.note("not tested", "whether a refusal draws: torch.manual_seed() does not determine torch.rand() here")
        for name, call, one in each(self, REFUSED):
            with one:
                x = self.on_device(torch.ones(7))
                torch.manual_seed(self.seed)
                if self.expect_raises((RuntimeError, ValueError), f"{name} is refused", call, x) is not None:
                    drawn = self.on_cpu(torch.rand(8, device=self.device)) if is_reproduced else None
                    self.expect_tensor(x, torch.ones(7), f"{name} changes nothing when the call is refused")
                    if is_reproduced and refused_before_drawing(call):
                        with self.clause("GEN-041"):
                            self.expect_tensor(drawn, first, f"a refused {name} does not advance the generator")
                wanted = refused_by_cpu(call, torch.ones(0))
                if wanted is not None:
                    expect_refused(self, f"{name} of no elements", raised(self.device, call, x[:0]), wanted)

    def test_small(self):
        """generator.draws_with_a_certain_result_match_the_cpu"""
        generator = self.any_generator()
        rows = {
            "no elements": lambda d: (torch.rand(0, 3, device=d, generator=generator).shape, torch.randn(0, device=d).shape, torch.randperm(0, device=d).shape),
            "zero dimensions": lambda d: (torch.rand((), device=d).shape, torch.randint(3, 4, (), device=d).item(), torch.randperm(1, device=d).tolist()),
            "probabilities 0 and 1": lambda d: (torch.zeros(9, device=d).bernoulli_(1).tolist(), torch.ones(9, device=d).bernoulli_(0).tolist(), torch.bernoulli(torch.ones(5).to(d)).tolist(),
                                        torch.bernoulli(torch.zeros(5).to(d)).tolist()),
            "zero deviation": lambda d: (torch.zeros(5, device=d).normal_(2, 0).tolist(), torch.normal(torch.arange(3.0).to(d), 0.0).tolist(), torch.normal(torch.arange(3.0).to(d), torch.zeros(3).to(d)).tolist()),
            "empty range": lambda d: (torch.zeros(5, device=d).uniform_(2, 2).tolist(), torch.zeros(5, device=d).random_(4, 5).tolist()),
            "an integer that float32 cannot represent": lambda d: [torch.zeros(shape, dtype=torch.int64, device=d).random_(2**24 + 1, 2**24 + 2).unique().tolist() for shape in (5, (1,) * 7 + (9,), (1,) * 8 + (9,))],
            "nine dimensions": lambda d: (torch.rand((1,) * 9, device=d).shape, torch.zeros((1,) * 8 + (4,), device=d).uniform_(2, 2).tolist()),
            "only negative numbers": lambda d: [bool((x < 0).all()) for x in (torch.zeros(99, dtype=torch.int64, device=d).random_(-(2**63), 0).cpu(),)],
            "a permutation into an empty out=": lambda d: torch.randperm(5, out=torch.empty(0, dtype=torch.int64, device=d)).sort().values.tolist(),
            "a range near the end of its dtype": lambda d: [bool(((x >= 1e308) & (x <= 1.5e308)).all()) for x in (torch.zeros(99, dtype=torch.float64, device=d).uniform_(1e308, 1.5e308).cpu(),)],
            "all elements": lambda d: (torch.multinomial(torch.tensor([1.0, 2, 3]).to(d), 3).sort().values.tolist(), torch.multinomial(torch.tensor([[0, 2.0], [1, 0]]).to(d), 1).tolist()),
            "shapes": lambda d: (torch.multinomial(torch.ones(2, 4).to(d), 3).shape, torch.multinomial(torch.ones(4).to(d), 6, True).shape, torch.normal(torch.ones(3, 1).to(d), torch.ones(4).to(d)).shape,
                                 torch.bernoulli(torch.ones(2, 3).to(d)).dtype, torch.multinomial(torch.ones(4).to(d), 1).dtype),
            "dtypes of normal numbers": lambda d: [torch.normal(torch.zeros(3, dtype=t).to(d), torch.ones(3, dtype=s).to(d)).dtype for t, s in ((torch.float32, torch.float64), (torch.float64, torch.float32))],
            "rows with one possible element": lambda d: torch.multinomial(torch.eye(5).to(d), 4, True).tolist(),
            "samples without replacement": lambda d: [len(set(row)) for row in torch.multinomial(torch.ones(3, 50).to(d), 40).tolist()],
            "a part of a tensor": lambda d: [words for name in DRAWN_IN_PLACE for where in (slice(100, 400), slice(0, 900, 3), slice(1, 2)) if (words := drawn_alone(d, name, where))],
            "a permutation into every other element": lambda d: permuted_alone(d),
            "permutations": lambda d: [torch.randperm(n, dtype=t, device=d).sort().values.tolist() for n in (2, 257, 1030) for t in (torch.int64, torch.int32, torch.float32)],
        }  # fmt: skip
        # these need float64, which a device may lack
        special = {"permutations", "dtypes of normal numbers", "a range near the end of its dtype"}
        for name, call, one in each(self, rows, plain=lambda name: name not in special):
            with one:
                self.expect_equal(call(self.device), call("cpu"), f"{name}: results that do not depend on chance equal the CPU's")

    def test_dropout(self):
        """generator.dropout_scales_the_kept_elements"""
        for p in (0.25, 0.5, 0.9):
            x = self.on_device(torch.full((COUNT,), 3.0)).requires_grad_()
            seen = self.op("aten::native_dropout", torch.dropout, x, p, True)
            kept = self.on_cpu(seen) != 0
            share, near = kept.double().mean().item(), ERRORS * math.sqrt(p * (1 - p) / COUNT)
            self.expect_true(abs(share - 1 + p) < near, f"dropout of {p} keeps {1 - p}", f"dropout keeps {share}")
            wanted = torch.where(kept, 3 / (1 - p), 0.0)
            self.expect_tensor(seen, wanted, f"dropout of {p} scales the kept elements", rtol=1e-5)
            seen.backward(self.on_device(torch.full((COUNT,), 2.0)))
            self.expect_tensor(
                x.grad, wanted / 3 * 2, f"the gradient of dropout of {p} has the mask and the factor of the forward", rtol=1e-5
            )
        x = self.on_device(torch.full((COUNT,), 3.0))
        for what, (p, train, wanted) in {
            "with probability 0": (0.0, True, 3.0),
            "with probability 1": (1.0, True, 0.0),
            "in evaluation": (0.7, False, 3.0),
        }.items():
            with self.asks_a_special_case():
                dropped = {"dropout": torch.dropout(x, p, train), "native_dropout": torch.native_dropout(x, p, train)[0]}
            for name, seen in dropped.items():
                self.expect_tensor(seen, torch.full((COUNT,), wanted), f"{name} {what} leaves {wanted} of 3")
        for what, (p, train) in {"with probability 0": (0.0, True), "in evaluation": (0.7, False)}.items():
            kept, mask = torch.native_dropout(x, p, train)
            self.expect_tensor(mask, torch.ones(COUNT, dtype=torch.bool), f"the mask of native_dropout {what} keeps all elements")
            kept.zero_()
            self.expect_tensor(x, torch.full((COUNT,), 3.0), f"native_dropout {what} returns its own memory")
        none, mask = torch.native_dropout(x[:0], 0.5, True)
        self.expect_equal((none.shape, mask.shape), (x[:0].shape, x[:0].shape), "native_dropout of no elements")
        seen, mask = self.op("aten::native_dropout", torch.ops.aten.native_dropout, x, 0.5, None)
        kept = self.on_cpu(mask)
        self.expect_true(0 < int(kept.sum()) < COUNT, "native_dropout with train=None drops elements", f"it keeps {int(kept.sum())}")
        self.expect_tensor(seen, torch.where(kept, 6.0, 0.0), "native_dropout scales the elements that its mask keeps")
        mine = self.on_device(torch.full((COUNT,), 3.0))
        torch.dropout_(mine, 0.5, True)
        kept = self.on_cpu(mine) != 0
        self.expect_tensor(mine, torch.where(kept, 6.0, 0.0), "dropout in place scales the kept elements")
        self.expect_independent("the mask of dropout", kept.double() * 2 - 1)
        rows = self.on_cpu(torch.feature_dropout(self.on_device(torch.ones(64, 32, 5)), 0.5, True))
        self.expect_true(
            bool((rows.amin(2) == rows.amax(2)).all()) and 0 < (rows[:, :, 0] == 0).sum() < 2048,
            "feature_dropout drops whole rows",
            "a row is partly dropped, or no row is dropped",
        )
