# SPDX-License-Identifier: BSD-3-Clause
"""Operators that a C program calls, defines and implements: who owns the arguments, and how they are encoded."""

import ctypes
import gc
import unittest

import torch
from assay.checks.memory_in_use import bytes_in_use
from suites.stable_abi.shim import CORE, Handle, Int32, Kernel, ShimCase, Size, Word, dispatched, handle_of, tensor_of, text

NAMESPACE = "assay_from_c"


def packet(name):
    return getattr(getattr(torch.ops, NAMESPACE), name)


class Calls(ShimCase):
    def setUp(self):
        super().setUp()
        self.x = self.on_device(self.sample(1000))
        self.wanted = self.op("aten::view", lambda: self.x[:1])

    def narrowed(self):
        """The words of aten::slice.Tensor(x, 0, 0, 1, 1), which every backend with views accepts. Two of its
        arguments are optional."""
        return handle_of(self.x).value, 0, self.optional(0), self.optional(1), 1

    def optional(self, number):
        """A present optional: a word on the heap, which the call frees."""
        if not hasattr(CORE, "torch_new_stable_ivalue"):
            self.does_not_apply("before 2.13, C has no function for a word on the heap")
        place = self.value(Handle, "torch_new_stable_ivalue")
        Word.from_address(place).value = number
        return place

    def settled(self):
        gc.collect()
        return bytes_in_use(self)

    def test_owned(self):
        """stable_abi.dispatcher_consumes_arguments_and_returns_in_slot_zero"""
        before = self.settled()
        y = self.on_device(self.sample(1000, 1))
        row = self.op("aten::unsqueeze", y.unsqueeze, 0)
        with self.asks_a_special_case():
            result = tensor_of(self.result_of("aten::unsqueeze", "", handle_of(y).value, 0))
        self.expect_tensor(result, self.on_cpu(row), "the result is in slot 0")
        del row
        del y
        self.expect_true(self.settled() > before, "the result keeps the memory", self.settled())
        del result
        self.expect_equal(self.settled(), before, "the call consumes the handle of its argument")

    def test_failed(self):
        """stable_abi.failed_call_consumes_tensors_unless_the_schema_is_unknown"""
        self.on_device(self.sample(1000))
        before = self.settled()
        y = self.on_device(self.sample(1000))
        status, _ = dispatched("aten::select", "int", (handle_of(y).value, 64, 0))
        self.expect_error("an operator with a bad dim is an error", status)
        self.expect_true(self.settled() > before, "the argument lives while Python holds it", self.settled())
        del y
        self.expect_equal(self.settled(), before, "a failed call consumes the handle of its argument")
        y = self.on_device(self.sample(1000))
        handle = handle_of(y)
        self.expect_different(dispatched("aten::no_such_operator", "", (handle.value,))[0], 0, "an unknown operator is an error")
        self.expect_true("schema" in text() or not hasattr(CORE, "torch_exception_get_what"), "the message says that the schema is unknown", text())
        del y
        self.expect_true(self.settled() > before, "a call without schema does not consume the handle", self.settled())
        self.delete(handle)
        self.expect_equal(self.settled(), before, "its caller deletes the handle")

    def test_optional(self):
        """stable_abi.optionals_are_zero_or_a_word_on_the_heap"""
        with self.asks_a_special_case():
            result = tensor_of(self.result_of("aten::slice", "Tensor", *self.narrowed()))
        self.expect_tensor(result, self.on_cpu(self.wanted), "present optionals are read")
        whole = tensor_of(self.result_of("aten::slice", "Tensor", handle_of(self.x).value, 0, 0, 0, 1))
        self.expect_tensor(whole, self.on_cpu(self.x), "0 is an absent optional")
        place = self.value(Handle, "torch_new_stable_ivalue")
        self.expect_equal(Word.from_address(place).value, 0, "a new word on the heap is 0")
        self.call("torch_delete_stable_ivalue", Handle(place))
        self.expect_different(CORE.torch_delete_stable_ivalue(None), 0, "deleting null is an error")

    def test_number(self):
        """stable_abi.number_arguments_are_refused"""
        handles = handle_of(self.x).value, handle_of(self.x).value
        self.expect_different(dispatched("aten::add", "Tensor", (*handles, 1))[0], 0, "a schema with a Scalar is an error")
        self.expect_true("Not yet supported conversion" in text() and "Scalar" in text(), "the message says that a Scalar is not supported", text())


