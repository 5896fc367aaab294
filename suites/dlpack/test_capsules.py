# SPDX-License-Identifier: BSD-3-Clause
"""DLPack capsules in Python: created, consumed once, dropped, refused. Also conversions from NumPy and lists."""

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
# Operations that a program may apply to a matrix of shape (4, 6).
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
            self.expect_true(f'"{name}"' in repr(capsule), f"the name of a capsule is {name}", repr(capsule))
        self.clause("DLPK-009")
        self.expect_raises((TypeError, BufferError), "a stream that is not a number is refused", x.__dlpack__, stream="0")

    def expect_one_memory(self, name, x, form):
        with self.clause("DLPK-010" if "version" in name else "DLPK-009"):
            y = taken(form(x))
        with self.clause("DLPK-003"):
            self.expect_device(y, x.device, f"the tensor from {name} is on the device of the original")
            self.expect_equal(y.data_ptr(), x.data_ptr(), f"the tensor from {name} has the same address")
            self.expect_equal(y.dtype, x.dtype, f"the tensor from {name} has the same dtype")
            self.op("aten::_copy_from", x.copy_, self.sample_of(5))
            self.expect_tensor(y, self.sample_of(5), f"the tensor from {name} shows writes to the original")
            self.op("aten::_copy_from", y.copy_, self.sample_of(3))
            self.expect_tensor(x, self.sample_of(3), f"the original shows writes to the tensor from {name}")

    def test_once(self):
        """dlpack.capsule_can_be_consumed_only_once"""
        x = self.on_device(self.sample())
        for name, form in itertools.islice(FORMS.items(), 3):
            capsule = form(x)
            taken(capsule)
            error = self.expect_raises(RuntimeError, f"a second consumer of the capsule of {name} is refused", taken, capsule)
            self.expect_true(error is None or "once" in str(error), "the error says that a capsule can be consumed only once", str(error))
        self.expect_tensor(x, self.sample(), "the second consumer does not change the tensor")

    def test_given_back(self):
        """dlpack.dropped_capsule_frees_its_memory"""
        for name, form in FORMS.items():
            self.capsule_of_a_new_tensor(form)
            before = self.settled_memory()
            dropped = self.capsule_of_a_new_tensor(form)
            kept = taken(self.capsule_of_a_new_tensor(form))
            self.expect_true(self.settled_memory() > before, f"a capsule of {name} keeps its memory allocated", before)
            del dropped, kept
            what = f"a dropped capsule of {name} and a dropped imported tensor free their memory"
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
                    warnings.simplefilter("ignore")  # complex32 is experimental, and PyTorch warns about it
                    here = taken(torch.utils.dlpack.to_dlpack(bits.view(dtype).to(self.device)))
                self.expect_equal(here.dtype, dtype, f"{name} keeps its dtype")
                self.expect_equal(here.cpu().view(torch.uint8).tolist(), bits.tolist(), f"{name} keeps every bit")

    def test_copies(self):
        """dlpack.copies_are_made_only_on_request"""
        x = self.on_device(self.sample())
        copy = taken(x.__dlpack__(copy=True))
        self.expect_device(copy, x.device, "copy=True stays on the device")
        self.expect_tensor(copy, self.sample(), "copy=True has the values")
        self.expect_different(copy.data_ptr(), x.data_ptr(), "copy=True has its own memory")
        host = taken(x.__dlpack__(dl_device=(1, 0)))
        self.expect_device(host, torch.device("cpu"), "dl_device of the CPU gives a tensor of the CPU")
        self.expect_tensor(host, self.sample(), "dl_device of the CPU has the values")
        what = "a move without a copy is refused"
        self.expect_raises((ValueError, BufferError), what, x.__dlpack__, dl_device=(1, 0), copy=False)
        for other in self.devices[1:2]:
            moved = taken(x.__dlpack__(dl_device=(EXTENSION, other.index)))
            self.expect_device(moved, other, "dl_device of another device gives a tensor on that device")
            self.expect_tensor(moved, self.sample(), "dl_device of another device has the values")

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
                    self.expect(False, f"{name} that was imported equals the CPU's result", difference)
        del owner
        lent.add_(1)
        self.expect_tensor(lent, here + 1, "an imported tensor can be written to after its producer was deleted")

    def test_asked(self):
        """dlpack.dlpack_device_returns_kdlextdev_and_the_index"""
        for device in {self.devices[0], self.devices[-1]}:
            x = self.sample().to(device)
            try:
                told = x.__dlpack_device__()
            except ValueError as error:
                self.note("__dlpack_device__", error)
                self.expect_raises(ValueError, "torch.from_dlpack raises the error of __dlpack_device__", torch.from_dlpack, x)
                continue
            self.expect_equal(tuple(told), (EXTENSION, device.index), "__dlpack_device__ is kDLExtDev and the index")
            self.expect_equal(torch.from_dlpack(x).data_ptr(), x.data_ptr(), "torch.from_dlpack shares the memory")


class Beside(Case):
    def test_numpy(self):
        """dlpack.numpy_conversion_raises_or_copies"""
        try:
            import numpy
        except ImportError:
            self.does_not_apply("NumPy is not installed")
        if self.sample_kind.dtype == torch.bfloat16:
            self.does_not_apply("the device takes tensors of bfloat16, which NumPy lacks")
        x = self.on_device(self.sample())
        self.clause("DLPK-012")
        error = self.expect_raises((TypeError, RuntimeError), "numpy() of a device tensor is refused", x.numpy)
        if type(x) is torch.Tensor:  # the text of PyTorch's refusal depends on the subclass
            self.expect_true(error is None or str(x.device) in str(error), "the error names the device", str(error))
        self.expect_equal(x.numpy(force=True).tolist(), self.sample().tolist(), "numpy(force=True) has the values")
        self.clause("DLPK-013")
        self.expect_equal(hasattr(x, "__cuda_array_interface__"), False, "a device tensor has no __cuda_array_interface__")
        self.clause("DLPK-018")
        for name, call in {"numpy.from_dlpack": numpy.from_dlpack, "numpy.asarray": numpy.asarray}.items():
            self.expect_raises(Exception, f"{name} of a device tensor is refused", call, x)
        self.expect_tensor(x, self.sample(), "a refused conversion does not change the tensor")

    def test_lists(self):
        """dlpack.host_data_is_copied_exactly"""
        self.need_any_kind()
        data = [[1.5, -2.0, 3.25], [4.0, 5.5, -6.0]]
        makers = {"torch.tensor": torch.tensor, "torch.asarray": torch.asarray, "torch.as_tensor": torch.as_tensor}
        forms = {"a list": data, "integers": [3, -4, 2**40], "bools": [True, False], "nothing": [], "a number": 7.5,
                 "complex numbers": [1 + 2j], **arrays(data)}  # fmt: skip
        cases = {f"{name} of {form}": (make, forms[form]) for name, make in makers.items() for form in forms}
        with self.clause("DLPK-014"):
            for name, (make, given), one in each(self, cases):
                with one:
                    for device in {self.devices[0], self.devices[-1]}:
                        seen = make(given, device=device)
                        self.expect_device(seen, device, f"{name} is on the requested device")
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
    """The same data as NumPy arrays, if NumPy is installed."""
    try:
        import numpy
    except ImportError:
        return {}
    whole = numpy.array(data, dtype=numpy.float32)
    return {"an array": whole, "part of an array": whole[1:, 1:], "a column-major array": whole.T,
            "a strided array": numpy.arange(5, dtype=numpy.int16)[::2], "an empty array": whole[:0]}  # fmt: skip


if __name__ == "__main__":
    unittest.main()
