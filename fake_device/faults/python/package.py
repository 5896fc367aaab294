# SPDX-License-Identifier: BSD-3-Clause
"""Faulty functions of the package. Each fault is a defect of a real backend."""

import atexit
import os
import sys

import torch

from .. import _C, _device_module, _devices, _lifecycle, _random, _streams, amp

_PACKAGE = __package__.rpartition(".")[0]


def _wrong(name):
    """Returns a function that installs a fault: replaces a function under every name that the package has for it."""

    def decorate(make):
        def place():
            module, _, attribute = name.partition(".")
            clean = getattr(sys.modules[f"{_PACKAGE}.{module}"], attribute)
            spoiled = make(clean)
            for known in list(sys.modules.values()):
                if getattr(known, "__name__", "").startswith(_PACKAGE + "."):
                    for key in [key for key, value in vars(known).items() if value is clean]:
                        setattr(known, key, spoiled)

        return place

    return decorate


@_wrong("_devices.set_device")
def _minus_one_sets_zero(clean):
    return lambda device: _C.set_device(max(_devices.device_index(device), 0))


def _device_not_restored_on_error():
    leave = _devices.device.__exit__

    def __exit__(self, kind, value, trace):
        return leave(self, kind, value, trace) if kind is None else False

    _devices.device.__exit__ = __exit__


def _device_noted_when_made():
    make, enter = _devices.device.__init__, _devices.device.__enter__

    def __init__(self, device):
        make(self, device)
        self.noted = _C.current_device()

    def __enter__(self):
        enter(self)
        self.prev_idx = self.noted

    _devices.device.__init__, _devices.device.__enter__ = __init__, __enter__


def _device_is_no_context():
    del _devices.device.__enter__


@_wrong("_lifecycle.device_count")
def _count_one_too_many(clean):
    return lambda: clean() + 1


@_wrong("_lifecycle.is_available")
def _is_available_raises(clean):
    def is_available():
        if _lifecycle.device_count() == 0:
            raise RuntimeError("No fakedev device")
        return clean()

    return is_available


@_wrong("_lifecycle.is_available")
def _available_without_device(clean):
    return lambda: True


@_wrong("_lifecycle.is_in_bad_fork")
def _bad_fork_unnoticed(clean):
    return lambda: False


def _aborts_at_exit(is_alive):
    """Returns a fault of lazy_init: if is_alive() returns True at exit, the process aborts."""

    def wrong(clean):
        def lazy_init():
            first = not _lifecycle.is_initialized()
            clean()
            if first:
                atexit.register(lambda: is_alive() and os.abort())

        return lazy_init

    return _wrong("_lifecycle.lazy_init")(wrong)


def _memory_is_alive():
    return any(torch.accelerator.memory_allocated(i) for i in range(_lifecycle.device_count()))


def _events_are_alive():
    from ..testing import counters

    counted = counters()
    return counted["events_created"] != counted["events_destroyed"]


@_wrong("_random._generator")
def _rng_functions_reject_int(clean):
    def generator(device):
        if isinstance(device, int):
            raise TypeError("expected a torch.device, got int")
        return clean(device)

    return generator


@_wrong("_random._generator")
def _rng_state_of_current_device(clean):
    return lambda device: clean(None)


@_wrong("_random._generator")
def _bare_rng_state_of_device_zero(clean):
    return lambda device: clean(0 if device == "fakedev" else device)


@_wrong("_random.manual_seed_all")
def _manual_seed_rejects_negative(clean):
    def manual_seed_all(seed):
        if seed < 0:
            raise ValueError(f"seed {seed} is negative")
        clean(seed)

    return manual_seed_all


@_wrong("_random.manual_seed_all")
def _first_early_seed_wins(clean):
    early = []

    def manual_seed_all(seed):
        if _lifecycle.is_initialized() or not early:
            early.append(seed)
            clean(seed)

    return manual_seed_all


@_wrong("_random.manual_seed_all")
def _seed_lost_before_start(clean):
    return lambda seed: clean(seed) if _lifecycle.is_initialized() else None


@_wrong("_random.manual_seed_all")
def _manual_seed_all_only_current(clean):
    return lambda seed: _random.manual_seed(seed)


@_wrong("_random.manual_seed_all")
def _manual_seed_all_without_effect(clean):
    return lambda seed: None