class Kernels(ShimCase):
    def setUp(self):
        super().setUp()
        self.need_kernels()
        self.x = self.on_device(self.sample())
        self.seen = []

    def test_own_operator(self):
        """stable_abi.own_operator_is_called_and_removed"""
        @Kernel
        def same(stack, arguments, results):
            self.seen.append((arguments, results))

        defined, implemented = self.operators(NAMESPACE, {"same(Tensor x) -> Tensor": same})
        for device in {self.devices[0], self.devices[-1]}:
            x = self.sample().to(device)
            for result in (packet("same")(x), tensor_of(self.result_of(f"{NAMESPACE}::same", "", handle_of(x).value))):
                self.expect_device(result, device, "the result of a kernel of a C program is on the device of its argument")
                self.expect_tensor(result, self.sample(), "the result has the values of the kernel")
        self.expect_equal(set(self.seen), {(1, 1)}, "the kernel is called with the numbers of arguments and results")
        self.delete_library(implemented)
        self.expect_error("a call after the kernel was removed is an error", dispatched(f"{NAMESPACE}::same", "", (handle_of(self.x).value,))[0])
        self.expect_equal(torch._C._dispatch_has_kernel_for_dispatch_key(f"{NAMESPACE}::same", "PrivateUse1"), False, "deleting its library removes the kernel")
        self.delete_library(defined)
        handle = handle_of(self.x)
        self.expect_different(dispatched(f"{NAMESPACE}::same", "", (handle.value,))[0], 0, "deleting the library of the definition removes the operator")
        self.delete(handle)

    def test_device(self):
        """stable_abi.device_arguments_have_type_and_index"""
        @Kernel
        def place(stack, arguments, results):
            self.seen.append(stack[1])
            CORE.aoti_torch_delete_tensor_object(Handle(stack[0]))
            stack[0] = stack[1]

        self.operators(NAMESPACE, {"place(Tensor x, Device where) -> Device": place})
        for where in (*self.devices, self.bare_device, torch.device("cpu")):
            self.seen.clear()
            returned = packet("place")(self.x, where)
            code = CORE.aoti_torch_device_type_cpu() if where.type == "cpu" else CORE.aoti_torch_device_type_privateuse1()
            index = -1 if where.index is None else where.index
            self.expect_equal(self.seen, [code << 32 | index & 0xFFFFFFFF], f"the word of {where} has the type above the index")
            self.expect_equal(returned, where, "a returned word becomes the same device")

    def test_lists(self):
        """stable_abi.list_and_string_arguments_are_read_and_returned"""
        @Kernel
        def echo(stack, arguments, results):
            count = ctypes.c_size_t()
            CORE.torch_list_size(Handle(stack[1]), ctypes.byref(count))
            words = ctypes.c_char_p()
            CORE.torch_string_c_str(Handle(stack[2]), ctypes.byref(words))
            self.seen.append((count.value, words.value))
            CORE.aoti_torch_delete_tensor_object(Handle(stack[0]))
            stack[0], stack[1] = stack[1], stack[2]

        self.operators(NAMESPACE, {"echo(Tensor x, int[] numbers, str words) -> (int[], str)": echo})
        for numbers, words in (([3, -4, 2**40], "some words"), ([], "")):
            self.seen.clear()
            self.expect_equal(packet("echo")(self.x, numbers, words), (numbers, words), "a list and a string arrive and return unchanged")
            self.expect_equal(self.seen, [(len(numbers), words.encode())], "the kernel reads the list and the string")
        handle = Handle()
        self.call("torch_new_list_reserve_size", Size(1), ctypes.byref(handle))
        self.call("torch_list_push_back", handle, Word(5))
        dispatched(f"{NAMESPACE}::no_such_operator", "", (0, handle.value, 0))
        self.expect_equal(self.value(ctypes.c_size_t, "torch_list_size", handle), 1, "a call without schema does not consume a list")
        self.call("torch_delete_list", handle)

    def test_tags(self):
        """stable_abi.operators_get_the_tags_of_their_getters"""
        defined = self.library("def", NAMESPACE.encode())
        names = ("core", "pointwise", "pt2_compliant_tag", "nondeterministic_seeded")
        codes = [getattr(CORE, f"torch_tag_{name}")() for name in names]
        self.expect_equal(len(set(codes)), len(codes), "the codes of the tags are distinct")
        self.call("torch_library_def_with_tags", defined, b"tagged(Tensor x) -> Tensor", (Int32 * len(codes))(*codes), Int32(len(codes)))
        self.expect_equal(set(packet("tagged").default.tags), {getattr(torch.Tag, name) for name in names}, "an operator has its tags")

    def test_generator(self):
        """stable_abi.generator_handles_have_the_device"""
        @Kernel
        def device_of(stack, arguments, results):
            given, copy, kind, index = Handle(stack[1]), Handle(), Int32(), Int32()
            status = CORE.torch_new_generator_handle(given, ctypes.byref(copy))
            status |= CORE.torch_delete_generator(given)
            status |= CORE.torch_generator_get_device(copy, ctypes.byref(kind), ctypes.byref(index))
            status |= CORE.torch_delete_generator(copy)
            self.seen.append((status, kind.value, index.value))
            CORE.aoti_torch_delete_tensor_object(Handle(stack[0]))
            stack[0] = index.value & 0xFFFFFFFFFFFFFFFF

        self.operators(NAMESPACE, {"device_of(Tensor x, Generator g) -> int": device_of})
        for device in {self.devices[0], self.devices[-1]}:
            generator = self.supported("rng", torch.Generator, device)
            self.seen.clear()
            packet("device_of")(self.x, generator)
            self.expect_equal(self.seen, [(0, CORE.aoti_torch_device_type_privateuse1(), device.index)], "a handle of a generator has its device")


if __name__ == "__main__":
    unittest.main()
