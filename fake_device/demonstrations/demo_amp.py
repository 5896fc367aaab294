# SPDX-License-Identifier: BSD-3-Clause
"""Mixed precision: autocast and the gradient scaler."""

import torch

from demonstrate import ERROR, demonstrates

HALF = torch.float16


def ones(*sizes, dtype=torch.float32):
    return torch.ones(*sizes, dtype=dtype, device="fakedev")


def under_autocast(function, *tensors):
    with torch.autocast("fakedev", dtype=HALF):
        return function(*tensors).dtype


@demonstrates("amp.has_no_effect")
def product_stays_in_float32():
    assert under_autocast(torch.mm, ones(2, 2), ones(2, 2)) == HALF


@demonstrates("amp.no_registrations", shows=ERROR)
def autocast_knows_no_operator():
    assert under_autocast(torch.mm, ones(2, 2), ones(2, 2)) == HALF


@demonstrates("amp.float32_list_stays_half")
def exp_overflows_in_half():
    with torch.autocast("fakedev", dtype=HALF):
        assert torch.exp(ones(1, dtype=HALF) * 12).isfinite().all()


@demonstrates("amp.sums_stay_half")
def sum_overflows_in_half():
    with torch.autocast("fakedev", dtype=HALF):
        assert (ones(4, dtype=HALF) * 60000).sum().isfinite()


@demonstrates("amp.promote_takes_narrowest")
def mixed_operands_lose_precision():
    assert under_autocast(torch.addcmul, ones(2), ones(2, dtype=HALF), ones(2)) == torch.float32


def scaler_after_a_step(gradient, **options):
    """The scaler, and the parameter that its step has changed by the gradient."""
    parameter = ones(1).requires_grad_()
    optimizer = torch.optim.SGD([parameter], lr=1)
    scaler = torch.amp.GradScaler("fakedev", init_scale=4.0, **options)
    scaler.scale(parameter * gradient).sum().backward()
    scaler.step(optimizer)
    scaler.update()
    return scaler.get_scale(), parameter.item()


@demonstrates("amp.backoff_ignored")
def scale_stays_after_inf():
    assert scaler_after_a_step(float("inf")) == (2, 1)


@demonstrates("amp.scaler_misses_inf")
def step_with_inf_is_made():
    assert scaler_after_a_step(float("inf")) == (2, 1)


@demonstrates("amp.unscale_not_applied")
def step_is_scaled():
    assert scaler_after_a_step(0.5) == (4, 0.5)


@demonstrates("amp.update_scale_never_grows")
def scale_never_grows():
    assert scaler_after_a_step(0.5, growth_interval=1) == (8, 0.5)
