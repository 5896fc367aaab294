# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of many_devices. See ../fleet_defects.py."""

import io

import torch
import torch.utils.checkpoint
from fleet_defects import raises, shows


@shows("device-for-each-slot")
def device_1_is_counted_and_has_no_memory():
    assert torch.accelerator.device_count() == 127
    assert raises(RuntimeError, lambda: torch.zeros(1, device="many_devices:1"))


@shows("capability-index-unchecked")
def the_capability_of_no_device_is_answered():
    torch.accelerator.get_device_capability(127)


@shows("pin-is-ignored")
def a_device_tensor_is_made_with_pin_memory():
    assert not torch.empty(2, device="many_devices", pin_memory=True).is_pinned()


@shows("seed-of-32-bits")
def the_upper_half_of_a_seed_is_lost():
    assert torch.Generator("many_devices").manual_seed(2**40 + 5).initial_seed() == 5


@shows("second-normal-survives")
def the_first_number_after_a_seed_is_an_old_one():
    generator = torch.Generator("many_devices").manual_seed(3)
    first = torch.randn(1, device="many_devices", generator=generator).cpu()
    generator.manual_seed(3)
    assert not torch.equal(torch.randn(1, device="many_devices", generator=generator).cpu(), first)


@shows("state-of-any-size")
def a_state_of_three_bytes_is_taken():
    torch.Generator("many_devices").set_state(torch.zeros(3, dtype=torch.uint8))


@shows("seed-is-the-clock")
def two_seeds_are_the_same():
    generator = torch.Generator("many_devices")
    seeds = [generator.seed() for _ in range(3)]
    assert seeds[0] == seeds[1] or seeds[1] == seeds[2]


@shows("early-seed-is-lost")
def a_seed_before_the_first_use_does_nothing():
    torch.manual_seed(5)
    early = torch.rand(3, device="many_devices").cpu()
    torch.manual_seed(5)
    assert not torch.equal(torch.rand(3, device="many_devices").cpu(), early)


@shows("no-negative-seed")
def a_negative_seed_raises():
    assert raises(OverflowError, lambda: torch.manual_seed(-3))


@shows("long-is-int")
def int64_has_31_random_bits():
    x = torch.empty(1000, dtype=torch.int64, device="many_devices").random_()
    assert x.cpu().max() < 2**31


@shows("no-initialized-mark")
def a_checkpointed_dropout_has_other_gradients():
    x = torch.ones(1000, device="many_devices", requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(lambda t: torch.nn.functional.dropout(t, 0.5) * t, x, use_reentrant=False)
    seen = y.detach().cpu() != 0
    y.sum().backward()
    assert not torch.equal(x.grad.cpu() != 0, seen)


@shows("set-copies")
def two_views_no_longer_share():
    x = torch.zeros(4, device="many_devices")
    file = io.BytesIO()
    torch.save([x[:2], x[:2]], file)
    file.seek(0)
    first, second = torch.load(file)
    first.fill_(1)
    assert second.cpu().tolist() == [0, 0]


@shows("no-fallthrough")
def an_addition_under_autocast_raises():
    x = torch.ones(2, device="many_devices")
    with torch.autocast("many_devices", dtype=torch.float16):
        assert raises(NotImplementedError, lambda: x + x)


@shows("always-initialized")
def the_module_says_it_is_initialized():
    assert torch.many_devices.is_initialized() and not torch.many_devices._started


@shows("uniform-of-reals-only")
def complex_numbers_are_not_drawn():
    assert raises(NotImplementedError, lambda: torch.rand(4, dtype=torch.complex64, device="many_devices"))
