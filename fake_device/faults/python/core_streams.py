# SPDX-License-Identifier: BSD-3-Clause
"""Faults of torch.Stream and torch.Event (see core.py). Each fault installs a subclass with the same name."""

import torch

_accelerator = torch.accelerator


def _becomes(kind):
    """Derives from the class that is installed now, because several faults may be armed together."""
    torch.Stream = type("Stream", (kind, torch.Stream), {})


def _entered_once():
    class OneFormer:
        def __enter__(self):
            self.former = _accelerator.current_stream(self.device)
            _accelerator.set_stream(self)
            return self

        def __exit__(self, *exception):
            _accelerator.set_stream(self.former)

    _becomes(OneFormer)


def _stays_after_an_error():
    class Careless:
        def __exit__(self, kind, value, trace):
            if kind is None:
                super().__exit__(kind, value, trace)

    _becomes(Careless)


def _unrecorded_event_refused():
    class Strict:
        def wait_event(self, event):
            if event.event_id == 0:
                raise RuntimeError("the event was never recorded")
            super().wait_event(event)

    _becomes(Strict)


def _streams_hash_by_object():
    class ByObject:
        __hash__ = object.__hash__

    _becomes(ByObject)


def _rebuilt_stream_is_another():
    class Forgetful:
        def __new__(cls, *arguments, stream_id=None, device_index=None, device_type=None, **options):
            if stream_id is None:
                return super().__new__(cls, *arguments, **options)
            return super().__new__(cls, torch.device(torch._C._get_privateuse1_backend_name(), device_index))

    _becomes(Forgetful)


def _events_forget_their_device():
    bare = torch.device(torch._C._get_privateuse1_backend_name())
    torch.Event = type("Event", (torch.Event,), {"device": property(lambda event: bare)})


def _record_event_makes_another():
    class Maker:
        def record_event(self, event=None):
            return super().record_event()

    _becomes(Maker)


PLACES = {
    "core.events_forget_their_device": _events_forget_their_device,
    "core.rebuilt_stream_is_another": _rebuilt_stream_is_another,
    "core.record_event_makes_another": _record_event_makes_another,
    "core.stream_entered_once": _entered_once,
    "core.stream_stays_after_an_error": _stays_after_an_error,
    "core.streams_hash_by_object": _streams_hash_by_object,
    "core.unrecorded_event_refused": _unrecorded_event_refused,
}
