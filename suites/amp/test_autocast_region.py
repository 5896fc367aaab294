# SPDX-License-Identifier: BSD-3-Clause
"""State that a region sets and restores (enabled, dtype, cache) for its thread, also after an exception."""

import threading
import warnings

import torch
from assay.checks import Case
from assay.checks.mixed_precision import low_precision, region, state


class Region(Case):
    def setUp(self):
        super().setUp()
        self.kind = self.device_name

    def product_dtype(self):
        x = self.on_device(torch.eye(4))
        return torch.mm(x, x).dtype

    def is_enabled(self):
        return torch.is_autocast_enabled(self.kind)

    def test_supported_dtypes_are_listed(self):
        """amp.supported_dtypes_are_floating_point"""
        function = getattr(self.device_module, "get_amp_supported_dtype", None)
        casting = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastPrivateUse1")
        if function is None and not casting:  # a fallthrough without cast kernels does not cast anything
            self.lacks("amp", "there is neither a list of dtypes nor an autocast operator")
        what = "the device module has get_amp_supported_dtype()"
        self.require(self.expect_true(callable(function), what, f"get_amp_supported_dtype is {function!r}"))
        listed = list(function())
        self.expect_true(len(listed) > 0, "get_amp_supported_dtype() lists at least one dtype", "the list is empty")
        for dtype in listed:
            fits = isinstance(dtype, torch.dtype) and dtype.is_floating_point
            self.expect_true(fits, "each listed dtype is a floating-point dtype", f"listed is {dtype!r}")

    def test_default_dtype_is_supported(self):
        """amp.default_dtype_is_supported"""
        default = torch.get_autocast_dtype(self.kind)
        listed = self.device_module.get_amp_supported_dtype()
        self.expect_true(default in listed, "the default autocast dtype is listed", f"{default} not in {listed}")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with torch.autocast(self.kind):
                enabled = torch.is_autocast_enabled(self.kind)
        self.expect_equal(enabled, True, "a plain region is enabled")
        self.expect_equal([str(one.message) for one in caught], [], "a plain region gives no warning")

    def test_default_dtype_is_float16(self):
        """amp.default_dtype_is_16_bit"""
        default = torch.get_autocast_dtype(self.kind)
        self.note("default autocast dtype", str(default))
        self.expect_true(
            default in (torch.float16, torch.bfloat16),
            "the default is torch.float16, or the 16-bit dtype that the backend has set",
            f"the default is {default}",
        )
        with torch.autocast(self.kind):
            seen = torch.get_autocast_dtype(self.kind)
        self.expect_equal(seen, default, "a region without a dtype uses the default")

    def test_unsupported_dtype_warns_and_disables(self):
        """amp.unsupported_dtype_warns_and_disables"""
        listed = self.device_module.get_amp_supported_dtype()
        self.expect_true(torch.int8 not in listed, "int8 is not listed", f"listed: {listed}")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            attempt = torch.autocast(self.kind, dtype=torch.int8)
        texts = [str(one.message) for one in caught]
        wanted = f"In {self.kind} autocast, but the target dtype is not supported. Disabling"
        said = any(wanted in text for text in texts)
        self.expect_true(said, f"the warning {wanted!r} is given", f"the warnings are {texts}")
        with attempt:
            self.expect_equal(torch.is_autocast_enabled(self.kind), False, "the region is disabled")
            self.expect_equal(self.product_dtype(), torch.float32, "a disabled region casts nothing")

    def test_disabled_region_casts_nothing(self):
        """amp.disabled_region_casts_nothing"""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with torch.autocast(self.kind, dtype=torch.int8, enabled=False):
                seen = self.product_dtype()
            with region(self, enabled=False):
                again = self.product_dtype()
        said = [str(one.message) for one in caught if "autocast" in str(one.message)]
        self.expect_equal(said, [], "enabled=False gives no warning about its dtype")
        self.expect_equal(seen, torch.float32, "a region with enabled=False casts nothing")
        self.expect_equal(again, torch.float32, "enabled=False casts nothing in a supported dtype")
        self.expect_equal(self.product_dtype(), torch.float32, "outside any region nothing is cast")

    def test_region_restores_state(self):
        """amp.region_restores_the_state"""
        before = state(self)
        with region(self, cache_enabled=not before["cache"]):
            within = state(self)
        wanted = {"enabled": True, "dtype": low_precision(self), "cache": not before["cache"]}
        self.expect_equal(within, wanted, "a region sets enabled, dtype and cache")
        self.expect_equal(state(self), before, "leaving a region restores enabled, dtype and cache")

    def test_region_restores_state_after_exception(self):
        """amp.region_restores_the_state_after_an_exception"""
        before = state(self)
        try:
            with region(self, cache_enabled=not before["cache"]):
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        self.expect_equal(state(self), before, "an exception that leaves a region restores enabled, dtype and cache")

    def test_nested_disabled_region(self):
        """amp.nested_disabled_region_casts_nothing"""
        seen = []
        self.clause("AMP-006")
        with region(self):
            seen.append(self.is_enabled())
            with region(self, enabled=False):
                seen.append(self.is_enabled())
                inner = self.product_dtype()
            seen.append(self.is_enabled())
        self.expect_equal(seen, [True, False, True], "nested regions are on, off, and on again")
        self.clause("AMP-005")
        self.expect_equal(inner, torch.float32, "the inner region casts nothing")

    def test_state_is_thread_local(self):
        """amp.autocast_state_is_thread_local"""
        seen = {}

        def other():
            seen["before"] = state(self)["enabled"]
            with region(self):
                seen["within"] = state(self)["enabled"]
                inside.set()
                leave.wait(10)

        inside, leave = threading.Event(), threading.Event()
        with region(self):
            thread = threading.Thread(target=other)
            thread.start()
            self.require(self.expect_true(inside.wait(10), "another thread can enter its own region", "no"))
        here = state(self)["enabled"]
        leave.set()
        thread.join(10)
        wanted = {"before": False, "within": True}
        self.expect_equal(seen, wanted, "a new thread starts outside any region and can enter its own")
        self.expect_equal(here, False, "the region of another thread does not change this thread")

    def test_enabled_follows_region(self):
        """amp.is_autocast_enabled_follows_the_region"""
        seen = [torch.is_autocast_enabled(self.kind)]
        with region(self):
            seen.append(torch.is_autocast_enabled(self.kind))
            seen.append(torch.is_autocast_enabled("cpu"))
        seen.append(torch.is_autocast_enabled(self.kind))
        self.expect_equal(seen, [False, True, False, False], "autocast is enabled for the device only within the region, and never for the CPU")

    def test_decorator(self):
        """amp.decorated_function_runs_in_a_region"""
        decorated = region(self)(self.is_enabled)
        self.expect_equal(decorated(), True, "a decorated function runs in a region")
        self.expect_equal(decorated(), True, "a decorated function runs in a region each time")
        self.expect_equal(self.is_enabled(), False, "the caller is not in the region")
        if torch.__version__ >= (2, 12):  # torch 2.11 accepts any argument and fails only when the result is called
            self.expect_raises(TypeError, "a region does not decorate a number", region(self), 3)

    def test_available(self):
        """amp.autocast_is_always_available"""
        self.expect_equal(torch.amp.is_autocast_available(self.kind), True, "is_autocast_available() is True")

    def test_compiled_region(self):
        """amp.compiled_region_casts_like_eager"""
        step, x = self.step()
        plain = step(x)
        try:
            seen = self.compiled(step, x)
        except torch._dynamo.exc.TorchDynamoException as error:
            self.lacks("compile", f"{type(error).__name__}: {str(error).splitlines()[:1]}")
        self.expect_same(seen, plain, "a compiled region gives the result of eager mode")

    def test_absence_of_compile(self):
        """amp.uncompilable_region_raises_and_changes_nothing"""
        step, x = self.step()
        plain = step(x)
        try:
            seen = self.compiled(step, x)
        except Exception as error:
            self.block_if_refused(str(error))
            self.expect_clean_refusal(error)
            self.expect_same(step(x), plain, "after the refusal, the region gives the same result as before")
            return
        what = "a region that compiles without an error gives the result of eager mode"
        self.require(self.expect_same(seen, plain, what))
        self.has_all_the_same("compile", "torch.compile works on a region of the device")

    def step(self):
        """A function that contains a region, and an input of this function."""
        half = low_precision(self)

        def step(x):
            with torch.autocast(x.device.type, dtype=half):
                product = torch.mm(x, x)
                return product, torch.exp(product)

        return step, self.on_device(torch.eye(4))

    def compiled(self, step, x):
        return torch.compile(step, backend="eager", fullgraph=True)(x)

    def expect_same(self, seen, plain, what):
        dtypes = [[tensor.dtype for tensor in one] for one in (seen, plain)]
        held = [self.expect_equal(*dtypes, what)]
        held += [self.expect_tensor(a, b, f"{what}: values") for a, b in zip(seen, plain) if held[0]]
        return all(held)

    def expect_clean_refusal(self, error):
        """Accepts any RuntimeError with a text, because PyTorch's compiler may refuse the class of the tensor."""
        self.expect_true(
            isinstance(error, RuntimeError) and str(error),
            "torch.compile raises a RuntimeError with a reason", repr(error),
        )
        self.note("refused with", f"{type(error).__name__}: {str(error).splitlines()[:1]}")
        enabled = torch.is_autocast_enabled(self.kind)
        self.expect_equal(enabled, False, "after the refusal, autocast is off")
