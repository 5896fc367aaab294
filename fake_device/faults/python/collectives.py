# SPDX-License-Identifier: BSD-3-Clause
"""Faults of the registration of the process group and of its factory. Faults of the collectives are in
../spoiled_collectives.cc."""

import atexit
import datetime
import os

import torch.distributed as dist

from .. import _distributed
from .core_collectives import nameless_groups_are_for_the_cpu

_backend = dist.Backend
_groups = []


def _created_by(make):
    """Returns a function that installs a fault: the factory becomes make(factory)."""

    def place():
        _replace_factory(make(_distributed._create))

    return place


def _replace_factory(factory, extended=False):
    _backend._plugins[_distributed.BACKEND.upper()] = _backend._BackendPlugin(factory, extended)


def _timeout_is_an_hour(create):
    return lambda store, rank, size, _timeout: create(store, rank, size, datetime.timedelta(hours=1))


def _created_once(create):
    def once(*arguments):
        if _groups:
            raise RuntimeError("fakedist: the connections of this process are in use")
        _groups.append(create(*arguments))
        return _groups[0]

    return once


def _shared(create):
    """Each process creates one group, and returns this group for every later request."""

    def first(*arguments):
        if not _groups:
            _groups.append(create(*arguments))
        return _groups[0]

    return first


def _subgroups_in_reverse(create):
    """Each group that is smaller than the first one numbers its ranks in reverse."""
    sizes = []

    def numbering(store, rank, size, timeout):
        sizes.append(size)
        return create(store, rank if size == sizes[0] else size - 1 - rank, size, timeout)

    return numbering


def _aborts_at_exit(create):
    def registering(*arguments):
        atexit.register(os.abort)
        return create(*arguments)

    return registering


def _names_no_device():
    del _backend.default_device_backend_map["fakedev"]
    _backend.backend_capability[_distributed.BACKEND] = ["cpu", "cuda"]


def _absent_in_silence():
    del _backend.default_device_backend_map["fakedev"]
    nameless_groups_are_for_the_cpu()


def _has_another_name():
    """The registered name differs from Backend::getBackendName()."""
    del _backend.default_device_backend_map["fakedev"]
    _backend.register_backend("otherdist", _distributed._create, devices=["fakedev"])


PLACES = {
    "python.process_group_aborts_at_exit": _created_by(_aborts_at_exit),
    "python.process_group_factory_takes_no_options": lambda: _replace_factory(_distributed._create, extended=True),
    "python.process_group_has_another_name": _has_another_name,
    "python.process_group_is_absent_in_silence": _absent_in_silence,
    "python.process_group_is_created_once": _created_by(_created_once),
    "python.process_group_is_shared": _created_by(_shared),
    "python.process_group_names_no_device": _names_no_device,
    "python.process_group_reverses_subgroups": _created_by(_subgroups_in_reverse),
    "python.process_group_timeout_is_an_hour": _created_by(_timeout_is_an_hour),
}
