# SPDX-License-Identifier: BSD-3-Clause
"""A backend with two devices that start at their first use. The backend does not support autocast: no-amp-dtypes."""

import ctypes

import fleet_module
import torch

module = fleet_module.load("async_streams", devices=2)
_c = ctypes.CDLL(fleet_module.library("async_streams"))
_c.async_streams_start.restype = _c.async_streams_is_started.restype = _c.async_streams_is_forked.restype = ctypes.c_bool


def _lazy_init():
    if not _c.async_streams_start():
        raise RuntimeError("async_streams: a child process that was forked after the first use cannot use the device")
    module._initialized = True


def _set_device(device):
    _lazy_init()
    torch.accelerator.set_device_index(module._index(device))


def _stream(device=None, priority=0, **fields):
    _lazy_init()
    if "stream_id" in fields:
        return torch.Stream(priority=priority, **fields)
    return torch.Stream(torch.device("async_streams", module._index(device)), priority=priority)


def _event(enable_timing=False, blocking=False, interprocess=False):
    return torch.Event("async_streams", enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)


def _set_stream(stream):
    if stream is not None:
        torch.accelerator.set_stream(stream)


fleet_module.add_streams(module)
fleet_module.add_generators(module)
vars(module).update(
    _lazy_init=_lazy_init,
    _initialized=False,
    is_initialized=_c.async_streams_is_started,
    _is_in_bad_fork=_c.async_streams_is_forked,
    set_device=_set_device,
    Stream=_stream,
    Event=_event,
    set_stream=_set_stream,
    stream=lambda stream: stream,  # no-stream-is-no-block
)
torch.utils.generate_methods_for_privateuse1_backend()
