# SPDX-License-Identifier: BSD-3-Clause
"""Faults of PyTorch's own memory functions."""

import torch

memory = torch.accelerator.memory


def _replace(name, function):
    setattr(memory, name, function)
    setattr(torch.accelerator, name, function)


def _reserved_is_allocated():
    _replace("memory_reserved", memory.memory_allocated)


def _statistics_lose_requested():
    ask = memory.memory_stats

    def memory_stats(device=None, /):
        kept = {key: value for key, value in ask(device).items() if "requested" not in key}
        return type(ask(device))(kept)

    _replace("memory_stats", memory_stats)


def _statistics_of_any_type():
    resolve = memory._get_device_index

    def _get_device_index(device, optional=False):
        try:
            return resolve(device, optional)
        except ValueError:
            return torch.accelerator.current_device_index()

    memory._get_device_index = _get_device_index


PLACES = {
    "core.reserved_is_allocated": _reserved_is_allocated,
    "core.statistics_lose_requested": _statistics_lose_requested,
    "core.statistics_of_any_type": _statistics_of_any_type,
}
