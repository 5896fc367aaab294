# SPDX-License-Identifier: BSD-3-Clause
"""The DeviceInterface that a backend has registered with torch._dynamo."""

import contextlib


def core():
    """torch._dynamo.device_interface. The import of this module takes a second, so this file does not import the module
    at the top."""
    from torch._dynamo import device_interface

    return device_interface


def interface_of(case):
    """The interface of the device. Without one, ends the check: the backend lacks `compile.interface`."""
    try:
        return core().get_interface_for_device(case.device_name)
    except NotImplementedError as error:
        case.lacks("compile.interface", error)


@contextlib.contextmanager
def without_interfaces(*names):
    """In the block, no interface is registered for the devices of these names, with or without an index."""
    core().get_registered_device_interfaces()  # PyTorch registers its own interfaces at the first call
    table = core().device_interfaces
    removed = {key: table.pop(key) for key in list(table) if key.partition(":")[0] in names}
    try:
        yield table
    finally:
        for key in [key for key in table if key.partition(":")[0] in names]:
            del table[key]
        table.update(removed)
