# SPDX-License-Identifier: BSD-3-Clause
"""torch.export of a module on the device."""

import io

import torch
from suites.compile.compiled import PRELOAD, CompileCase



class Scaled(torch.nn.Module):
    """A module with a parameter and a buffer. The first dimension of its input may vary."""

    def __init__(self, weight, offset):
        super().__init__()
        self.weight = torch.nn.Parameter(weight)
        self.register_buffer("offset", offset)

    def forward(self, x):
        return torch.mm(x, self.weight) * 2 + self.offset


class ExportedPrograms(CompileCase):
    def module(self):
        return Scaled(self.matrix(), self.on_device(torch.arange(4.0)))

    def test_export(self):
        """compile.exported_module_equals_eager_mode"""
        module, x = self.module(), self.matrix(start=5.0)
        larger = torch.cat([x, x])
        wanted = module(x), module(larger)
        with self.asks_a_special_case():
            for strict in (False, True):
                sizes = ({0: torch.export.Dim("rows", min=2, max=64)},)
                program = torch.export.export(module, (x,), dynamic_shapes=sizes, strict=strict)
                seen = program.module()(x), program.module()(larger)
                self.expect_same(seen, wanted, f"an exported module, strict={strict}")
            self.expect_same(program.run_decompositions().module()(x), wanted[0], "an exported module after run_decompositions()")

    def test_saved(self):
        """compile.saved_program_equals_eager_mode"""
        module, x = self.module(), self.matrix(start=5.0)
        wanted = module(x)
        self.saves_tensors(x)
        with self.asks_a_special_case():
            file = io.BytesIO()
            torch.export.save(torch.export.export(module, (x,)), file)
            file.seek(0)
            loaded = torch.export.load(file)
            self.expect_same(loaded.module()(x), wanted, "an exported module that was saved and loaded")

    def saves_tensors(self, x):
        """A program is saved with its parameters, so a backend that saves no tensors saves no programs."""
        file = io.BytesIO()
        try:
            torch.save(x, file)
            file.seek(0)
            torch.load(file, weights_only=True)
        except Exception as error:
            self.lacks("serialization", error)
