# SPDX-License-Identifier: BSD-3-Clause
"""Capsules in Python: made, taken once, dropped, refused; and what stands beside them, NumPy and lists."""

import gc
import itertools
import unittest
import warnings

import torch
import torch.utils.dlpack
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.memory_in_use import bytes_in_use
from assay.values.judge import Reference, compare

EXTENSION = 12  # kDLExtDev
FORMS = {
    "to_dlpack": lambda x: torch.utils.dlpack.to_dlpack(x),
    "__dlpack__()": lambda x: x.__dlpack__(),
    "__dlpack__(max_version=(1, 0))": lambda x: x.__dlpack__(max_version=(1, 0)),
    "__dlpack__(stream=None)": lambda x: x.__dlpack__(stream=None),
    "__dlpack__(stream=1)": lambda x: x.__dlpack__(stream=1),
    "__dlpack__(stream=-1)": lambda x: x.__dlpack__(stream=-1),
    "__dlpack__(copy=False)": lambda x: x.__dlpack__(copy=False),
    "__dlpack__(dl_device=its own)": lambda x: x.__dlpack__(dl_device=(EXTENSION, x.device.index)),
}
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32,
        torch.uint64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex32, torch.complex64,
        torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
        torch.float8_e8m0fnu, torch.float4_e2m1fn_x2,
    )
}  # fmt: skip
# Uses that a program makes of a matrix of (4, 6).
USES = {
    "cpu": lambda x: x.cpu(),
    "clone": lambda x: x.clone(),
    "add": lambda x: x + x,
    "a number": lambda x: x * 3,
    "a row": lambda x: x[1],
    "a step": lambda x: x[:, 1::2] + 1,
    "transposed": lambda x: x.t().contiguous(),
    "sum": lambda x: x.sum(0),
    "product": lambda x: x @ x.t(),
    "maximum": lambda x: x.max(),
    "joined": lambda x: torch.cat([x, x[:1]]),
    "another dtype": lambda x: x.to(torch.int32),
    "picked": lambda x: x.index_select(0, torch.tensor([2, 0]).to(x.device)),
    "in place": lambda x: x.clone().copy_(x).mul_(2),
}


def taken(capsule):
    return torch._C._from_dlpack(capsule)


