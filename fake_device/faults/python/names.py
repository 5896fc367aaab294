# SPDX-License-Identifier: BSD-3-Clause
"""Faults of the backend's name that only the Python package can cause, and faults of the generated methods."""

import copy

import torch
from torch.nn.utils.rnn import PackedSequence

_registration = torch.utils.backend_registration


def _name_said_in_capitals():
    torch._C._get_privateuse1_backend_name = lambda: "FakeDev"


def _name_spelled_differently():
    _registration._privateuse1_backend_name = "FakeDev"


def _enums_not_renamed():
    for kind in (torch._C._autograd.DeviceType, torch._C._profiler.ProfilerActivity):
        kind.name = property(lambda self: str(self).split(".")[-1])
        kind.__str__ = lambda self: f"{type(self).__name__}.PrivateUse1"
        kind.__repr__ = lambda self: f"<{self}: {self.value}>"
        if hasattr(kind, "FAKEDEV"):
            del kind.FAKEDEV


def _renamed_in_cpp_only():
    _registration._privateuse1_backend_name = "privateuseone"
    _enums_not_renamed()


def _device_tensors_are_cuda():
    torch.Tensor.is_cuda = property(lambda self: self.device.type in ("cuda", "fakedev"))


def _methods_missing():
    """Simulates a package that defines its own methods and does not generate the methods of torch.Tensor."""
    del torch.Tensor.fakedev, torch.Tensor.is_fakedev


def _method(make):
    """Returns a function that installs a fault: Tensor.fakedev becomes make(Tensor.fakedev)."""
    return lambda: setattr(torch.Tensor, "fakedev", make(torch.Tensor.fakedev))


def _of_ints_only(clean):
    def fakedev(self, device=None, **options):
        if not isinstance(device, (int, type(None))):
            raise TypeError(f"expected an int, got {device!r}")
        return clean(self, device, **options)

    return fakedev


def _to_device_zero(clean):
    def fakedev(self, device=None, **options):
        return clean(self, 0 if device in (None, "fakedev") else device, **options)

    return fakedev


def _of_any_type(clean):
    def fakedev(self, device=None, **options):
        other = isinstance(device, (str, torch.device)) and torch.device(device).type != "fakedev"
        return clean(self, None if other else device, **options)

    return fakedev


def _always_copying(clean):
    def fakedev(self, device=None, **options):
        moved = clean(self, device, **options)
        return moved.clone() if moved is self else moved

    return fakedev


def _without_layout(clean):
    def fakedev(self, device=None, non_blocking=False, **_):
        return clean(self, device, non_blocking)

    return fakedev


def _without_non_blocking(clean):
    def fakedev(self, device=None, non_blocking=False, **options):
        return clean(self, device, **options)

    return fakedev


def _unseen(clean):
    def fakedev(self, device=None, **options):
        with torch._C.DisableTorchFunctionSubclass():
            return clean(self, device, **options).as_subclass(type(self))

    return fakedev


def _mark_hides_from_subclasses():
    def is_fakedev(self):
        with torch._C.DisableTorchFunctionSubclass():
            return self.device.type == "fakedev"

    torch.Tensor.is_fakedev = property(is_fakedev)


def _mark_of_every_tensor():
    torch.Tensor.is_fakedev = property(lambda self: True)


def _module_method_returns_a_copy():
    move = torch.nn.Module.fakedev
    torch.nn.Module.fakedev = lambda self, device=None: move(copy.deepcopy(self), device)


def _module_method_forgets_buffers():
    def fakedev(self, device=None):
        for module in self.modules():
            for name, parameter in module._parameters.items():
                module._parameters[name] = torch.nn.Parameter(parameter.detach().fakedev(device))
        return self

    torch.nn.Module.fakedev = fakedev


def _packed_sequence_ignores_index():
    PackedSequence.fakedev = lambda self, *_, **__: self.to("fakedev:0")


def _packed_sequence_mark_is_wrong():
    PackedSequence.is_fakedev = property(lambda self: self.is_cuda)


def _storage_method_always_copies():
    move = torch.storage._StorageBase.fakedev

    def fakedev(self, device=None, non_blocking=False):
        moved = move(self, device, non_blocking)
        return moved.clone() if moved is self else moved

    torch.storage._StorageBase.fakedev = fakedev


def _storage_mark_is_wrong():
    for owner in (torch.UntypedStorage, torch.TypedStorage):
        owner.is_fakedev = property(lambda self: False)


PLACES = {
    "python.device_tensors_are_cuda": _device_tensors_are_cuda,
    "python.enums_not_renamed": _enums_not_renamed,
    "python.mark_hides_from_subclasses": _mark_hides_from_subclasses,
    "python.mark_of_every_tensor": _mark_of_every_tensor,
    "python.method_always_copies": _method(_always_copying),
    "python.method_drops_layout": _method(_without_layout),
    "python.method_drops_non_blocking": _method(_without_non_blocking),
    "python.method_hides_from_subclasses": _method(_unseen),
    "python.method_moves_to_device_zero": _method(_to_device_zero),
    "python.method_takes_any_type": _method(_of_any_type),
    "python.method_takes_ints_only": _method(_of_ints_only),
    "python.methods_missing": _methods_missing,
    "python.module_method_forgets_buffers": _module_method_forgets_buffers,
    "python.module_method_returns_a_copy": _module_method_returns_a_copy,
    "python.name_said_in_capitals": _name_said_in_capitals,
    "python.name_spelled_differently": _name_spelled_differently,
    "python.packed_sequence_ignores_index": _packed_sequence_ignores_index,
    "python.packed_sequence_mark_is_wrong": _packed_sequence_mark_is_wrong,
    "python.renamed_in_cpp_only": _renamed_in_cpp_only,
    "python.storage_mark_is_wrong": _storage_mark_is_wrong,
    "python.storage_method_always_copies": _storage_method_always_copies,
}
