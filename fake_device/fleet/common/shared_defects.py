# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects that several backends have (shared_defects.tsv). See ../fleet_defects.py."""

import io
import os
import signal
import subprocess
import sys

import torch
from fleet_defects import core, now, raised, raises, saved_and_loaded, shows_on_any
from fleet_lists import BUILD
from torch.utils.checkpoint import checkpoint


def on(device, tensor):
    return tensor.to(f"{device}:0")


# ---- the device module and torch.accelerator ----
@shows_on_any()
def cpu_device_taken(device):
    with getattr(torch, device).device(torch.device("cpu", 0)):
        assert torch.accelerator.current_device_index() == 0

@shows_on_any(dies="SIGSEGV")
def host_cache_crashes(device):
    torch.ones(1).to(device).cpu()
    torch.ones(1).pin_memory()
    now()
    torch.accelerator.empty_host_cache()

@shows_on_any()
def pins_nothing(device):
    torch.ones(1).to(device).cpu()
    copy = torch.ones(1).pin_memory()
    assert not copy.is_pinned()


@shows_on_any()
def no_amp_dtypes(device):
    x, ones = torch.ones(2).to(device).requires_grad_(), torch.ones(2).to(device)
    assert raises(AssertionError, lambda: checkpoint(lambda y: y * y, x, use_reentrant=False).backward(ones))


@shows_on_any()
def no_stream_is_no_block(device):
    assert getattr(torch, device).stream(None) is None


@shows_on_any()
def no_statistics(device):
    torch.zeros(1).to(device)
    assert raises(RuntimeError, torch.accelerator.memory_allocated)


@shows_on_any()
def no_pinned_allocator(device):
    x = torch.ones(32, dtype=torch.int32).to(device)
    assert raises(NotImplementedError, lambda: x.to("cpu", non_blocking=True))


