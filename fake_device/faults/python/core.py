# SPDX-License-Identifier: BSD-3-Clause
"""Faults of PyTorch itself: defects that a release of PyTorch could introduce although no backend changes.

These faults prove that checks whose subject is core can fail. Real backends replace the same functions, so a backend
may introduce each of these defects as well.
"""

import os
import sys
import threading

import torch
from torch.amp import autocast_mode, grad_scaler

_region = autocast_mode.autocast


def _autocast_checks_nothing():
    construct = _region.__init__

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        try:
            construct(self, device_type, dtype, enabled, cache_enabled)
        except (AssertionError, RuntimeError, ValueError):
            construct(self, "cpu", torch.bfloat16, False, cache_enabled)

    _region.__init__ = __init__


def _autocast_takes_no_index():
    construct = _region.__init__

    def __init__(self, device_type, *arguments, **options):
        if isinstance(device_type, str) and ":" in device_type:
            raise RuntimeError(f"unsupported autocast device_type '{device_type}'")
        construct(self, device_type, *arguments, **options)

    _region.__init__ = __init__


def _autocast_state_not_restored():
    def __exit__(self, *exception):
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        return False

    _region.__exit__ = __exit__


def _autocast_shared_by_threads():
    enter, leave, run, inside = _region.__enter__, _region.__exit__, threading.Thread.run, []

    def __enter__(self):
        inside.append(self.device)
        return enter(self)

    def __exit__(self, *exception):
        inside.pop()
        return leave(self, *exception)

    def in_the_same_region(self):
        for device in inside:
            torch.set_autocast_enabled(device, True)
        run(self)

    _region.__enter__, _region.__exit__ = __enter__, __exit__
    threading.Thread.run = in_the_same_region


def _autocast_unavailable():
    ask = autocast_mode.is_autocast_available

    def is_autocast_available(device_type):
        return device_type != "fakedev" and ask(device_type)

    torch.amp.is_autocast_available = is_autocast_available


def _autocast_decorates_anything():
    decorate = _region.__call__
    _region.__call__ = lambda self, function: decorate(self, function) if callable(function) else function


def _compiled_region_stays_off():
    enter = torch.amp._enter_autocast

    def _enter_autocast(device_type, dtype=None, enabled=True, cache_enabled=None):
        return enter(device_type, dtype, False, cache_enabled)

    # The compiler writes these two names of the function into its graph.
    _enter_autocast.__module__, _enter_autocast.__qualname__ = enter.__module__, enter.__qualname__
    torch.amp._enter_autocast = autocast_mode._enter_autocast = _enter_autocast


def _custom_forward_ignored():
    def custom_fwd(function=None, *, device_type, cast_inputs=None):
        return function or (lambda wrapped: wrapped)

    torch.amp.custom_fwd = custom_fwd
    torch.amp.custom_bwd = custom_fwd


def _capturable_refused():
    for name in ("adam", "rmsprop"):
        module = sys.modules[f"torch.optim.{name}"]
        module._get_capturable_supported_devices = lambda supports_xla=True: ["cuda", "xpu", "hpu"]


def _registered_function_ignored():
    register = torch.library.Library.impl

    def impl(self, op_name, fn, dispatch_key="", **options):
        if dispatch_key != "AutogradPrivateUse1":
            register(self, op_name, fn, dispatch_key, **options)

    torch.library.Library.impl = impl


def _scaler_checks_nothing():
    unscale = grad_scaler.GradScaler.unscale_
    inner = grad_scaler.GradScaler._unscale_grads_

    def unscale_(self, optimizer):
        try:
            unscale(self, optimizer)
        except RuntimeError:
            pass

    def allowing(self, optimizer, inv_scale, found_inf, allow_fp16):
        return inner(self, optimizer, inv_scale, found_inf, True)

    grad_scaler.GradScaler.unscale_ = unscale_
    grad_scaler.GradScaler._unscale_grads_ = allowing


def _backward_after_fork_is_silent():
    backward, home = torch.autograd.backward, os.getpid()

    def nothing_in_a_child(*arguments, **options):
        if os.getpid() == home:
            backward(*arguments, **options)

    def begin_here():
        nonlocal home
        home = os.getpid()

    # Counts only forks after the first backward, because the host process forks before it uses the backend.
    def counting(*arguments, **options):
        begin_here()
        torch.autograd.backward = nothing_in_a_child
        backward(*arguments, **options)

    torch.autograd.backward = counting


def _vector_takes_two_devices():
    torch.nn.utils.convert_parameters._check_param_device = lambda parameter, seen: 0


def _data_takes_any_device():
    plain = torch.Tensor.data

    def assign(self, value):
        plain.__set__(self, value.to(self.device))

    torch.Tensor.data = property(plain.__get__, assign)


def _sharing_in_place_is_refused():
    share = torch.UntypedStorage.share_memory_

    def share_memory_(self):
        if self.device.type != "cpu":
            raise RuntimeError(f"no memory of {self.device} can be shared")
        return share(self)

    torch.UntypedStorage.share_memory_ = share_memory_


def _swap_copies_values():
    def swap(first, second):
        first.data, second.data = second.clone(), first.clone()

    torch.utils.swap_tensors = swap


PLACES = {
    "core.autocast_checks_nothing": _autocast_checks_nothing,
    "core.autocast_takes_no_index": _autocast_takes_no_index,
    "core.autocast_state_not_restored": _autocast_state_not_restored,
    "core.autocast_shared_by_threads": _autocast_shared_by_threads,
    "core.autocast_unavailable": _autocast_unavailable,
    "core.autocast_decorates_anything": _autocast_decorates_anything,
    "core.capturable_refused": _capturable_refused,
    "core.compiled_region_stays_off": _compiled_region_stays_off,
    "core.custom_forward_ignored": _custom_forward_ignored,
    "core.registered_function_ignored": _registered_function_ignored,
    "core.scaler_checks_nothing": _scaler_checks_nothing,
    "core.backward_after_fork_is_silent": _backward_after_fork_is_silent,
    "core.vector_takes_two_devices": _vector_takes_two_devices,
    "core.sharing_in_place_is_refused": _sharing_in_place_is_refused,
    "core.swap_copies_values": _swap_copies_values,
    "core.data_takes_any_device": _data_takes_any_device,
}
