# SPDX-License-Identifier: BSD-3-Clause
"""Device guard, hooks and current device as a user meets them."""

import threading

import torch

from demonstrate import CRASH, ERROR, HANG, demonstrates
from instruments import gate, held_until_we_wait

accelerator = torch.accelerator


@demonstrates("guard.exchange_returns_new")
def device_context_leaks():
    with accelerator.device_index(1):
        pass
    assert accelerator.current_device_index() == 0


@demonstrates("guard.set_ignores_argument")
def device_is_not_the_one_set():
    accelerator.set_device_index(1)
    assert torch.empty(1, device="fakedev").device.index == 1


@demonstrates("guard.current_is_minus_one")
def current_device_has_no_index():
    assert accelerator.current_device_index() == 0


@demonstrates("guard.current_is_remembered")
def current_device_is_stale():
    assert accelerator.current_device_index() == 0
    accelerator.set_device_index(1)
    assert accelerator.current_device_index() == 1


@demonstrates("guard.set_takes_minus_one_as_zero")
def minus_one_sets_device_zero():
    accelerator.set_device_index(1)
    try:
        accelerator.set_stream(torch.Stream("cpu"))  # core hands on the index of a CPU stream
    except RuntimeError:
        pass
    assert torch.fakedev.current_device() == 1


@demonstrates("guard.unchecked_set_does_nothing")
def device_is_not_restored():
    far = torch.ones(4, device="fakedev:1")
    with accelerator.device_index(1):
        far.add_(1)
    assert accelerator.current_device_index() == 0


@demonstrates("guard.unchecked_set_throws", shows=CRASH)
def leaving_a_context_ends_the_process():
    torch.fakedev.init()
    torch._C._accelerator_maybeExchangeDevice(99)


@demonstrates("guard.count_throws", shows=CRASH, FAKEDEV_DEVICES="0")
def asking_for_devices_ends_the_process():
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    assert not accelerator.is_available()



@demonstrates("guard.capability_any_index")
def capability_of_no_device():
    try:
        accelerator.get_device_capability(99)
    except RuntimeError:
        return
    raise AssertionError("device 99 has capabilities")


@demonstrates("guard.synchronize_switches_device")
def synchronize_switches():
    torch.ones(1, device="fakedev:1")
    accelerator.synchronize(1)
    assert accelerator.current_device_index() == 0


@demonstrates("guard.synchronize_does_nothing")
def synchronize_returns_early():
    x, stream = torch.zeros(3, device="fakedev:0"), torch.Stream("fakedev:0")
    with held_until_we_wait(stream):
        with stream:
            x.add_(1)
        accelerator.synchronize(0)
        assert stream.query()


@demonstrates("guard.not_registered", shows=ERROR)
def nothing_works_without_a_guard():
    torch.ones(1, device="fakedev")


@demonstrates("hooks.not_registered", shows=ERROR)
def pinning_without_hooks():
    torch.ones(1).pin_memory()


@demonstrates("hooks.count_differs")
def hooks_count_otherwise():
    assert torch._C._accelerator_hooks_device_count() == torch.fakedev.device_count()


@demonstrates("hooks.primary_context_raises", shows=ERROR)
def backward_raises():
    x = torch.ones(2, device="fakedev", requires_grad=True)
    (x * 2).sum().backward()


@demonstrates("guard.capability_claims_everything", shows=ERROR)
def listed_dtype_cannot_be_moved():
    for dtype in accelerator.get_device_capability(0)["supported_dtypes"]:
        torch.zeros(2).to("fakedev").to(dtype).to(torch.float32)


@demonstrates("guard.unchecked_set_is_zero")
def leaving_a_context_sets_zero():
    accelerator.set_device_index(1)
    with accelerator.device_index(0):
        pass
    assert accelerator.current_device_index() == 1


@demonstrates("guard.no_device_on_new_threads")
def thread_has_no_device():
    torch.fakedev.init()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(accelerator.current_device_index()))
    thread.start()
    thread.join()
    assert seen == [0]


@demonstrates("guard.synchronize_only_current_stream")
def synchronize_forgets_side_streams():
    x = torch.zeros(4, device="fakedev")
    side = torch.Stream("fakedev:0")
    accelerator.synchronize()
    with held_until_we_wait(side):
        with side:
            x.fill_(1)
        accelerator.synchronize()
        assert side.query()


@demonstrates("guard.synchronize_waits_for_all", shows=HANG)
def synchronize_waits_for_a_foreign_device():
    torch.ones(4, device="fakedev:1")
    torch.fakedev.init()
    with gate(accelerator.current_stream(1)):
        accelerator.synchronize(0)


@demonstrates("guard.capability_only_on_device_zero")
def second_device_knows_no_floats():
    assert torch.float32 in accelerator.get_device_capability(1)["supported_dtypes"]


@demonstrates("ops.copy_switches_device")
def copying_switches():
    torch.ones(4).to("fakedev:1")
    assert accelerator.current_device_index() == 0


@demonstrates("ops.fill_switches_device")
def filling_switches():
    torch.empty(4, device="fakedev:1").fill_(7)
    assert accelerator.current_device_index() == 0


@demonstrates("ops.failed_factory_leaves_device")
def failing_switches():
    try:
        torch.empty(1 << 50, device="fakedev:1")
    except RuntimeError:
        pass
    assert accelerator.current_device_index() == 0


@demonstrates("stream.new_crashes_before_start", shows=CRASH)
def stream_comes_first():
    torch.Stream("fakedev:0")


@demonstrates("guard.capability_is_empty")
def device_knows_no_floats():
    assert torch.float32 in accelerator.get_device_capability()["supported_dtypes"]


@demonstrates("guard.synchronize_asserts", shows=ERROR)
def synchronize_hits_an_assert():
    torch.ones(1, device="fakedev")
    accelerator.synchronize()


@demonstrates("ops.needs_its_device_current", shows=ERROR)
def printing_on_another_device_fails():
    str(torch.ones(4, device="fakedev:1"))
