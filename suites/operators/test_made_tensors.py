# SPDX-License-Identifier: BSD-3-Clause
"""Tensor creation: the results of `empty` and similar calls, their device and dispatch keys, item(), and tensors that
cannot be pinned or sparse."""

import contextlib

import torch
from assay.checks import Case
from assay.checks.asking import Many, each
from assay.checks.value_cases import numbers
from assay.refusals import shape as refusals

# Sizes and options of empty. Each row changes the created tensor.
ASKED = {
    "of zero dims": ((), {}),
    "of one dim": ((7,), {}),
    "of three dims": ((2, 3, 4), {}),
    "without elements": ((0, 3), {}),
    "of a list of sizes": ([2, 5], {}),
    "in channels_last": ((2, 3, 4, 5), {"memory_format": torch.channels_last}),
    "in channels_last of one channel": ((2, 1, 4, 5), {"memory_format": torch.channels_last}),
    "in channels_last without elements": ((0, 3, 4, 5), {"memory_format": torch.channels_last}),
    "in channels_last_3d": ((2, 3, 2, 4, 5), {"memory_format": torch.channels_last_3d}),
    "contiguous": ((2, 3, 4, 5), {"memory_format": torch.contiguous_format}),
    "requiring a gradient": ((2, 3), {"requires_grad": True}),
}
DTYPES = (
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.int64, torch.int32, torch.int16, torch.int8,
    torch.uint8, torch.bool,
)  # fmt: skip
DEFAULTS = (torch.float64, torch.float16, torch.bfloat16)
LAYOUTS = (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)
# Ways in which a program creates a tensor.
MADE = {
    "empty": lambda device: torch.empty(2, 3, device=device),
    "empty_strided": lambda device: torch.empty_strided((2, 3), (1, 2), device=device),
    "a copy from the host": lambda device: torch.ones(2, 3).to(device),
    "zeros": lambda device: torch.zeros(2, 3, device=device),
    "a clone": lambda device: torch.ones(2, 3).to(device).clone(),
    "a view": lambda device: torch.ones(2, 3).to(device).view(6),
    "a part": lambda device: torch.ones(2, 3).to(device)[1:],
    "a result": lambda device: torch.ones(2, 3).to(device) + 1,
}
KEYS = ("PrivateUse1", "ADInplaceOrView", "AutogradPrivateUse1", "AutocastPrivateUse1")
EXACT = {
    torch.float32: (0.0, 1 / 3, -2.5e38, 1e-40, float("inf"), float("nan")),
    torch.float64: (0.1, -1e300, 5e-324),
    torch.float16: (0.1, -65504.0, 6e-8),
    torch.bfloat16: (0.1, -3e38),
    torch.int64: (0, -(2**63), 2**63 - 1, 2**53 + 1),
    torch.int32: (-(2**31), 2**31 - 1, 2**24 + 1),
    torch.int16: (-(2**15), 2**15 - 1),
    torch.int8: (-128, 127),
    torch.uint8: (0, 255),
    torch.bool: (True, False),
    torch.complex64: (1.5 - 2j, 0j),
    torch.complex128: (0.1 + 1e300j,),
}
FACTORIES = {
    "empty": lambda device: torch.empty(2, 3, device=device),
    "empty_strided": lambda device: torch.empty_strided((2, 3), (1, 2), device=device),
    "empty with no arguments": lambda device: torch.empty(0, device=device),
}
TOO_MUCH = {
    "more bytes than the device has": lambda device: torch.empty(2**58, device=device),
    "a negative size": lambda device: torch.empty(-1, device=device),
}


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def form_of(tensor):
    """All properties of a tensor except its values and its device."""
    return tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.storage_offset(), tensor.requires_grad


def same_number(one, other):
    return type(one) is type(other) and (one == other or one != one and other != other)