@shows_on_any()
def autocast_casts_nothing(device):
    x = torch.ones(2, 2, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        assert torch.mm(x, x).dtype == torch.float32


@shows_on_any()
def draws_on_the_cpu(device):
    weights, module = torch.ones(9, device=device), getattr(torch, device)
    before, own = torch.get_rng_state(), module.get_rng_state()
    torch.multinomial(weights, 1)
    assert not torch.equal(torch.get_rng_state(), before)
    assert torch.equal(module.get_rng_state(), own)


@shows_on_any()
def refusal_draws(device):
    x, module = torch.ones(7, device=device), getattr(torch, device)
    before = module.get_rng_state()
    assert raises(RuntimeError, lambda: x.bernoulli_(x[:3] * 0.5))
    assert not torch.equal(module.get_rng_state(), before)


# ---- operators, most of them by CPU fallback ----
@shows_on_any()
def statistics_lost(device):
    layer = torch.nn.BatchNorm1d(3).to(device)
    layer(torch.linspace(-2, 5, 12).reshape(4, 3).to(device))
    assert layer.running_mean.cpu().tolist() == [0, 0, 0]

@shows_on_any()
def parameters_made_anew(device):
    layer = torch.nn.Linear(2, 2)
    kept = layer.weight
    assert layer.to(f"{device}:0").weight is not kept and kept.device.type == "cpu"

@shows_on_any()
def group_norm_contiguous(device):
    x = torch.ones(1, 4, 2, 2).to(memory_format=torch.channels_last).to(device)
    assert raises(RuntimeError, lambda: torch.nn.functional.group_norm(x, 2))

@shows_on_any()
def no_lstm(device):
    cell = torch.nn.LSTMCell(2, 2)
    parameters = [parameter.detach().to(device) for parameter in cell.parameters()]
    x, state = torch.ones(1, 2).to(device), torch.zeros(1, 2).to(device)
    assert raises(RuntimeError, lambda: torch.lstm_cell(x, (state, state), *parameters))

@shows_on_any()
def no_convolution(device):
    x, weight = torch.ones(1, 1, 5).to(device), torch.ones(1, 1, 3).to(device)
    assert raises(RuntimeError, lambda: torch.nn.functional.conv1d(x, weight))

@shows_on_any()
def overlap_accepted(device):
    x = torch.arange(1.0, 7.0).to(device)
    x[:-1].copy_(x[1:])

@shows_on_any()
def overlap_unseen(device):
    x = torch.arange(1.0, 7.0).to(device)
    torch.cumsum(x[1:], 0, out=x[:-1])
    rows = torch.ones(2, 3).to(device)
    torch.cumsum(rows, 0, out=torch.ones(1, 3).to(device).expand(2, 3))

@shows_on_any()
def strides_dropped(device):
    x = torch.zeros(2, 3).to(device)
    x.t().index_fill_(0, torch.tensor([0]).to(device), 5.0)
    assert x.cpu().tolist() != [[5, 0, 0], [5, 0, 0]]

@shows_on_any()
def host_tensors_taken(device):
    x = torch.ones(2).to(device)
    assert torch.where(x == x, x, torch.ones(2)).cpu().tolist() == [1, 1]

@shows_on_any()
def devices_mixed(device):
    x, other = (torch.ones(2).to(f"{device}:{index}") for index in range(2))
    assert torch.where(x == x, x, other).cpu().tolist() == [1, 1]

@shows_on_any()
def uniform_takes_any_bounds(device):
    torch.zeros(64).to(device).uniform_(-3e38, 3e38)

@shows_on_any()
def random_beyond_its_dtype(device):
    torch.zeros(7, dtype=torch.uint8).to(device).random_(257)

@shows_on_any()
def randperm_wraps(device):
    seen = torch.randperm(512, dtype=torch.uint8, device=device).cpu()
    assert len(seen.unique()) < 512

@shows_on_any()
def complex_uniform_is_real(device):
    assert torch.rand(100, dtype=torch.complex64, device=device).cpu().imag.abs().max() == 0

@shows_on_any()
def conj_physical_asserts(device):
    x = torch.ones(2, dtype=torch.complex64).to(device)
    assert "INTERNAL ASSERT" in raised(x.conj_physical_)

@shows_on_any()
def conj_output_ignored(device):
    x = torch.full((2, 2), 1 + 2j).to(device)
    out = torch.zeros(2, 2, dtype=torch.complex64).to(device).conj()
    torch.mm(x, x, out=out)
    assert out.cpu()[0, 0].item() != 2 * (1 + 2j) ** 2

@shows_on_any()
def new_memory_unfilled(device):
    torch.use_deterministic_algorithms(True)
    torch.full((64,), 5.0).to(device)
    x = torch.ones(4).to(device)
    x.resize_(16)
    assert not torch.isnan(x.cpu()[4:]).all()

@shows_on_any()
def set_leaves_it_short(device):
    storage = torch.UntypedStorage(0, device=device)
    x = torch.empty(0, device=device).set_(storage, 0, (2, 3), (3, 1))
    assert x.numel() == 6 and storage.nbytes() == 0

@shows_on_any(dies="SIGABRT")
def nested_aborts(device):
    x = torch.ones(2, 2).to(device).requires_grad_()
    now()
    torch.nested.as_nested_tensor([x, x])

@shows_on_any()
def states_unlooked_at(device):
    gradients, one = [torch.ones(2).to(device)], torch.ones(1).to(device)
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, torch.zeros(2).to(device), one)
    torch._amp_update_scale_(one, torch.zeros(1).to(device), torch.zeros(1).to(device), 2.0, 0.5, 2)

@shows_on_any(dies="SIGSEGV")
def empty_host_cache(device):
    torch.zeros(32, dtype=torch.int32).to(f"{device}:0")
    now()
    torch.accelerator.empty_host_cache()

@shows_on_any()
def half_reaches_its_end(device):
    assert torch.zeros(100_000, dtype=torch.half, device=device).uniform_(1, 2).max().item() == 2


@shows_on_any(dies="SIGSEGV")
def conj_overflows(device):
    x = torch.ones(2, dtype=torch.complex64).to(device).conj()
    now()
    x.cpu()


@shows_on_any()
def slice_is_not_set(device):
    part = torch.zeros(4, device=device).untyped_storage()[4:8]
    assert "not resizable" in raised(part.cpu)


