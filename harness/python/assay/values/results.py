# SPDX-License-Identifier: BSD-3-Clause
"""Prepares results for the judge: copies them to the CPU and resolves conj and neg bits. Also compares everything
except the numbers."""

from assay.refusals.operators import refusal
from assay.values.own_torch import torch
from assay.values.trees import memory, word


class Difference(str):
    """The difference in words. `kind` is structure, device, dtype, shape, layout, nonfinite, value or signed zero."""

    def __new__(cls, words, kind):
        made = super().__new__(cls, words)
        made.kind = kind
        return made


def _copied_to_cpu(tensor):
    """Copies the tensor to the CPU. If the backend refuses a strided copy, copies the whole memory as one row. Other
    checks test the strided copy."""
    try:
        return tensor.cpu()
    except RuntimeError as error:
        if tensor.layout is not torch.strided or tensor.is_contiguous() or not refusal(error):
            raise
        return memory(tensor).cpu().as_strided(tensor.shape, tensor.stride(), 0)


def bits_resolved(tensor):
    """The tensor on the CPU without conj and neg bits. Copies first, because reading is only a means."""
    is_conj, is_neg = tensor.is_conj(), tensor.is_neg()
    plain = tensor.conj() if is_conj else tensor
    plain = torch._neg_view(plain) if is_neg else plain
    plain = _copied_to_cpu(plain)
    plain = torch.conj_physical(plain) if is_conj else plain
    return plain.neg() if is_neg else plain


def resolved_on_cpu(tensor):
    plain = tensor.detach()
    if plain.is_nested:
        plain = torch.cat([part.reshape(-1) for part in plain.unbind()]) if plain.size(0) else torch.zeros(0)
    plain = bits_resolved(plain)
    return plain if plain.layout is torch.strided else plain.to_dense()


def difference_in_form(seen, expected, place):
    """Compares device, dtype, shape and layout of two tensors. Returns a Difference or None."""
    if place is not None and seen.device != place and not (expected.device.type == seen.device.type == "meta"):
        return Difference(f"the result is on {seen.device}, expected {place}", "device")
    if seen.dtype != expected.dtype or seen.shape != expected.shape:
        got, wanted = word(seen), word(expected)
        return Difference(f"got {got}, expected {wanted}", "shape" if seen.dtype == expected.dtype else "dtype")
    if seen.layout != expected.layout:
        return Difference(f"got a tensor that is {seen.layout}, expected {expected.layout}", "layout")
    return None


def same_numbers(seen, expected):
    """True if every element is equal and no element is NaN. The CPU can compare some dtypes only as bits."""
    if expected.dtype.itemsize == 1 and expected.is_floating_point():
        return torch.equal(seen.view(torch.uint8), expected.view(torch.uint8))
    if expected.dtype is torch.complex32:
        return torch.equal(torch.view_as_real(seen), torch.view_as_real(expected))
    return torch.equal(seen, expected)
