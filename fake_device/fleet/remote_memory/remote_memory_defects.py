# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of remote_memory. See ../fleet_defects.py."""

import os
import time
import warnings

import torch
from fleet_defects import now, raised, saved_and_loaded, shows


@shows("last-bytes-lost")
def the_end_of_a_large_tensor_is_not_sent():
    x = torch.ones(300_001, dtype=torch.uint8)
    assert x.to("remote_memory").cpu()[-2:].tolist() == [1, 0]


@shows("refused-device-is-current")
def a_device_there_is_not_becomes_current():
    assert raised(torch.accelerator.set_device_index, 5)
    assert torch.accelerator.current_device_index() == 5


@shows("location-without-index")
def a_file_from_device_1_is_loaded_to_device_0():
    x = torch.ones(2, device="remote_memory:1")
    assert torch.serialization.location_tag(x.untyped_storage()) == "remote_memory"
    assert saved_and_loaded(x).device.index == 0


@shows("marks-are-all-true")
def a_mark_that_is_false_is_loaded_as_true():
    x = torch.ones(2, device="remote_memory")
    torch.ops.remote_memory.mark(x, False, True)
    assert torch._utils.get_tensor_metadata(x) == {"remote_memory_home": False, "remote_memory_compressed": True}
    metadata = torch._utils.get_tensor_metadata(saved_and_loaded(x))
    assert metadata == {"remote_memory_home": True, "remote_memory_compressed": True}


@shows("one-randomness-for-both")
def drawing_on_device_0_advances_device_1():
    torch.manual_seed(1)
    first = torch.rand(2, device="remote_memory:1").tolist()
    torch.manual_seed(1)
    torch.rand(2, device="remote_memory:0")
    assert torch.rand(2, device="remote_memory:1").tolist() != first


@shows("generator-of-any-device")
def a_generator_of_device_7_can_be_made():
    assert torch.Generator("remote_memory:7").device.index == 7


@shows("freed-after-the-end", dies="SIGABRT")
def a_tensor_that_lives_to_the_end_aborts_the_process():
    globals()["survivor"] = torch.ones(2, device="remote_memory")
    now()
    torch.ops.remote_memory.disconnect()  # as at exit, where the link closes before modules release their memory
    del globals()["survivor"]


@shows("waits-for-any-device")
def waiting_for_device_7_says_nothing():
    torch.ones(2, device="remote_memory")
    assert torch.accelerator.synchronize(7) is None


@shows("default-type-not-offered")
def plain_autocast_warns_and_stays_off():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with torch.autocast("remote_memory"):
            assert not torch.is_autocast_enabled("remote_memory")
    assert any("not supported" in str(warning.message) for warning in seen)


@shows("resize-moves-the-storage")
def a_tensor_grown_on_device_1_has_its_memory_on_device_0():
    x = torch.ones(2, device="remote_memory:1").resize_(8)
    assert (x.device.index, x.untyped_storage().device.index) == (1, 0)


@shows("elapsed-in-seconds")
def elapsed_time_is_in_seconds():
    first, second = (torch.Event("remote_memory", enable_timing=True) for _ in range(2))
    begin = time.monotonic()
    first.record()
    recorded = time.monotonic()
    while time.monotonic() - recorded < 0.05:
        torch.ones(2).to("remote_memory").cpu()  # the device works between the two events
    second.record()
    seconds = time.monotonic() - begin
    assert 0.05 <= first.elapsed_time(second) <= seconds


@shows("event-of-any-device")
def event_changes_its_device():
    event = torch.Stream("remote_memory:0").record_event()
    event.record(torch.Stream("remote_memory:1"))
    assert event.device.index == 1


@shows("no-bad-fork")
def the_module_calls_a_forked_child_good():
    torch.ones(2, device="remote_memory").cpu()
    child = os.fork()
    if child == 0:
        os._exit(int(torch.remote_memory._is_in_bad_fork()))
    assert os.waitpid(child, 0)[1] == 0


@shows("refusal-draws")
def a_draw_that_is_refused_moves_the_generator():
    x, before = torch.zeros(3, device="remote_memory"), torch.remote_memory.get_rng_state("remote_memory")
    assert "expects to return" in raised(lambda: x.uniform_(3, 2))
    assert not torch.equal(torch.remote_memory.get_rng_state("remote_memory"), before)


@shows("frees-are-not-reported")
def a_profile_of_memory_shows_no_free():
    with torch.profiler.profile(profile_memory=True) as session:
        torch.empty(1000, device="remote_memory")
    of_device = torch.autograd.DeviceType.PrivateUse1
    events = [one for one in session.profiler.kineto_results.events() if one.device_type() == of_device]
    assert sum(one.nbytes() for one in events if one.name() == "[memory]") == 4000
