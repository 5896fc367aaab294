# SPDX-License-Identifier: BSD-3-Clause
"""Custom operators of the backend with a gradient, and gradient recording through the stable C ABI."""

import ctypes
import pathlib

import torch
from assay.checks import Case
from assay.values.closeness import expect_near, ones_like, run_backward

POINTS = 8


def own_operators():
    """Operators outside aten that have a formula at AutogradPrivateUse1."""
    names = torch._C._dispatch_get_registrations_for_dispatch_key("AutogradPrivateUse1")
    for name in sorted(names):
        namespace, _, rest = name.partition("::")
        if namespace not in ("aten", "prims", "prim", "assay_probe"):
            operator, _, overload = rest.partition(".")
            packet = getattr(getattr(torch.ops, namespace), operator)
            yield name, getattr(packet, overload or "default")


def arguments_for(schema, x):
    """Returns one tensor and numbers, or None if the operator needs other arguments."""
    values = []
    for argument in schema.arguments:
        kind = str(argument.type)
        if kind == "Tensor" and not values:
            values.append(x)
        elif kind in ("float", "number"):
            values.append(1.5)
        elif kind == "int":
            values.append(1)
        elif argument.has_default_value():
            break
        else:
            return None
    return values or None


def torch_library():
    folder = pathlib.Path(torch.__file__).parent / "lib"
    library = ctypes.CDLL(str(folder / "libtorch_cpu.so"))
    library.aoti_torch_grad_mode_is_enabled.restype = ctypes.c_bool
    library.aoti_torch_grad_mode_set_enabled.argtypes = [ctypes.c_bool]
    return library


def handle_of(tensor):
    """An AtenTensorHandle, which the caller owns."""
    capsule = torch._C._aoti.unsafe_alloc_void_ptr_from_tensor(tensor)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.c_void_p(pointer(capsule, None))


class OwnFormulas(Case):
    def slope(self, operator, values, step):
        """Returns the derivative of the result's sum in the direction of x, by finite differences."""
        x = values[0]
        with torch.no_grad():
            ends = [operator(x * (1 + sign * step), *values[1:]) for sign in (1, -1)]
        ends = [self.on_cpu(end).double().sum().item() for end in ends]
        return (ends[0] - ends[1]) / (2 * step)

    def test_own_operators(self):
        """autograd.custom_gradients_have_the_sign_of_the_slope"""
        tried = 0
        for name, operator in own_operators():
            x = self.on_device(torch.linspace(0.5, 1.5, POINTS)).requires_grad_()
            values = arguments_for(operator._schema, x)
            result = values and operator(*values)
            if not isinstance(result, torch.Tensor) or not result.requires_grad:
                continue
            coarse, fine = (self.slope(operator, values, step) for step in (2e-2, 1e-2))
            if abs(coarse - fine) > 0.01 * abs(fine) + 1e-3:
                continue  # not smooth here: finite differences are not reliable
            tried += 1
            result.sum().backward()
            seen = (self.on_cpu(x.grad) * self.on_cpu(x)).double().sum().item()
            both = f"gradient gives {seen:.4g}, differences give {fine:.4g}"
            if abs(seen - fine) > 0.05 * abs(fine) + 1e-2:
                self.note(f"the gradient of {name} differs from its numerical slope", both)
            against = seen * fine < 0 and min(abs(seen), abs(fine)) > 1e-2
            self.expect_true(not against, f"the gradient of {name} does not have the opposite sign of its numerical slope", both)
        self.note("custom operators of the backend with a gradient", tried)
        if tried == 0:
            self.lacks("custom_ops", "no custom operator with a gradient could be called")

    def test_registered_function(self):
        """autograd.registered_autograd_function_is_used"""
        class Marked(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                with torch._C._AutoDispatchBelowAutograd():
                    return torch.ops.assay_probe.same(x)

            @staticmethod
            def backward(context, gradient):
                return gradient * threes

        library = torch.library.Library("assay_probe", "DEF")
        library.define("same(Tensor(a) x) -> Tensor(a)")
        library.impl("same", lambda x: x.view_as(x), "PrivateUse1")
        library.impl("same", Marked.apply, "AutogradPrivateUse1")
        x, threes = self.on_device(torch.ones(4)).requires_grad_(), self.on_device(torch.full((4,), 3.0))
        what = "backward of the registered function runs"
        run_backward(self, torch.ops.assay_probe.same(x), what, ones_like(self, x))
        expect_near(self, x.grad, torch.full((4,), 3.0), "autograd uses the registered backward")

    def test_requires_grad_from_c(self):
        """autograd.c_abi_sets_requires_grad"""
        library = torch_library()
        floats, integers = self.on_device(torch.ones(4)), self.on_device(torch.arange(4))
        status = library.torch_set_requires_grad(handle_of(floats), ctypes.c_bool(True))
        self.expect_equal(status, 0, "torch_set_requires_grad accepts a floating-point tensor")
        self.expect_equal(floats.requires_grad, True, "the floating-point tensor then requires a gradient")
        status = library.torch_set_requires_grad(handle_of(integers), ctypes.c_bool(True))
        self.expect_true(status != 0, "an integer tensor is refused", f"the status is {status}")
        self.expect_equal(integers.requires_grad, False, "the refused call changes nothing")

    def test_grad_mode_from_c(self):
        """autograd.c_abi_grad_mode_is_thread_local"""
        library = torch_library()

        def other():
            library.aoti_torch_grad_mode_set_enabled(False)
            return library.aoti_torch_grad_mode_is_enabled(), torch.is_grad_enabled()

        there = self.on_thread(other, "another thread can switch recording off")
        self.expect_equal(there, (False, False), "recording is off in the thread that switched it off")
        here = (library.aoti_torch_grad_mode_is_enabled(), torch.is_grad_enabled())
        self.expect_equal(here, (True, True), "recording stays on in other threads")
        x = self.on_device(torch.ones(4)).requires_grad_()
        self.expect_equal((x * x).requires_grad, True, "operators on the device are still recorded")
