# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers as a user meets them."""

import threading

import torch
from torch.utils.checkpoint import checkpoint

from demonstrate import ERROR, demonstrates


def draw(generator):
    return torch.rand(8, device=generator.device, generator=generator).tolist()


def seeded(device="fakedev:0"):
    return torch.Generator(device).manual_seed(3)


@demonstrates("generator.argument_ignored")
def generator_is_not_used():
    assert draw(seeded()) == draw(seeded())


@demonstrates("generator.clone_is_of_the_cpu")
def clone_is_elsewhere():
    assert seeded().clone_state().device.type == "fakedev"


@demonstrates("generator.clone_shares_state")
def clone_moves_the_original():
    generator = seeded()
    draw(generator.clone_state())
    assert generator.get_offset() == 0


@demonstrates("generator.default_is_shared")
def devices_disturb_each_other():
    torch.fakedev.manual_seed_all(3)
    state = torch.fakedev.get_rng_state(1)
    torch.rand(8, device="fakedev:0")
    assert torch.equal(state, torch.fakedev.get_rng_state(1))


@demonstrates("generator.default_missing", shows=ERROR)
def random_numbers_raise():
    torch.manual_seed(3)
    torch.rand(8, device="fakedev")


@demonstrates("generator.draws_from_cpu")
def device_draws_disturb_the_cpu():
    before = torch.get_rng_state()
    torch.rand(8, device="fakedev")
    assert torch.equal(torch.get_rng_state(), before)


@demonstrates("hooks.default_generator_of_current", since=(2, 14))
def seed_of_another_device_is_told():
    with torch.fakedev.device(1):
        torch.fakedev.manual_seed(3)
    torch.fakedev.manual_seed(4)
    assert torch.accelerator.random.initial_seed(1) == 3


@demonstrates("generator.philox_state_reserves_nothing", since=(2, 14))
def foreign_kernel_repeats_numbers():
    generator = seeded()
    offset = generator.philox_state(4)[1].item()
    assert generator.philox_state(4)[1].item() > offset


@demonstrates("generator.new_ignores_index")
def generator_is_elsewhere():
    assert torch.Generator("fakedev:1").device.index == 1


@demonstrates("generator.seed_is_constant")
def fresh_seed_repeats():
    generator = torch.Generator("fakedev")
    assert generator.seed() != generator.seed()


@demonstrates("generator.seed_keeps_offset")
def seeding_does_not_begin_again():
    generator = seeded()
    first = draw(generator)
    assert draw(generator.manual_seed(3)) == first


@demonstrates("generator.state_aliases")
def kept_state_changes():
    generator = seeded()
    state = generator.get_state()
    first = draw(generator)
    generator.set_state(state)
    assert draw(generator) == first


@demonstrates("generator.state_loses_offset")
def state_goes_too_far_back():
    generator = seeded()
    draw(generator)
    state = generator.get_state()
    second = draw(generator)
    generator.set_state(state)
    assert draw(generator) == second


@demonstrates("generator.state_size_unchecked")
def wrong_state_is_taken():
    try:
        seeded().set_state(torch.zeros(3, dtype=torch.uint8))
    except RuntimeError:
        return
    raise AssertionError("three bytes were a state")


@demonstrates("python.bad_fork_missing")
def device_is_not_seeded():
    torch.manual_seed(3)
    first = torch.rand(8, device="fakedev").tolist()
    torch.manual_seed(3)
    assert torch.rand(8, device="fakedev").tolist() == first


@demonstrates("python.initialized_missing")
def checkpoint_recomputes_other_numbers():
    x = torch.ones(64, device="fakedev", requires_grad=True)
    y = checkpoint(lambda t: torch.rand_like(t) * t, x, use_reentrant=False)
    y.sum().backward()
    assert torch.equal(y.detach().cpu(), x.grad.cpu())


@demonstrates("python.manual_seed_all_only_current")
def second_device_is_not_seeded():
    torch.manual_seed(3)
    first = torch.rand(8, device="fakedev:1").tolist()
    torch.manual_seed(3)
    assert torch.rand(8, device="fakedev:1").tolist() == first


