# SPDX-License-Identifier: BSD-3-Clause
"""Saving and loading where PyTorch itself, or a library that replaces its functions, is wrong."""

import io
import tempfile

import torch

from demonstrate import ERROR, demonstrates


def saved(thing):
    buffer = io.BytesIO()
    torch.save(thing, buffer)
    buffer.seek(0)
    return buffer


def refusal(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except Exception as error:
        return str(error)
    return "nothing"


@demonstrates("core.restoring_asks_nothing")
def file_of_a_larger_machine_is_not_named():
    words = refusal(torch.load, saved(torch.ones(2)), map_location="fakedev:90")
    assert "device_count()" in words


@demonstrates("core.later_entry_loses")
def own_way_of_restoring_is_ignored():
    torch.serialization.register_package(1, lambda storage: "mine", lambda storage, tag: storage)
    assert torch.serialization.location_tag(torch.ones(1).untyped_storage()) == "mine"


@demonstrates("core.old_name_is_restored")
def file_of_another_backend_is_taken():
    storage = torch.ones(1).untyped_storage()
    words = refusal(torch.serialization.default_restore_location, storage, "privateuseone:0")
    assert "don't know how to restore" in words


@demonstrates("core.rebuilt_tensors_stay_on_cpu")
def old_file_lands_on_the_cpu():
    rebuild = torch._utils._rebuild_device_tensor_from_cpu_tensor
    assert rebuild(torch.ones(2), torch.float32, "fakedev:0", False).device.type == "fakedev"


@demonstrates("core.skip_data_refuses_devices", shows=ERROR)
def empty_checkpoint_cannot_be_written():
    with torch.serialization.skip_data():
        saved(torch.ones(2, device="fakedev"))


@demonstrates("core.marks_follow_to_cpu")
def layout_of_the_device_is_on_the_cpu():
    tensor = torch.ones(3, device="fakedev")
    torch._utils.set_tensor_metadata(tensor, {"blocked_layout": True})
    on_cpu = torch.load(saved(tensor), map_location="cpu")
    assert torch._utils.get_tensor_metadata(on_cpu) == {}


@demonstrates("core.refused_save_leaves_copies")
def training_goes_on_with_copies():
    weights = [torch.ones(2, device="fakedev"), lambda: 0]
    refusal(saved, weights)
    assert weights[0].device.type == "fakedev"


@demonstrates("core.fake_tensor_forgets_device")
def compiled_program_sees_a_cpu_tensor():
    from torch._subclasses import FakeTensorMode

    fake = FakeTensorMode().from_tensor(torch.ones(2, device="fakedev"))
    assert fake.device.type == "fakedev"


@demonstrates("python.saved_state_is_kept")
def each_epoch_costs_memory():
    before = torch.accelerator.memory_allocated()
    saved(torch.ones(1000, device="fakedev"))
    assert torch.accelerator.memory_allocated() == before


@demonstrates("copy.upload_begins_at_storage")
def second_half_of_a_batch_is_the_first():
    assert torch.arange(4.0)[2:].to("fakedev").tolist() == [2, 3]


@demonstrates("python.current_stream_missing", shows=ERROR)
def sharded_checkpoint_cannot_be_written():
    from torch.distributed import checkpoint

    with tempfile.TemporaryDirectory() as folder:
        state = {"weight": torch.ones(2, device="fakedev")}
        checkpoint.save(state, checkpoint_id=folder, no_dist=True)
