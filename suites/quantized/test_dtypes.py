# SPDX-License-Identifier: BSD-3-Clause
"""Dtypes with which few kernels compute. If a backend accepts such a dtype, copies must not change any bit."""

import torch
from assay.checks import Case
from assay.checks.asking import each

COUNT = 16  # a whole number of bytes, also for the dtypes that are shorter than a byte
NAMES = """
float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 uint16 uint32 uint64
uint1 uint2 uint3 uint4 uint5 uint6 uint7 int1 int2 int3 int4 int5 int6 int7 bits1x8 bits2x4 bits4x2 bits8 bits16
""".split()
DTYPES = {name: getattr(torch, name) for name in NAMES if hasattr(torch, name)}


def bytes_of(tensor):
    return tensor.view(torch.uint8).tolist()


def every_byte(dtype):
    return (torch.arange(COUNT * dtype.itemsize) * 37 % 256).to(torch.uint8).view(dtype)


class Dtypes(Case):
    def test_reported(self):
        """quantized.reported_dtypes_are_stored_bit_exactly"""
        self.need_any_kind()
        reported = self.reported()
        for name, dtype, one in each(self, DTYPES):
            with one:
                self.ask(name, dtype, dtype in reported)

    def reported(self):
        try:
            return torch.accelerator.get_device_capability(self.device)["supported_dtypes"]
        except Exception as error:
            self.note("get_device_capability", error)
            return ()

    def ask(self, name, dtype, is_reported):
        wanted = every_byte(dtype)
        try:
            seen = wanted.to(self.device).cpu()
            torch.empty(COUNT, dtype=dtype, device=self.device)
        except Exception as error:
            if is_reported:
                self.expect(False, f"{name}, which get_device_capability() lists, can be allocated and copied",
                            f"raised {type(error).__name__}, {str(error).splitlines()[:1]}")
                return
            raise
        self.expect_equal(seen.dtype, dtype, f"dtype of {name} after a copy to the device and back")
        self.expect_equal(bytes_of(seen), bytes_of(wanted), f"bytes of {name} after a copy to the device and back")
