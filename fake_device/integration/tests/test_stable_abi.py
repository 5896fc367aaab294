# SPDX-License-Identifier: BSD-3-Clause
"""The device through PyTorch's stable C ABI, called as from a C program: functions by address, tensors as handles."""

import ctypes
import gc
import threading
import unittest
from pathlib import Path

import torch

LIBRARY = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
VERSION = 0x020D000000000000
FLOAT = LIBRARY.aoti_torch_dtype_float32()
DEVICE = LIBRARY.aoti_torch_device_type_privateuse1()
Handle = ctypes.c_void_p
Word = ctypes.c_uint64


def text():
    function = LIBRARY.torch_exception_get_what_without_backtrace
    function.restype = ctypes.c_char_p
    return function().decode()


def call(name, *arguments):
    """Calls the function and checks that it succeeds."""
    if getattr(LIBRARY, name)(*arguments) != 0:
        raise AssertionError(f"{name}: {text()}")


def get(kind, name, *arguments):
    """Returns the value that a call writes through its last argument."""
    value = kind()
    call(name, *arguments, ctypes.byref(value))
    return value.value


def numbers(*values):
    return (ctypes.c_int64 * len(values))(*values)


def empty_status(index, *sizes, dtype=FLOAT, device=DEVICE):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= size
    handle = Handle()
    status = LIBRARY.aoti_torch_empty_strided(
        ctypes.c_int64(len(sizes)), numbers(*sizes), numbers(*strides), dtype, device, index,
        ctypes.byref(handle))
    return status, handle


def empty(index, *sizes, **options):
    status, handle = empty_status(index, *sizes, **options)
    if status != 0:
        raise AssertionError(text())
    return handle


def delete(*handles):
    for handle in handles:
        call("aoti_torch_delete_tensor_object", handle)


def host(values=None, count=4):
    """A CPU tensor and the address of its memory."""
    handle = empty(0, count, device=LIBRARY.aoti_torch_device_type_cpu())
    memory = (ctypes.c_float * count).from_address(get(Handle, "torch_get_mutable_data_ptr", handle))
    if values is not None:
        memory[:] = values
    return handle, memory


def on_device(index, *values):
    source, _ = host(values, len(values))
    handle = empty(index, len(values))
    call("aoti_torch_copy_", handle, source, 0)
    delete(source)
    return handle


def values_of(handle):
    target, memory = host(count=get(ctypes.c_int64, "aoti_torch_get_numel", handle))
    call("aoti_torch_copy_", target, handle, 0)
    result = list(memory)
    delete(target)
    return result