class Capsules(Case):
    def setUp(self):
        super().setUp()
        self.need_storage()

    def test_forms(self):
        """dlpack.every_kind_of_capsule_shares_memory"""
        for device in {self.devices[0], self.devices[-1]}:
            for name, form, one in each(self, FORMS):
                with one:
                    self.expect_one_memory(name, self.sample().to(device), form)
        x = self.on_device(self.sample())
        self.clause("DLPK-010")
        for form, name in (({}, "dltensor"), ({"max_version": (1, 0)}, "dltensor_versioned")):
            capsule = x.__dlpack__(**form)
            self.expect_true(f'"{name}"' in repr(capsule), f"a capsule is called {name}", repr(capsule))
        self.clause("DLPK-009")
        self.expect_raises((TypeError, BufferError), "a stream that is no number is refused", x.__dlpack__, stream="0")

    def expect_one_memory(self, name, x, form):
        with self.clause("DLPK-010" if "version" in name else "DLPK-009"):
            y = taken(form(x))
        with self.clause("DLPK-003"):
            self.expect_device(y, x.device, f"what {name} hands over stays on its device")
            self.expect_equal(y.data_ptr(), x.data_ptr(), f"what {name} hands over has the same address")
            self.expect_equal(y.dtype, x.dtype, f"what {name} hands over has the same dtype")
            self.op("aten::_copy_from", x.copy_, self.sample_of(5))
            self.expect_tensor(y, self.sample_of(5), f"what its maker writes is seen by who takes {name}")
            self.op("aten::_copy_from", y.copy_, self.sample_of(3))
            self.expect_tensor(x, self.sample_of(3), f"what is written by who takes {name} is seen by its maker")

    def test_once(self):
        """dlpack.capsule_can_be_consumed_only_once"""
        x = self.on_device(self.sample())
        for name, form in itertools.islice(FORMS.items(), 3):
            capsule = form(x)
            taken(capsule)
            error = self.expect_raises(RuntimeError, f"the capsule of {name} is taken once", taken, capsule)
            self.expect_true(error is None or "once" in str(error), "who takes it again is told so", str(error))
        self.expect_tensor(x, self.sample(), "a capsule that was taken twice leaves its tensor as it was")

    def test_given_back(self):
        """dlpack.dropped_capsule_frees_its_memory"""
        for name, form in FORMS.items():
            self.capsule_of_a_new_tensor(form)
            before = self.settled_memory()
            dropped = self.capsule_of_a_new_tensor(form)
            kept = taken(self.capsule_of_a_new_tensor(form))
            self.expect_true(self.settled_memory() > before, f"a capsule of {name} holds its memory", before)
            del dropped, kept
            what = f"a capsule of {name} that nobody took, and a tensor of one, give their memory back"
            self.expect_equal(self.settled_memory(), before, what)

    def capsule_of_a_new_tensor(self, form):
        return form(self.on_device(self.sample(4096)))

    def settled_memory(self):
        gc.collect()
        return bytes_in_use(self)

    def test_refused(self):
        """dlpack.requires_grad_and_conj_cannot_be_exported"""
        x = self.on_device(self.sample())
        if x.is_floating_point():
            wanting = x.detach().requires_grad_()
            self.expect_raises(BufferError, "a tensor that requires grad is not exported", wanting.__dlpack__)
            y = taken(wanting.detach().__dlpack__())
            self.expect_equal(y.requires_grad, False, "a detached tensor is exported")
        self.need_any_kind()
        turned = self.op("aten::_copy_from", torch.ones(3, dtype=torch.cfloat).to, self.device).conj()
        self.expect_raises(BufferError, "a conjugated view is not exported", turned.__dlpack__)

    def test_dtypes(self):
        """dlpack.every_dtype_is_exported"""
        self.need_any_kind()
        for name, dtype, one in each(self, DTYPES):
            with one:
                bits = torch.arange(64, dtype=torch.uint8).remainder(2)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # complex32 is experimental, and core says so
                    here = taken(torch.utils.dlpack.to_dlpack(bits.view(dtype).to(self.device)))
                self.expect_equal(here.dtype, dtype, f"{name} stays {name}")
                self.expect_equal(here.cpu().view(torch.uint8).tolist(), bits.tolist(), f"{name} keeps every bit")

    def test_copies(self):
        """dlpack.copies_are_made_only_on_request"""
        x = self.on_device(self.sample())
        copy = taken(x.__dlpack__(copy=True))
        self.expect_device(copy, x.device, "copy=True stays on the device")
        self.expect_tensor(copy, self.sample(), "copy=True has the values")
        self.expect_different(copy.data_ptr(), x.data_ptr(), "copy=True has memory of its own")
        host = taken(x.__dlpack__(dl_device=(1, 0)))
        self.expect_device(host, torch.device("cpu"), "dl_device of the CPU gives a tensor of the CPU")
        self.expect_tensor(host, self.sample(), "dl_device of the CPU brings the values")
        what = "a move without a copy is refused"
        self.expect_raises((ValueError, BufferError), what, x.__dlpack__, dl_device=(1, 0), copy=False)
        for other in self.devices[1:2]:
            moved = taken(x.__dlpack__(dl_device=(EXTENSION, other.index)))
            self.expect_device(moved, other, "dl_device of another device moves there")
            self.expect_tensor(moved, self.sample(), "dl_device of another device brings the values")

    def test_uses(self):
        """dlpack.operators_accept_imported_tensors"""
        self.need_any_kind()
        there = torch.arange(24.0).reshape(4, 6) - 7
        owner = self.on_device(there)
        layouts = {
            "": (there, taken(torch.utils.dlpack.to_dlpack(owner))),
            "part of ": (there[1:], taken(torch.utils.dlpack.to_dlpack(owner[1:]))),
            "transposed ": (there.t(), taken(torch.utils.dlpack.to_dlpack(owner.t()))),
        }
        cases = {f"{use} of a {words}matrix": (use, *pair) for use in USES for words, pair in layouts.items()}
        for name, (use, here, lent), one in each(self, cases):
            with one:
                seen = USES[use](lent)
                for difference in compare(seen, Reference.of(USES[use], [here])):
                    self.expect(False, f"{name} that was imported is the CPU's", difference)
        del owner
        lent.add_(1)
        self.expect_tensor(lent, here + 1, "an imported tensor can be written to when its maker is gone")

    def test_asked(self):
        """dlpack.dlpack_device_is_reported_correctly"""
        for device in {self.devices[0], self.devices[-1]}:
            x = self.sample().to(device)
            try:
                told = x.__dlpack_device__()
            except ValueError as error:
                self.note("__dlpack_device__", error)
                self.expect_raises(ValueError, "torch.from_dlpack says what __dlpack_device__ does", torch.from_dlpack, x)
                continue
            self.expect_equal(tuple(told), (EXTENSION, device.index), "__dlpack_device__ is kDLExtDev and the index")
            self.expect_equal(torch.from_dlpack(x).data_ptr(), x.data_ptr(), "torch.from_dlpack shares the memory")


