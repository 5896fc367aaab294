# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that share memory and tensors that are resized: where they begin, and which memory they cover.

Everything is compared with the same code on the CPU. Each test compares the whole memory of the storage.
"""

import warnings

import torch
from assay.checks import Case
from assay.checks.asking import each
from assay.values.closeness import each_offered

# Calls that create a view of a tensor of shape (4, 6). A write through the view changes that tensor.
VIEWS = {
    "set_": lambda x: x.new_empty(0).set_(x),
    "as_strided": lambda x: x.as_strided((3,), (2,), 1),
    "view": lambda x: x.view(3, 8),
    "select": lambda x: x.select(1, 2),
    "slice": lambda x: x[1:3, ::2],
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "diagonal": lambda x: x.diagonal(1),
    "unfold": lambda x: x.unfold(1, 2, 2),
    "unflatten": lambda x: x.unflatten(1, (2, 3)),
    "squeeze": lambda x: x[:1].squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "split": lambda x: x.split(2)[1],
    "unbind": lambda x: x.unbind(1)[3],
    "detach": lambda x: x.detach(),
    "view_as_complex": lambda x: torch.view_as_real(torch.view_as_complex(x.view(4, 3, 2))),
}
# Tensors of shape (4, 6), and shapes for view(), of which some do not fit the strides.
VIEWED = {
    "a slice": (lambda x: x[1:], (6, 3), True),
    "a transposed tensor with one more dim": (lambda x: x.t(), (6, 1, 4), True),
    "every second row": (lambda x: x[::2], (2, 2, 3), True),
    "an expanded row": (lambda x: x[:1].expand(3, 6), (3, 2, 3), True),
    "a transposed tensor": (lambda x: x.t(), (24,), False),
    "every second column of four": (lambda x: x[:, :4:2], (8,), False),
    "a part of the columns": (lambda x: x[:, 1:4], (2, 6), False),
}
SHAPES = {
    "contiguous": ((2, 3), (3, 1)),
    "transposed": ((2, 3), (1, 2)),
    "with holes": ((2, 3), (20, 4)),
    "expanded": ((4, 5), (0, 1)),
    "overlapping": ((4, 5), (1, 1)),
    "without elements": ((0, 3), (3, 1)),
}


def bytes_needed(sizes, strides, itemsize):
    """The size of the memory from the first to the last element."""
    if 0 in sizes:
        return 0
    return itemsize * (1 + sum((size - 1) * stride for size, stride in zip(sizes, strides)))


class Views(Case):
    def test_as_strided(self):
        """operators.as_strided_uses_the_given_offset"""
        base = self.on_device(torch.arange(10.0))
        part = base[2:]
        for offset, words, first in ((None, "no offset", 2.0), (0, "offset 0", 0.0), (5, "offset 5", 5.0)):
            what = f"as_strided of a slice with {words}"
            seen = self.op("aten::as_strided", part.as_strided, (3,), (1,), offset)
            self.expect_tensor(seen, torch.arange(first, first + 3), what)
        part.as_strided((2,), (1,), 8).copy_(self.on_device(torch.tensor([-1.0, -2.0])))
        wanted = torch.tensor([0.0, 1, 2, 3, 4, 5, 6, 7, -1, -2])
        self.expect_tensor(base, wanted, "the result of as_strided shares the storage")
        what = "as_strided refuses a view past the end of the storage"
        self.expect_raises(RuntimeError, what, part.as_strided, (3,), (1,), 8)

    def test_empty_strided(self):
        """operators.empty_strided_allocates_all_elements"""
        self.need_storage()
        for name, (sizes, strides) in SHAPES.items():
            x = torch.empty_strided(sizes, strides, device=self.device)
            self.expect_equal(x.stride(), strides, f"the strides of a tensor {name}")
            held, needed = x.untyped_storage().nbytes(), bytes_needed(sizes, strides, 4)
            what = f"the storage of a tensor {name} has at least the {needed} bytes of its elements"
            self.expect_true(held >= needed, what, f"it has {held} bytes")

    def written_through(self, view, device):
        """The whole memory on the CPU after a write through the view."""
        base = torch.arange(24.0).reshape(4, 6).to(device)
        seen = view(base)
        seen.copy_(torch.arange(-1.0, -1.0 - seen.numel(), -1).reshape(seen.shape).to(device))
        return self.on_cpu(base)

    def test_views(self):
        """operators.views_share_memory"""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the CPU fallback warns that it copies; the values decide
            for name, seen in each_offered(self, VIEWS, lambda view: self.written_through(view, self.device)):
                wanted = self.written_through(VIEWS[name], "cpu")
                self.expect_tensor(seen, wanted, f"a write through {name} changes the tensor")

    def test_viewed(self):
        """operators.view_aliases_and_reshape_copies_only_if_needed"""
        self.expect_tensor(self.on_device(torch.arange(4.0)).view(2, 2), torch.arange(4.0).view(2, 2), "view works")
        for name, (part, shape, fits), one in each(self, VIEWED):
            with one:
                base, there = self.on_device(torch.arange(24.0).reshape(4, 6)), torch.arange(24.0).reshape(4, 6)
                mine, theirs = part(base), part(there)
                with self.asks_a_special_case():
                    self.compare_reshaped(name, mine, theirs, shape)
                    if not fits:
                        self.expect_raises(RuntimeError, f"view refuses {name}, whose strides do not fit", mine.view, shape)
                        continue
                    view = mine.view(shape)
                if "expanded" not in name:
                    view.copy_(self.on_device(torch.full(shape, -1.0))), theirs.view(shape).fill_(-1)
                    self.expect_tensor(base, there, f"a write through a view of {name} changes the tensor")
                self.expect_tensor(view, theirs.view(shape), f"a view of {name} has its values")

    def compare_reshaped(self, name, mine, theirs, shape):
        self.expect_tensor(mine.reshape(shape), theirs.reshape(shape), f"reshape of {name} has its values")

    def added(self, out):
        """Writes three numbers into `out`. Returns the message of the warning, if there is one."""
        given = torch.tensor([10.0, 20.0, 30.0]).to(out.device)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            result = torch.add(given, given, out=out)
        self.expect_true(result is out, "an operator returns its out= tensor", "it returned another tensor")
        return any("was resized" in str(one.message) for one in warned)

    def test_out(self):
        """operators.out_tensors_are_filled_resized_or_rejected"""
        memory = {device: torch.arange(10.0).to(device) for device in ("cpu", self.device)}
        for what, part in {
            "an output of the right size": slice(4, 7),
            "an output that is too short": slice(4, 6),
            "an output that is too long": slice(2, 9),
        }.items():
            warned = {device: self.added(whole[part]) for device, whole in memory.items()}
            self.expect_equal(warned[self.device], warned["cpu"], f"{what} warns as on the CPU")
            self.expect_tensor(memory[self.device], memory["cpu"], f"{what} is written in its own memory")
        whole = self.on_device(torch.zeros(3, dtype=torch.int64))
        what = "an output of integers refuses fractions"
        if self.expect_raises(RuntimeError, what, self.added, whole) is not None:
            self.expect_tensor(whole, torch.zeros(3, dtype=torch.int64), f"{what} and does not change")
