# SPDX-License-Identifier: BSD-3-Clause
"""Values of stubs: operators whose body is in PyTorch and whose arithmetic is in the backend."""

import unittest

import torch
from assay.checks import Case
from assay.checks.value_cases import LAYOUTS, ask_values, numbers, written_to
from assay.values.judge import Reference, compare

WHOLE = (torch.int64, torch.int32, torch.int8, torch.uint8)
EDGES = (0.0, -0.0, 1.0, -2.5, 0.5, float("nan"), float("inf"), -float("inf"))


def turned(tensor):
    """The same values with the first dimension last in memory."""
    return tensor.detach().movedim(0, -1).contiguous().movedim(-1, 0) if tensor.dim() > 2 else tensor


def samples():
    return [
        (numbers(4, 3, 5),),
        (torch.tensor(EDGES),),
        (numbers(65, 33),),
        (numbers(1030),),
        (numbers(),),
        (numbers(0, 3),),
        (numbers(2, 3, 4, 5, 2),),
        (numbers(7, 5, dtype=torch.float64),),
        (numbers(7, 5, dtype=torch.float16),),
        (numbers(7, 5, dtype=torch.complex64),),
        *((numbers(7, 5, dtype=dtype),) for dtype in WHOLE),
    ]


def written_into_a_part(function):
    """The result in the rows and columns of a larger tensor, and the memory around it."""

    def call(x):
        whole = torch.full([2 * n + 1 for n in x.shape], 7, dtype=x.dtype).to(x.device)
        part = whole[tuple(slice(1, None, 2) for _ in x.shape)]
        function(x, out=part)
        return whole

    return call


class StubKernels(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()
        self.bridge = self.bridge_of_target()
        if not self.bridge:
            raise unittest.SkipTest("the stubs are known only under the host")

    def filled(self):
        """The functions of torch whose stub the backend has set."""
        names = self.bridge.bridge_stubs_filled().decode().split()
        if not names:
            self.lacks("stubs", "the backend has set no unary stub")
        self.note("filled", " ".join(names))
        return {name: getattr(torch, name) for name in names}

    def test_values(self):
        """stubs.dispatch_stub_kernels_match_the_cpu"""
        functions = self.filled()
        layouts = {**LAYOUTS, "turned": turned}
        with self.clause("STUB-005"):
            ask_values(self, {name: (call, samples()) for name, call in functions.items()}, layouts={"": lambda x: x})
        with self.clause("STUB-006"):
            ask_values(self, {name: (call, samples()) for name, call in functions.items()}, layouts=layouts)
        with self.clause("STUB-007"):
            outputs = {f"{name} into a slice": (written_into_a_part(call), samples()[:4]) for name, call in functions.items()}
            outputs.update({f"{name} out=": (written_to(call), samples()[:4]) for name, call in functions.items()})
            ask_values(self, outputs)

    def test_reached(self):
        """stubs.operators_of_stubs_are_registered"""
        few = [(numbers(300),), (numbers(300, dtype=torch.int64),)]
        ask_values(self, {name: (call, few) for name, call in self.filled().items()})

    def test_choice(self):
        """stubs.attention_calls_the_stub_that_chooses_a_kernel"""
        if torch._C._dispatch_has_kernel_for_dispatch_key("aten::scaled_dot_product_attention", "PrivateUse1"):
            self.does_not_apply("the backend has its own attention, which makes no choice")
        query = self.on_device(numbers(1, 2, 4, 8))
        self.op("aten::scaled_dot_product_attention", torch.nn.functional.scaled_dot_product_attention, query, query, query)
        before = self.bridge.bridge_stub_choices()
        self.bridge.bridge_stub_fill_choice()
        try:
            seen = torch.nn.functional.scaled_dot_product_attention(query, query, query)
        finally:
            self.bridge.bridge_stubs_put_back()
        asked = self.bridge.bridge_stub_choices() - before
        self.expect_true(asked > 0, "attention calls the stub of the device to choose a kernel", f"it was called {asked} times")
        attend = torch.nn.functional.scaled_dot_product_attention
        for difference in compare(seen, Reference.of(attend, [self.on_cpu(query)] * 3)):
            self.expect(False, "the composed form of attention equals the CPU's result", str(difference))


if __name__ == "__main__":
    unittest.main()
