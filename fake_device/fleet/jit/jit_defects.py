# SPDX-License-Identifier: BSD-3-Clause
"""Each defect of jit in a few lines of plain torch. See ../fleet_defects.py."""

import os
import sys
import warnings
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fleet_defects import BUILD, main, now, raises, shows  # noqa: E402
from fleet_face import shows_face  # noqa: E402
from fleet_fallback import shows_shared  # noqa: E402

os.environ.setdefault("JIT_CACHE", str(BUILD / "fleet" / "jit" / "kernels"))


@shows("half-reaches-one")
def rand_of_half_gives_one():
    assert torch.rand(100_000, dtype=torch.half, device="jitdev").max().item() == 1


@shows("seed-in-seconds")
def two_seeds_of_one_second_are_equal():
    generator = torch.Generator("jitdev")
    assert any(generator.seed() == generator.seed() for _ in range(5))


@shows("bmm-casts-doubles")
def a_double_product_is_done_in_half():
    x = torch.ones(1, 2, 2, dtype=torch.double, device="jitdev")
    with torch.autocast("jitdev"):
        assert torch.bmm(x, x).dtype == torch.half


@shows("nan-is-no-overflow")
def a_step_with_nan_gradients_is_taken():
    weight = torch.ones(2, device="jitdev", requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("jitdev")
    scaler.scale((weight * float("nan")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert weight.isnan().all().item() and scaler.get_scale() == 65536


@shows("rsqrt-stays-half")
def rsqrt_is_not_widened():
    with torch.autocast("jitdev"):
        assert torch.rsqrt(torch.ones(2, dtype=torch.half, device="jitdev")).dtype == torch.half


@shows("child-waits-for-ever", hangs=True)
def a_forked_child_waits_for_the_parents_thread():
    x = torch.ones(2, device="jitdev")
    (x + x).cpu()
    child = os.fork()
    if child == 0:
        (x + x).cpu()
        os._exit(0)
    now()
    os.waitpid(child, 0)


@shows("rms-norm-without-gradient")
def the_input_of_rms_norm_gets_no_gradient():
    x = torch.ones(2, 2, device="jitdev", requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.nn.functional.rms_norm(x, (2,)).sum().backward()
    assert x.grad is None


@shows("capability-of-any-device")
def a_device_there_is_not_has_capabilities():
    assert torch.accelerator.get_device_capability(9)["supported_dtypes"]


@shows("small-alpha-vanishes")
def a_small_factor_counts_as_nothing():
    x = torch.zeros(1, dtype=torch.double, device="jitdev")
    assert torch.add(x, x + torch.ones_like(x), alpha=1e-7).item() == 0


@shows("scale-without-end")
def the_scale_grows_to_infinity():
    scale, clean = torch.full((1,), 3e38).to("jitdev"), torch.zeros(1).to("jitdev")
    torch._amp_update_scale_(scale, torch.ones(1, dtype=torch.int32).to("jitdev"), clean, 2.0, 0.5, 2)
    assert scale.item() == float("inf")


@shows("five-dimensions")
def only_the_first_slice_of_five_dimensions_is_done():
    x = torch.arange(32.0).view(2, 2, 2, 2, 2)
    y = x.to("jitdev")
    sums = (y + y.permute(4, 3, 2, 1, 0)).cpu()
    assert not torch.equal(sums, x + x.permute(4, 3, 2, 1, 0))


@shows("sigmoid-of-complex", dies="SIGSEGV")
def a_kernel_that_does_not_compile_is_launched():
    x = torch.ones(2, dtype=torch.complex64).to("jitdev")
    now()
    torch.sigmoid(x)


@shows("peak-starts-at-zero")
def a_reset_peak_is_below_what_is_in_use():
    x = torch.ones(1000, device="jitdev")
    torch.accelerator.reset_peak_memory_stats()
    assert torch.accelerator.max_memory_allocated() == 0 < x.nbytes


@shows("draws-on-the-cpu")
def multinomial_advances_the_generator_of_the_cpu():
    weights = torch.ones(9, device="jitdev")
    before, own = torch.get_rng_state(), torch.jitdev.get_rng_state()
    torch.multinomial(weights, 1)
    assert not torch.equal(torch.get_rng_state(), before)
    assert torch.equal(torch.jitdev.get_rng_state(), own)


@shows("lazy-clone-is-not-copied")
def a_write_to_a_lazy_clone_changes_its_source():
    x = torch.zeros(4, device="jitdev")
    torch._lazy_clone(x).fill_(1)
    assert x.tolist() == [1] * 4


@shows("slice-is-not-set")
def a_slice_of_a_storage_cannot_be_read():
    part = torch.zeros(4, device="jitdev").untyped_storage()[4:8]
    assert raises(RuntimeError, part.cpu)


shows_shared(
    "jitdev",
    "random-beyond-its-dtype",
    "states-unlooked-at",
    "statistics-lost",
    "no-convolution",
    "no-lstm",
    "host-tensors-taken",
    "strides-dropped",
    "overlap-unseen",
    "conj-physical-asserts",
    "conj-output-ignored",
    "new-memory-unfilled",
    "nested-aborts",
    "uniform-takes-any-bounds",
    "randperm-wraps",
    "complex-uniform-is-real",
)


@shows("synchronize-needs-device")
def waiting_for_the_device_wants_an_argument():
    assert raises(TypeError, torch.jitdev.synchronize)


shows_face("jitdev", "host-cache-crashes", "pins-nothing")


@shows("rms-norm-of-no-shape")
def nothing_is_normalized():
    torch.nn.functional.rms_norm(torch.ones(2, 3, device="jitdev"), ())


@shows("half-of-uint16")
def random_draws_no_large_uint16():
    assert torch.zeros(1000, dtype=torch.uint16, device="jitdev").random_().cpu().long().max() < 2**15


@shows("refusal-draws")
def a_draw_that_is_refused_moves_the_generator():
    x, before = torch.ones(7, device="jitdev"), torch.jitdev.get_rng_state("jitdev")
    assert raises(RuntimeError, lambda: x.bernoulli_(x[:3] * 0.5))
    assert not torch.equal(torch.jitdev.get_rng_state("jitdev"), before)


if __name__ == "__main__":
    main(__file__)
