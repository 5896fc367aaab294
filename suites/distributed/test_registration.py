# SPDX-License-Identifier: BSD-3-Clause
"""How a process group is registered and found. No check here starts a rank."""

import contextlib
import importlib
import unittest
import warnings
from unittest import mock

import torch
import torch.distributed as dist
from suites.distributed.group_case import GroupCase

PRELOAD = ("torch.distributed.run",)
TABLES = ("backend_list", "backend_capability", "default_device_backend_map", "backend_type_map", "_plugins")
NAME = "assayccl"  # only these checks register a process group with this name

# The factory records what it gets and creates no group.
FACTORY = """
import datetime
import torch, torch.distributed as dist

answer = {}

class Stop(Exception):
    pass

def standard(*arguments):
    store, rank, size, timeout = arguments
    answer.update(store=type(store).__name__, rank=rank, size=size, seconds=timeout.total_seconds())
    raise Stop

def extended(*arguments):
    options, group_options = arguments
    answer.update(
        kind=type(options).__name__, store=type(options.store).__name__, rank=options.group_rank,
        size=options.group_size, seconds=options.timeout.total_seconds(), id=bool(options.group_id),
        ranks=list(options.global_ranks_in_group), options=group_options,
    )
    raise Stop

dist.Backend.register_backend("assayccl", KIND, extended_api=KIND is extended, devices=["cpu"])
try:
    dist.init_process_group(
        "assayccl", store=dist.HashStore(), rank=1, world_size=3, timeout=datetime.timedelta(seconds=77), pg_options=OPTIONS
    )
except Stop:
    answer["called"] = True
"""
PYTHON_GROUP = """
import torch, torch.distributed as dist

class Plain(dist.ProcessGroup):
    def __init__(self, store, rank, size, timeout):
        super().__init__(rank, size)

    def getBackendName(self):
        return "assayccl"

dist.Backend.register_backend("assayccl", Plain, devices=["cpu"])
dist.init_process_group("assayccl", store=dist.HashStore(), rank=0, world_size=1)
answer = {"is_group": isinstance(dist.group.WORLD, Plain)}
for name, call in {
    "constructor": dist.distributed_c10d.ProcessGroup.__init__ and torch._C._distributed_c10d.Backend,
    "lookup": lambda: dist.group.WORLD._get_backend(torch.device("cpu")),
}.items():
    try:
        call()
        answer[name] = "returned"
    except Exception as error:
        answer[name] = f"{type(error).__name__}: {error}".splitlines()[0]
"""


def nothing(*_arguments):
    raise RuntimeError("this factory creates no group")


@contextlib.contextmanager
def own_tables():
    """Registrations within the block end with the block."""
    changed = {name: type(getattr(dist.Backend, name))(getattr(dist.Backend, name)) for name in TABLES}
    with mock.patch.multiple(dist.Backend, **changed):
        try:
            yield dist.Backend
        finally:
            if hasattr(dist.Backend, NAME.upper()):
                delattr(dist.Backend, NAME.upper())


