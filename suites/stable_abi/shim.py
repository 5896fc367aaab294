# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's stable C interface, called by address as a C program calls it. A tensor is a handle, a slot of a stack is a
64-bit word. Every test file of this module calls the interface through this file.

A failed call returns a status and no exception, so the shape of an exception cannot show a refusal. Checks therefore
use a means in Python first, where a refusal blocks the check, and through C afterwards."""

import ctypes
from pathlib import Path

import torch
from assay.checks import Case, late

LIBRARY = Path(torch.__file__).parent / "lib/libtorch_cpu.so"
CORE = ctypes.CDLL(str(LIBRARY))
BUILT_FOR = 0x020A000000000000  # the encoded version 2.10, as an extension passes it
Handle, Word, Kernel = ctypes.c_void_p, ctypes.c_uint64, ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_uint64), ctypes.c_uint64, ctypes.c_uint64)
Int32, Int64, Size = ctypes.c_int32, ctypes.c_int64, ctypes.c_size_t
DTYPES = (
    torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz, torch.float8_e4m3fnuz, torch.bfloat16, torch.float16,
    torch.float32, torch.float64, torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.int8, torch.int16,
    torch.int32, torch.int64, torch.bool, torch.complex32, torch.complex64, torch.complex128, torch.float8_e8m0fnu,
    torch.float4_e2m1fn_x2,
)  # fmt: skip
SLOTS = 8  # more than any call here needs
STRIDED = CORE.aoti_torch_layout_strided()


def text(function="torch_exception_get_what_without_backtrace"):
    """The message of the last failed call of this thread. Before 2.13 there is no such function."""
    if not hasattr(CORE, function):
        return "an error whose message went to stderr"
    get = getattr(CORE, function)
    get.restype = ctypes.c_char_p
    return (get() or b"").decode(errors="replace")


def integers(values):
    return (Int64 * len(values))(*values)


def code_of(dtype):
    """The code of a dtype of torch, or None if this release has no getter for it."""
    name = str(dtype).removeprefix("torch.")
    getters = (getattr(CORE, prefix + name, None) for prefix in ("aoti_torch_dtype_", "torch_dtype_"))
    return next((getter() for getter in getters if getter), None)


def handle_of(tensor):
    """A new handle, which its user deletes or passes to a call that consumes it."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = Handle, (ctypes.py_object, ctypes.c_char_p)
    return Handle(get(torch._C._aoti.unsafe_alloc_void_ptr_from_tensor(tensor), None))


def tensor_of(handle):
    """The tensor of a handle. Deletes the handle: despite its name, the function of PyTorch leaves the handle alive."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (Handle, ctypes.c_char_p, ctypes.c_void_p)
    tensor = torch._C._aoti.alloc_tensor_by_stealing_from_void_ptr(make(handle, None, None))
    CORE.aoti_torch_delete_tensor_object(Handle(handle) if isinstance(handle, int) else handle)
    return tensor


def contiguous_strides(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def empty_status(device, sizes, strides=None, dtype=torch.float32):
    """The status of aoti_torch_empty_strided, and its handle."""
    handle = Handle()
    strides = contiguous_strides(sizes) if strides is None else strides
    status = CORE.aoti_torch_empty_strided(
        Int64(len(sizes)), integers(sizes), integers(strides), code_of(dtype), CORE.aoti_torch_device_type_privateuse1(),
        Int32(-1 if device.index is None else device.index), ctypes.byref(handle))  # fmt: skip
    return status, handle


def dispatched(name, overload, words):
    """The status of torch_call_dispatcher, and the stack after the call."""
    stack = (Word * SLOTS)(*words)
    return CORE.torch_call_dispatcher(name.encode(), overload.encode(), stack, Word(BUILT_FOR)), stack


class ShimCase(Case):
    def call(self, name, *arguments):
        """Calls a function and requires its success."""
        self.need_success(getattr(CORE, name)(*arguments), name)

    def need_success(self, status, name):
        self.require(self.expect(status == 0, f"{name} returns 0 for arguments that it must accept", None if status == 0 else f"it returned {status}: {text()}"))

    def value(self, kind, name, *arguments):
        """The value that a call writes through its last argument."""
        found = kind()
        self.call(name, *arguments, ctypes.byref(found))
        return found.value

    def made_in_python(self, device):
        """A tensor of the sample kind. If the backend refuses this tensor, the check is blocked."""
        kind = self.known_kind
        shape = kind.shape((3, 5))
        return self.op("aten::empty_strided", torch.empty_strided, shape, torch.empty(shape).stride(), dtype=kind.dtype, device=device)

    def empty(self, device, sizes, strides=None, dtype=torch.float32):
        status, handle = empty_status(device, sizes, strides, dtype)
        self.need_success(status, "aoti_torch_empty_strided")
        return handle

    def copy_of(self, handle):
        """A second handle of the same tensor."""
        return Handle(self.value(Handle, "aoti_torch_new_tensor_handle", handle))

    def delete(self, *handles):
        for handle in handles:
            self.call("aoti_torch_delete_tensor_object", handle)

    def result_of(self, name, overload, *words):
        """The first slot of the stack after a call through the dispatcher."""
        status, stack = dispatched(name, overload, words)
        self.need_success(status, f"torch_call_dispatcher of {name}")
        return stack[0]

    def expect_error(self, what, status):
        """Expects an error status. If the device works asynchronously, the error may be reported only when the program
        waits."""
        if status != 0:
            return self.expect(True, what, None)
        error = late.waited(self.device)
        return self.expect(error is not None and late.is_of_the_call(error, self.device), what, "the status is 0, and waiting raises nothing")

    @property
    def missing(self):
        """A device that does not exist."""
        return torch.device(self.device_name, torch.accelerator.device_count())

    def need_kernels(self):
        """Ends the check if PyTorch calls no kernel for PrivateUse1."""
        x = self.on_device(self.sample())
        if torch._C._dispatch_keys(x).has(torch._C.DispatchKey.Python):
            self.lacks("custom_ops", f"{type(x).__name__}.__torch_dispatch__ handles each operator before the dispatcher looks for PrivateUse1")

    def library(self, kind, *arguments):
        """Creates a library object: "def" or "impl". The library object lives until the end of the check
        at the latest."""
        handle = Handle(self.value(Handle, f"aoti_torch_library_init_{kind}", *arguments, b"assay", 1))
        self.addCleanup(self.delete_library, handle)
        return handle

    def operators(self, namespace, kernels):
        """Defines operators of a namespace and their kernels for PrivateUse1. `kernels` maps a schema to a function of
        the stack. Returns both library handles. The kernels must stay referenced while they may be called."""
        defined = self.library("def", namespace.encode())
        implemented = self.library("impl", namespace.encode(), b"PrivateUse1")
        for schema, kernel in kernels.items():
            self.call("aoti_torch_library_def", defined, schema.encode())
            self.call("torch_library_impl", implemented, schema.partition("(")[0].encode(), kernel, Word(BUILT_FOR))
        return defined, implemented

    def delete_library(self, handle):
        """Deletes a library and empties the handle, because deleting null is harmless."""
        self.call("aoti_torch_delete_library_object", handle)
        handle.value = None
