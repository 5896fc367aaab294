# SPDX-License-Identifier: BSD-3-Clause
"""The backend's devices as text: which strings parse, which do not, and how devices print."""

import copy
import ctypes
import io
import os
import pickle
import unittest

import torch
from assay.checks import Case

PRIVATEUSE1 = 20  # the fixed value of DeviceType in every release


class NamingStrings(Case):
    def pair(self):
        """A device without an index and a device with an index. Neither device needs to exist."""
        return torch.device(self.device_name), torch.device(f"{self.device_name}:1")

    def test_index(self):
        """naming.device_keeps_the_given_index"""
        name, (bare, first) = self.device_name, self.pair()
        self.expect_equal(bare.index, None, f"torch.device('{name}') has no index")
        self.expect_equal(first.index, 1, f"torch.device('{name}:1') has the index 1")
        self.expect_equal([bare.type, first.type], [name, name], "the type of a device is the backend's name")
        self.expect_equal([str(bare), str(first)], [name, f"{name}:1"], "str of a device is the string that it was created from")
        self.expect_equal(
            [repr(bare), repr(first)], [f"device(type='{name}')", f"device(type='{name}', index=1)"],
            "repr of a device shows type and index",
        )
        again = torch.device(name, 1)
        self.expect_true(again == first and hash(again) == hash(first), "equal devices have equal hashes", f"{again!r} {first!r}")
        self.expect_different(bare, torch.device(name, 0), "a device without an index is not device 0")

    def test_pickled(self):
        """naming.device_survives_pickling"""
        for device in self.pair():
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                self.expect_equal(
                    pickle.loads(pickle.dumps(device, protocol)), device, f"pickle protocol {protocol} restores the device"
                )
            self.expect_equal(copy.deepcopy([device]), [device], "deepcopy returns an equal device")
            file = io.BytesIO()
            torch.save({"device": device}, file)
            file.seek(0)
            self.expect_equal(torch.load(file), {"device": device}, "torch.save and torch.load restore the device")

    def test_old_name(self):
        """naming.privateuseone_still_parses_after_the_rename"""
        for index in (None, 1):
            text = "privateuseone" if index is None else "privateuseone:1"
            try:
                device = torch.device(text)
            except RuntimeError as error:
                self.expect(False, f"torch.device('{text}') is the backend's device", str(error))
                continue
            expected = self.device_name if index is None else f"{self.device_name}:1"
            self.expect_equal(str(device), expected, f"torch.device('{text}') prints as the backend's name")

    def test_malformed(self):
        """naming.invalid_device_strings_are_rejected"""
        for end in (":", ":-1", ":x", ":01", "1"):
            text = self.device_name + end
            error = self.expect_raises(RuntimeError, f"torch.device('{text}') raises a RuntimeError", torch.device, text)
            self.expect_true(
                error is None or text in str(error), "the error for a device string contains the string", f"{error}"
            )
        self.note("index 300", torch.device(f"{self.device_name}:300").index)

    def test_unknown(self):
        """naming.unknown_device_type_is_rejected"""
        for text in ("nosuchdevice", self.device_name.upper(), f"{self.device_name}x:0"):
            error = self.expect_raises(RuntimeError, f"torch.device('{text}') raises a RuntimeError", torch.device, text)
            self.expect_true(
                error is None or ("Expected one of cpu" in str(error) and "privateuseone" in str(error)),
                "the error for an unknown device lists the known types", f"{error}",
            )

    def test_c_abi(self):
        """naming.c_abi_parses_device_strings"""
        folder = os.path.join(os.path.dirname(torch.__file__), "lib")
        parse = ctypes.CDLL(os.path.join(folder, "libtorch_cpu.so")).torch_parse_device_string
        for text, expected in ((self.device_name, -1), (f"{self.device_name}:1", 1)):
            kind, index = ctypes.c_uint32(77), ctypes.c_int32(77)
            status = parse(text.encode(), ctypes.byref(kind), ctypes.byref(index))
            self.expect_equal(
                [status, kind.value, index.value], [0, PRIVATEUSE1, expected],
                f"torch_parse_device_string('{text}') returns success, the backend's type and the index",
            )
        kind, index = ctypes.c_uint32(77), ctypes.c_int32(77)
        status = parse(f"{self.device_name}:x".encode(), ctypes.byref(kind), ctypes.byref(index))
        self.expect_different(status, 0, "torch_parse_device_string of a bad string returns an error code")

    def test_integer(self):
        """naming.integer_device_means_the_accelerator"""
        device = self.devices[-1]
        self.expect_equal(torch.device(device.index), device, f"torch.device({device.index}) is a device of the accelerator")
        made = self.op("aten::empty.memory_format", lambda: self.empty_sample(1, device.index))
        self.expect_device(made, device, f"torch.empty(1, device={device.index}) is on the accelerator")


if __name__ == "__main__":
    unittest.main()
