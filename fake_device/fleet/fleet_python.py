# SPDX-License-Identifier: BSD-3-Clause
"""Defects that backends in Python share: tensors that are wrappers, and what PyTorch's guard and hooks for such backends
leave open.

`shows_wrapped("wrapper", "no-list", ...)` in a <name>_defects.py shows those of its list by the functions below.
"""

import io
import signal
import subprocess
import sys

import torch
from fleet_defects import BUILD, core, now, raised, raises, saved_and_loaded, shows


def on(device, tensor):
    return tensor.to(f"{device}:0")


def factory_index(device):
    assert torch.zeros(2, device=f"{device}:3").device.index == 0


def no_index_checked(device):
    with torch.accelerator.device_index(5):
        pass
    assert torch.Stream(device=f"{device}:5") is not None


def no_synchronize(device):
    torch.zeros(2, device=device)
    assert "support synchronizing" in raised(torch.accelerator.synchronize)


def nothing_behind_a_storage(device):
    assert "invalid" in raised(torch.ones(2, device=device).untyped_storage().data_ptr)


def no_allocator(device):
    now()
    torch.UntypedStorage(8, device=device)


def no_list(device):
    assert "subclass" in raised(on(device, torch.ones(2)).tolist)


def no_resize(device):
    assert raises(NotImplementedError, lambda: on(device, torch.ones(2)).resize_(4))


def hooks_count_none(device):
    assert torch.accelerator.device_count() == 1
    assert core().fleet_hooks_device_count() == 0


def context_of_any_device(device):
    hooks = torch.utils.backend_registration._DummyPrivateUse1Hook()
    assert hooks.has_primary_context(9)


def out_keeps_its_size(device):
    out = on(device, torch.zeros(3))
    torch.add(on(device, torch.ones(5)), 1, out=out)
    assert out.shape == (3,) and out.cpu().shape == (5,)
    assert torch.arange(5.0, device=device).shape == (0,)


def data_keeps_what_it_wraps(device):
    x = torch.zeros(2, device=device)
    x.data = torch.ones(2, device=device)
    assert x.cpu().tolist() == [0, 0]


def new_tensors_stay(device):
    assert torch.zeros(2, device=device).new_zeros(2, device="cpu").device.type == device


def repr_forgets_gradients(device):
    assert "requires_grad" not in repr(torch.zeros(2, device=device, requires_grad=True))


def foreign_indices(device):
    index = on(device, torch.ones(1, dtype=torch.long))
    assert torch.ones(3)[index].device.type == device


def mixes_with_the_cpu(device):
    assert torch.cat([on(device, torch.ones(2)), torch.zeros(2)]).cpu().tolist() == [1, 1, 0, 0]


def map_location_ignored(device):
    x = torch.ones(2, device=device)
    assert saved_and_loaded(x, map_location="cpu").device.type == device


def no_sharing_in_files(device):
    x = torch.zeros(4, device=device)
    whole, part = saved_and_loaded([x, x[2:]])
    part.fill_(1)
    assert whole.cpu().tolist() == [0, 0, 0, 0]


def guard_ends_with_python(device):
    program = (f"import ctypes, sys; sys.path[:0] = {sys.path!r}; import torch, torch_{device}\n"
               f"torch.zeros(2, device='{device}')\n"
               f"calls = ctypes.CDLL({str(BUILD / 'lib/fleet/libfleet_calls.so')!r})\n"
               f"ctypes.CDLL(None).__cxa_atexit(calls.fleet_exchange_device, None, None)")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=100)
    assert ended.returncode == -signal.SIGSEGV, ended


def files_need_the_backend(device):
    file = io.BytesIO()
    torch.save(torch.ones(2, device=device), file)
    program = "import io, sys, torch; torch.load(io.BytesIO(sys.stdin.buffer.read()), map_location='cpu')"
    ended = subprocess.run([sys.executable, "-c", program], input=file.getvalue(), capture_output=True,
                           timeout=100)
    assert ended.returncode == 1 and f"torch_{device}._".encode() in ended.stderr, ended


DIES = {"no-allocator": "SIGSEGV"}


def shows_wrapped(device, *names):
    """Each name is that of a function above, with hyphens."""
    for name in names:
        show = globals()[name.replace("-", "_")]
        shows(name, dies=DIES.get(name))(lambda show=show: show(device))
