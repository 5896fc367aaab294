# SPDX-License-Identifier: BSD-3-Clause
"""Faults of the profiler's Python functions. Vendors replace them with their own, with defects like these."""

import torch
from torch.autograd import DeviceType, profiler
from torch.profiler import ProfilerActivity


def _method(owner, name, make):
    """Returns a function that installs a fault: owner.name becomes make(owner.name)."""
    return lambda: setattr(owner, name, make(getattr(owner, name)))


def _ignoring(option):
    """Returns a fault: sessions ignore this option."""
    return _method(
        profiler.profile, "__init__",
        lambda clean: lambda self, *arguments, **options: clean(self, *arguments, **{**options, option: False}),
    )


def _without_effect():
    profiler.record_function.__enter__ = lambda self: self
    profiler.record_function.__exit__ = lambda self, *_: None


def _entering_again(clean):
    return lambda self: self if self.entered else clean(self)


def _of_one_thread():
    """Sessions keep the operators of the thread of their first event."""
    clean = profiler.profile._ensure_function_events

    def ensure(self):
        if self._function_events is None:
            clean(self)
            events = self._function_events
            events[:] = [one for one in events if one.device_type != DeviceType.CPU or one.thread == events[0].thread]

    profiler.profile._ensure_function_events = ensure


def _handling_once(clean):
    def __init__(self, *arguments, on_trace_ready=None, **options):
        handled = []

        def once(session):
            if not handled:
                handled.append(session)
                on_trace_ready(session)

        clean(self, *arguments, on_trace_ready=on_trace_ready and once, **options)

    return __init__


def _with_operators(clean):
    def __init__(self, *, activities=None, **options):
        clean(self, activities=activities and {*activities, ProfilerActivity.CPU}, **options)

    return __init__


PLACES = {
    "core.operators_in_every_profile": _method(torch.profiler.profile, "__init__", _with_operators),
    "core.profiler_can_be_entered_twice": _method(profiler.profile, "__enter__", _entering_again),
    "core.profiler_ignores_shapes": _ignoring("record_shapes"),
    "core.profiler_ignores_stacks": _ignoring("with_stack"),
    "core.profiler_sees_one_thread": _of_one_thread,
    "core.ranges_are_not_recorded": _without_effect,
    "core.trace_handler_is_called_once": _method(torch.profiler.profile, "__init__", _handling_once),
}
