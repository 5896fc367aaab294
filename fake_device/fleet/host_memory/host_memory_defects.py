# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of host_memory. See ../fleet_defects.py."""

import copy
import os
import pickle
import warnings

import torch
import torch.distributed as dist
from fleet_defects import core, now, raises, shows


@shows("unchecked-set-device", dies="SIGABRT")
def the_end_of_a_guard_ends_the_process():
    now()
    core().fleet_unchecked_set_device(9)


@shows("factory-index")
def a_tensor_of_device_9_is_on_device_0():
    assert torch.zeros(2, device="host_memory:9").device.index == 0


@shows("stream-bad-index")
def a_stream_of_device_2_can_be_made():
    assert torch.Stream(device="host_memory:2").device.index == 2


@shows("exchange-bad-index")
def switching_to_a_device_there_is_not_says_nothing():
    with torch.accelerator.device_index(5):
        assert torch.accelerator.current_device_index() == 0
    assert core().fleet_exchange_device(5) == 0


@shows("resize-on-current-device")
def arange_of_device_1_has_its_storage_on_device_0():
    x = torch.arange(5, device="host_memory:1")
    assert (x.device.index, x.untyped_storage().device.index) == (1, 0)


@shows("sync-leaves-device")
def waiting_for_device_1_makes_it_current():
    torch.zeros(1, device="host_memory")  # before the first tensor, torch does not call the backend's synchronize
    torch.accelerator.synchronize(1)
    assert torch.accelerator.current_device_index() == 1


@shows("elapsed-leaves-device")
def a_failed_elapsed_time_leaves_device_1_current():
    first, second = (torch.Event("host_memory", enable_timing=True) for _ in range(2))
    second.record(torch.Stream(device="host_memory:0"))
    first.record(torch.Stream(device="host_memory:1"))
    torch.accelerator.set_device_index(0)
    assert raises(RuntimeError, lambda: first.elapsed_time(second))
    assert torch.accelerator.current_device_index() == 1


@shows("new-stream-anywhere")
def a_stream_of_no_device_is_made():
    assert torch.Stream(device="host_memory:9").device_index == 9


@shows("dtype-capability")
def a_claimed_dtype_cannot_be_copied():
    claimed = torch.accelerator.get_device_capability()["supported_dtypes"]
    assert torch.bits8 in claimed
    assert raises(Exception, lambda: torch.empty(2, dtype=torch.bits8, device="host_memory").to(torch.float32))


@shows("fork-stream-hang", hangs=True)
def a_child_waits_for_ever():
    torch.Stream(device="host_memory").synchronize()
    if os.fork() == 0:
        now()
        torch.accelerator.synchronize()
        os._exit(0)
    os.wait()


@shows("clone-on-cpu")
def a_clone_is_of_the_cpu():
    assert torch.Generator("host_memory:1").clone_state().device.type == "cpu"


@shows("manual-seed-missing")
def manual_seed_warns():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        torch.manual_seed(1)
    assert "does not take effect" in str(told[0].message)


@shows("generator-without-index")
def a_generator_has_no_index():
    assert torch.Generator("host_memory").device.index in (None, -1)


@shows("generator-pickle")
def a_generator_cannot_be_pickled():
    generator = torch.Generator("host_memory:0")
    assert raises(SystemError, lambda: pickle.dumps(generator))
    assert raises(SystemError, lambda: copy.deepcopy(generator))


@shows("rng-state-all")
def the_states_of_all_devices_cannot_be_asked():
    assert not any(hasattr(torch.host_memory, name) for name in ("get_rng_state_all", "set_rng_state_all", "seed_all"))


@shows("autocast-mm-only")
def linear_with_a_bias_stays_float32():
    x, weight, bias = (torch.ones(*shape, device="host_memory") for shape in ((2, 2), (2, 2), (2,)))
    with torch.autocast("host_memory", dtype=torch.float16):
        assert torch.mm(x, weight).dtype is torch.float16
        assert torch.nn.functional.linear(x, weight, bias).dtype is torch.float32
        assert torch.exp(x.half()).dtype is torch.float16


@shows("draws-from-cpu")
def a_draw_advances_the_generator_of_the_cpu():
    cpu, device = torch.get_rng_state(), torch.host_memory.get_rng_state()
    torch.rand(3, device="host_memory")
    assert not torch.equal(cpu, torch.get_rng_state())
    assert torch.equal(device, torch.host_memory.get_rng_state())


@shows("cpu-generator-accepted")
def a_generator_of_the_cpu_is_taken():
    expected = torch.rand(3, generator=torch.Generator().manual_seed(4))
    drawn = torch.rand(3, device="host_memory", generator=torch.Generator().manual_seed(4))
    assert torch.equal(drawn.cpu(), expected)


@shows("generator-refused")
def the_devices_own_generator_is_refused():
    generator = torch.Generator("host_memory:0")
    assert raises(RuntimeError, lambda: torch.rand(3, device="host_memory:0", generator=generator))


@shows("seed-without-effect")
def the_same_seed_gives_other_numbers():
    draws = []
    for _ in range(2):
        torch.host_memory.manual_seed(7)
        draws.append(torch.rand(3, device="host_memory").cpu())
    assert not torch.equal(*draws)


@shows("stats-bad-index", dies="SIGSEGV")
def statistics_of_device_63_end_the_process():
    torch.zeros(1, device="host_memory")
    now()
    torch.accelerator.memory_allocated(63)


@shows("counts-stay-zero")
def live_blocks_are_not_counted():
    kept = [torch.zeros(10, device="host_memory") for _ in range(5)]
    stats = torch.accelerator.memory_stats()
    assert stats["allocation.all.current"] == 0 < stats["allocated_bytes.all.current"]
    del kept


@shows("ooms-uncounted")
def a_failed_allocation_is_not_counted():
    assert raises(torch.OutOfMemoryError, lambda: torch.empty(2**48, device="host_memory"))
    assert torch.accelerator.memory_stats()["num_ooms"] == 0


@shows("resize-loses-prefix")
def a_grown_tensor_loses_its_elements():
    x = torch.full((4,), 7.0, device="host_memory")
    x.resize_(1000)
    assert x[:4].tolist() != [7.0] * 4


@shows("primary-context-always")
def an_unused_device_has_a_context():
    assert core().fleet_has_primary_context(1) == 1
    assert core().fleet_has_primary_context(99) == 1


@shows("module-streams")
def the_module_has_no_streams():
    assert not any(hasattr(torch.host_memory, name) for name in ("Stream", "Event", "stream", "set_stream"))


@shows("views-are-copies")
def writes_through_real_are_lost():
    x = torch.zeros(2, dtype=torch.complex64, device="host_memory")
    x.real.fill_(3)
    assert x.cpu().tolist() == [0, 0]
    y = torch.zeros(4, device="host_memory")
    y.unfold(0, 2, 2).fill_(1)
    assert y.cpu().tolist() == [0] * 4


@shows("reduces-in-float32")
def a_sum_of_doubles_is_rounded_to_float32():
    dist.init_process_group("stagedccl", store=dist.HashStore(), rank=0, world_size=1)
    for dtype in torch.float64, torch.int64:
        x = torch.tensor([2**24 + 1], dtype=dtype).to("host_memory")
        dist.all_reduce(x)
        assert x.item() == 2**24
