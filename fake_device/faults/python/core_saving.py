# SPDX-License-Identifier: BSD-3-Clause
"""Faults of PyTorch's own saving and loading. See core.py for their purpose.

These faults prove that the core checks of the serialization suite can fail.
"""

import torch

_utils, _saving = torch._utils, torch.serialization


def _restoring_asks_nothing():
    _saving._validate_device = lambda location, backend_name: torch.device(location)


def _later_entry_loses():
    def register_package(priority, tagger, deserializer):
        _saving._package_registry.append((priority, tagger, deserializer))

    _saving.register_package = register_package


def _old_name_is_restored():
    restore = _saving.default_restore_location

    def default_restore_location(storage, location):
        return restore(storage, location.replace("privateuseone", "fakedev"))

    _saving.default_restore_location = default_restore_location


def _rebuilt_tensors_stay_on_cpu():
    def _rebuild_device_tensor_from_cpu_tensor(data, dtype, device, requires_grad):
        return data.to(dtype)

    def _rebuild_device_tensor_from_numpy(data, dtype, device, requires_grad):
        return torch.from_numpy(data).to(dtype)

    for function in (_rebuild_device_tensor_from_cpu_tensor, _rebuild_device_tensor_from_numpy):
        function.__module__, function.__qualname__ = _utils.__name__, function.__name__
        setattr(_utils, function.__name__, function)


def _skip_data_refuses_devices():
    reduce = torch.Tensor._reduce_ex_internal

    def _reduce_ex_internal(self, protocol):
        if _saving._serialization_tls.skip_data and self.device.type == "fakedev":
            raise RuntimeError("Cannot serialize this tensor under skip_data context manager")
        return reduce(self, protocol)

    torch.Tensor._reduce_ex_internal = _reduce_ex_internal


def _marks_follow_to_cpu():
    read, write = _utils.get_tensor_metadata, _utils.set_tensor_metadata

    def set_tensor_metadata(tensor, metadata):
        tensor.__dict__["_marks"] = dict(metadata)
        write(tensor, metadata)

    def get_tensor_metadata(tensor):
        return {**tensor.__dict__.get("_marks", {}), **read(tensor)}

    _utils.get_tensor_metadata, _utils.set_tensor_metadata = get_tensor_metadata, set_tensor_metadata


def _refused_save_leaves_copies():
    save = torch.save

    def through_the_cpu(thing, *arguments, **options):
        if not isinstance(thing, list):
            return save(thing, *arguments, **options)
        kept = list(thing)
        thing[:] = [one.cpu() if isinstance(one, torch.Tensor) else one for one in kept]
        save(thing, *arguments, **options)
        thing[:] = kept

    torch.save = through_the_cpu


def _fake_tensor_forgets_device():
    from torch._subclasses import FakeTensorMode

    make = FakeTensorMode.from_tensor

    def from_tensor(self, tensor, **options):
        return make(self, tensor.detach().cpu() if tensor.device.type == "fakedev" else tensor)

    FakeTensorMode.from_tensor = from_tensor


PLACES = {
    "core.restoring_asks_nothing": _restoring_asks_nothing,
    "core.later_entry_loses": _later_entry_loses,
    "core.old_name_is_restored": _old_name_is_restored,
    "core.rebuilt_tensors_stay_on_cpu": _rebuilt_tensors_stay_on_cpu,
    "core.skip_data_refuses_devices": _skip_data_refuses_devices,
    "core.marks_follow_to_cpu": _marks_follow_to_cpu,
    "core.refused_save_leaves_copies": _refused_save_leaves_copies,
    "core.fake_tensor_forgets_device": _fake_tensor_forgets_device,
}