class MadeTensors(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()

    def test_empty(self):
        """operators.empty_returns_the_requested_tensor"""
        many = Many(self)
        for name, (sizes, options) in ASKED.items():
            with many.one(f"empty {name}"):
                self.compare_made(f"empty {name}", sizes, **options)
        for dtype in DTYPES:
            with many.one(f"empty of {dtype}"):
                self.compare_made(f"empty of {dtype}", (2, 3), dtype=dtype)
        for dtype in DEFAULTS:
            with many.one(f"empty where {dtype} is the default"):
                # a backend without that dtype cannot have it as the default
                torch.empty(2, dtype=dtype, device=self.device)
                with default_dtype(dtype):
                    self.compare_made(f"empty where {dtype} is the default", (2, 3))
        many.conclude()

    def compare_made(self, what, sizes, **options):
        wanted = form_of(torch.empty(sizes, **options))
        for device in self.devices[:2]:
            seen = torch.empty(sizes, device=device, **options)
            self.expect_equal(form_of(seen), wanted, f"{what} has the sizes, strides and dtype of the CPU's tensor")
            self.expect_device(seen, device, f"{what} is on its device")

    def test_sparse(self):
        """operators.empty_returns_the_sparse_layout_or_raises"""
        self.on_device(torch.ones(4, 4))
        for layout in LAYOUTS:
            what = f"empty of {layout} gives a tensor of that layout or is refused"
            try:
                seen = torch.empty(4, 4, layout=layout, device=self.device)
            except Exception as error:
                told = f"raised {type(error).__name__}: {str(error).splitlines()[:1]}"
                self.expect_true(refusals.is_refusal(error), what, told)
            else:
                self.expect_equal((seen.layout, seen.device), (layout, self.device), what)

    def test_devices(self):
        """operators.empty_allocates_on_the_requested_device"""
        self.put_device_back()
        for current, other in ((0, 1), (1, 0)):
            here, there = self.devices[current], self.devices[other]
            torch.accelerator.set_device_index(here.index)
            for name, make, one in each(self, FACTORIES):
                with one:
                    self.expect_device(make(there), there, f"{name} on {there} is on that device while {here} is current")
                    self.expect_current(here, f"{name} on {there}")
            for name, make in TOO_MUCH.items():
                # other clauses test how this request is refused; a device with lazy allocation may accept it
                with contextlib.suppress(Exception):
                    make(there)
                self.expect_current(here, f"a request on {there} for {name}")

    def expect_current(self, device, what):
        seen = torch.accelerator.current_device_index()
        self.expect_equal(seen, device.index, f"{what} does not change the current device {device}")

    def test_keys(self):
        """operators.tensors_have_the_dispatch_keys_of_the_backend"""
        for name, make, one in each(self, MADE):
            with one:
                made = make(self.device)
                keys = torch._C._dispatch_keys(made)
                missing = [key for key in KEYS if not keys.has(getattr(torch._C.DispatchKey, key))]
                self.expect_equal(missing, [], f"{name} has the keys of backend, autograd and autocast")
                self.expect_true(not made.is_inference(), f"{name} is not an inference tensor", "it is an inference tensor")

    def test_item(self):
        """operators.item_returns_the_exact_number"""
        for dtype, values, one in each(self, EXACT):
            with one:
                there = torch.tensor(values, dtype=dtype)
                here = self.on_device(there)
                for number, wanted in enumerate(there):
                    seen = here[number].item()
                    told = f"got {seen!r}, expected {wanted.item()!r}"
                    self.expect(same_number(seen, wanted.item()), f"item() of {dtype} is the number that was stored", told)
        for count in (2, 0):
            many = self.on_device(numbers(count))
            self.expect_raises(RuntimeError, f"item() of {count} elements is refused", many.item)

    def test_item_waits(self):
        """operators.item_waits_for_pending_work"""
        x = self.on_device(torch.full((1,), 2.0))
        self.op("aten::add.Tensor", x.add, 1).item()  # builds the kernel, which some backends compile on first use
        with self.held_if_offered(torch.accelerator.current_stream(self.device)):
            seen = (x * 3 + 1)[0].item()
        self.expect_equal(seen, 7.0, "item() of a pending result returns the computed number")

    def test_pinning(self):
        """operators.device_tensors_cannot_be_pinned"""
        x = self.on_device(torch.ones(3))
        self.expect_true(not x.is_pinned(), "is_pinned() of a device tensor is False", "it is True")
        self.expect_raises(RuntimeError, "pin_memory() of a device tensor is refused", x.pin_memory)
