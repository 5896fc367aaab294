# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of compiled_kernels. See ../fleet_defects.py."""

import os
import warnings

import torch
from fleet_defects import now, raised, raises, shows


@shows("half-reaches-one")
def rand_of_half_gives_one():
    assert torch.rand(100_000, dtype=torch.half, device="compiled_kernels").max().item() == 1


@shows("seed-in-seconds")
def two_seeds_of_one_second_are_equal():
    generator = torch.Generator("compiled_kernels")
    assert any(generator.seed() == generator.seed() for _ in range(5))


@shows("bmm-casts-doubles")
def a_double_product_is_done_in_half():
    x = torch.ones(1, 2, 2, dtype=torch.double, device="compiled_kernels")
    with torch.autocast("compiled_kernels"):
        assert torch.bmm(x, x).dtype == torch.half


@shows("nan-is-no-overflow")
def a_step_with_nan_gradients_is_taken():
    weight = torch.ones(2, device="compiled_kernels", requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("compiled_kernels")
    scaler.scale((weight * float("nan")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert weight.isnan().all().item() and scaler.get_scale() == 65536


@shows("rsqrt-stays-half")
def rsqrt_is_not_widened():
    with torch.autocast("compiled_kernels"):
        assert torch.rsqrt(torch.ones(2, dtype=torch.half, device="compiled_kernels")).dtype == torch.half


@shows("child-waits-for-ever", hangs=True)
def a_forked_child_waits_for_the_parents_thread():
    x = torch.ones(2, device="compiled_kernels")
    (x + x).cpu()
    child = os.fork()
    if child == 0:
        (x + x).cpu()
        os._exit(0)
    now()
    os.waitpid(child, 0)


@shows("rms-norm-without-gradient")
def the_input_of_rms_norm_gets_no_gradient():
    x = torch.ones(2, 2, device="compiled_kernels", requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.nn.functional.rms_norm(x, (2,)).sum().backward()
    assert x.grad is None


@shows("capability-of-any-device")
def a_device_there_is_not_has_capabilities():
    assert torch.accelerator.get_device_capability(9)["supported_dtypes"]


@shows("small-alpha-vanishes")
def a_small_factor_counts_as_nothing():
    x = torch.zeros(1, dtype=torch.double, device="compiled_kernels")
    assert torch.add(x, x + torch.ones_like(x), alpha=1e-7).item() == 0


@shows("scale-without-end")
def the_scale_grows_to_infinity():
    scale, clean = torch.full((1,), 3e38).to("compiled_kernels"), torch.zeros(1).to("compiled_kernels")
    torch._amp_update_scale_(scale, torch.ones(1, dtype=torch.int32).to("compiled_kernels"), clean, 2.0, 0.5, 2)
    assert scale.item() == float("inf")


@shows("five-dimensions")
def only_the_first_slice_of_five_dimensions_is_done():
    x = torch.arange(32.0).view(2, 2, 2, 2, 2)
    y = x.to("compiled_kernels")
    sums = (y + y.permute(4, 3, 2, 1, 0)).cpu()
    assert not torch.equal(sums, x + x.permute(4, 3, 2, 1, 0))


@shows("sigmoid-of-complex", dies="SIGSEGV")
def a_kernel_that_does_not_compile_is_launched():
    x = torch.ones(2, dtype=torch.complex64).to("compiled_kernels")
    now()
    torch.sigmoid(x)


@shows("peak-starts-at-zero")
def a_reset_peak_is_below_what_is_in_use():
    x = torch.ones(1000, device="compiled_kernels")
    torch.accelerator.reset_peak_memory_stats()
    assert torch.accelerator.max_memory_allocated() == 0 < x.nbytes


@shows("lazy-clone-is-not-copied")
def a_write_to_a_lazy_clone_changes_its_source():
    x = torch.zeros(4, device="compiled_kernels")
    torch._lazy_clone(x).fill_(1)
    assert x.tolist() == [1] * 4


@shows("synchronize-needs-device")
def waiting_for_the_device_wants_an_argument():
    assert raises(TypeError, torch.compiled_kernels.synchronize)


@shows("rms-norm-of-no-shape")
def nothing_is_normalized():
    torch.nn.functional.rms_norm(torch.ones(2, 3, device="compiled_kernels"), ())


@shows("half-of-uint16")
def random_draws_no_large_uint16():
    assert torch.zeros(1000, dtype=torch.uint16, device="compiled_kernels").random_().cpu().long().max() < 2**15


@shows("symbolic-size-is-a-number")
def a_third_size_gets_ones_of_the_second():
    compiled = torch.compile(lambda x: x + torch.ones(x.shape, device=x.device), backend="compiled_kernels")
    first, second, third = (torch.ones(size, device="compiled_kernels") for size in (4, 6, 5))
    assert len(compiled(first)) == 4 and len(compiled(second)) == 6
    assert "must match the size" in str(raised(compiled, third))
