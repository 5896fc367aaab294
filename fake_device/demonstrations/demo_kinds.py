# SPDX-License-Identifier: BSD-3-Clause
"""Quantized, sparse, nested and complex tensors, as a user meets them."""

import warnings

import torch

from demonstrate import CRASH, demonstrates

warnings.simplefilter("ignore")  # most of these kinds are prototypes, and core says so

X = torch.tensor([0.0, 0.5, 1.0])


def quantized():
    """Made in the child: core's kernel starts threads, which a fork does not take along."""
    return torch.quantize_per_tensor(X, 0.25, 3, torch.quint8).to("fakedev")


def pieces():
    return [torch.ones(2, 3, device="fakedev"), torch.zeros(1, 3, device="fakedev")]


@demonstrates("quantized.arrives_as_floats")
def nothing_was_quantized():
    assert torch.quantize_per_tensor(X.to("fakedev"), 0.25, 3, torch.quint8).is_quantized


@demonstrates("quantized.channels_share_one_scale")
def second_channel_has_the_scale_of_the_first():
    scales, zeros = torch.tensor([0.25, 0.5, 1.0]).to("fakedev"), torch.tensor([0, 0, 0]).to("fakedev")
    there = torch.quantize_per_channel(torch.ones(3).to("fakedev"), scales, zeros, 0, torch.quint8)
    assert there.int_repr().tolist() == [4, 2, 1]


@demonstrates("quantized.copy_is_empty")
def weights_are_others_on_the_device():
    assert quantized().int_repr().tolist() == [3, 5, 7]


@demonstrates("quantized.empty_ends_the_process", shows=CRASH)
def quantized_weights_end_the_process():
    quantized()


@demonstrates("quantized.zero_point_lost")
def zero_is_no_longer_zero():
    assert quantized().dequantize().tolist() == X.tolist()


@demonstrates("quantized.zero_point_not_subtracted")
def weights_are_shifted():
    assert quantized().dequantize().tolist() == X.tolist()


@demonstrates("sparse.arrives_dense")
def sparse_tensor_is_dense():
    try:
        assert torch.eye(2).to_sparse().to("fakedev").is_sparse
    except NotImplementedError:
        pass


@demonstrates("sparse.coordinates_end_the_process", shows=CRASH)
def sparse_tensor_ends_the_process():
    try:
        torch.eye(2).to_sparse().to("fakedev")
    except NotImplementedError:
        pass


@demonstrates("sparse.rows_forgotten")
def rows_are_empty():
    rows = torch.eye(2).to_sparse_csr().to("fakedev")
    try:
        assert rows.crow_indices().tolist() == [0, 1, 2]
    except RuntimeError:
        pass


@demonstrates("nested.clone_ends_the_process", shows=CRASH)
def copy_of_a_nested_tensor_ends_the_process():
    try:
        torch.nested.as_nested_tensor(pieces()).clone()
    except NotImplementedError:
        pass


@demonstrates("nested.pieces_backwards")
def last_sentence_is_the_first():
    try:
        assert torch.nested.as_nested_tensor(pieces()).unbind()[0].shape == (2, 3)
    except NotImplementedError:
        pass


@demonstrates("nested.padding_is_zero")
def padding_is_another():
    jagged = torch.nested.as_nested_tensor(pieces(), layout=torch.jagged)
    assert torch.nested.to_padded_tensor(jagged, -1.0)[1, 1].tolist() == [-1, -1, -1]


@demonstrates("python.quantized_engine_chosen")
def engine_is_another():
    code = "import torch; print(torch.backends.quantized.engine)"
    assert torch.backends.quantized.engine == _alone(code)


@demonstrates("python.never_available")
def device_is_not_there():
    assert torch.fakedev.is_available()


@demonstrates("core.tests_know_the_old_name_only")
def tests_of_pytorch_have_another_name():
    import sys
    import types
    import unittest

    sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))
    from torch.testing._internal import common_device_type

    common_device_type.PrivateUse1TestBase.setUpClass()
    assert common_device_type.PrivateUse1TestBase.device_type == "fakedev"


def _alone(code):
    import os
    import subprocess
    import sys

    alone = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    return subprocess.run([sys.executable, "-c", code], env=alone, check=True, capture_output=True, text=True).stdout.strip()
