# SPDX-License-Identifier: BSD-3-Clause
"""Failing calls: a status instead of an exception, a message for each thread, and a process that continues."""

import ctypes
import os
import tempfile
import unittest

from assay.checks.asking import each
from suites.stable_abi.shim import CORE, Handle, Int64, Int32, ShimCase, Size, Word, dispatched, empty_status, handle_of, text

OUT = ctypes.c_double  # the type of the result does not matter, because the call fails before it writes


def out(kind=Handle):
    return ctypes.byref(kind())


def of_a_list(call):
    handle = Handle()
    CORE.torch_new_list_reserve_size(Size(1), ctypes.byref(handle))
    status = call(handle)
    CORE.torch_delete_list(handle)
    return status


# Calls that PyTorch itself refuses, whatever the backend does. Each function takes a handle of a device tensor.
FAILING = {
    "an operator that does not exist": lambda x: dispatched("aten::no_such_operator", "", ())[0],
    "a dim that the tensor lacks": lambda x: CORE.aoti_torch_get_size(x, Int64(64), out(Int64)),
    "a stride that the tensor lacks": lambda x: CORE.aoti_torch_get_stride(x, Int64(-65), out(Int64)),
    "a number of a tensor with several": lambda x: CORE.aoti_torch_item_float64(x, out(OUT)),
    "a device string without a device": lambda x: CORE.torch_parse_device_string(b"", out(ctypes.c_uint32), out(Int32)),
    "a library for an unknown key": lambda x: CORE.aoti_torch_library_init_impl(b"assay_failed", b"NoSuchKey", b"assay", 1, out()),
    "a list without elements": lambda x: of_a_list(lambda handle: CORE.torch_list_get_item(handle, Size(7), out(Word))),
}
# Each release has more functions. These calls came with 2.13.
FAILING_SINCE_2_13 = {
    "a stable value that is null": lambda x: CORE.torch_delete_stable_ivalue(None),
    "no place for a stable value": lambda x: CORE.torch_new_stable_ivalue(None),
}


DELETERS = (
    "aoti_torch_delete_tensor_object", "aoti_torch_delete_device_guard", "aoti_torch_delete_stream",
    "aoti_torch_delete_library_object", "torch_delete_list", "torch_delete_string",
)  # fmt: skip


class Errors(ShimCase):
    def setUp(self):
        super().setUp()
        self.x = self.on_device(self.sample())

    def test_failing(self):
        """stable_abi.failing_calls_return_an_error"""
        table = FAILING | (FAILING_SINCE_2_13 if hasattr(CORE, "torch_delete_stable_ivalue") else {})
        handle = handle_of(self.x)
        for name, call, one in each(self, table):
            with one:
                self.expect_different(call(handle), 0, f"{name} is an error")
                with self.asks_a_special_case():
                    self.expect_tensor(self.on_device(self.sample()), self.sample(), f"the device still copies after {name}")
        self.delete(handle)

    def test_refused(self):
        """stable_abi.errors_of_the_device_are_returned"""
        sizes = [*self.x.shape]
        self.made_in_python(self.device)
        self.delete(self.empty(self.device, sizes, dtype=self.x.dtype))
        many = [1 << 46, *sizes]
        for name, status in {
            "an index without a device": lambda: empty_status(self.missing, sizes, dtype=self.x.dtype)[0],
            "a negative size": lambda: empty_status(self.device, [-1, *sizes[1:]], self.x.stride(), self.x.dtype)[0],
            "more memory than any device has": lambda: empty_status(self.device, many, dtype=self.x.dtype)[0],
        }.items():
            if name == "an index without a device" and self.missing.index > 127:
                continue
            self.expect_error(f"{name} is an error of aoti_torch_empty_strided", status())

    def test_null(self):
        """stable_abi.null_handles_are_deleted_without_harm"""
        for name, function, one in each(self, {name: getattr(CORE, name) for name in DELETERS}):
            with one:
                self.expect_equal(function(None), 0, f"{name} accepts null")
        self.expect_tensor(self.on_device(self.sample()), self.sample(), "the device still copies")

    def test_message(self):
        """stable_abi.message_is_that_of_the_last_failure_of_the_thread"""
        self.clause("CABI-005")
        complaints = self.written_to_stderr(lambda: dispatched("aten::no_such_operator", "", ()))
        mine = text()
        self.expect_true("aten::no_such_operator" in mine, "the message names the operator that does not exist", mine)
        self.expect_equal(complaints, "", "a failing call writes nothing to stderr")
        self.clause("CABI-027")
        self.delete(handle_of(self.x))
        self.expect_equal(text(), mine, "a later successful call keeps the message")
        self.expect_true(text("torch_exception_get_what").startswith(mine), "torch_exception_get_what() begins with the message", text("torch_exception_get_what")[:300])
        CORE.aoti_torch_library_init_impl(b"assay_failed", b"NoSuchKey", b"assay", 1, out())
        self.expect_true("NoSuchKey" in text(), "the next failure replaces the message", text())
        self.clause("CABI-005")
        theirs = self.on_thread(text, "another thread reads its message")
        self.expect_true("NoSuchKey" not in theirs, "another thread does not see the message", theirs)

    def written_to_stderr(self, call):
        with tempfile.TemporaryFile() as file:
            kept = os.dup(2)
            os.dup2(file.fileno(), 2)
            try:
                call()
            finally:
                os.dup2(kept, 2)
                os.close(kept)
            file.seek(0)
            return file.read().decode(errors="replace")


if __name__ == "__main__":
    unittest.main()
