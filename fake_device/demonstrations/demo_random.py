# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers of the driver: sequences that repeat and distributions that are off."""

import torch

from demonstrate import demonstrates
from instruments import raises


def rand(count=8):
    return torch.rand(count, device="fakedev").tolist()


@demonstrates("random.offset_not_used")
def each_draw_is_the_first():
    assert rand() != rand()


@demonstrates("random.skip_ignored")
def draw_does_not_advance():
    assert rand() != rand()


@demonstrates("random.period_of_64")
def numbers_repeat():
    values = rand(128)
    assert values[:64] != values[64:]


@demonstrates("random.seed_keeps_offset")
def seed_does_not_begin_again():
    torch.manual_seed(3)
    first = rand()
    torch.manual_seed(3)
    assert rand() == first


@demonstrates("random.normal_deviation_ignored")
def normal_numbers_are_too_close():
    torch.manual_seed(3)
    assert 50 < torch.empty(1000, device="fakedev").normal_(0, 100).cpu().std() < 200


@demonstrates("random.uniform_includes_one")
def one_is_drawn():
    torch.manual_seed(3)
    assert max(rand(10000)) < 1


@demonstrates("random.integer_includes_high")
def index_is_out_of_range():
    torch.manual_seed(3)
    indices = torch.randint(0, 4, (1000,), device="fakedev").cpu()
    assert torch.arange(4)[indices.clamp(max=3)].equal(indices)


@demonstrates("random.integers_of_24_bits")
def large_integers_never_come():
    torch.manual_seed(3)
    assert torch.empty(1000, dtype=torch.int64, device="fakedev").random_().cpu().max() > 1 << 40


@demonstrates("random.randperm_repeats")
def shuffle_loses_samples():
    assert len(set(torch.randperm(1000, device="fakedev").tolist())) == 1000


@demonstrates("random.cpu_generator_accepted")
def generator_of_the_host_is_taken():
    assert raises(RuntimeError, torch.rand, 2, device="fakedev", generator=torch.Generator())


@demonstrates("random.negative_deviation_taken")
def negative_deviation_is_taken():
    assert raises(RuntimeError, torch.empty(3, device="fakedev").normal_, 0, -1)


@demonstrates("random.draws_before_it_refuses")
def what_is_refused_has_drawn():
    before = torch.fakedev.get_rng_state()
    assert raises(RuntimeError, torch.empty(3, device="fakedev").normal_, 0, -1)
    assert torch.equal(torch.fakedev.get_rng_state(), before)


@demonstrates("random.dropout_gradient_not_scaled")
def gradient_of_dropout_is_short():
    x = torch.ones(64, device="fakedev", requires_grad=True)
    torch.dropout(x, 0.5, True).sum().backward()
    assert set(x.grad.tolist()) <= {0.0, 2.0}
