# SPDX-License-Identifier: BSD-3-Clause
"""Faults of the data exchange between PyTorch and other libraries. See core.py for their purpose."""

import torch
import torch.utils.dlpack

_BYTES = {torch.float8_e4m3fn, torch.float8_e5m2}


def _is_ours(tensor):
    return tensor.device.type == "fakedev"


def _exports(change):
    """Returns a function that installs a fault: every export function exports change(tensor)."""

    def place():
        for name in ("_to_dlpack", "_to_dlpack_versioned"):
            setattr(torch._C, name, _changed(getattr(torch._C, name), change))
        torch.utils.dlpack.to_dlpack = torch._C._to_dlpack

    return place


def _changed(export, change):
    def exported(tensor, **options):
        return export(change(tensor) if _is_ours(tensor) else tensor, **options)

    return exported


_kept = []


def _keep(tensor):
    _kept.append(tensor)
    return tensor


def _as_bytes(tensor):
    return tensor.view(torch.uint8) if tensor.dtype in _BYTES else tensor


def _capsule_is_taken_twice():
    take = torch._C._from_dlpack

    def _from_dlpack(capsule):
        return torch.empty(0) if "used_" in repr(capsule) else take(capsule)

    torch._C._from_dlpack = _from_dlpack


def _method(change):
    """Returns a function that installs a fault: __dlpack__ returns change(original method, tensor, options)."""

    def place():
        export = torch.Tensor.__dlpack__

        def __dlpack__(self, **options):
            return change(export, self, options) if _is_ours(self) else export(self, **options)

        torch.Tensor.__dlpack__ = __dlpack__

    return place


def _without_asking(export, tensor, options):
    return export(tensor.detach().resolve_conj(), **options)


def _without_streams(export, tensor, options):
    if options.pop("stream", None) is not None:
        raise BufferError("fakedev has no streams for DLPack")
    return export(tensor, **options)


def _without_version(export, tensor, options):
    options.pop("max_version", None)
    return export(tensor, **options)


def _exported_device_is_zero():
    ask = torch.Tensor.__dlpack_device__

    def __dlpack_device__(self):
        return (torch.utils.dlpack.DLDeviceType.kDLExtDev, 0) if _is_ours(self) else ask(self)

    torch.Tensor.__dlpack_device__ = __dlpack_device__


def _numpy_takes_device_tensors():
    convert = torch.Tensor.numpy
    torch.Tensor.numpy = lambda self, *, force=False: convert(self, force=True)


def _device_memory_is_cudas():
    torch.Tensor.__cuda_array_interface__ = property(
        lambda self: {"shape": tuple(self.shape), "data": (self.data_ptr(), False), "typestr": "<f4", "version": 2}
    )


def _import_stays_on_cpu():
    take = torch.from_dlpack
    torch.from_dlpack = lambda ext_tensor, *, device=None, copy=None: take(ext_tensor, copy=copy)


PLACES = {
    "core.capsule_is_taken_twice": _capsule_is_taken_twice,
    "core.capsules_have_no_version": _method(_without_version),
    "core.capsules_keep_their_tensor": _exports(_keep),
    "core.device_memory_is_cudas": _device_memory_is_cudas,
    "core.exported_device_is_zero": _exported_device_is_zero,
    "core.exported_streams_are_refused": _method(_without_streams),
    "core.exported_without_asking": _method(_without_asking),
    "core.import_stays_on_cpu": _import_stays_on_cpu,
    "core.narrow_floats_become_bytes": _exports(_as_bytes),
    "core.numpy_takes_device_tensors": _numpy_takes_device_tensors,
}
