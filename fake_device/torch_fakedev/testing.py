# SPDX-License-Identifier: BSD-3-Clause
"""Instruments for tests: gates that hold a stream, simulated device loss, counters, the trace.

Used by the target adapter and the tests of this repository, not by applications.
"""

import collections
import ctypes
import os

from ._driver import library as _library, variant

__all__ = [
    "Gate", "counters", "fallbacks", "forget_fallbacks", "forget_trace", "lose", "reset", "trace", "variant", "variants",
]

_DEVICES = 16
_RING = 4096


class DriverError(RuntimeError):
    """A driver call failed. The message is the driver's error text."""


def _check(status):
    if status != 0:
        _library.fd_status_text.restype = ctypes.c_char_p
        _library.fd_last_error_text.restype = ctypes.c_char_p
        text = _library.fd_status_text(status).decode()
        raise DriverError(f"{text} ({_library.fd_last_error_text().decode()})")


def _stream_handle(stream):
    handle = ctypes.c_void_p()
    _check(_library.fd_stream_from_id(
        ctypes.c_int32(stream.device_index), ctypes.c_int64(stream.stream_id),
        ctypes.byref(handle)))
    return handle


class Gate:
    """Holds every stream on which the gate is closed, until the gate is opened. Leaving the context opens the gate.

    with Gate(stream):
        ...                      # work enqueued on stream waits
    """

    def __init__(self, *streams):
        self._gate = ctypes.c_void_p()
        _check(_library.fd_gate_create(ctypes.byref(self._gate)))
        for stream in streams:
            self.close_on(stream)

    def close_on(self, stream):
        _check(_library.fd_gate_close(self._gate, _stream_handle(stream)))

    def open(self):
        _check(_library.fd_gate_open(self._gate))

    def destroy(self):
        if self._gate:
            _check(_library.fd_gate_destroy(self._gate))
            self._gate = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.destroy()


def lose(device):
    """After this call, every call on this device fails. reset() restores the device."""
    _check(_library.fd_device_lose(ctypes.c_int32(device)))


def reset(device):
    _check(_library.fd_device_reset(ctypes.c_int32(device)))


_COUNTERS = (
    "streams_created", "streams_destroyed", "events_created", "events_destroyed",
    "tasks_enqueued", "tasks_completed", "copies", "synchronizations", "host_allocations",
    "host_frees",
)


class _CounterStruct(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in _COUNTERS]


def counters():
    """The driver's counters since the start of the process, as a dict."""
    values = _CounterStruct()
    _library.fd_get_counters(ctypes.byref(values))
    return {name: getattr(values, name) for name in _COUNTERS}


class _RecordStruct(ctypes.Structure):
    _fields_ = [
        ("sequence", ctypes.c_uint64), ("begin_ns", ctypes.c_uint64), ("end_ns", ctypes.c_uint64),
        ("what", ctypes.c_char_p), ("stream", ctypes.c_int64), ("bytes", ctypes.c_uint64),
        ("status", ctypes.c_int32), ("device", ctypes.c_int32), ("executed", ctypes.c_int32),
        ("thread", ctypes.c_uint32), ("launch", ctypes.c_uint64), ("launched_ns", ctypes.c_uint64),
        ("correlation", ctypes.c_uint64),
    ]


Record = collections.namedtuple("Record", [name for name, _ in _RecordStruct._fields_])


def trace():
    """The newest records of the driver's trace, oldest first."""
    records = (_RecordStruct * _RING)()
    count = ctypes.c_size_t()
    _check(_library.fd_trace_read(records, ctypes.c_size_t(_RING), ctypes.byref(count), None))
    return [_as_tuple(record) for record in records[:count.value]]


def _as_tuple(record):
    values = Record(*(getattr(record, name) for name, _ in _RecordStruct._fields_))
    return values._replace(what=values.what.decode(), executed=bool(values.executed))


def forget_trace():
    _library.fd_trace_clear()


Variant = collections.namedtuple("Variant", "name summary")


class _VariantStruct(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in Variant._fields]


def _table(function, struct, result):
    rows, row = [], struct()
    while function(ctypes.c_size_t(len(rows)), ctypes.byref(row)) == 0:
        rows.append(result(*(getattr(row, name).decode() for name in result._fields)))
    return rows


def variants():
    """All variants, sorted by name."""
    return _table(_library.fd_variant_get, _VariantStruct, Variant)


def _integration():
    return ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libtorch_fakedev.so"))


def fallbacks():
    """Operators that were computed on the CPU since the last forget_fallbacks(), such as {"aten::sort": 2}."""
    library, result, index = _integration(), {}, 0
    name, count = ctypes.c_char_p(), ctypes.c_uint64()
    while library.fakedev_fallback_get(ctypes.c_size_t(index), ctypes.byref(name), ctypes.byref(count)):
        if count.value:
            result[name.value.decode()] = count.value
        index += 1
    return result


def forget_fallbacks():
    _integration().fakedev_fallback_clear()
