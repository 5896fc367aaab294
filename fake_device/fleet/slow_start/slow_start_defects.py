# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of slow_start. See ../fleet_defects.py."""

import io
import os
import warnings

import torch
from fleet_defects import shows

os.environ["SLOW_START_SECONDS"] = "0"


def ones(*size, index=0, **options):
    return torch.ones(*size, device=f"slow_start:{index}", **options)


def low_precision():
    return torch.autocast("slow_start", dtype=torch.bfloat16)


def through_file(thing, **options):
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return torch.load(file, **options)


@shows("double-is-cast")
def a_product_of_doubles_is_bfloat16():
    x = ones(2, 2, dtype=torch.float64)
    with low_precision():
        assert torch.mm(x, x).dtype is torch.bfloat16


@shows("exp-in-half")
def exp_of_float32_is_bfloat16():
    with low_precision():
        assert torch.exp(ones(2)).dtype is torch.bfloat16


@shows("cat-narrows")
def cat_of_bfloat16_and_float32_is_bfloat16():
    with low_precision():
        assert torch.cat([ones(2), ones(2).bfloat16()]).dtype is torch.bfloat16


@shows("inf-is-not-found")
def a_step_with_an_infinite_gradient_is_taken():
    weight = ones(2).requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=1.0, foreach=False)
    scaler = torch.amp.GradScaler("slow_start")
    scaler.scale(weight.sum()).backward()
    weight.grad.fill_(float("inf"))
    scaler.step(optimizer)
    assert weight.tolist() == [float("-inf")] * 2


@shows("growth-comes-late")
def the_scale_grows_one_step_late():
    scaler = torch.amp.GradScaler("slow_start", init_scale=2.0, growth_interval=2)
    scales = []
    for _ in range(3):
        weight = ones(2).requires_grad_()
        scaler.scale(weight.sum()).backward()
        scaler.step(torch.optim.SGD([weight], lr=1.0))
        scaler.update()
        scales.append(scaler.get_scale())
    assert scales == [2, 2, 4]


@shows("default-is-unsupported")
def plain_autocast_does_nothing():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with torch.autocast("slow_start"):
            assert torch.mm(ones(2, 2), ones(2, 2)).dtype is torch.float32
    assert "not supported" in str(told[0].message)


@shows("tag-without-index")
def a_tensor_of_device_1_comes_back_on_device_0():
    assert through_file(ones(2, index=1)).device.index == 0


@shows("dict-is-dropped")
def a_map_is_ignored():
    assert through_file(ones(2), map_location={"slow_start": "cpu"}).device.type == "slow_start"


@shows("restore-asks-nothing")
def a_file_loads_on_a_device_that_is_not_available():
    torch.slow_start.is_available = lambda: False
    assert through_file(ones(2)).device.type == "slow_start"


@shows("mark-is-lost")
def a_tuned_tensor_comes_back_untuned():
    native = torch.ops.slow_start
    x = native.tune(ones(2))
    assert native.is_tuned(x) and not native.is_tuned(through_file(x))


@shows("device-stays-after-exception")
def an_exception_leaves_device_1_current():
    try:
        with torch.slow_start.device(1):
            raise ValueError
    except ValueError:
        assert torch.accelerator.current_device_index() == 1


@shows("all-is-pinned")
def pageable_memory_is_pinned():
    torch.ones(1).pin_memory()  # without an earlier pinned tensor, is_pinned does not call the backend
    assert torch.ones(2).is_pinned()
