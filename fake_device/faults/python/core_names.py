# SPDX-License-Identifier: BSD-3-Clause
"""Faults of PyTorch's handling of a backend's name. See core.py for their purpose.

torch.device cannot be modified, so each fault replaces it by another class, as a library would.
"""

import copyreg

import sys

import torch
from torch.utils._device import DeviceContext

_device = torch.device
_registration = torch.utils.backend_registration


class _Kind(type):
    """Makes every device an instance of the class that replaces torch.device, no matter how the device was created."""

    def __instancecheck__(cls, thing):
        return isinstance(thing, _device)


def _devices_made_by(make):
    """Returns a function that installs a fault: torch.device(...) becomes make(...)."""

    def place():
        class device(metaclass=_Kind):
            def __new__(cls, *arguments, **options):
                return make(*arguments, **options)

        torch.device = device

    return place


def _complete(*arguments, **options):
    made = _device(*arguments, **options)
    return _device(made.type, 0) if made.type == "fakedev" and made.index is None else made


def _without_bare_name(*arguments, **options):
    if arguments == ("fakedev",) and not options:
        raise RuntimeError("Invalid device string: 'fakedev': which one?")
    return _device(*arguments, **options)


def _without_old_name(*arguments, **options):
    if arguments and str(arguments[0]).startswith("privateuseone"):
        raise RuntimeError(f"Expected one of cpu, cuda, fakedev device type: {arguments[0]}")
    return _device(*arguments, **options)


def _guessed_after(words):
    """Returns the backend's device if torch.device refuses a name with a message that contains `words`."""

    def make(*arguments, **options):
        try:
            return _device(*arguments, **options)
        except RuntimeError as error:
            if words not in str(error):
                raise
            return _device("fakedev")

    return make


def _of_cuda(*arguments, **options):
    if arguments and isinstance(arguments[0], int):
        return _device("cuda", arguments[0])
    return _device(*arguments, **options)


def _pickled_device_loses_index():
    copyreg.pickle(_device, lambda device: (_device, (device.type,)))


def _rename_taken_twice():
    rename = torch.utils.rename_privateuse1_backend

    def rename_privateuse1_backend(backend_name):
        try:
            rename(backend_name)
        except RuntimeError:
            _registration._privateuse1_backend_name = backend_name

    torch.utils.rename_privateuse1_backend = rename_privateuse1_backend


def _default_device_is_ignored():
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))

    DeviceContext.__torch_function__ = __torch_function__


def _default_device_loses_index():
    ask = torch.get_default_device
    torch.get_default_device = lambda: _device(ask().type)


def _type_says_privateuseone():
    ask = torch.Tensor.type

    def type(self, dtype=None, non_blocking=False, **options):
        answer = ask(self, dtype, non_blocking, **options)
        return answer.replace("fakedev", "privateuseone") if dtype is None else answer

    torch.Tensor.type = type


def _type_string_stays_on_cpu():
    convert = torch.Tensor.type

    def type(self, dtype=None, *arguments, **options):
        dtype = dtype.replace("fakedev.", "") if isinstance(dtype, str) else dtype
        return convert(self, dtype, *arguments, **options)

    torch.Tensor.type = type


def _methods_generated_twice():
    _registration._check_register_once = lambda module, attribute: None


def _tests_know_the_old_name_only():
    clean = torch._C._get_privateuse1_backend_name

    def name_of_the_backend():
        caller = sys._getframe(1).f_globals.get("__name__")
        return "privateuse1" if caller == "torch.testing._internal.common_device_type" else clean()

    torch._C._get_privateuse1_backend_name = name_of_the_backend


PLACES = {
    "core.bare_device_is_device_zero": _devices_made_by(_complete),
    "core.bare_name_is_refused": _devices_made_by(_without_bare_name),
    "core.default_device_is_ignored": _default_device_is_ignored,
    "core.default_device_loses_index": _default_device_loses_index,
    "core.device_strings_are_mended": _devices_made_by(_guessed_after("Invalid device string")),
    "core.integers_are_cuda": _devices_made_by(_of_cuda),
    "core.methods_generated_twice": _methods_generated_twice,
    "core.old_name_is_forgotten": _devices_made_by(_without_old_name),
    "core.pickled_device_loses_index": _pickled_device_loses_index,
    "core.rename_taken_twice": _rename_taken_twice,
    "core.tests_know_the_old_name_only": _tests_know_the_old_name_only,
    "core.type_says_privateuseone": _type_says_privateuseone,
    "core.type_string_stays_on_cpu": _type_string_stays_on_cpu,
    "core.unknown_device_is_ours": _devices_made_by(_guessed_after("Expected one of")),
}