# ---- backends in Python: tensors are wrappers, PyTorch provides guard and hooks ----
@shows_on_any()
def factory_index(device):
    assert torch.zeros(2, device=f"{device}:3").device.index == 0

@shows_on_any()
def no_index_checked(device):
    with torch.accelerator.device_index(5):
        pass
    assert torch.Stream(device=f"{device}:5") is not None

@shows_on_any()
def no_synchronize(device):
    torch.zeros(2, device=device)
    assert "support synchronizing" in raised(torch.accelerator.synchronize)

@shows_on_any()
def nothing_behind_a_storage(device):
    assert "invalid" in raised(torch.ones(2, device=device).untyped_storage().data_ptr)

@shows_on_any(dies="SIGSEGV")
def no_allocator(device):
    now()
    torch.UntypedStorage(8, device=device)

@shows_on_any()
def no_list(device):
    assert "subclass" in raised(on(device, torch.ones(2)).tolist)

@shows_on_any()
def no_resize(device):
    assert raises(NotImplementedError, lambda: on(device, torch.ones(2)).resize_(4))

@shows_on_any()
def hooks_count_none(device):
    assert torch.accelerator.device_count() == 1
    assert core().fleet_hooks_device_count() == 0

@shows_on_any()
def context_of_any_device(device):
    hooks = torch.utils.backend_registration._DummyPrivateUse1Hook()
    assert hooks.has_primary_context(9)

@shows_on_any()
def out_keeps_its_size(device):
    out = on(device, torch.zeros(3))
    torch.add(on(device, torch.ones(5)), 1, out=out)
    assert out.shape == (3,) and out.cpu().shape == (5,)
    assert torch.arange(5.0, device=device).shape == (0,)

@shows_on_any()
def data_keeps_what_it_wraps(device):
    x = torch.zeros(2, device=device)
    x.data = torch.ones(2, device=device)
    assert x.cpu().tolist() == [0, 0]

@shows_on_any()
def new_tensors_stay(device):
    assert torch.zeros(2, device=device).new_zeros(2, device="cpu").device.type == device

@shows_on_any()
def repr_forgets_gradients(device):
    assert "requires_grad" not in repr(torch.zeros(2, device=device, requires_grad=True))

@shows_on_any()
def foreign_indices(device):
    index = on(device, torch.ones(1, dtype=torch.long))
    assert torch.ones(3)[index].device.type == device

@shows_on_any()
def mixes_with_the_cpu(device):
    assert torch.cat([on(device, torch.ones(2)), torch.zeros(2)]).cpu().tolist() == [1, 1, 0, 0]

@shows_on_any()
def map_location_ignored(device):
    x = torch.ones(2, device=device)
    assert saved_and_loaded(x, map_location="cpu").device.type == device

@shows_on_any()
def no_sharing_in_files(device):
    x = torch.zeros(4, device=device)
    whole, part = saved_and_loaded([x, x[2:]])
    part.fill_(1)
    assert whole.cpu().tolist() == [0, 0, 0, 0]

@shows_on_any()
def guard_ends_with_python(device):
    program = (f"import ctypes, torch, torch_{device}\n"
               f"torch.zeros(2, device='{device}')\n"
               f"calls = ctypes.CDLL({str(BUILD / 'lib/fleet/libfleet_calls.so')!r})\n"
               f"ctypes.CDLL(None).__cxa_atexit(calls.fleet_exchange_device, None, None)")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=100)
    assert ended.returncode == -signal.SIGSEGV, ended

@shows_on_any()
def files_need_the_backend(device):
    file = io.BytesIO()
    torch.save(torch.ones(2, device=device), file)
    program = "import io, sys, torch; torch.load(io.BytesIO(sys.stdin.buffer.read()), map_location='cpu')"
    ended = subprocess.run([sys.executable, "-c", program], input=file.getvalue(), capture_output=True,
                           env={**os.environ, "PYTHONPATH": ""}, timeout=100)
    assert ended.returncode == 1 and f"torch_{device}._".encode() in ended.stderr, ended
