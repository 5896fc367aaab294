# SPDX-License-Identifier: BSD-3-Clause
"""Tests which clauses a change of PyTorch touches, by their anchors."""

import unittest

from assay.anchors.requirements import requirements_of
from contract_folder import write_contract
from assay.drift.entry import Entry
from harness.command.fixtures.folder_case import FolderCase

CLAUSES = [
    {"anchor": "c10/core/Allocator.h:Allocator::allocate; native_functions.yaml:empty"},
    {"anchor": "derived c10/core/Allocator.h:DataPtr (whose; memory);\ntorch/accelerator/graphs.py:Graph.replay"},
    {"anchor": "c10/core/Stream.h"},
    {"anchor": "torch.maximum"},
]
ALLOCATOR = "c10/core/Allocator.h"


def entry(id, header, change="removed", kind="method"):
    return Entry(id=id, kind=kind, change=change, header=header)


class Requirements(FolderCase):
    def setUp(self):
        super().setUp()
        self.suites = self.folder / "suites"
        write_contract(self.folder, CLAUSES)

    def test_rows(self):
        rows = (
            (entry("cxx:c10::Allocator::allocate(unsigned long)", ALLOCATOR), ["A-001"]),
            (entry("cxx:c10::Allocator::clone(int)", ALLOCATOR), []),
            (entry("cxx:c10::Other::allocate(unsigned long)", ALLOCATOR), []),
            (entry("cxx:c10::Allocator", ALLOCATOR, "final", "class"), ["A-001"]),
            (entry("cxx:c10::Allocator::seeded()", ALLOCATOR, "pure_virtual_added"), ["A-001"]),
            (entry("cxx:c10::Allocator::seeded()", ALLOCATOR, "added"), []),
            (entry("cxx:c10::DataPtr::clear()", ALLOCATOR), ["A-002"]),
            (entry("header:c10/core/Allocator.h", ALLOCATOR, kind="header"), ["A-001", "A-002"]),
            (entry("cxx:c10::Stream::id() const", "c10/core/Stream.h"), ["A-003"]),
            (entry("op:aten::empty.memory_format", "native_functions.yaml", "schema", "op"), ["A-001"]),
            (entry("op:aten::empty_like", "native_functions.yaml", "schema", "op"), []),
            (entry("py:torch.accelerator.graphs.Graph.replay(how)", "torch/accelerator/graphs.py", "required_argument"), ["A-002"]),
            (entry("py:torch.accelerator.graphs.Graph.reset", "torch/accelerator/graphs.py"), []),
            (entry("py:torch.maximum", "torch/__init__.py", kind="pyimport"), ["A-004"]),
        )
        for changed, expected in rows:
            self.assertEqual(requirements_of(changed, self.suites), expected, (changed.id, changed.change))


if __name__ == "__main__":
    unittest.main()
