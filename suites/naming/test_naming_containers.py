# SPDX-License-Identifier: BSD-3-Clause
"""The generated methods of classes that contain tensors: Module.<name>(), PackedSequence, storages."""

import unittest
import warnings

import torch
from assay.checks import Case
from assay.values.own_torch import torch as own_torch
from suites.naming.generated_methods import mark_of, method_of
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

NEEDS_TENSOR = """
import torch

torch.utils.rename_privateuse1_backend("assayed")
answer = {}
for what in ("for_module", "for_packed_sequence"):
    flags = {"for_tensor": False, "for_module": False, "for_packed_sequence": False, what: True}
    try:
        answer[what] = str(torch.utils.generate_methods_for_privateuse1_backend(**flags))
    except Exception as error:
        answer[what] = f"{type(error).__name__}: {error}"
answer["left"] = hasattr(torch.nn.Module, "assayed")
"""


def model():
    """A module with a parameter and a buffer, and a submodule that also has one of each."""
    outer, inner = torch.nn.Module(), torch.nn.Module()
    for number, module in enumerate((outer, inner)):
        module.register_parameter("weight", torch.nn.Parameter(torch.arange(3.0) + number))
        module.register_buffer("mean", torch.ones(2) * (number + 5))
    outer.inner = inner
    return outer


class NamingContainers(Case):
    def test_module(self):
        """naming.module_device_method_moves_parameters_and_buffers"""
        name, last = self.device_name, self.devices[-1]
        for form, words in ((None, ""), (last.index, f"{last.index}")):
            module, expected = model(), dict(model().state_dict())
            moved = method_of(self, module, torch.nn.Module)(form)
            self.expect_true(moved is module, f"Module.{name}({words}) returns the module", f"it returned a {type(moved).__name__}")
            state = dict(module.state_dict())
            for key, value in expected.items():
                device = state[key].device
                where = device == last if form is not None else device.type == name
                self.expect_true(where, f"Module.{name}({words}) moves parameters and buffers", f"{key} is on {device}")
                self.expect_tensor(state[key], value, f"Module.{name}({words}) keeps the values")
            self.expect_true(
                isinstance(module.weight, torch.nn.Parameter), f"Module.{name}({words}) keeps Parameters as Parameters",
                f"it is a {type(module.weight).__name__}",
            )

    def test_packed(self):
        """naming.packed_sequence_moves_to_the_device"""
        name, last = self.device_name, self.devices[-1]
        values = torch.arange(6.0).reshape(3, 2, 1)
        packed = pack_padded_sequence(values, [2, 3], enforce_sorted=False)
        self.expect_equal(mark_of(self, packed, PackedSequence), False, f"PackedSequence.is_{name} on the CPU is False")
        for form in ((), (last.index,), (last,)):
            moved = method_of(self, packed, PackedSequence)(*form)
            words = f"PackedSequence.{name}({', '.join(map(repr, form))})"
            self.expect_equal(mark_of(self, moved, PackedSequence), True, f"is_{name} after {words} is True")
            if form:
                self.expect_device(moved.data, last, f"{words} is on the named device")
            self.expect_equal(moved.sorted_indices.device.type, name, f"{words} moves the order of the sequences, too")
            self.expect_tensor(moved.data, packed.data, f"{words} keeps the values")
            self.expect_true(
                own_torch.equal(moved.batch_sizes, packed.batch_sizes), f"{words} does not change the batch sizes", f"{moved.batch_sizes}"
            )

    def test_storage(self):
        """naming.storage_methods_move_to_the_device"""
        name, last = self.device_name, self.devices[-1]
        if not hasattr(torch.UntypedStorage, name):
            self.lacks("methods", f"there is no UntypedStorage.{name}")
        self.need_storage()
        values = torch.tensor([1.0, -2.0, 3.5])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the methods of TypedStorage
            for storage, kind in ((values.untyped_storage(), "UntypedStorage"), (values.storage(), "TypedStorage")):
                moved = getattr(storage, name)(last.index)
                self.expect_device(moved, last, f"{kind}.{name}({last.index}) is on the named device")
                self.expect_equal(getattr(moved, f"is_{name}"), True, f"{kind}.is_{name} of a moved storage is True")
            untyped = values.untyped_storage()
            moved = getattr(untyped, name)(last.index)
            self.expect_true(
                getattr(moved, name)(last.index) is moved, f"UntypedStorage.{name}() of a storage on the device returns the storage",
                "it is another storage",
            )
        back = torch.empty(0, dtype=values.dtype).set_(moved.cpu())
        self.expect_tensor(back, values, f"UntypedStorage.{name}() keeps the bytes")

    def test_needs_tensor(self):
        """naming.generated_module_method_requires_the_tensor_method"""
        answer = self.fresh_torch(NEEDS_TENSOR, "a process with PyTorch and no backend exits normally")
        for what in ("for_module", "for_packed_sequence"):
            self.expect_true(
                answer[what].startswith("RuntimeError: Can not automatically generate"),
                f"generate_methods_for_privateuse1_backend({what}=True, for_tensor=False) raises", answer[what],
            )
        self.expect_equal(answer["left"], False, "a refused generation adds no methods")


if __name__ == "__main__":
    unittest.main()
