# SPDX-License-Identifier: BSD-3-Clause
"""Quantized tensors: created on the device, copied to the device, saved and loaded, and read."""

import io

import torch
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.offered import CPU, ask_offered, quiet
from suites.quantized import survival

SCALE, ZERO, AXIS = 0.25, 3, 1  # a power of two, so that no rounding decides an integer
NUMBERS = torch.tensor([[-9.0, -0.45, 0.0], [0.3, 1.7, 100.0]])  # the values exceed both ends of a byte
DTYPES = (torch.quint8, torch.qint8, torch.qint32)
KEY = torch._C.DispatchKey


def on_cpu(dtype=torch.quint8):
    return torch.quantize_per_tensor(NUMBERS, SCALE, ZERO, dtype)


def by_channel(place):
    scales = torch.tensor([SCALE, 1.0, 2 * SCALE], dtype=torch.float64).to(place)
    return torch.quantize_per_channel(NUMBERS.to(place), scales, torch.tensor([0, ZERO, 1]).to(place), AXIS, torch.quint8)


def saved_and_loaded(place, tensor):
    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    return torch.load(file, map_location=place)


QUANTIZED = {
    f"quantize_per_tensor to {dtype}": lambda place, dtype=dtype: torch.quantize_per_tensor(NUMBERS.to(place), SCALE, ZERO, dtype)
    for dtype in DTYPES
}
MOVED = {"a quantized CPU tensor that is copied to the device": lambda place: on_cpu().to(place)}
LOADED = {
    "a quantized CPU tensor that is loaded to the device": lambda place: saved_and_loaded(place, on_cpu()),
    "a quantized tensor that was saved on the device": lambda place: saved_and_loaded(place, on_cpu().to(place)),
}
EMPTY = {
    "_empty_affine_quantized": lambda place: torch._empty_affine_quantized(
        (2, 3), scale=SCALE, zero_point=ZERO, dtype=torch.quint8, device=place),
    "empty of a quantized dtype": lambda place: torch.empty((2, 3), dtype=torch.quint8, device=place),
}
FORM = {
    "whether it is quantized": lambda tensor: tensor.is_quantized,
    "dtype and shape": lambda tensor: (str(tensor.dtype), list(tensor.shape)),
}
PARAMETERS = {
    "the scheme": lambda tensor: str(tensor.qscheme()),
    "the scale": lambda tensor: tensor.q_scale(),
    "the zero point": lambda tensor: tensor.q_zero_point(),
}
WHOLE = {"int_repr": lambda tensor: tensor.int_repr()}
REAL = {"dequantize": lambda tensor: tensor.dequantize()}
BACK = {"the values after a copy back": lambda tensor: tensor.to(CPU).int_repr().tolist()}
CHANNELS = {
    "the scales": lambda tensor: tensor.q_per_channel_scales(),
    "the zero points": lambda tensor: tensor.q_per_channel_zero_points(),
    "the axis": lambda tensor: tensor.q_per_channel_axis(),
}
ENGINES = "import torch; answer = [torch.backends.quantized.supported_engines, torch.backends.quantized.engine]"


def keys_of(tensor):
    keys = torch._C._dispatch_keys(tensor)
    return {str(key): keys.has(key) for key in (KEY.PrivateUse1, KEY.QuantizedPrivateUse1)}


class Quantized(survival.Survives, Case):
    def test_per_tensor(self):
        """quantized.quantize_per_tensor_matches_the_cpu"""
        ask_offered(self, "quantized", QUANTIZED, FORM | PARAMETERS | WHOLE)

    def test_dequantize(self):
        """quantized.dequantize_matches_the_cpu"""
        ask_offered(self, "quantized", QUANTIZED, REAL)

    def test_per_channel(self):
        """quantized.quantize_per_channel_matches_the_cpu"""
        ask_offered(self, "quantized", {"quantize_per_channel": by_channel}, FORM | CHANNELS | WHOLE | REAL)

    def test_moved(self):
        """quantized.quantized_tensors_survive_copies"""
        ask_offered(self, "quantized", MOVED, FORM | PARAMETERS | WHOLE | BACK)

    def test_loaded(self):
        """quantized.quantized_tensors_can_be_saved_and_loaded"""
        ask_offered(self, "quantized", LOADED, FORM | PARAMETERS | WHOLE | BACK)

    def test_empty(self):
        """quantized.empty_quantized_tensor_has_its_quantizer"""
        ask_offered(self, "quantized", {"_empty_affine_quantized": EMPTY["_empty_affine_quantized"]}, FORM | PARAMETERS)

    def test_keys(self):
        """quantized.quantized_tensors_have_the_quantized_dispatch_key"""
        for name, make, one in each(self, QUANTIZED | MOVED | EMPTY, "quantized"):
            with one, quiet():
                seen = keys_of(make(self.device))
                wanted = {str(KEY.PrivateUse1): False, str(KEY.QuantizedPrivateUse1): True}
                self.expect_equal(seen, wanted, f"{name} has the dispatch key of quantized tensors and not that of plain tensors")

    def test_engines(self):
        """quantized.loading_the_backend_keeps_the_quantized_engines"""
        alone = self.fresh_torch(ENGINES, "PyTorch without the backend lists its quantization engines")
        seen = self.fresh(ENGINES, "PyTorch with the backend lists its quantization engines")
        self.expect_equal(seen, alone, "the quantization engines and the chosen one are the same with and without the backend")

    def test_survival(self):
        """quantized.unsupported_quantized_tensors_do_not_crash"""
        self.ask_survival(QUANTIZED | MOVED | EMPTY | {"quantize_per_channel": by_channel})
