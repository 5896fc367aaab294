# SPDX-License-Identifier: BSD-3-Clause
"""Facts that a C program asks for first: the version, the functions, the codes, device strings. Also parallel loops."""

import ctypes
import re
import threading
import unittest

import torch
from suites.stable_abi import shim_headers
from suites.stable_abi.shim import CORE, DTYPES, Int32, Int64, ShimCase, Word, code_of, handle_of

FAMILIES = {
    "device_type": ("cpu", "cuda", "meta", "xpu", "mps", "privateuse1"),
    "layout": ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "_mkldnn", "jagged"),
    "memory_format": ("contiguous_format", "channels_last", "channels_last_3d", "preserve_format"),
}
PARSED = """
import ctypes, torch
from pathlib import Path

core = ctypes.CDLL(str(Path(torch.__file__).parent / "lib/libtorch_cpu.so"))

def parsed(text):
    kind, index = ctypes.c_uint32(), ctypes.c_int32()
    status = core.torch_parse_device_string(text, ctypes.byref(kind), ctypes.byref(index))
    return [status != 0, kind.value, index.value]

guard = ctypes.c_void_p()
answer = {"guard": core.aoti_torch_create_device_guard(0, ctypes.byref(guard)) if torch._C._get_accelerator().type == "cpu" else None,
          "before": [parsed(b"privateuseone:1"), parsed(b"assayed:1")]}
torch.utils.rename_privateuse1_backend("assayed")
answer["after"] = [parsed(b"privateuseone:1"), parsed(b"assayed:1")]
"""


class Facts(ShimCase):
    def test_version(self):
        """stable_abi.version_is_that_of_torch"""
        CORE.aoti_torch_abi_version.restype = Word
        seen = CORE.aoti_torch_abi_version()
        numbers = [int(part) for part in re.match(r"(\d+)\.(\d+)\.(\d+)", torch.__version__).groups()]
        self.expect_equal([seen >> 56, seen >> 48 & 255, seen >> 40 & 255], numbers, "aoti_torch_abi_version() has the version of torch in its top bytes")

    def test_functions(self):
        """stable_abi.every_declared_function_exists"""
        for header in shim_headers.HEADERS:
            if shim_headers.text_of(header) is None:
                self.does_not_apply(f"this installation of torch has no header {header}")
            plain, cuda = shim_headers.declared(header)
            self.expect_true(len(plain) > 10, f"{header} declares functions", f"{len(plain)} functions were found")
            self.expect_equal([name for name in plain if not hasattr(CORE, name)], [], f"libtorch_cpu has each function that {header} declares")
            if not torch.backends.cuda.is_built():
                self.expect_equal([name for name in cuda if hasattr(CORE, name)], [], f"a build without CUDA has no function of CUDA of {header}")

    def test_codes(self):
        """stable_abi.type_codes_are_those_of_torch"""
        CORE.aoti_torch_dtype_element_size.restype = ctypes.c_size_t
        codes = {dtype: code_of(dtype) for dtype in DTYPES}
        self.expect_equal([str(dtype) for dtype, code in codes.items() if code is None], [], "each dtype has a getter")
        self.expect_equal(len(set(codes.values())), len(codes), "the codes of the dtypes are distinct")
        for dtype, code in codes.items():
            self.expect_equal(CORE.aoti_torch_dtype_element_size(code), dtype.itemsize, f"the element size of {dtype}")
            handle = handle_of(torch.empty(0, dtype=dtype))
            self.expect_equal(self.value(Int32, "aoti_torch_get_dtype", handle), code, f"a tensor of {dtype} has the code of its getter")
            self.delete(handle)
        for family, names in FAMILIES.items():
            seen = [getattr(CORE, f"aoti_torch_{family}_{name}")() for name in names]
            self.expect_equal(len(set(seen)), len(names), f"the codes of {family} are distinct")
        self.expect_type_of_the_device()

    def expect_type_of_the_device(self):
        code = CORE.aoti_torch_device_type_privateuse1()
        self.expect_equal(code, int(torch._C._autograd.DeviceType.PrivateUse1.value), "aoti_torch_device_type_privateuse1() is the code of PrivateUse1")
        handle = handle_of(self.on_device(self.sample()))
        self.expect_equal(self.value(Int32, "aoti_torch_get_device_type", handle), code, "a tensor of the device has this code")
        self.delete(handle)

    def test_strings(self):
        """stable_abi.device_strings_are_parsed"""
        kind, index = ctypes.c_uint32(), Int32()
        for string, number in (("privateuseone:1", 1), (f"{self.device_name}:1", 1), (self.device_name, -1)):
            self.call("torch_parse_device_string", string.encode(), ctypes.byref(kind), ctypes.byref(index))
            self.expect_equal((kind.value, index.value), (CORE.aoti_torch_device_type_privateuse1(), number), f"'{string}' is parsed")
        status = CORE.torch_parse_device_string(b"nosuch:1", ctypes.byref(kind), ctypes.byref(index))
        self.expect_different(status, 0, "an unknown device is an error")

    def test_name(self):
        """stable_abi.own_name_is_unknown_before_the_rename"""
        answer = self.fresh_torch(PARSED, "a process without a backend parses device strings")
        code = CORE.aoti_torch_device_type_privateuse1()
        self.expect_equal(answer["before"][0], [False, code, 1], "'privateuseone:1' is parsed before the rename")
        self.expect_equal(answer["before"][1][0], True, "the own name is an error before the rename")
        self.expect_equal(answer["after"], [[False, code, 1]] * 2, "both names are parsed after the rename")

    def test_loop(self):
        """stable_abi.parallel_for_covers_each_index_once"""
        counts, lock = [0] * 100, threading.Lock()

        @ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        def work(begin, end, _):
            with lock:
                for i in range(begin, end):
                    counts[i] += 1

        for begin, end, grain in ((0, 100, 10), (7, 93, 1), (50, 50, 4), (0, 100, 1000)):
            counts[:] = [0] * 100
            self.call("torch_parallel_for", Int64(begin), Int64(end), Int64(grain), work, None)
            expected = [int(begin <= i < end) for i in range(100)]
            self.expect_equal(counts, expected, f"torch_parallel_for over [{begin}, {end}) by {grain} visits each index once")


if __name__ == "__main__":
    unittest.main()
