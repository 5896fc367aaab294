# SPDX-License-Identifier: BSD-3-Clause
"""Device module, loading and serialization as a user meets them."""

import io
import os
import subprocess
import sys

import torch

from demonstrate import ERROR, demonstrates


def reloaded(thing, **options):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    buffer.seek(0)
    return torch.load(buffer, **options)


@demonstrates("python.device_minus_one_sets_zero")
def minus_one_is_zero():
    torch.fakedev.set_device(1)
    with torch.fakedev.device(-1):
        assert torch.fakedev.current_device() == 1


@demonstrates("python.device_not_restored_on_error")
def device_stays_after_an_error():
    try:
        with torch.fakedev.device(1):
            raise KeyError
    except KeyError:
        pass
    assert torch.fakedev.current_device() == 0


@demonstrates("python.is_available_raises", shows=ERROR, FAKEDEV_DEVICES="0")
def asking_on_a_machine_without_device_raises():
    assert not torch.accelerator.is_available()


@demonstrates("python.synchronize_needs_device", shows=ERROR)
def synchronize_wants_an_argument():
    torch.fakedev.synchronize()


@demonstrates("python.amp_dtypes_change_the_default")
def autocast_is_off_the_second_time():
    with torch.autocast("fakedev"):
        pass
    with torch.autocast("fakedev"):
        assert torch.is_autocast_enabled("fakedev")


@demonstrates("python.amp_dtypes_empty")
def autocast_does_nothing():
    with torch.autocast("fakedev"):
        assert torch.is_autocast_enabled("fakedev")


@demonstrates("python.methods_missing", shows=ERROR)
def tensor_has_no_method():
    assert torch.ones(1).fakedev().is_fakedev


@demonstrates("python.bad_fork_unnoticed")
def forked_child_is_not_told():
    torch.ones(1, device="fakedev").item()
    if os.fork() == 0:
        os._exit(0 if torch.fakedev._is_in_bad_fork() else 1)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0


@demonstrates("python.import_starts_device")
def fork_after_import_fails():
    if os.fork() == 0:
        os._exit(1 if torch.fakedev._is_in_bad_fork() else 0)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0


@demonstrates("python.import_changes_default_dtype")
def default_dtype_is_another():
    assert torch.ones(1).dtype == torch.float32


@demonstrates("python.import_prints")
def import_prints():
    sys.stdout.flush()
    assert os.fstat(sys.stdout.fileno()).st_size == 0  # a file; imported just before this


@demonstrates("python.checkpoint_loses_strides")
def loaded_tensor_has_other_strides():
    x = torch.arange(6.0, device="fakedev").reshape(2, 3).t()
    assert reloaded(x).stride() == x.stride()


@demonstrates("python.location_tag_loses_index")
def saved_tensor_forgets_its_device():
    assert reloaded(torch.ones(2, device="fakedev:1")).device.index == 1


@demonstrates("python.restore_on_current_device")
def map_location_is_ignored():
    x = torch.ones(2, device="fakedev:0")
    assert reloaded(x, map_location="fakedev:1").device.index == 1


def marked():
    tensor = torch.ones(3, device="fakedev")
    torch._utils.set_tensor_metadata(tensor, {"blocked_layout": True})
    return tensor


@demonstrates("meta.not_saved")
def metadata_is_not_saved():
    assert torch._utils.get_tensor_metadata(marked()) == {"blocked_layout": True}


@demonstrates("meta.not_restored")
def metadata_is_not_restored():
    assert torch._utils.get_tensor_metadata(reloaded(marked())) == {"blocked_layout": True}


@demonstrates("meta.written_for_all")
def every_tensor_has_marks():
    assert torch._utils.get_tensor_metadata(torch.ones(3, device="fakedev")) == {}


@demonstrates("python.checkpoint_unshares")
def tied_weights_come_apart():
    x = torch.ones(4, device="fakedev")
    first, second = reloaded([x, x[1:]])
    first.fill_(5)
    assert second.tolist() == [5, 5, 5]


@demonstrates("python.checkpoint_widens_half")
def loaded_model_is_twice_as_large():
    assert reloaded(torch.ones(2, dtype=torch.half, device="fakedev")).dtype == torch.half


@demonstrates("python.map_location_ignored")
def file_for_the_cpu_needs_the_device():
    x = torch.ones(2, device="fakedev")
    assert reloaded(x, map_location="cpu").device.type == "cpu"


@demonstrates("python.storage_to_drops_non_blocking")
def asynchronous_copy_is_not_pinned():
    storage = torch.ones(4, device="fakedev").untyped_storage()
    assert storage.to(device=torch.device("cpu"), non_blocking=True).is_pinned()


@demonstrates("python.saved_by_own_function", shows=ERROR)
def own_file_is_refused_as_unsafe():
    reloaded(torch.ones(2, device="fakedev"))


@demonstrates("python.count_one_too_many", shows=ERROR)
def last_device_does_not_exist():
    torch.ones(1, device=f"fakedev:{torch.fakedev.device_count() - 1}")


@demonstrates("python.available_without_device", FAKEDEV_DEVICES="0")
def available_on_a_machine_without_device():
    assert not torch.accelerator.is_available()


@demonstrates("python.device_is_no_context", shows=ERROR)
def loading_fails():
    reloaded(torch.ones(2, device="fakedev:1"))


@demonstrates("python.exit_demands_all_freed")
def model_is_alive_at_exit():
    lines = "import torch, torch_fakedev", "model = torch.ones(4, device='fakedev')"
    assert subprocess.run([sys.executable, "-c", "\n".join(lines)]).returncode == 0


@demonstrates("python.exit_demands_no_events")
def event_is_alive_at_exit():
    lines = (
        "import torch, torch_fakedev",
        "torch.fakedev.init()",
        "torch.kept = torch.Event('fakedev')",
        "torch.kept.record()",
    )
    assert subprocess.run([sys.executable, "-c", "\n".join(lines)]).returncode == 0


@demonstrates("python.kernels_missing", shows=ERROR)
def nothing_can_be_made():
    torch.ones(3, device="fakedev")


@demonstrates("python.manual_seed_seeds_all")
def seed_reaches_the_other_device():
    torch.fakedev.manual_seed_all(3)
    torch.fakedev.manual_seed(5)
    assert torch.fakedev.default_generators[1].initial_seed() == 3


@demonstrates("python.stream_of_none_is_a_new_one")
def no_stream_is_a_new_one():
    before = torch.accelerator.current_stream()
    with torch.fakedev.stream(None):
        assert torch.accelerator.current_stream() == before


@demonstrates("python.events_never_tell_time", shows=ERROR)
def events_have_no_time():
    first, second = (torch.fakedev.Event(enable_timing=True) for _ in range(2))
    first.record()
    second.record()
    second.synchronize()
    assert first.elapsed_time(second) >= 0
