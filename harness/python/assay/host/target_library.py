# SPDX-License-Identifier: BSD-3-Clause
"""Binds libassay_target.so and the bridge by ctypes: registrations, native suites, the adapter.

Only this file depends on their layout. torch must be imported before `open_library`, so that the bridge uses the
libraries of this interpreter's torch. Runs no operator.
"""

import ctypes
import os
from pathlib import Path

from assay.host.load_steps import StepError

KEYS = 7  # HN_REGISTRATION_KEYS
FACTS = ("named", "guard", "hooks", "allocator", "host_allocator", "fallback")
TEXT = 2048
UNSUPPORTED = -2  # ASSAY_EUNSUPPORTED


class _Registration(ctypes.Structure):
    _fields_ = [("facts", ctypes.c_int32 * len(FACTS)), ("kernels", ctypes.c_int32 * KEYS)]


class _Build(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("pointer_size", ctypes.c_uint32),
        ("cxx11_abi", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("torch", ctypes.c_char_p),
    ]


class _Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("device_count", ctypes.c_uint32),
        ("devices", ctypes.POINTER(ctypes.c_int32)),
        ("device_name", ctypes.c_char_p),
    ]


class Registration:
    """A snapshot of the registrations for PrivateUse1."""

    def __init__(self, library, raw):
        self._library, self._raw = library, raw
        self.facts = dict(zip(FACTS, raw.facts))
        keys = [library.hn_registration_key(i).decode() for i in range(KEYS)]
        self.kernels = dict(zip(keys, raw.kernels))

    def added_since(self, before):
        """The registrations that the earlier snapshot lacks, as {"guard": True, "kernels": {"PrivateUse1": 12}}."""
        added = {name: True for name in FACTS if self.facts[name] != before.facts[name]}
        kernels = {key: self.kernels[key] - before.kernels[key] for key in self.kernels}
        return {**added, "kernels": {key: n for key, n in kernels.items() if n}}

    def words_since(self, before):
        """The result of added_since as text, such as "guard, 12 kernels for PrivateUse1" or "nothing"."""
        text = ctypes.create_string_buffer(TEXT)
        self._library.hn_registration_describe(
            ctypes.byref(before._raw), ctypes.byref(self._raw), text, TEXT
        )
        return text.value.decode()


class _MeansAsked(ctypes.Structure):
    """struct hn_means_asked in C."""

    _fields_ = [
        ("folder", ctypes.c_char_p), ("refused", ctypes.c_char_p), ("recorded", ctypes.c_int32),
        ("late_ms", ctypes.c_int64),
    ]


def libraries_folder():
    folder = os.environ.get("ASSAY_LIBRARIES")
    return Path(folder) if folder else Path(__file__).resolve().parents[1]


