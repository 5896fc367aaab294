# SPDX-License-Identifier: BSD-3-Clause
"""Fake tensors of the device: the compiler traces a function with them, and they must keep type and index."""

import torch
from assay.checks import Case

PRELOAD = ("torch._dynamo",)  # fake tensors import this module on first use


class FakeTensors(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()

    def fakes(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        return FakeTensorMode()

    def test_operators(self):
        """compile.fake_operators_keep_device_and_index"""
        for number, device in enumerate(self.devices):
            x = self.on_device(torch.ones(4, 4), number)
            with self.asks_a_special_case(), self.fakes() as mode:
                fake = mode.from_tensor(x)
                results = {
                    "a fake tensor": fake, "a sum": fake + 1, "a product": torch.mm(fake, fake), "a view": fake.t()[1:],
                    "a reduction": fake.sum(), "a new tensor": torch.empty(2, device=device),
                    "a tensor like it": torch.zeros_like(fake), "a sum with a number of the CPU": fake + torch.ones(()),
                    "an argument changed in place": fake.add_(1), "a tensor that comes back": fake.cpu().to(device),
                }
                for name, result in results.items():
                    self.expect_device(result, device, f"{name} on {device}")
                self.expect_device(fake.cpu(), torch.device("cpu"), f"the copy of a fake tensor of {device} to the CPU")

    def expect_current(self, size):
        """FakeTensor's cache ignores the current device, so each call needs a new size."""
        current = torch.device(self.device_name, torch.accelerator.current_device_index())
        with self.asks_a_special_case(), self.fakes():
            made = torch.empty(size, device=self.bare_device)
        self.expect_device(made, current, f"a fake tensor without an index, made while {current} is current")

    def test_current(self):
        """compile.fake_factory_without_an_index_uses_the_current_device"""
        self.put_device_back()
        self.on_device(torch.ones(4))
        for size, device in enumerate(self.devices[:2], start=3):
            torch.accelerator.set_device_index(device.index)
            self.expect_current(size)

    def test_metadata(self):
        """compile.metadata_of_graph_inputs_is_recorded"""
        from suites.compile.compiled import Recorder

        x, recorder = self.on_device(torch.ones(4)), Recorder("eager")
        try:
            torch.compile(lambda tensor: tensor * 2, backend=recorder)(x)
        except Exception as error:
            self.lacks("compile", error)
        inputs = [node.meta["example_value"] for node in recorder.graphs[0].graph.nodes if node.op == "placeholder"]
        self.note("types of the graph's inputs", ", ".join(type(one).__name__ for one in inputs))
        shown = [torch._C._get_tensor_metadata(one) if hasattr(torch._C, "_get_tensor_metadata") else None for one in inputs]
        self.note("metadata of the graph's inputs", shown)
        self.expect_device(inputs[0], x.device, "the input of the graph is on the device of the argument")
