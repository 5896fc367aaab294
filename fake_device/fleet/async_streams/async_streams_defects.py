# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of async_streams. See ../fleet_defects.py."""

import torch
from fleet_defects import raises, shows


LARGE = 1000  # rows and columns of a product that takes some time
TRIES = 20  # attempts: on a busy machine, the device may finish the work before this program continues


def ones(*size, **options):
    return torch.ones(*size, device="async_streams", **options)


def busy():
    """Submits much work to the current stream and returns immediately."""
    x = ones(LARGE, LARGE)
    for _ in range(4):
        x = torch.mm(x, x)


@shows("relu-gradient-everywhere")
def the_gradient_of_relu_passes_below_zero():
    x = torch.full((1,), -1.0).to("async_streams").requires_grad_()
    torch.relu(x).sum().backward()
    assert x.grad.item() == 1


@shows("bfloat16-is-cut")
def a_number_next_to_the_larger_one_becomes_the_smaller():
    x = torch.tensor([1.0 + 2.0**-8 + 2.0**-9])
    assert x.to("async_streams").to(torch.bfloat16).cpu().item() == 1.0 != x.to(torch.bfloat16).item()


@shows("empty-products-refused")
def a_product_over_nothing_raises():
    for left, right in (((2, 0), (0, 3)), ((1, 2, 0), (1, 0, 3))):
        assert raises(RuntimeError, lambda left=left, right=right: ones(*left) @ ones(*right))
    assert raises(RuntimeError, lambda: torch.addmm(ones(3), ones(2, 0), ones(0, 3)))
    assert (ones(2, 4) @ ones(4, 3)).tolist() == [[4.0] * 3] * 2


@shows("recorded-again-is-done")
def an_event_behind_work_that_goes_on_is_complete():
    stream = torch.accelerator.current_stream("async_streams")
    event = stream.record_event()
    event.synchronize()
    assert any(is_complete_too_early(event, stream) for _ in range(TRIES))


def is_complete_too_early(event, stream):
    busy()
    event.record(stream)
    return event.query() and not stream.query()


@shows("recorded-tensor-is-reused")
def another_stream_reads_what_was_written_later():
    assert any(reads_what_was_written_later() for _ in range(TRIES))


def reads_what_was_written_later():
    here, side = torch.accelerator.current_stream("async_streams"), torch.Stream("async_streams")
    x = ones(1000)
    side.wait_stream(here)
    with side:
        busy()
        seen = x + 0
    x.record_stream(side)
    del x
    later = torch.full((1000,), 7.0, device="async_streams")
    side.synchronize()
    return torch.equal(seen.cpu(), later.cpu())


@shows("copy-data-waits-for-one")
def a_lazy_clone_of_another_device_has_what_was_there_before():
    assert any(is_cloned_too_early() for _ in range(TRIES))


def is_cloned_too_early():
    x = torch.zeros(1000).to("async_streams:1")
    torch.accelerator.synchronize(1)
    factor = torch.ones(LARGE, LARGE).to("async_streams:1")
    for _ in range(4):
        factor = torch.mm(factor, factor)
    x.fill_(7)
    clone = torch._lazy_clone(x)
    clone.data_ptr()  # now the clone has its own memory
    return clone.cpu()[0].item() == 0


@shows("event-wait-drops-error")
def a_wrong_index_is_not_told_by_an_event():
    torch.gather(ones(4), 0, torch.tensor([9]).to("async_streams"))
    stream = torch.accelerator.current_stream("async_streams")
    stream.record_event().synchronize()
    assert raises(RuntimeError, stream.synchronize)


@shows("pinned-by-first-address")
def a_slice_of_pinned_memory_is_not_pinned():
    ones(1)
    x = torch.ones(8).pin_memory()
    slice_of_it = torch.from_numpy(x.numpy()[1:])
    assert x.is_pinned() and not slice_of_it.is_pinned()


@shows("state-without-offset")
def the_second_draw_after_a_state_is_the_first():
    generator = torch.Generator("async_streams").manual_seed(1)
    first = torch.rand(4, device="async_streams", generator=generator)
    state = generator.get_state()
    torch.rand(4, device="async_streams", generator=generator)
    generator.set_state(state)
    assert torch.equal(torch.rand(4, device="async_streams", generator=generator).cpu(), first.cpu())


@shows("results-lie-in-rows")
def the_result_of_columns_lies_in_rows():
    assert ones(3, 4).t().abs().stride() == (3, 1)


@shows("number-comes-second")
def a_number_before_a_tensor_raises():
    assert (ones(2) + torch.tensor(2.0)).cpu().tolist() == [3, 3]
    assert raises(RuntimeError, lambda: torch.tensor(2.0) + ones(2))


@shows("row-of-the-default-stream")
def work_of_another_stream_is_on_the_row_of_the_default_stream():
    x, side = ones(4), torch.Stream("async_streams")
    with torch.profiler.profile() as session, side:
        x + x
    of_device = [one for one in session.events() if one.device_type == torch.autograd.DeviceType.PrivateUse1]
    assert {one.device_resource_id for one in of_device} == {0} and side.stream_id != 0
