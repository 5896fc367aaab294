# SPDX-License-Identifier: BSD-3-Clause
"""Faults of PyTorch's handling of device modules. See core.py for their purpose."""

import sys

import torch


def _module_registered_twice():
    def _register_device_module(device_type, module):
        device_type = torch.device(device_type).type
        setattr(torch, device_type, module)
        sys.modules[f"torch.{device_type}"] = module

    torch._register_device_module = _register_device_module


def _modules_found_by_type_only():
    find = torch.get_device_module

    def get_device_module(device=None):
        return getattr(torch, device) if isinstance(device, str) else find(device)

    torch.get_device_module = get_device_module


def _torch_seed_stays_on_cpu():
    torch.random._seed_custom_device = lambda seed: None


PLACES = {
    "core.module_registered_twice": _module_registered_twice,
    "core.modules_found_by_type_only": _modules_found_by_type_only,
    "core.torch_seed_stays_on_cpu": _torch_seed_stays_on_cpu,
}