class Beside(Case):
    def test_numpy(self):
        """dlpack.numpy_conversion_raises_or_copies"""
        try:
            import numpy
        except ImportError:
            self.does_not_apply("NumPy is not here")
        x = self.on_device(self.sample())
        self.clause("DLPK-012")
        error = self.expect_raises((TypeError, RuntimeError), "numpy() of a device tensor is refused", x.numpy)
        if type(x) is torch.Tensor:  # PyTorch refuses each subclass in other words
            self.expect_true(error is None or str(x.device) in str(error), "who is refused reads the device", str(error))
        self.expect_equal(x.numpy(force=True).tolist(), self.sample().tolist(), "numpy(force=True) has the values")
        self.clause("DLPK-013")
        self.expect_equal(hasattr(x, "__cuda_array_interface__"), False, "a device tensor does not say that it is CUDA's")
        self.clause("DLPK-018")
        for name, call in {"numpy.from_dlpack": numpy.from_dlpack, "numpy.asarray": numpy.asarray}.items():
            self.expect_raises(Exception, f"{name} of a device tensor is refused", call, x)
        self.expect_tensor(x, self.sample(), "a tensor that NumPy did not get is as it was")

    def test_lists(self):
        """dlpack.host_data_is_copied_exactly"""
        self.need_any_kind()
        data = [[1.5, -2.0, 3.25], [4.0, 5.5, -6.0]]
        makers = {"torch.tensor": torch.tensor, "torch.asarray": torch.asarray, "torch.as_tensor": torch.as_tensor}
        forms = {"a list": data, "whole numbers": [3, -4, 2**40], "truths": [True, False], "nothing": [], "a number": 7.5,
                 "complex numbers": [1 + 2j], **arrays(data)}  # fmt: skip
        cases = {f"{name} of {form}": (make, forms[form]) for name, make in makers.items() for form in forms}
        with self.clause("DLPK-014"):
            for name, (make, given), one in each(self, cases):
                with one:
                    for device in {self.devices[0], self.devices[-1]}:
                        seen = make(given, device=device)
                        self.expect_device(seen, device, f"{name} is made on its device")
                        self.expect_tensor(seen, make(given), f"{name} has its values")
        self.clause("DLPK-015")
        here = torch.arange(12.0).reshape(3, 4)[1:, ::2]
        for device in {self.devices[0], self.devices[-1]}:
            for name, seen in {
                "from_dlpack(x).to(device)": torch.from_dlpack(here).to(device),
                "from_dlpack(x, device=device)": torch.from_dlpack(here, device=device),
            }.items():
                self.expect_device(seen, device, f"{name} is on the device")
                self.expect_tensor(seen, here, f"{name} has the values")
        self.expect_raises(
            ValueError, "from_dlpack to a device without a copy is refused",
            torch.from_dlpack, here, device=self.device, copy=False,
        )  # fmt: skip


def arrays(data):
    """The same in NumPy's hands, where it is there."""
    try:
        import numpy
    except ImportError:
        return {}
    whole = numpy.array(data, dtype=numpy.float32)
    return {"an array": whole, "part of an array": whole[1:, 1:], "an array by columns": whole.T,
            "a read array": numpy.arange(5, dtype=numpy.int16)[::2], "an array of nothing": whole[:0]}  # fmt: skip


if __name__ == "__main__":
    unittest.main()