class Registration(GroupCase):
    def need_torch(self):
        if not dist.is_available():
            self.does_not_apply("this torch was built without torch.distributed")

    def test_registered(self):
        """distributed.backend_is_registered_for_the_device"""
        self.need_torch()
        self.expect_no_group_without_devices()
        name, device = self.need_name(), self.device_name
        self.expect_true(name in dist.Backend.backend_list, "backend_list contains the registered name", dist.Backend.backend_list)
        self.expect_equal(getattr(dist.Backend, name.upper(), None), name, f"dist.Backend.{name.upper()} is the name")
        seen = dist.Backend.backend_capability.get(name, [])
        self.expect_true(device in seen, f"backend_capability contains {device} for {name}", seen)

    def expect_no_group_without_devices(self):
        """If a plugin names no devices, PyTorch registers it for the CPU and CUDA, which is wrong for a PrivateUse1
        backend."""
        if self.device_name in dist.Backend.default_device_backend_map:
            return
        for name, plugin in dist.Backend._plugins.items():
            seen = dist.Backend.backend_capability.get(name.lower(), [])
            is_foreign = (getattr(plugin.creator_fn, "__module__", "") or "").partition(".")[0] != "torch"
            has_default = {"cpu", "cuda"} <= set(seen)
            what = f"register_backend({name.lower()!r}) names the devices of the process group"
            self.expect(not (is_foreign and has_default), what, f"the devices are {seen}; pass devices=[{self.device_name!r}]")

    def test_found(self):
        """distributed.default_backend_is_found_by_device"""
        self.need_torch()
        name, find = self.need_name(), dist.get_default_backend_for_device
        for device in (self.device_name, str(self.device), self.bare_device, self.device):
            self.expect_equal(find(device), name.lower(), f"get_default_backend_for_device({device!r}) returns the registered name")
            self.ask_special_cases()  # the call with the name alone has worked
        self.expect_raises(ValueError, "a device type without a process group is refused", find, "meta")

    def test_absence(self):
        """distributed.device_without_a_process_group_is_refused"""
        self.need_torch()
        name = dist.Backend.default_device_backend_map.get(self.device_name)
        if name is not None:
            self.has_all_the_same("c10d", f"{name} is registered for {self.device_name}")
        store = dist.HashStore()
        self.expect_raises(ValueError, "get_default_backend_for_device raises without a process group", dist.get_default_backend_for_device, self.device_name)
        self.expect_raises(
            (ValueError, RuntimeError), "init_process_group() raises without a process group", dist.init_process_group,
            store=store, rank=0, world_size=1,
        )
        self.expect_equal(dist.is_initialized(), False, "no group exists after init_process_group() raised")

    def test_standard(self):
        """distributed.factory_receives_store_rank_size_and_timeout"""
        self.need_torch()
        seen = self.fresh(FACTORY.replace("KIND", "standard").replace("OPTIONS", "None"), "a registered factory is called")
        expected = {"store": "PrefixStore", "rank": 1, "size": 3, "seconds": 77.0, "called": True}
        self.expect_equal(seen, expected, "a factory gets a PrefixStore, the rank, the size and the timeout")

    def test_extended(self):
        """distributed.factory_with_options_receives_all_of_them"""
        self.need_torch()
        seen = self.fresh(FACTORY.replace("KIND", "extended").replace("OPTIONS", "'own'"), "a registered factory is called")
        self.expect_equal(seen, {
            "kind": "_DistributedBackendOptions", "store": "PrefixStore", "rank": 1, "size": 3, "seconds": 77.0, "id": True,
            "ranks": [], "options": "own", "called": True,
        }, "an extended factory gets all options of the group, and the options of the caller")

    def test_python(self):
        """distributed.python_process_group_has_no_backend_object"""
        self.need_torch()
        seen = self.fresh(PYTHON_GROUP, "a process group of Python is created")
        self.expect_equal(seen["is_group"], True, "the ProcessGroup that a factory returns becomes the group")
        for name, kind in (("constructor", "TypeError"), ("lookup", "RuntimeError")):
            self.expect_equal(seen[name].partition(":")[0], kind, f"the {name} of a Backend in Python raises")

    def test_twice(self):
        """distributed.second_registration_replaces_the_factory"""
        self.need_torch()
        with own_tables() as backend:
            backend.register_backend(NAME, nothing, devices=["first"])
            backend.register_backend(NAME, max, devices=["second"])
            self.expect_equal(backend._plugins[NAME.upper()].creator_fn, max, "the second factory replaces the first one")
            backend.register_backend("other", nothing, devices=["first"])
            self.expect_equal(backend.default_device_backend_map["first"], NAME, "a device keeps the name that was registered first")
            del backend.OTHER

    def test_no_devices(self):
        """distributed.registration_without_devices_warns"""
        self.expect_unmapped("DIST-003")

    def test_no_devices_named(self):
        """distributed.registration_without_devices_warns_of_the_accelerator"""
        self.expect_unmapped("DIST-038")

    def expect_unmapped(self, clause):
        self.need_torch()
        self.clause(clause)
        with own_tables() as backend, warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            backend.register_backend(NAME, nothing)
            words = " ".join(str(one.message) for one in seen)
            self.expect_true("unspecified, assuming" in words, "register_backend without devices warns", words)
            self.expect_true(NAME not in backend.default_device_backend_map.values(), "register_backend without devices maps no device", backend.default_device_backend_map)

    def test_letters(self):
        """distributed.string_of_devices_is_read_by_letter"""
        self.expect_equal(self.mapped_by("foo"), ["f", "o"], "a string of devices is read letter by letter")

    def test_string(self):
        """distributed.string_of_devices_is_one_device"""
        self.expect_equal(self.mapped_by("foo"), ["foo"], "a string of devices is one device")

    def mapped_by(self, devices):
        self.need_torch()
        with own_tables() as backend:
            backend.register_backend(NAME, nothing, devices=devices)
            return sorted(device for device, name in backend.default_device_backend_map.items() if name == NAME)

    def test_launcher(self):
        """distributed.launcher_starts_a_process_for_each_device"""
        self.need_torch()
        self.need_name()
        from torch.distributed.run import determine_local_world_size as count

        module = self.device_module
        self.expect_equal(count(self.device_name), module.device_count(), f"torchrun --nproc-per-node={self.device_name} counts the devices of the module")
        self.expect_equal(count("auto"), torch.accelerator.device_count(), "torchrun --nproc-per-node=auto counts the devices of torch.accelerator")
        with mock.patch.object(module, "is_available", lambda: False, create=True):
            self.expect_raises(ValueError, "torchrun refuses a device that is not available", count, self.device_name)

    def test_sharding(self):
        """distributed.sharding_operators_copy_every_part"""
        self.need_torch()
        self.need_name()
        self.need_any_kind()
        importlib.import_module("torch.distributed.fsdp._fully_shard._fsdp_collectives")
        rows = torch.arange(10.0)
        for number in {0, len(self.devices) - 1}:
            x = self.on_device(rows, number)
            self.expect_chunk_cat(x, number)
            self.expect_split(x, number)
            self.expect_copied_in(x, number)

    def zeros(self, shape, number):
        return self.on_device(torch.zeros(shape), number)

    def expect_chunk_cat(self, x, number):
        out = self.zeros((2, 6), number)
        torch.ops.fsdp.chunk_cat([x[:4], x[4:]], 0, 2, out=out)
        expected = torch.tensor([[0.0, 1, 4, 5, 6, 0], [2, 3, 7, 8, 9, 0]])
        self.expect_tensor(out[:, :5], expected[:, :5], "fsdp::chunk_cat puts the chunks of each tensor side by side")

    def expect_split(self, x, number):
        parts = [self.zeros(3, number), self.zeros(7, number)]
        torch.ops.fsdp.split_with_sizes_copy(x, [3, 7], 0, out=parts)
        for part, expected in zip(parts, self.on_cpu(x).split([3, 7]), strict=True):
            self.expect_tensor(part, expected, "fsdp::split_with_sizes_copy copies each part")

    def expect_copied_in(self, x, number):
        out = self.zeros(20, number)
        torch.ops.fsdp.all_gather_copy_in([x[:4], x[4:]], out, [4, 6], 10, 1)
        self.expect_tensor(out[10:], self.on_cpu(x), "fsdp::all_gather_copy_in writes the inputs at the place of the rank")
        self.expect_tensor(out[:10], torch.zeros(10), "fsdp::all_gather_copy_in leaves the places of other ranks")


if __name__ == "__main__":
    unittest.main()
