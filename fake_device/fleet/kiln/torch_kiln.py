# SPDX-License-Identifier: BSD-3-Clause
"""kiln: two ovens that are lit at their first use. Importing this makes `torch.device("kiln")` work."""

import ctypes
import types
from pathlib import Path

import torch

_library = Path(__file__).resolve().parents[2] / "lib/fleet/kiln.so"
torch.ops.load_library(_library)
torch.utils.rename_privateuse1_backend("kiln")
_c = ctypes.CDLL(_library)
_c.kiln_light.restype = _c.kiln_is_lit.restype = _c.kiln_is_left_behind.restype = ctypes.c_bool


def _lazy_init():
    if not _c.kiln_light():
        raise RuntimeError("kiln: it burns in the parent; a forked child cannot use it")
    _module._initialized = True


def _index(where=None):
    if where is None:
        return torch.accelerator.current_device_index()
    if isinstance(where, int):
        return where
    where = torch.device(where)
    if where.type != "kiln":
        raise ValueError(f"kiln: {where} is another device")
    return torch.accelerator.current_device_index() if where.index is None else where.index


def _set_device(where):
    _lazy_init()
    torch.accelerator.set_device_index(_index(where))


class _Device:
    def __init__(self, where):
        self._index = _index(where)

    def __enter__(self):
        self._former = torch.accelerator.current_device_index()
        if self._index >= 0:
            _set_device(self._index)
        return self

    def __exit__(self, *_):
        torch.accelerator.set_device_index(self._former)


def _current_stream(device=None):
    return torch.accelerator.current_stream(_index(device))


def _synchronize(device=None):
    torch.accelerator.synchronize(_index(device))


def _stream(device=None, priority=0, **fields):
    _lazy_init()
    if "stream_id" in fields:
        return torch.Stream(priority=priority, **fields)
    return torch.Stream(torch.device("kiln", _index(device)), priority=priority)


def _event(enable_timing=False, blocking=False, interprocess=False):
    return torch.Event("kiln", enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)


def _set_stream(stream):
    if stream is not None:
        torch.accelerator.set_stream(stream)


# ---- random numbers ----------------------------------------------------------------------------------


def _generator(device=None):
    return torch.ops.kiln.default_generator(_index(device))


def _manual_seed_all(seed):
    for index in range(2):
        _generator(index).manual_seed(seed)


def _set_rng_state(state, device=None):
    _generator(device).set_state(state)


def _set_rng_state_all(states):
    for index, state in enumerate(states):
        _set_rng_state(state, index)


_module = types.ModuleType("torch.kiln", __doc__)
vars(_module).update(
    is_available=lambda: True,
    is_initialized=_c.kiln_is_lit,
    _lazy_init=_lazy_init,
    _initialized=False,
    _is_in_bad_fork=_c.kiln_is_left_behind,
    device_count=lambda: 2,
    current_device=torch.accelerator.current_device_index,
    set_device=_set_device,
    device=_Device,
    synchronize=_synchronize,
    Stream=_stream,
    Event=_event,
    current_stream=_current_stream,
    set_stream=_set_stream,
    stream=lambda stream: stream,
    manual_seed=lambda seed: _generator().manual_seed(seed),
    manual_seed_all=_manual_seed_all,
    seed=lambda: _generator().seed(),
    initial_seed=lambda: _generator().initial_seed(),
    get_rng_state=lambda device=None: _generator(device).get_state(),
    set_rng_state=_set_rng_state,
    get_rng_state_all=lambda: [_generator(index).get_state() for index in range(2)],
    set_rng_state_all=_set_rng_state_all,
)
torch._register_device_module("kiln", _module)
torch.utils.generate_methods_for_privateuse1_backend()
