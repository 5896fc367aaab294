# SPDX-License-Identifier: BSD-3-Clause
"""Adds the device to the tables of transformers' tests. Also prevents use of the device during collection.

A pytest plugin, named in transformers.yaml. During collection, decorators of the tests try half precision on the
device. A process that has used a device cannot fork for each test, so a child process makes this attempt.
"""

import functools
import os

import torch
import transformers.testing_utils as testing
import transformers.utils
from transformers.utils import import_utils

NAME = os.environ["ASSAY_CLIENT_DEVICE"]
TABLES = {"MANUAL_SEED": "manual_seed_all", "EMPTY_CACHE": "empty_cache", "DEVICE_COUNT": "device_count", "SYNCHRONIZE": "synchronize"}


def asked_in_a_child(function):
    @functools.cache
    def asked(device):
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if function(device) else 1)
            finally:  # the child must never continue to collect tests
                os._exit(1)
        return os.waitpid(child, 0)[1] == 0

    return asked


def pytest_sessionstart():
    for name in ("is_torch_fp16_available_on_device", "is_torch_bf16_available_on_device"):
        asked = asked_in_a_child(getattr(import_utils, name))
        for module in (import_utils, transformers.utils, testing):
            setattr(module, name, asked)
    if NAME != "cpu":
        device = torch.get_device_module(NAME)
        for table, function in TABLES.items():
            if hasattr(device, function):  # without the function, the tests use their default
                getattr(testing, f"BACKEND_{table}")[NAME] = getattr(device, function)
