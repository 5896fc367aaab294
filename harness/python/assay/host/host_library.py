# SPDX-License-Identifier: BSD-3-Clause
"""Binds libassay_host.so by ctypes: the structs of host_callbacks.h and the functions of python_entry.h.

Only this file depends on the layout of the host library. This file does not import torch.
"""

import ctypes
import os
from dataclasses import dataclass, field
from pathlib import Path

DONE = 0x600D  # HN_HOST_DONE: return value of a callback that succeeded
BEFORE_CHECK = 0  # HN_BEFORE_CHECK
MAX_DEVICES = 64
NAME_SIZE = 64


class _Step(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("argument", ctypes.c_char_p), ("extra", ctypes.c_char_p)]


class _Setup(ctypes.Structure):
    _fields_ = [
        ("mode", ctypes.c_char_p),
        ("loads_target", ctypes.c_int32),
        ("steps", ctypes.POINTER(_Step)),
        ("step_count", ctypes.c_size_t),
        ("modules", ctypes.POINTER(ctypes.c_char_p)),
        ("module_count", ctypes.c_size_t),
        ("adapter", ctypes.c_char_p),
        ("device_name", ctypes.c_char_p),
        ("devices", ctypes.POINTER(ctypes.c_int32)),
        ("device_count", ctypes.c_size_t),
    ]


class TargetStruct(ctypes.Structure):
    _fields_ = [
        ("device_name", ctypes.c_char * NAME_SIZE),
        ("devices", ctypes.c_int32 * MAX_DEVICES),
        ("device_count", ctypes.c_uint32),
    ]


_PREPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Setup))
_FORK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_LOAD = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Setup), ctypes.POINTER(TargetStruct)
)
_WARM_UP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_RUN_CHECK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_EXTENSION = ctypes.CFUNCTYPE(
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
)
_CLAIM = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_char_p)
_OBSERVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
_FLUSH = _RENEW = _START = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Callbacks(ctypes.Structure):
    _fields_ = [
        ("context", ctypes.c_void_p),
        ("prepare", _PREPARE),
        ("fork", _FORK),
        ("load_target", _LOAD),
        ("warm_up", _WARM_UP),
        ("run_check", _RUN_CHECK),
        ("extension", _EXTENSION),
        ("flush", _FLUSH),
        ("renew", _RENEW),
        ("claim", _CLAIM),
        ("observe", _OBSERVE),
        ("start", _START),
    ]


class CheckStruct(ctypes.Structure):
    """The first members of struct assay_check in assay/check.h, up to the last one that Python reads."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("device_count", ctypes.c_uint32),
        ("host", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("id", ctypes.c_char_p),
        ("device_name", ctypes.c_char_p),
        ("devices", ctypes.POINTER(ctypes.c_int32)),
        ("scratch", ctypes.c_char_p),
        ("seed", ctypes.c_uint64),
        ("takes", ctypes.c_char_p),
        ("owed", ctypes.c_char_p),
    ]


@dataclass(frozen=True)
class Setup:
    """The set-up that the supervisor sent to this host, as Python objects. Steps are (kind, argument, extra)."""

    loads_target: bool  # True if the host loads the target before it forks the jobs
    steps: list[tuple[str, str, str]] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    adapter: str | None = None
    device_name: str | None = None
    devices: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Check:
    """The running check. `pointer` is its struct assay_check, for a native check."""

    id: str
    device_name: str
    devices: list[int]
    scratch: str
    seed: int
    pointer: int
    owed: str  # for example "DEV-009:guard.setDevice ..."


def _text(value):
    return None if value is None else value.decode("utf-8", "surrogateescape")


def read_setup(pointer):
    setup = pointer.contents
    steps = [setup.steps[i] for i in range(setup.step_count)]
    return Setup(
        loads_target=bool(setup.loads_target),
        steps=[(_text(step.kind), _text(step.argument), _text(step.extra)) for step in steps],
        modules=[_text(setup.modules[i]) for i in range(setup.module_count)],
        adapter=_text(setup.adapter),
        device_name=_text(setup.device_name),
        devices=[setup.devices[i] for i in range(setup.device_count)],
    )


def read_check(address):
    check = ctypes.cast(address, ctypes.POINTER(CheckStruct)).contents
    return Check(
        id=_text(check.id),
        device_name=_text(check.device_name),
        devices=[check.devices[i] for i in range(check.device_count)],
        scratch=_text(check.scratch),
        seed=check.seed,
        pointer=address,
        owed=_text(check.owed) or "",
    )


def write_target(pointer, device_name, devices):
    if len(devices) > MAX_DEVICES:
        raise ValueError(f"{len(devices)} devices, the host has room for {MAX_DEVICES}")
    target = pointer.contents
    target.device_name = device_name.encode()[: NAME_SIZE - 1]
    target.devices[: len(devices)] = devices
    target.device_count = len(devices)


def library_path():
    folder = os.environ.get("ASSAY_LIBRARIES")
    if folder:
        return Path(folder) / "libassay_host.so"
    # In an installation, the package is beside the libraries.
    return Path(__file__).resolve().parents[1] / "libassay_host.so"


def load():
    library = ctypes.CDLL(str(library_path()))
    text, number = ctypes.c_char_p, ctypes.c_int32
    library.hn_host_serve.argtypes = [ctypes.c_int, ctypes.POINTER(Callbacks)]
    library.hn_host_serve_one.argtypes = [ctypes.c_int, ctypes.POINTER(Callbacks)]
    library.hn_host_set_program.argtypes = [ctypes.POINTER(text)]
    library.hn_host_problem.argtypes = [text]
    library.hn_host_fact.argtypes = [text, text]
    library.hn_host_order_named.argtypes = [text]
    library.hn_host_order_named.restype = text
    library.hn_python_report.argtypes = [number, text, text, text, text, number]
    library.hn_python_note.argtypes = [text, text]
    library.hn_python_mark.argtypes = [text, number]
    library.hn_python_milliseconds_left.restype = ctypes.c_int64
    library.hn_python_capability.argtypes = [text]
    library.hn_bare_keep.argtypes = [number, number]
    sizes = (ctypes.c_uint32 * 4)()
    library.hn_python_sizes(sizes)
    mine = [ctypes.sizeof(kind) for kind in (_Setup, TargetStruct, Callbacks, CheckStruct)]
    if list(sizes) != mine:
        raise RuntimeError(f"{library_path()} is of another build: sizes {list(sizes)}, not {mine}")
    return library
