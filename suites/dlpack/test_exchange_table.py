# SPDX-License-Identifier: BSD-3-Clause
"""The table of C functions with which libraries exchange tensors without a Python call."""

import contextlib
import ctypes
import unittest

import torch
from assay.checks import Case

EXTENSION = 12  # kDLExtDev


class Table(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p), ("export", ctypes.c_void_p), ("take", ctypes.c_void_p),
        ("describe", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)),
        ("current_stream", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32,
                                             ctypes.POINTER(ctypes.c_void_p))),
    ]  # fmt: skip


class Described(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("dim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("sizes", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


def table():
    point = ctypes.pythonapi.PyCapsule_GetPointer
    point.restype, point.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return Table.from_address(point(torch.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


class Exchange(Case):
    def test_stream(self):
        """dlpack.current_work_stream_returns_the_native_handle"""
        self.start_device()
        try:
            streams = {device: torch.Stream(device) for device in self.devices}
            handles = {device: stream.native_handle for device, stream in streams.items()}
        except (RuntimeError, NotImplementedError) as error:
            self.lacks("streams.native", error)
        self.put_device_back()
        for device, stream in streams.items():
            with contextlib.ExitStack() as left:
                left.enter_context(stream)
                self.expect_handle(device, handles[device], "the current stream of the block")
            self.expect_handle(device, torch.accelerator.current_stream(device.index).native_handle, "the previous stream after the block")

    def expect_handle(self, device, handle, which):
        told = ctypes.c_void_p()
        status = table().current_stream(EXTENSION, device.index, ctypes.byref(told))
        self.expect_equal(status, 0, f"current_work_stream returns for {device}")
        self.expect_equal(told.value or 0, handle, f"current_work_stream is the native handle of {which}")

    def test_described(self):
        """dlpack.c_exchange_api_describes_tensors"""
        self.need_storage()
        for device in {self.devices[0], self.devices[-1]}:
            x, seen = self.sample().to(device), Described()
            status = table().describe(x, ctypes.addressof(seen))
            self.expect_equal(status, 0, "the table describes a device tensor")
            self.expect_equal((seen.device_type, seen.device_id), (EXTENSION, device.index), "a description has the device of the tensor")
            self.expect_equal(seen.data, x.data_ptr(), "a description has the address of the tensor")
            self.expect_equal(seen.dim, x.dim(), "a description has the dims of the tensor")


if __name__ == "__main__":
    unittest.main()
