# SPDX-License-Identifier: BSD-3-Clause
"""Tests Python kernels for the device: registers, calls and replaces them, and registers them under both key names.
Also tests operators that are called from C. All of this behaviour is PyTorch's own."""

import ctypes
import warnings

import torch
from assay.checks import Case

OWN = "assay_registered"
SCHEMA = "tagged(Tensor x) -> int"
LONGEST = 4  # slots on the stack of a call from C
# operator, overload, and the numbers after the tensor
FROM_C = (("abs", "", ()), ("transpose", "int", (0, 1)), ("unsqueeze", "", (1,)), ("neg", "", ()), ("select", "int", (0, 1)))
BUILT_FOR = 0x020A000000000000  # the encoded version 2.10, as an extension passes it


def error_of(call, *arguments):
    try:
        call(*arguments)
    except Exception as error:
        return error
    return None


class LibraryRegistration(Case):
    def setUp(self):
        super().setUp()
        self.x = self.on_device(self.sample())
        if torch._C._dispatch_keys(self.x).has(torch._C.DispatchKey.Python):
            self.lacks("custom_ops", f"{type(self.x).__name__}.__torch_dispatch__ handles each operator before the dispatcher looks for PrivateUse1")

    def library(self, kind="IMPL"):
        library = torch.library.Library(OWN, kind)
        self.addCleanup(library._destroy)
        return library

    def defined(self):
        library = self.library("DEF")
        library.define(SCHEMA)
        return library

    def tag(self):
        return self.value_of(torch.ops.assay_registered.tagged)

    def value_of(self, operator):
        """Returns a result, or PyTorch's error that there is no kernel. A backend may refuse custom operators."""
        try:
            return operator(self.x)
        except Exception as error:
            if "Could not run" not in str(error):
                self.lacks("custom_ops", error)
            return f"{type(error).__name__}: {str(error).splitlines()[:1]}"

    def test_called(self):
        """operators.custom_operators_can_be_called"""
        library = self.defined()
        library.impl("tagged", lambda x: 7, "PrivateUse1")
        library.impl("tagged", lambda x: 5, "CPU")
        self.expect_equal(self.tag(), 7, "a device tensor uses the kernel that is registered for PrivateUse1")
        self.expect_equal(torch.ops.assay_registered.tagged(torch.ones(2)), 5, "a CPU tensor uses the CPU's kernel")

    def test_keys(self):
        """operators.kernels_can_be_registered_under_both_key_names"""
        self.defined()
        for number, key in enumerate(("PrivateUse1", self.device_name.upper())):
            library = self.library()
            error = error_of(library.impl, "tagged", lambda x, n=number: n, key)
            self.expect_true(error is None, f"Library.impl accepts the key {key}", str(error))
            self.expect_equal(self.tag(), number, f"a kernel for {key} is called")
            library._destroy()
        for key in {"privateuseone", self.device_name.lower()} - {self.device_name.upper()}:
            error = error_of(self.library().impl, "tagged", lambda x: 9, key)
            told = f"raised {error}" if error else "the key was accepted"
            self.expect_true("could not parse dispatch key" in str(error), f"Library.impl refuses the key {key}", told)

    def custom(self, name, number, device_types):
        made = torch.library.custom_op(
            f"{OWN}::{name}", lambda x: number, mutates_args=(), schema="(Tensor x) -> int", device_types=device_types
        )
        self.addCleanup(made._lib._destroy)
        return made

    def test_custom(self):
        """operators.custom_op_accepts_the_device_type"""
        made = self.custom("of_the_device", 1, self.device_name)
        self.expect_equal(self.value_of(made), 1, "custom_op accepts the name of the device in device_types")
        other = self.custom("of_both", 2, "cpu")
        other.register_kernel(self.device_name)(lambda x: 3)
        seen = self.value_of(other), other(torch.ones(2))
        self.expect_equal(seen, (3, 2), "register_kernel accepts the name of the device, and the CPU keeps its kernel")

    def test_second(self):
        """operators.second_kernel_replaces_the_first_until_removed"""
        self.defined().impl("tagged", lambda x: 1, "PrivateUse1")
        self.expect_equal(self.tag(), 1, "the first kernel is called")
        second = self.library()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns once per process about the overridden kernel
            # before 2.13 allow_override was required
            second.impl("tagged", lambda x: 2, "PrivateUse1", allow_override=True)
        self.expect_equal(self.tag(), 2, "a second kernel for the same operator and key replaces the first")
        second._destroy()
        self.expect_equal(self.tag(), 1, "after its library was destroyed the first kernel is called again")

    def test_from_c(self):
        """operators.c_dispatcher_calls_match_python"""
        self.need_any_kind()
        core = ctypes.CDLL(torch._C.__file__)
        there = torch.arange(1.0, 13.0).reshape(3, 4)
        for entry, version in (("aoti_torch_call_dispatcher", ()), ("torch_call_dispatcher", (ctypes.c_uint64(BUILT_FOR),))):
            for name, overload, numbers in FROM_C:
                here = self.on_device(-there)
                wanted = self.op(f"aten::{name}", getattr(torch, name), here, *numbers)
                stack = (ctypes.c_uint64 * LONGEST)(handle_of(here), *numbers)
                error = getattr(core, entry)(f"aten::{name}".encode(), overload.encode(), stack, *version)
                what = f"{entry} of aten::{name} gives the same result as Python"
                if self.expect_equal(error, 0, what):
                    seen = tensor_of(stack[0])
                    self.expect_device(seen, wanted.device, what)
                    self.expect_tensor(seen, wanted, what)


def handle_of(tensor):
    """A handle that the called function owns."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return get(torch._C._aoti.unsafe_alloc_void_ptr_from_tensor(tensor), None)


def tensor_of(handle):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return torch._C._aoti.alloc_tensor_by_stealing_from_void_ptr(make(handle, None, None))