@demonstrates("python.manual_seed_all_without_effect")
def seed_is_forgotten():
    torch.manual_seed(3)
    first = torch.rand(8, device="fakedev").tolist()
    torch.manual_seed(3)
    assert torch.rand(8, device="fakedev").tolist() == first


@demonstrates("python.manual_seed_rejects_negative", shows=ERROR)
def negative_seed_raises():
    torch.manual_seed(-1)


@demonstrates("python.rng_all_is_current_only")
def second_device_has_no_state():
    assert len(torch.fakedev.get_rng_state_all()) == torch.fakedev.device_count()


@demonstrates("python.rng_functions_reject_int", shows=ERROR)
def rng_state_by_number_raises():
    torch.fakedev.get_rng_state(0)


@demonstrates("python.rng_state_of_current_device")
def fork_rng_restores_the_wrong_device():
    before = torch.fakedev.default_generators[1].get_offset()
    with torch.random.fork_rng(devices=[0, 1], device_type="fakedev"):
        torch.rand(8, device="fakedev:1")
    assert torch.fakedev.default_generators[1].get_offset() == before


@demonstrates("generator.seed_truncated")
def large_seed_is_another():
    assert torch.Generator("fakedev").manual_seed(2**63).initial_seed() == 2**63


@demonstrates("generator.offset_ignored")
def offset_cannot_be_set_back():
    generator = seeded()
    first = draw(generator)
    generator.set_offset(0)
    assert draw(generator) == first


@demonstrates("generator.draws_do_not_advance")
def numbers_repeat():
    torch.manual_seed(3)
    assert torch.rand(8, device="fakedev").tolist() != torch.rand(8, device="fakedev").tolist()


@demonstrates("generator.device_without_index")
def generator_has_no_index():
    assert torch.Generator("fakedev:1").device == torch.device("fakedev:1")


@demonstrates("generator.any_index")
def generator_of_no_device():
    try:
        torch.Generator("fakedev:9")
    except RuntimeError:
        return
    raise AssertionError("there is no device 9")


@demonstrates("python.first_early_seed_wins")
def second_seed_is_lost():
    torch.manual_seed(3)
    torch.manual_seed(4)
    assert torch.fakedev.initial_seed() == 4


@demonstrates("python.seed_lost_before_start")
def first_seed_is_lost():
    torch.manual_seed(3)
    assert torch.fakedev.initial_seed() == 3


@demonstrates("generator.cpu_generator_accepted")
def generator_of_the_cpu_is_taken():
    try:
        torch.rand(8, device="fakedev", generator=torch.Generator())
    except RuntimeError:
        return
    raise AssertionError("its numbers came from elsewhere")


@demonstrates("generator.draws_unlocked")
def threads_draw_the_same_numbers():
    generator, drawn = seeded(), []
    threads = [
        threading.Thread(target=lambda: drawn.extend(draw(generator) for _ in range(25)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(tuple, drawn))) == 100


@demonstrates("generator.new_is_of_the_cpu")
def generator_is_of_the_cpu():
    assert torch.Generator("fakedev").device.type == "fakedev"


@demonstrates("generator.new_shares_engine")
def generators_disturb_each_other():
    one, other = seeded(), seeded()
    draw(other)
    assert one.get_offset() == 0


@demonstrates("generator.offset_refused_with_state", shows=ERROR)
def state_cannot_be_kept():
    torch.fakedev.get_rng_state()


@demonstrates("generator.randperm_ignores_it")
def shuffling_does_not_follow_the_generator():
    def shuffled():
        return torch.randperm(100, device="fakedev", generator=seeded()).tolist()

    assert shuffled() == shuffled()


@demonstrates("generator.refused_unclearly", shows=ERROR)
def generator_fails_with_the_words_of_a_container():
    torch.Generator("fakedev")


@demonstrates("generator.state_is_on_device")
def state_is_on_the_device():
    assert torch.fakedev.get_rng_state().device.type == "cpu"