class Tensors(unittest.TestCase):
    def setUp(self):
        torch.accelerator.set_device_index(0)

    def test_version_and_codes(self):
        LIBRARY.aoti_torch_abi_version.restype = Word
        self.assertEqual(VERSION >> 40, LIBRARY.aoti_torch_abi_version() >> 40)
        self.assertEqual(int(torch._C._autograd.DeviceType.PrivateUse1.value), DEVICE)

    def test_empty_agrees_with_what_was_asked(self):
        for index in (0, 1):
            x = empty(index, 3, 5)
            self.assertEqual(DEVICE, get(ctypes.c_int32, "aoti_torch_get_device_type", x))
            self.assertEqual(index, get(ctypes.c_int32, "aoti_torch_get_device_index", x))
            self.assertEqual(60, get(ctypes.c_int64, "aoti_torch_get_storage_size", x))
            self.assertTrue(get(ctypes.c_bool, "aoti_torch_is_contiguous", x))
            sizes = get(Handle, "aoti_torch_get_sizes", x)
            strides = get(Handle, "aoti_torch_get_strides", x)
            self.assertEqual([3, 5], list((ctypes.c_int64 * 2).from_address(sizes)))
            self.assertEqual([5, 1], list((ctypes.c_int64 * 2).from_address(strides)))
            delete(x)
        torch.accelerator.set_device_index(1)
        x = empty(-1, 2)
        self.assertEqual(1, get(ctypes.c_int32, "aoti_torch_get_device_index", x))
        delete(x)
        torch.accelerator.set_device_index(0)

    def test_refusals_leave_words_of_the_thread(self):
        for index, size in ((7, 2), (0, -3), (0, 1 << 50)):
            self.assertNotEqual(0, empty_status(index, size)[0])
            self.assertNotEqual("", text())
        mine = text()
        delete(empty(0, 2))
        self.assertEqual(mine, text(), "a success leaves the text")
        others = []
        thread = threading.Thread(target=lambda: others.append(text()))
        thread.start()
        thread.join()
        self.assertNotEqual([mine], others)

    def test_bytes_survive_the_way_there_and_back(self):
        for index in (0, 1):
            x = on_device(index, 1.5, -2.0, 0.0, 7.0)
            self.assertEqual([1.5, -2.0, 0.0, 7.0], values_of(x))
            delete(x)

    def test_second_handle_keeps_the_tensor(self):
        gc.collect()
        before = torch.accelerator.memory_allocated(1)
        first = empty(1, 1000)
        second = Handle()
        call("aoti_torch_new_tensor_handle", first, ctypes.byref(second))
        delete(first)
        self.assertGreater(torch.accelerator.memory_allocated(1), before)
        delete(second, Handle())
        self.assertEqual(before, torch.accelerator.memory_allocated(1))

    def test_data_pointers(self):
        x, nothing = empty(0, 4), empty(0, 0)
        pointers = [get(Handle, f"torch_get_{kind}_data_ptr", x) for kind in ("const", "mutable")]
        self.assertEqual(pointers[0], pointers[1])
        self.assertIsNotNone(pointers[0])
        self.assertIsNone(get(Handle, "torch_get_const_data_ptr", nothing))
        delete(x, nothing)

    def test_from_blob_aliases_and_deletes_once(self):
        memory = torch.arange(4.0, device="fakedev:1")
        deleted = []
        deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda data, _: deleted.append(data))
        for index in (1, -1):
            deleted.clear()
            x = Handle()
            arguments = (Handle(memory.data_ptr()), ctypes.c_int64(1), numbers(4), numbers(1),
                         ctypes.c_int64(0), FLOAT, DEVICE)
            rest = (ctypes.byref(x), 0, None, ctypes.c_int64(0), deleter, None)
            call("torch_from_blob", *arguments, index, *rest)
            self.assertEqual(1, get(ctypes.c_int32, "aoti_torch_get_device_index", x))
            call("aoti_torch_zero_", x)
            self.assertEqual([0.0] * 4, memory.tolist())
            delete(x)
            self.assertEqual([memory.data_ptr()], deleted)
        self.assertNotEqual(0, LIBRARY.torch_from_blob(*arguments, 0, *rest))

    def test_thread_without_switching_its_device(self):
        seen = []

        def work():
            x = empty(1, 4)
            seen.append(get(ctypes.c_int32, "aoti_torch_get_device_index", x))
            seen.append(get(ctypes.c_int32, "aoti_torch_get_current_device_index"))
            delete(x)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertEqual([1, 0], seen)


class Devices(unittest.TestCase):
    def setUp(self):
        torch.accelerator.set_device_index(0)

    def current(self):
        return get(ctypes.c_int32, "aoti_torch_get_current_device_index")

    def test_guard_moves_and_restores(self):
        guard = Handle()
        call("aoti_torch_create_device_guard", 1, ctypes.byref(guard))
        self.assertEqual(1, self.current())
        call("aoti_torch_device_guard_set_index", guard, 0)
        self.assertEqual(0, self.current())
        call("aoti_torch_device_guard_set_index", guard, 1)
        call("aoti_torch_delete_device_guard", guard)
        self.assertEqual(0, self.current())

    def test_stream_is_the_current_one(self):
        for index in (0, 1):
            with torch.Stream(f"fakedev:{index}") as current:
                stream = Handle()
                call("aoti_torch_get_current_stream", index, ctypes.byref(stream))
                self.assertEqual(current.stream_id, get(ctypes.c_int64, "aoti_torch_stream_id", stream))
                self.assertEqual(current.native_handle, get(Handle, "torch_stream_native_handle", stream) or 0)
                call("aoti_torch_delete_stream", stream)

    def test_device_strings(self):
        kind, index = ctypes.c_uint32(), ctypes.c_int32()
        for string, expected in ((b"fakedev:1", 1), (b"fakedev", -1), (b"privateuseone:1", 1)):
            call("torch_parse_device_string", string, ctypes.byref(kind), ctypes.byref(index))
            self.assertEqual((DEVICE, expected), (kind.value, index.value))
        self.assertNotEqual(0, LIBRARY.torch_parse_device_string(b"nosuch:1", ctypes.byref(kind), ctypes.byref(index)))


