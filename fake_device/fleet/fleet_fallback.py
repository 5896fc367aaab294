# SPDX-License-Identifier: BSD-3-Clause
"""Defects that backends share: those which leave what they lack to PyTorch's CPU fallback, and all of them.

`shows_shared("hostram", "statistics-lost", ...)` in a <name>_defects.py shows those of its list by the
functions below.
"""

import torch
from fleet_defects import now, raises, shows


def statistics_lost(device):
    layer = torch.nn.BatchNorm1d(3).to(device)
    layer(torch.linspace(-2, 5, 12).reshape(4, 3).to(device))
    assert layer.running_mean.cpu().tolist() == [0, 0, 0]


def parameters_made_anew(device):
    layer = torch.nn.Linear(2, 2)
    kept = layer.weight
    assert layer.to(f"{device}:0").weight is not kept and kept.device.type == "cpu"


def group_norm_contiguous(device):
    x = torch.ones(1, 4, 2, 2).to(memory_format=torch.channels_last).to(device)
    assert raises(RuntimeError, lambda: torch.nn.functional.group_norm(x, 2))


def no_lstm(device):
    cell = torch.nn.LSTMCell(2, 2)
    parameters = [parameter.detach().to(device) for parameter in cell.parameters()]
    x, state = torch.ones(1, 2).to(device), torch.zeros(1, 2).to(device)
    assert raises(RuntimeError, lambda: torch.lstm_cell(x, (state, state), *parameters))


def no_convolution(device):
    x, weight = torch.ones(1, 1, 5).to(device), torch.ones(1, 1, 3).to(device)
    assert raises(RuntimeError, lambda: torch.nn.functional.conv1d(x, weight))


def overlap_accepted(device):
    x = torch.arange(1.0, 7.0).to(device)
    x[:-1].copy_(x[1:])


def overlap_unseen(device):
    x = torch.arange(1.0, 7.0).to(device)
    torch.cumsum(x[1:], 0, out=x[:-1])
    rows = torch.ones(2, 3).to(device)
    torch.cumsum(rows, 0, out=torch.ones(1, 3).to(device).expand(2, 3))


def strides_dropped(device):
    x = torch.zeros(2, 3).to(device)
    x.t().index_fill_(0, torch.tensor([0]).to(device), 5.0)
    assert x.cpu().tolist() != [[5, 0, 0], [5, 0, 0]]


def host_tensors_taken(device):
    x = torch.ones(2).to(device)
    assert torch.where(x == x, x, torch.ones(2)).cpu().tolist() == [1, 1]


def devices_mixed(device):
    x, other = (torch.ones(2).to(f"{device}:{index}") for index in range(2))
    assert torch.where(x == x, x, other).cpu().tolist() == [1, 1]


def uniform_takes_any_bounds(device):
    torch.zeros(64).to(device).uniform_(-3e38, 3e38)


def random_beyond_its_dtype(device):
    torch.zeros(7, dtype=torch.uint8).to(device).random_(257)


def randperm_wraps(device):
    seen = torch.randperm(512, dtype=torch.uint8, device=device).cpu()
    assert len(seen.unique()) < 512


def complex_uniform_is_real(device):
    assert torch.rand(100, dtype=torch.complex64, device=device).cpu().imag.abs().max() == 0


def conj_physical_asserts(device):
    x = torch.ones(2, dtype=torch.complex64).to(device)
    try:
        x.conj_physical_()
    except RuntimeError as error:
        assert "INTERNAL ASSERT" in str(error)
    else:
        raise AssertionError("conj_physical_ works")


def conj_output_ignored(device):
    x = torch.full((2, 2), 1 + 2j).to(device)
    out = torch.zeros(2, 2, dtype=torch.complex64).to(device).conj()
    torch.mm(x, x, out=out)
    assert out.cpu()[0, 0].item() != 2 * (1 + 2j) ** 2


def new_memory_unfilled(device):
    torch.use_deterministic_algorithms(True)
    torch.full((64,), 5.0).to(device)
    x = torch.ones(4).to(device)
    x.resize_(16)
    assert not torch.isnan(x.cpu()[4:]).all()


def set_leaves_it_short(device):
    storage = torch.UntypedStorage(0, device=device)
    x = torch.empty(0, device=device).set_(storage, 0, (2, 3), (3, 1))
    assert x.numel() == 6 and storage.nbytes() == 0


def nested_aborts(device):
    x = torch.ones(2, 2).to(device).requires_grad_()
    now()
    torch.nested.as_nested_tensor([x, x])


def states_unlooked_at(device):
    gradients, one = [torch.ones(2).to(device)], torch.ones(1).to(device)
    torch._amp_foreach_non_finite_check_and_unscale_(gradients, torch.zeros(2).to(device), one)
    torch._amp_update_scale_(one, torch.zeros(1).to(device), torch.zeros(1).to(device), 2.0, 0.5, 2)


def empty_host_cache(device):
    torch.zeros(1).to(f"{device}:0")
    now()
    torch.accelerator.empty_host_cache()


def half_reaches_its_end(device):
    assert torch.zeros(100_000, dtype=torch.half, device=device).uniform_(1, 2).max().item() == 2


DIES = {"nested-aborts": "SIGABRT", "empty-host-cache": "SIGSEGV"}


def shows_shared(device, *names):
    """Each name is that of a function above, with hyphens."""
    for name in names:
        show = globals()[name.replace("-", "_")]
        shows(name, dies=DIES.get(name))(lambda show=show: show(device))
