# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that torch.autocast refuses, with the texts of the errors; custom functions that choose their dtype.

Most of this behaviour is PyTorch's own. A backend must not change this behaviour.
"""

import types

import torch
from assay.checks import Case
from assay.checks.mixed_precision import low_precision, region
from assay.values.closeness import expect_refusal


class Arguments(Case):
    def setUp(self):
        super().setUp()
        self.kind = self.device_name

    def test_backend_without_dtype_function(self):
        """amp.missing_get_amp_supported_dtype_is_named_in_the_error"""
        module = self.device_module
        try:
            setattr(torch, self.kind, types.SimpleNamespace())
            what, text = "the error names the missing function", "get_amp_supported_dtype"
            expect_refusal(self, AssertionError, text, what, torch.autocast, self.kind)
        finally:
            setattr(torch, self.kind, module)

    def test_backend_without_module(self):
        """amp.missing_device_module_is_named_in_the_error"""
        module = self.device_module
        try:
            delattr(torch, self.kind)
            what, text = "the error names the missing module", "registered a module"
            expect_refusal(self, AssertionError, text, what, torch.autocast, self.kind)
        finally:
            setattr(torch, self.kind, module)

    def test_device_type_must_be_text(self):
        """amp.device_type_must_be_a_string"""
        for wrong in (0, None, self.device):
            self.expect_raises(ValueError, f"{wrong!r} is refused", torch.autocast, wrong)

    def test_unknown_device_type(self):
        """amp.unknown_device_type_is_rejected"""
        what, text = "an unknown name is refused", "Expected one of cpu"
        expect_refusal(self, RuntimeError, text, what, torch.autocast, "no_such_device_type")
        what, text = "a type without autocast is refused", "unsupported autocast device_type"
        make = lambda: torch.autocast("meta", dtype=torch.float16)  # noqa: E731
        expect_refusal(self, RuntimeError, text, what, make)

    def test_device_with_index(self):
        """amp.device_with_index_is_accepted"""
        half = low_precision(self)
        with torch.autocast(self.kind, dtype=half):
            self.ask_special_cases()
        with torch.autocast(f"{self.kind}:{self.device.index}", dtype=half):
            enabled = torch.is_autocast_enabled(self.kind)
        self.expect_equal(enabled, True, "a region named with an index is a region of the backend")
        self.expect_equal(torch.is_autocast_enabled(self.kind), False, "autocast is off after the region")

    def test_custom_forward_casts_inputs(self):
        """amp.custom_fwd_casts_inputs"""
        kind, seen = self.kind, {}

        class Scale(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type=kind, cast_inputs=torch.float32)
            def forward(context, x):
                seen["forward"] = (x.dtype, torch.is_autocast_enabled(kind))
                return x * 2

            @staticmethod
            @torch.amp.custom_bwd(device_type=kind)
            def backward(context, gradient):
                seen["backward"] = torch.is_autocast_enabled(kind)
                return gradient * 2

        half = low_precision(self)
        x = self.on_device(torch.ones(4, dtype=half)).requires_grad_()
        with region(self):
            Scale.apply(x).sum().backward()
        self.expect_equal(seen["forward"], (torch.float32, False), "float32 input, autocast off")
        self.expect_equal(seen["backward"], False, "backward runs with autocast off, like forward")
        self.expect_tensor(x.grad, torch.full((4,), 2, dtype=half), "the gradient is right")

    def test_custom_forward_sees_region(self):
        """amp.custom_fwd_keeps_the_surrounding_state"""
        kind, seen = self.kind, {}

        class Same(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type=kind)
            def forward(context, x):
                seen["forward"] = (x.dtype, torch.is_autocast_enabled(kind))
                return x * 2

            @staticmethod
            @torch.amp.custom_bwd(device_type=kind)
            def backward(context, gradient):
                seen["backward"] = torch.is_autocast_enabled(kind)
                return gradient * 2

        x = self.on_device(torch.ones(4, dtype=low_precision(self))).requires_grad_()
        with region(self):
            y = Same.apply(x)
        y.sum().backward()
        wanted = {"forward": (x.dtype, True), "backward": True}
        self.expect_equal(seen, wanted, "without cast_inputs, forward and backward run in the state of the forward's region")