class Dispatch(unittest.TestCase):
    def dispatch(self, name, overload, *words, version=VERSION):
        stack = (Word * max(len(words), 1))(*words)
        status = LIBRARY.torch_call_dispatcher(name, overload, stack, Word(version))
        return status, stack[0]

    def test_operators_equal_those_of_the_host(self):
        for index in (0, 1):
            x = on_device(index, -1.0, 2.0)
            for name, overload, expected in ((b"aten::relu", b"", [0.0, 2.0]), (b"aten::abs", b"", [1.0, 2.0])):
                argument = Handle()
                call("aoti_torch_new_tensor_handle", x, ctypes.byref(argument))
                status, word = self.dispatch(name, overload, argument.value)
                self.assertEqual(0, status, name)
                self.assertEqual(expected, values_of(Handle(word)))
                delete(Handle(word))
            delete(x)

    def test_products_and_choices(self):
        for index in (0, 1):
            y = torch.arange(4.0, device=f"fakedev:{index}")
            handles = [on_device(index, 1.0, 2.0, 3.0, 4.0) for _ in range(2)]
            status, word = self.dispatch(b"aten::dot", b"", *(h.value for h in handles))
            self.assertEqual((0, [30.0]), (status, values_of(Handle(word))))
            self.assertEqual(y.device.index, get(ctypes.c_int32, "aoti_torch_get_device_index", Handle(word)))
            delete(Handle(word))

    def test_failed_calls(self):
        x = on_device(0, 1.0, 2.0)
        self.assertNotEqual(0, self.dispatch(b"aten::nosuch", b"", x.value)[0])
        self.assertIn("schema", text())
        self.assertEqual([1.0, 2.0], values_of(x), "no schema: the handle was not consumed")
        other = on_device(1, 1.0, 2.0)
        self.assertNotEqual(0, self.dispatch(b"aten::dot", b"", x.value, other.value)[0])

    def test_operator_of_a_c_program(self):
        @ctypes.CFUNCTYPE(None, ctypes.POINTER(Word), Word, Word)
        def kernel(stack, arguments, results):
            seen.append((arguments, results))

        seen = []
        definition, implementation = Handle(), Handle()
        call("aoti_torch_library_init_def", b"fromc", b"test", 1, ctypes.byref(definition))
        call("aoti_torch_library_def", definition, b"same(Tensor x) -> Tensor")
        call("aoti_torch_library_init_impl", b"fromc", b"PrivateUse1", b"test", 2, ctypes.byref(implementation))
        call("torch_library_impl", implementation, b"same", kernel, Word(VERSION))
        x = on_device(1, 4.0)
        status, word = self.dispatch(b"fromc::same", b"", x.value)
        self.assertEqual((0, [4.0], [(1, 1)]), (status, values_of(Handle(word)), seen))
        delete(Handle(word))
        call("aoti_torch_delete_library_object", implementation)
        self.assertFalse(torch._C._dispatch_has_kernel_for_dispatch_key("fromc::same", "PrivateUse1"))
        call("aoti_torch_delete_library_object", definition)
        y = on_device(1, 4.0)
        self.assertNotEqual(0, self.dispatch(b"fromc::same", b"", y.value)[0])
        delete(y)

    def test_parallel_for_covers_each_once(self):
        counts = [0] * 100
        lock = threading.Lock()

        @ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        def work(begin, end, _):
            with lock:
                for i in range(begin, end):
                    counts[i] += 1

        call("torch_parallel_for", ctypes.c_int64(0), ctypes.c_int64(100), ctypes.c_int64(10), work, None)
        self.assertEqual([1] * 100, counts)


if __name__ == "__main__":
    unittest.main()
