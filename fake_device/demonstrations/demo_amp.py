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


@demonstrates("amp.growth_not_counted")
def scale_grows_at_another_step():
    scaler = torch.amp.GradScaler("fakedev", growth_interval=2)
    scaler.load_state_dict({**torch.amp.GradScaler("fakedev").state_dict(), "_growth_tracker": 1})
    parameter = ones(1).requires_grad_()
    optimizer = torch.optim.SGD([parameter], lr=1)
    scaler.scale(parameter.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.state_dict()["_growth_tracker"] == 2


@demonstrates("amp.banned_loss_without_advice")
def loss_is_refused_without_a_reason():
    half = ones(2, dtype=HALF) / 2
    try:
        with torch.autocast("fakedev", dtype=HALF):
            torch.nn.functional.binary_cross_entropy(half, half)
    except RuntimeError as error:
        assert "binary_cross_entropy_with_logits" in str(error)


@demonstrates("amp.casts_every_dtype")
def double_precision_is_lost():
    assert under_autocast(torch.mm, *[ones(2, 2, dtype=torch.float64)] * 2) == torch.float64


@demonstrates("amp.casts_each_time")
def weight_is_cast_twice():
    weight = ones(2, 2).requires_grad_()
    with torch.autocast("fakedev", dtype=HALF):
        products = [torch.mm(ones(2, 2), weight) for _ in range(2)]
    first, second = (product.grad_fn.next_functions[1][0] for product in products)
    assert first is second


@demonstrates("amp.casts_once_for_ever")
def training_has_no_effect():
    weight, seen = ones(2, 2).requires_grad_(), []
    for _ in range(2):
        with torch.autocast("fakedev", dtype=HALF):
            seen.append(torch.mm(ones(2, 2), weight).sum().item())
        with torch.no_grad():
            weight.mul_(2)
    assert seen == [8, 16]


@demonstrates("amp.casts_when_disabled")
def half_precision_without_autocast():
    assert torch.mm(ones(2, 2), ones(2, 2)).dtype == torch.float32


@demonstrates("python.amp_dtypes_claim_everything")
def integers_are_offered():
    assert all(dtype.is_floating_point for dtype in torch.fakedev.get_amp_supported_dtype())


@demonstrates("python.amp_dtypes_missing")
def autocast_cannot_be_used():
    assert hasattr(torch.fakedev, "get_amp_supported_dtype"), "torch.autocast raises"


@demonstrates("python.autocast_default_is_float32")
def plain_autocast_casts_nothing():
    with torch.autocast("fakedev"):
        assert torch.mm(ones(2, 2), ones(2, 2)).dtype == HALF
