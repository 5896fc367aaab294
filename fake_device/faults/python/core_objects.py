# SPDX-License-Identifier: BSD-3-Clause
"""Faults of tensors as Python objects (see core.py): copying, printing, assignment to .data, dispatch modes."""

import torch
from torch.utils import _python_dispatch


def _data_assignment_copies():
    plain = torch.Tensor.data

    def assign(self, value):
        plain.__set__(self, value.clone())

    torch.Tensor.data = property(plain.__get__, assign)


def _deepcopy_shares_memory():
    copy = torch.UntypedStorage.__deepcopy__

    def __deepcopy__(self, memo):
        return copy(self, memo) if self.device.type == "cpu" else self

    torch.UntypedStorage.__deepcopy__ = __deepcopy__


def _dispatch_modes_see_nothing():
    _python_dispatch.TorchDispatchMode.__enter__ = lambda self: self
    _python_dispatch.TorchDispatchMode.__exit__ = lambda self, kind, value, trace: None


def _printed_without_device():
    show = torch._tensor_str._str

    def _str(self, *, tensor_contents=None):
        return show(self, tensor_contents=tensor_contents).replace(f", device='{self.device}'", "")

    torch._tensor_str._str = _str


PLACES = {
    "core.data_assignment_copies": _data_assignment_copies,
    "core.deepcopy_shares_memory": _deepcopy_shares_memory,
    "core.dispatch_modes_see_nothing": _dispatch_modes_see_nothing,
    "core.printed_without_device": _printed_without_device,
}
