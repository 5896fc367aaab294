# SPDX-License-Identifier: BSD-3-Clause
"""Operators that PyTorch can compose from other operators: the arguments that they accept, and the results of a mask
that hides a whole row.

The composed form has priority over a backend's fallback. The composed form accepts fewer arguments than the CPU's own
kernel, or gives another result.
"""

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.values.closeness import each_offered, expect_near
from assay.values.judge import Reference, compare
from torch.nn.attention import SDPBackend, sdpa_kernel

# Inputs and functions. The CPU has its own kernel for each function.
COMPOSED = {
    "group_norm of channels_last": ((2, 6, 3, 3), lambda x: F.group_norm(x, 3)),
    "group_norm of one group": ((2, 6, 3, 3), lambda x: F.group_norm(x, 1)),
    "statistics of layer_norm": ((2, 6, 3, 3), lambda x: torch.native_layer_norm(x, (3,), None, None, 1e-5)[1]),
    "pixel_shuffle": ((2, 8, 3, 3), lambda x: F.pixel_shuffle(x, 2)),
    "channel_shuffle": ((2, 6, 3, 3), lambda x: F.channel_shuffle(x, 3)),
    "all over two dims": ((2, 6, 3, 3), lambda x: torch.all(x > 0, dim=(0, 2))),
    "any over two dims": ((2, 6, 3, 3), lambda x: torch.any(x > 0, dim=(1, 3))),
    "stack": ((2, 6, 3, 3), lambda x: torch.stack([x, x], 1)),
    "addr": ((1, 1, 3, 4), lambda x: torch.addr(x[0, 0], x[0, 0, :, 0], x[0, 0, 0], beta=0.5, alpha=2)),
}


def sample(*shape):
    """Numbers of both signs, in channels_last."""
    numbers = torch.linspace(-2, 3, max(1, torch.Size(shape).numel())).sin()
    return numbers[: torch.Size(shape).numel()].reshape(shape).contiguous(memory_format=torch.channels_last)


class ComposedForms(Case):
    def on_device_as_it_is(self, tensor):
        """A copy with the same strides, because the layout is the subject."""
        return self.op("aten::_copy_from", tensor.to, self.device)

    def test_taken(self):
        """operators.composite_operators_accept_the_cpus_inputs"""
        rows = each_offered(
            self, COMPOSED, lambda row: (row[1](self.on_device_as_it_is(sample(*row[0]))), row[1](sample(*row[0]))),
            plain=lambda row: row[1](self.on_device(sample(*row[0]))),
        )
        for name, (seen, wanted) in rows:
            if wanted.dtype is torch.bool:
                self.expect_tensor(seen, wanted, f"{name} equals the CPU's result")
            else:
                expect_near(self, seen, wanted, f"{name} equals the CPU's result", times=4)

    def test_hidden(self):
        """operators.fully_masked_rows_of_attention_are_zero"""
        seen = torch.ones(4, 5, dtype=torch.bool).tril()
        seen[1] = False
        masks = {"bool": seen, "float": torch.zeros(4, 5).masked_fill(~seen, -torch.inf)}
        for name, mask in masks.items():
            with self.subTest(mask=name):
                ours, theirs = (self.attended(device, mask) for device in (self.device, torch.device("cpu")))
                for part, one, other in zip(("result", "query", "key", "value"), ours, theirs, strict=True):
                    what = "attention" if part == "result" else f"the gradient of the {part}"
                    expect_near(self, one, other, f"{what} with a {name} mask that hides a row equals the CPU's result", times=4)

    def test_lowest(self):
        """operators.attention_rows_masked_with_the_lowest_number_are_means"""
        mask = torch.zeros(4, 5)
        mask[1] = torch.finfo(torch.float32).min
        mask[2, 3:] = torch.finfo(torch.float32).min
        seen = [self.on_cpu(one) for one in self.attended(self.device, mask)]
        # for such a row, the backward of the CPU's own kernel uses the sum of the keys
        with sdpa_kernel(SDPBackend.MATH):
            plain, double = (self.attended(torch.device("cpu"), mask, dtype) for dtype in (torch.float32, torch.float64))
        for number, part in enumerate(("attention", "gradient of the query", "gradient of the key", "gradient of the value")):
            found = compare(seen[number], Reference(plain[number].detach(), double[number].detach(), terms=80))
            self.expect(not found, f"the {part} equals that of a softmax whose mask is the lowest number in one row", str(found[0]) if found else None)

    def attended(self, device, mask, dtype=torch.float32):
        """Returns the result and the gradients of query, key and value."""
        rows = torch.linspace(-1, 1, 80).sin().reshape(1, 2, 5, 8).to(dtype)
        inputs = [part.contiguous().to(device).requires_grad_() for part in (rows[:, :, :4], rows, rows.flip(2))]
        mask = mask if mask.dtype is torch.bool else mask.to(dtype)
        result = F.scaled_dot_product_attention(*inputs, attn_mask=mask.to(device))
        result.backward(torch.linspace(1, 2, 64, dtype=dtype).reshape(1, 2, 4, 8).to(device))
        return [result, *(one.grad for one in inputs)]
