# SPDX-License-Identifier: BSD-3-Clause
"""Faults of torch.accelerator. See core.py for their purpose."""

import torch

_accelerator = torch.accelerator


def _accelerator_has_an_index():
    find = _accelerator.current_accelerator

    def current_accelerator(check_available=False):
        device = find(check_available)
        return device and torch.device(device.type, 0)

    _accelerator.current_accelerator = current_accelerator


def _accelerator_is_always_there():
    _accelerator.is_available = lambda: True


def _contexts_mind_changes():
    leave = _accelerator.device_index.__exit__

    def __exit__(self, *exception):
        if self.idx not in (None, _accelerator.current_device_index()):
            raise RuntimeError("the device was changed in the block")
        leave(self, *exception)

    _accelerator.device_index.__exit__ = __exit__


def _streams_of_any_type():
    put = _accelerator.set_stream
    _accelerator.set_stream = lambda stream: stream.device.type != "cpu" and put(stream) or None


PLACES = {
    "core.accelerator_has_an_index": _accelerator_has_an_index,
    "core.accelerator_is_always_there": _accelerator_is_always_there,
    "core.contexts_mind_changes": _contexts_mind_changes,
    "core.streams_of_any_type": _streams_of_any_type,
}
