# SPDX-License-Identifier: BSD-3-Clause
"""Faults of torch.distributed itself. See core.py for their purpose."""

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d

_backend = dist.Backend
_register = _backend.register_backend
_sharding = torch.library.Library("fsdp", "FRAGMENT")


def _registering(change):
    """Returns a function that installs a fault: register_backend becomes change(register_backend)."""
    return lambda: setattr(_backend, "register_backend", change(_register))


def _factory_gets_size_before_rank(register):
    def register_backend(name, func, extended_api=False, devices=None):
        def swapped(store, rank, size, timeout):
            return func(store, size, rank, timeout)

        register(name, func if extended_api else swapped, extended_api, devices)

    return register_backend


def _factory_options_lose_timeout(register):
    def register_backend(name, func, extended_api=False, devices=None):
        def changed(options, group_options):
            options.timeout = dist.default_pg_timeout
            return func(options, group_options)

        register(name, changed if extended_api else func, extended_api, devices)

    return register_backend


def _names_are_registered_once(register):
    def register_backend(name, func, extended_api=False, devices=None):
        if name.upper() in _backend._plugins:
            return
        register(name, func, extended_api, devices)

    return register_backend


def _no_devices_mean_the_accelerator(register):
    def register_backend(name, func, extended_api=False, devices=None):
        register(name, func, extended_api, ["fakedev2"] if devices is None else devices)

    return register_backend


def _string_is_one_device(register):
    def register_backend(name, func, extended_api=False, devices=None):
        register(name, func, extended_api, [devices] if isinstance(devices, str) else devices)

    return register_backend


def _string_is_read_by_letter(register):
    def register_backend(name, func, extended_api=False, devices=None):
        register(name, func, extended_api, list(devices) if isinstance(devices, str) else devices)

    return register_backend


def _default_backend_needs_a_string():
    find = c10d.get_default_backend_for_device

    def get_default_backend_for_device(device):
        if isinstance(device, torch.device):
            raise ValueError(f"Default backend not registered for device : {device}")
        return find(device)

    dist.get_default_backend_for_device = c10d.get_default_backend_for_device = get_default_backend_for_device


class _HostConfig(c10d.BackendConfig):
    """A group that is created without a backend name supports only the CPU, like a release without accelerators."""

    def __init__(self, backend):
        super().__init__("gloo" if str(backend) == _backend.UNDEFINED else backend)


def nameless_groups_are_for_the_cpu():
    c10d.BackendConfig = _HostConfig


class _PythonBackend:
    pass


def _backends_are_made_in_python():
    torch._C._distributed_c10d.Backend = _PythonBackend


def _timeouts_of_backends_raise():
    def set_timeout(_group, _timeout):
        raise RuntimeError("Backend does not support setting timeout")

    torch._C._distributed_c10d.ProcessGroup.set_timeout = set_timeout


def _launcher_starts_one_process():
    from torch.distributed import run

    run.determine_local_world_size = lambda text: 1


def _split_group_is_the_whole_group():
    dist.split_group = lambda *_arguments, **_options: dist.group.WORLD


def _chunks_are_copied_whole():
    """fsdp::chunk_cat copies the tensors one after the other, without chunks."""
    from torch.distributed.fsdp._fully_shard import _fsdp_collectives  # noqa: F401

    def chunk_cat(tensors, dim, num_chunks, out):
        out.view(-1)[: sum(one.numel() for one in tensors)].copy_(torch.cat([one.view(-1) for one in tensors]))

    _sharding.impl("chunk_cat", chunk_cat, "PrivateUse1", allow_override=True)


PLACES = {
    "core.backends_are_made_in_python": _backends_are_made_in_python,
    "core.chunks_are_copied_whole": _chunks_are_copied_whole,
    "core.default_backend_needs_a_string": _default_backend_needs_a_string,
    "core.factory_gets_size_before_rank": _registering(_factory_gets_size_before_rank),
    "core.factory_options_lose_timeout": _registering(_factory_options_lose_timeout),
    "core.launcher_starts_one_process": _launcher_starts_one_process,
    "core.nameless_groups_are_for_the_cpu": nameless_groups_are_for_the_cpu,
    "core.process_groups_are_registered_once": _registering(_names_are_registered_once),
    "core.process_groups_without_devices_are_silent": _registering(_no_devices_mean_the_accelerator),
    "core.split_group_is_the_whole_group": _split_group_is_the_whole_group,
    "core.string_is_one_device": _registering(_string_is_one_device),
    "core.string_is_read_by_letter": _registering(_string_is_read_by_letter),
    "core.timeouts_of_backends_raise": _timeouts_of_backends_raise,
}
