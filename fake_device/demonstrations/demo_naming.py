# SPDX-License-Identifier: BSD-3-Clause
"""The backend's name, and what is called by it, as a user meets them."""

import ctypes
import os
import pickle

import torch
from torch.nn.utils.rnn import pack_padded_sequence

from demonstrate import ERROR, demonstrates


def raises(function, *arguments):
    try:
        function(*arguments)
    except Exception:
        return True
    return False


class Noticed(torch.Tensor):
    """A subclass that keeps a list of what it was asked."""

    asked = []

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.asked.append(function)
        return super().__torch_function__(function, types, args, kwargs or {})


# ---- torch.device --------------------------------------------------------------------------------
@demonstrates("core.bare_device_is_device_zero")
def device_of_a_file_is_pinned_to_the_first():
    assert torch.device("fakedev").index is None


@demonstrates("core.bare_name_is_refused", shows=ERROR)
def name_of_the_command_line_is_refused():
    torch.device("fakedev")


@demonstrates("core.device_strings_are_mended")
def mistyped_index_is_taken():
    assert raises(torch.device, "fakedev:x")


@demonstrates("core.unknown_device_is_ours")
def device_of_another_machine_is_taken():
    assert raises(torch.device, "nosuchdevice")


@demonstrates("core.old_name_is_forgotten", shows=ERROR)
def device_of_an_old_file_is_unknown():
    torch.device("privateuseone:1")


@demonstrates("core.integers_are_cuda")
def index_means_another_device():
    assert torch.device(1).type == "fakedev"


@demonstrates("core.pickled_device_loses_index")
def worker_gets_another_device():
    device = torch.device("fakedev:1")
    assert pickle.loads(pickle.dumps(device)) == device


@demonstrates("core.c_abi_parses_nothing")
def extension_does_not_find_the_device():
    library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
    kind, index = ctypes.c_uint32(), ctypes.c_int32()
    library.torch_parse_device_string(b"fakedev:1", ctypes.byref(kind), ctypes.byref(index))
    assert index.value == 1


# ---- the name ------------------------------------------------------------------------------------
@demonstrates("core.rename_taken_twice")
def second_backend_takes_the_name():
    assert raises(torch.utils.rename_privateuse1_backend, "another")


@demonstrates("python.name_said_in_capitals", shows=ERROR)
def device_module_is_not_found_by_name():
    getattr(torch, torch._C._get_privateuse1_backend_name())


@demonstrates("python.name_spelled_differently")
def script_compares_with_capitals():
    assert torch.utils.backend_registration._privateuse1_backend_name == "fakedev"


@demonstrates("python.renamed_in_cpp_only")
def script_does_not_know_the_name():
    assert torch.utils.backend_registration._privateuse1_backend_name == "fakedev"


@demonstrates("python.enums_not_renamed")
def profile_shows_a_type_nobody_knows():
    assert str(torch._C._autograd.DeviceType.PrivateUse1) == "DeviceType.FAKEDEV"


@demonstrates("python.device_tensors_are_cuda")
def library_takes_the_path_of_cuda():
    assert not torch.ones(1, device="fakedev").is_cuda


# ---- the default device, types by name -------------------------------------------------------------
@demonstrates("core.default_device_is_ignored")
def model_stays_on_the_cpu():
    with torch.device("fakedev"):
        assert torch.ones(1).device.type == "fakedev"


@demonstrates("core.default_device_loses_index")
def default_device_is_not_the_one_that_was_set():
    torch.set_default_device("fakedev:1")
    assert torch.get_default_device().index == 1


@demonstrates("core.type_says_privateuseone", shows=ERROR)
def type_that_was_remembered_is_unknown():
    torch.ones(1).type(torch.ones(1, device="fakedev").type())


@demonstrates("core.type_string_stays_on_cpu")
def conversion_stays_on_the_cpu():
    assert torch.ones(1).type("torch.fakedev.FloatTensor").device.type == "fakedev"


# ---- methods of tensors ----------------------------------------------------------------------------
@demonstrates("core.methods_generated_twice")
def second_package_replaces_the_methods():
    assert raises(torch.utils.generate_methods_for_privateuse1_backend)


@demonstrates("python.mark_of_every_tensor")
def tensor_of_the_cpu_is_taken_for_ours():
    assert not torch.ones(1).is_fakedev


@demonstrates("python.mark_hides_from_subclasses")
def wrapper_is_not_asked_where_it_is():
    Noticed.asked.clear()
    torch.ones(1).as_subclass(Noticed).is_fakedev
    assert Noticed.asked


@demonstrates("python.method_hides_from_subclasses")
def wrapper_is_not_told_that_it_moves():
    x = torch.ones(1).as_subclass(Noticed)
    Noticed.asked.clear()
    x.fakedev()
    assert "fakedev" in [getattr(function, "__name__", "") for function in Noticed.asked]


@demonstrates("python.method_always_copies")
def batch_is_copied_again():
    x = torch.ones(1, device="fakedev:0")
    assert x.fakedev(0) is x


@demonstrates("python.method_drops_layout")
def picture_loses_its_layout():
    x = torch.ones(1, 2, 3, 4).fakedev(memory_format=torch.channels_last)
    assert x.is_contiguous(memory_format=torch.channels_last)


@demonstrates("python.method_drops_non_blocking")
def move_waits_all_the_same():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Listening(TorchDispatchMode):
        heard = False

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            self.heard |= (kwargs or {}).get("non_blocking", False)
            return function(*args, **(kwargs or {}))

    with Listening() as mode:
        torch.ones(1).fakedev(non_blocking=True)
    assert mode.heard


@demonstrates("python.method_moves_to_device_zero")
def tensor_is_not_on_the_current_device():
    torch.fakedev.set_device(1)
    assert torch.ones(1).fakedev().get_device() == 1


@demonstrates("python.method_takes_any_type")
def tensor_goes_where_nobody_wanted_it():
    assert raises(torch.ones(1).fakedev, "cpu")


@demonstrates("python.method_takes_ints_only", shows=ERROR)
def device_of_a_setting_is_refused():
    torch.ones(1).fakedev("fakedev:1")


# ---- methods of what holds tensors -------------------------------------------------------------------
@demonstrates("python.module_method_forgets_buffers")
def running_mean_stays_on_the_cpu():
    assert torch.nn.BatchNorm1d(2).fakedev().running_mean.device.type == "fakedev"


@demonstrates("python.module_method_returns_a_copy")
def model_stays_where_it_was():
    model = torch.nn.Linear(2, 2)
    model.fakedev()
    assert model.weight.device.type == "fakedev"


def packed():
    return pack_padded_sequence(torch.ones(2, 1, 1), [2])


@demonstrates("python.packed_sequence_ignores_index")
def sequences_go_to_the_first_device():
    assert packed().fakedev(1).data.get_device() == 1


@demonstrates("python.packed_sequence_mark_is_wrong")
def sequences_seem_to_be_elsewhere():
    assert packed().fakedev().is_fakedev


@demonstrates("python.storage_method_always_copies")
def storage_is_copied_again():
    storage = torch.ones(2, device="fakedev:0").untyped_storage()
    assert storage.fakedev(0).data_ptr() == storage.data_ptr()
