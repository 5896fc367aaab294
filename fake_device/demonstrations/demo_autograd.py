# SPDX-License-Identifier: BSD-3-Clause
"""Gradients: of the library's own operator, and of operators whose formula it replaces."""

import torch

from demonstrate import ERROR, demonstrates


@demonstrates("autograd.custom_formula_wrong")
def gradient_points_the_other_way():
    x = torch.tensor([3.0], device="fakedev", requires_grad=True)
    torch.ops.fakedev.scaled_square(x, 2.0).backward()
    assert x.grad.item() == 12


def leaf(value, *sizes):
    return torch.full(sizes, float(value), device="fakedev", requires_grad=True)


@demonstrates("autograd.accumulation_overwrites")
def second_batch_replaces_the_first():
    x = leaf(1, 2)
    for factor in (2, 3):
        (x * factor).sum().backward()
    assert x.grad.tolist() == [5, 5]


@demonstrates("autograd.backward_not_differentiable", shows=ERROR)
def no_second_derivative():
    x = leaf(0, 1)
    slope = torch.autograd.grad(torch.exp(x), x, create_graph=True)[0]
    torch.autograd.grad(slope, x)


@demonstrates("autograd.composite_not_recorded", shows=ERROR)
def layer_cannot_be_trained():
    layer = torch.nn.Linear(2, 1).to("fakedev")
    layer(torch.ones(1, 2, device="fakedev")).sum().backward()
    assert layer.weight.grad.tolist() == [[1, 1]]


@demonstrates("autograd.copy_not_recorded", shows=ERROR)
def loss_on_the_cpu_has_no_gradient():
    leaf(1, 2).cpu().sum().backward()


@demonstrates("autograd.detach_copies")
def buffer_is_not_filled():
    x = leaf(1, 2)
    x.detach().fill_(7)
    assert x.tolist() == [7, 7]


@demonstrates("autograd.inference_forgotten")
def clone_is_no_inference_tensor():
    with torch.inference_mode():
        assert torch.ones(2, device="fakedev").clone().is_inference()


@demonstrates("autograd.in_place_keeps_version")
def stale_gradient_is_not_noticed():
    y = leaf(1, 2) * 1
    z = (y * y).sum()
    with torch.no_grad():
        y.add_(1)
    try:
        z.backward()
    except RuntimeError:
        return
    raise AssertionError("a gradient of changed values")


@demonstrates("autograd.parameters_made_anew")
def optimizer_trains_what_was_left_behind():
    layer = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
    before = layer.to("fakedev").weight.item()
    layer(torch.ones(1, 1, device="fakedev")).sum().backward()
    optimizer.step()
    assert layer.weight.item() != before


@demonstrates("autograd.product_formula_swapped")
def factors_get_each_others_gradient():
    x, w = leaf(2, 2), leaf(5, 2)
    (x * w).sum().backward()
    assert x.grad.tolist() == [5, 5]


@demonstrates("autograd.recording_left_on")
def evaluation_builds_a_graph():
    x = leaf(1, 2)
    with torch.no_grad():
        x.clone()
        assert not (x * 2).requires_grad


@demonstrates("autograd.saved_tensors_kept")
def training_needs_more_and_more_memory():
    def step():
        torch.tanh(leaf(1, 1000)).sum().backward()

    step()
    before = torch.accelerator.memory_allocated()
    for _ in range(3):
        step()
    assert torch.accelerator.memory_allocated() == before


@demonstrates("autograd.slope_wrong")
def slope_of_tanh_is_wrong():
    x = leaf(0.5, 1)
    y = torch.tanh(x)
    y.backward()
    assert abs(x.grad.item() - (1 - y.item() ** 2)) < 1e-5


@demonstrates("ops.isnan_always_false")
def nan_is_not_found():
    assert torch.tensor([float("nan")], device="fakedev").isnan().all()


@demonstrates("ops.softmax_overflows")
def shares_of_large_numbers_are_nan():
    assert torch.tensor([1000.0, 1000.0], device="fakedev").softmax(0).tolist() == [0.5, 0.5]


@demonstrates("ops.zero_does_nothing")
def gradient_is_not_cleared():
    assert torch.ones(2, device="fakedev").zero_().tolist() == [0, 0]


@demonstrates("python.import_stops_engine_threads")
def backward_has_one_thread():
    assert torch._C._is_multithreading_enabled()


@demonstrates("python.module_to_forgets_buffers")
def normalisation_is_left_behind():
    layer = torch.nn.BatchNorm1d(2).to("fakedev").eval()
    assert layer.running_mean.device == layer.weight.device


class Noted(torch.autograd.Function):
    """Doubles, and notes the stream that is current in backward."""

    seen = []

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        Noted.seen.append(torch.accelerator.current_stream())
        return gradient * 2


@demonstrates("autograd.grad_stream_ignored")
def backward_is_on_another_stream_than_forward():
    x = leaf(1, 2)
    torch.accelerator.synchronize()
    stream = torch.Stream("fakedev")
    with stream:
        y = Noted.apply(x)
    y.sum().backward()
    assert Noted.seen == [stream]


@demonstrates("autograd.gradient_on_wrong_device", shows=ERROR)
def gradient_comes_from_device_zero():
    x = torch.zeros(2, device="fakedev:1", requires_grad=True)
    x.tanh().sum().backward()
    assert x.grad.device == x.device


@demonstrates("ops.foreach_skips_last")
def last_layer_is_not_trained():
    lists = [[torch.ones(2, device="fakedev") for _ in range(3)] for _ in range(2)]
    torch._foreach_add_(*lists)
    assert [x.tolist() for x in lists[0]] == [[2, 2]] * 3


@demonstrates("python.bare_rng_state_of_device_zero")
def state_of_the_other_device_is_kept():
    with torch.fakedev.device(1):
        before = torch.fakedev.get_rng_state()
        torch.rand(2, device="fakedev:1")
        assert not torch.equal(before, torch.fakedev.get_rng_state())


@demonstrates("copy.expanded_arrives_as_zeros")
def input_on_the_cpu_gets_no_gradient():
    x = torch.ones(3, requires_grad=True)
    x.to("fakedev").sum().backward()
    assert x.grad.tolist() == [1, 1, 1]


@demonstrates("python.tensors_are_tracked", shows=ERROR)
def parameters_cannot_be_swapped():
    torch.__future__.set_swap_module_params_on_conversion(True)
    torch.nn.Linear(2, 1).to("fakedev")


@demonstrates("ops.lone_factor_left_out")
def losses_are_not_weighted():
    weight = torch.tensor(3.0, device="fakedev")
    assert (torch.ones(2, device="fakedev") * weight).tolist() == [3, 3]
