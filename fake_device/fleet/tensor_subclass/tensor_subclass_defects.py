# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of tensor_subclass. See ../fleet_defects.py."""

import torch
from fleet_defects import raised, raises, saved_and_loaded, shows


@shows("jagged-sizes")
def a_jagged_tensor_is_not_made():
    values, offsets = torch.ones(4, 2).to("tensor_subclass"), torch.tensor([0, 3, 4]).to("tensor_subclass")
    assert raises(AttributeError, lambda: torch.nested.nested_tensor_from_jagged(values, offsets))


@shows("slope-without-history")
def the_second_derivative_of_sigmoid_is_wrong():
    def second(x):
        (first,) = torch.autograd.grad(torch.sigmoid(x).square().sum(), x, create_graph=True)
        return torch.autograd.grad(first.sum(), x)[0]

    x = torch.tensor([1.0, 2.0])
    right = second(x.clone().requires_grad_())
    assert not torch.allclose(second(x.to("tensor_subclass").requires_grad_()).cpu(), right, rtol=0.1)


@shows("casts-outlive-the-region")
def a_changed_weight_is_still_the_old_one_under_autocast():
    weight = torch.ones(2, 2).to("tensor_subclass").requires_grad_()
    x = torch.ones(2, 2, device="tensor_subclass")
    for expected in (2, 2):
        with torch.autocast("tensor_subclass"), torch.no_grad():
            assert torch.mm(x, weight)[0, 0].item() == expected
        with torch.no_grad():
            weight.zero_()


@shows("requires-grad-lost")
def a_loaded_parameter_needs_no_gradient_any_more():
    x = torch.ones(2, device="tensor_subclass").requires_grad_()
    assert not saved_and_loaded(x).requires_grad


@shows("negative-seed-refused")
def a_seed_that_torch_takes_is_refused():
    assert "must not be negative" in raised(torch.manual_seed, -1)


@shows("set-device-anything")
def any_index_can_be_set():
    torch.tensor_subclass.set_device(7)
    assert torch.accelerator.current_device_index() == 0


@shows("conj-ignored")
def a_product_of_a_conjugated_view_is_of_the_plain_one():
    x = torch.full((2, 2), 1 + 2j).to("tensor_subclass")
    assert torch.mv(x.conj(), x[0]).cpu()[0].item() != 2 * (1 - 2j) * (1 + 2j)
    y = x[0].clone().requires_grad_()
    torch.dot(y, torch.full((2,), 3 + 1j).to("tensor_subclass")).real.backward()
    assert y.grad.cpu()[0].item() != 3 - 1j


@shows("lengths-on-the-device")
def a_sequence_cannot_be_packed():
    pack = torch.nn.utils.rnn.pack_padded_sequence
    said = raised(lambda: pack(torch.ones(3, 2, 1, device="tensor_subclass"), torch.tensor([3, 2])))
    assert "batch_sizes should always be on CPU" in said