class TargetLibrary:
    """One object per process. Calls release the interpreter lock, so that a backend written in Python can run."""

    def __init__(self):
        folder = libraries_folder()
        bridge = os.environ.get("ASSAY_BRIDGE") or str(folder / "libassay_bridge.so")
        self.bridge = ctypes.CDLL(bridge, mode=ctypes.RTLD_GLOBAL)
        self.c = ctypes.CDLL(str(folder / "libassay_target.so"))
        self._declare()
        self._checks = self.c.hn_checks_create()
        self._adapter = ctypes.c_void_p()

    def _declare(self):
        text, number, pointer = ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p
        self.c.hn_registration_key.restype = text
        self.c.hn_checks_create.restype = pointer
        self.c.hn_checks_open.argtypes = [pointer, text, text, ctypes.c_size_t]
        self.c.hn_checks_run.argtypes = [pointer, pointer]
        self.c.hn_adapter_open.argtypes = [text, pointer, pointer, text, ctypes.c_size_t]
        self.c.hn_adapter_extension.argtypes = [pointer, text, pointer]
        self.c.hn_adapter_extension.restype = pointer
        self.c.hn_adapter_claim.argtypes = [pointer, text, pointer]
        self.c.hn_stream_hold_begin.argtypes = [
            pointer, number, ctypes.c_int64, ctypes.c_int64, pointer,
        ]
        self.c.hn_stream_hold_end.argtypes = [pointer]
        self.c.hn_means_begin.argtypes = [ctypes.POINTER(_MeansAsked), pointer, text, ctypes.c_size_t]
        self.c.hn_means_used.argtypes = self.c.hn_means_refused.argtypes = [text]
        devices = ctypes.POINTER(number)
        self.c.hn_state_take.argtypes = [ctypes.c_int, devices, number]
        self.c.hn_state_compare.argtypes = [ctypes.c_int, devices, number, text, ctypes.c_size_t]
        self.c.hn_state_try_device.argtypes = [devices, number]
        self.c.hn_state_try_streams.argtypes = [devices, number]
        self.bridge.bridge_build.restype = ctypes.POINTER(_Build)
        self.bridge.bridge_error_text.restype = text
        self.bridge.bridge_fallback_names.restype = text
        self.bridge.bridge_stubs_filled.restype = text
        self.bridge.bridge_kernel_count.argtypes = [text, ctypes.POINTER(number)]

    def torch_of_bridge(self):
        return self.bridge.bridge_build().contents.torch.decode()

    def take_registration(self):
        raw = _Registration()
        self.c.hn_registration_take(ctypes.byref(raw))
        return Registration(self.c, raw)

    def kind_of_tensor(self, device):
        """The first kind of tensor that can be copied to the device and back, such as "int32 32", or ""."""
        kind = ctypes.create_string_buffer(64)
        return kind.value.decode() if self.bridge.bridge_tensor_kind(device, kind, 64) == 0 else ""

    def backend_name(self):
        name = ctypes.create_string_buffer(64)
        return name.value.decode() if self.bridge.bridge_backend_name(name, 64) == 0 else ""

    def count_of(self, who):
        """deviceCount of "guard" or "hooks", or None if the call fails."""
        count = ctypes.c_int32(-1)
        ask = getattr(self.bridge, f"bridge_{who}_count")
        return count.value if ask(ctypes.byref(count)) == 0 else None

    def open_suite(self, path):
        text = ctypes.create_string_buffer(TEXT)
        if self.c.hn_checks_open(self._checks, os.fsencode(path), text, TEXT) != 0:
            raise StepError(text.value.decode(errors="replace"))

    def run_check(self, pointer):
        return self.c.hn_checks_run(self._checks, pointer) == 0

    def open_adapter(self, path, device_name, devices):
        text = ctypes.create_string_buffer(TEXT)
        numbers = _numbers(devices)
        options = _Options(ctypes.sizeof(_Options), len(devices), numbers, device_name.encode())
        status = self.c.hn_adapter_open(
            os.fsencode(path), ctypes.byref(options), ctypes.byref(self._adapter), text, TEXT
        )
        if status != 0:
            raise StepError(text.value.decode(errors="replace"))

    def extension(self, name):
        """(table, target) of the adapter as addresses, or (None, None) if the adapter lacks it."""
        target = ctypes.c_void_p()
        table = self.c.hn_adapter_extension(self._adapter, name.encode(), ctypes.byref(target))
        return (table, target.value) if table else (None, None)

    def hold_stream(self, device, stream, seconds):
        """Closes the target's gate on a stream. Returns a function that opens it, or None if there is no gate."""
        hold = ctypes.c_void_p()
        status = self.c.hn_stream_hold_begin(
            self._adapter, device, stream, int(seconds * 1000), ctypes.byref(hold)
        )
        if status == UNSUPPORTED:
            return None
        if status != 0:
            raise RuntimeError(f"the adapter cannot close a gate: status {status}")
        return lambda: self.c.hn_stream_hold_end(hold) == 1

    def begin_means(self, folder, refused, recorded, late_ms):
        """See harness/host/target/means.h."""
        text = ctypes.create_string_buffer(TEXT)
        asked = _MeansAsked(os.fsencode(folder), refused and os.fsencode(refused), recorded, late_ms)
        if self.c.hn_means_begin(ctypes.byref(asked), self._adapter, text, TEXT) != 0:
            raise StepError(text.value.decode(errors="replace"))

    def end_means(self):
        self.c.hn_means_end()

    def means_used(self, name):
        self.c.hn_means_used(name.encode())

    def means_refused(self, name):
        self.c.hn_means_refused(name.encode())

    def take_state(self, may, devices):
        self.c.hn_state_take(may, _numbers(devices), len(devices))

    def state_changes(self, may, devices):
        """Sentences about state that differs from the recorded state; see harness/host/target/process_state.h."""
        text = ctypes.create_string_buffer(2 * TEXT)
        self.c.hn_state_compare(may, _numbers(devices), len(devices), text, 2 * TEXT)
        return text.value.decode(errors="replace").splitlines()

    def try_device(self, devices):
        return self.c.hn_state_try_device(_numbers(devices), len(devices))

    def try_streams(self, devices):
        return self.c.hn_state_try_streams(_numbers(devices), len(devices))

    def claim(self, capability):
        """The adapter's answer (0 no, 1 yes, 2 unknown) and its reason, which may be ""."""
        reason = ctypes.c_char_p()
        answer = self.c.hn_adapter_claim(self._adapter, capability.encode(), ctypes.byref(reason))
        return answer, (reason.value or b"").decode(errors="replace")


def _numbers(devices):
    return (ctypes.c_int32 * max(1, len(devices)))(*devices)


def open_library():
    return TargetLibrary()