@_wrong("_random.manual_seed")
def _manual_seed_seeds_all(clean):
    return lambda seed: _random.manual_seed_all(seed)


@_wrong("_random.get_rng_state_all")
def _state_of_current_only(clean):
    return lambda: [_random._generator(None).get_state()]


@_wrong("_random.set_rng_state_all")
def _set_state_of_current_only(clean):
    def set_rng_state_all(new_states):
        (state,) = new_states
        _random._generator(None).set_state(state)

    return set_rng_state_all


def _rng_all_is_current_only():
    _state_of_current_only()
    _set_state_of_current_only()


@_wrong("_streams.set_stream")
def _stream_of_none_is_a_new_one(clean):
    return lambda stream: clean(torch.Stream("fakedev") if stream is None else stream)


def _events_never_tell_time():
    make = _streams.Event.__new__

    def __new__(cls, device="fakedev", *, enable_timing=False, **options):
        return make(cls, device, enable_timing=False, **options)

    _streams.Event.__new__ = __new__


@_wrong("_streams.synchronize")
def _synchronize_needs_device(clean):
    def synchronize(device=None):
        if device is None:
            raise TypeError("synchronize() missing 1 required positional argument: 'device'")
        clean(device)

    return synchronize


@_wrong("amp.get_amp_supported_dtype")
def _amp_dtypes_empty(clean):
    return lambda: []


@_wrong("amp.get_amp_supported_dtype")
def _amp_dtypes_claim_everything(clean):
    return lambda: [torch.int8, torch.float16, torch.bfloat16, torch.float32, torch.float64]


@_wrong("amp.get_amp_supported_dtype")
def _amp_dtypes_change_the_default(clean):
    """Tries each dtype as the autocast dtype and does not restore the default."""

    def get_amp_supported_dtype():
        torch.set_autocast_dtype("fakedev", torch.float32)
        return clean()

    return get_amp_supported_dtype


def _absent(name):
    return lambda: delattr(_device_module, name)


def _initialized_missing():
    clean = _device_module.__getattr__

    def __getattr__(name):
        if name == "_initialized":
            raise AttributeError(f"module 'torch.fakedev' has no attribute '{name}'")
        return clean(name)

    _device_module.__getattr__ = __getattr__


PLACES = {
    "python.amp_dtypes_change_the_default": _amp_dtypes_change_the_default,
    "python.amp_dtypes_claim_everything": _amp_dtypes_claim_everything,
    "python.amp_dtypes_empty": _amp_dtypes_empty,
    "python.amp_dtypes_missing": _absent("get_amp_supported_dtype"),
    "python.available_without_device": _available_without_device,
    "python.bad_fork_missing": _absent("_is_in_bad_fork"),
    "python.bad_fork_unnoticed": _bad_fork_unnoticed,
    "python.bare_rng_state_of_device_zero": _bare_rng_state_of_device_zero,
    "python.count_one_too_many": _count_one_too_many,
    "python.current_stream_missing": _absent("current_stream"),
    "python.device_is_no_context": _device_is_no_context,
    "python.device_minus_one_sets_zero": _minus_one_sets_zero,
    "python.device_noted_when_made": _device_noted_when_made,
    "python.device_not_restored_on_error": _device_not_restored_on_error,
    "python.events_never_tell_time": _events_never_tell_time,
    "python.exit_demands_all_freed": _aborts_at_exit(_memory_is_alive),
    "python.exit_demands_no_events": _aborts_at_exit(_events_are_alive),
    "python.first_early_seed_wins": _first_early_seed_wins,
    "python.initialized_missing": _initialized_missing,
    "python.is_available_raises": _is_available_raises,
    "python.manual_seed_all_only_current": _manual_seed_all_only_current,
    "python.manual_seed_all_without_effect": _manual_seed_all_without_effect,
    "python.manual_seed_rejects_negative": _manual_seed_rejects_negative,
    "python.manual_seed_seeds_all": _manual_seed_seeds_all,
    "python.rng_all_is_current_only": _rng_all_is_current_only,
    "python.rng_functions_reject_int": _rng_functions_reject_int,
    "python.rng_state_of_current_device": _rng_state_of_current_device,
    "python.seed_lost_before_start": _seed_lost_before_start,
    "python.stream_of_none_is_a_new_one": _stream_of_none_is_a_new_one,
    "python.synchronize_needs_device": _synchronize_needs_device,
}
