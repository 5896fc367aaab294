# SPDX-License-Identifier: BSD-3-Clause
"""The switchboard of torture_target: assay.switches/1 in Python, for proofs without torch.

ASSAY_TORTURE_SWITCHES lists its switches: NAME, or NAME=SETTING for a switch that acts during loading. The armed switch
is in TORTURE_FAULT of the process; ask() records that a switch was reached."""

import ctypes
import os

OK, INVALID, NO, YES, UNKNOWN = 0, -1, 0, 1, 2
FAULT, AT_CALL, AT_LOAD = 1, 1, 2
TEXT, TARGET, NUMBER = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int32


class _Switch(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("kind", NUMBER), ("time", NUMBER), ("reserved", ctypes.c_uint32)] + [
        (name, TEXT) for name in ("name", "violates", "means", "environment", "summary", "source")
    ]


def _row(entry):
    name, _, setting = entry.partition("=")
    return _Switch(
        struct_size=ctypes.sizeof(_Switch), kind=FAULT, time=AT_LOAD if setting else AT_CALL,
        name=name.encode(), environment=setting.encode() or None, summary=b"",
    )


_rows = [_row(entry) for entry in os.environ.get("ASSAY_TORTURE_SWITCHES", "").split()]
_asked = set()
_state = {"watched": False}


def ask(name):
    _asked.add(name)


def _count(_target):
    return len(_rows)


def _get(_target, index):
    return ctypes.addressof(_rows[index]) if index < len(_rows) else None


def _arm(_target, name):
    if not any(row.name == name and row.time == AT_CALL for row in _rows):
        return INVALID
    os.environ["TORTURE_FAULT"] = name.decode()
    return OK


def _disarm(_target):
    os.environ.pop("TORTURE_FAULT", None)
    return OK


def _watch(_target):
    _state["watched"] = True
    return OK


def _was_asked(_target, name):
    if not _state["watched"] or "TORTURE_TELLS_NOTHING" in os.environ:
        return UNKNOWN
    return YES if name.decode() in _asked else NO


def _hits(_target, _name, _hits):
    return OK


_CALLS = (
    ("count", ctypes.CFUNCTYPE(ctypes.c_uint32, TARGET), _count),
    ("get", ctypes.CFUNCTYPE(TARGET, TARGET, ctypes.c_uint32), _get),
    ("arm", ctypes.CFUNCTYPE(NUMBER, TARGET, TEXT), _arm),
    ("disarm", ctypes.CFUNCTYPE(NUMBER, TARGET), _disarm),
    ("watch", ctypes.CFUNCTYPE(NUMBER, TARGET), _watch),
    ("asked", ctypes.CFUNCTYPE(NUMBER, TARGET, TEXT), _was_asked),
    ("hits", ctypes.CFUNCTYPE(NUMBER, TARGET, TEXT, TARGET), _hits),
)


class _Board(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("reserved", ctypes.c_uint32)] + [
        (name, kind) for name, kind, _ in _CALLS
    ]


board = _Board(ctypes.sizeof(_Board), 0, *(kind(call) for _, kind, call in _CALLS))
address = ctypes.addressof(board) if _rows else None
