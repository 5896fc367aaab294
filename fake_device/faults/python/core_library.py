# SPDX-License-Identifier: BSD-3-Clause
"""Faults of the registration of operators from Python. See core.py for their purpose."""

import torch

_impl = torch.library.Library.impl


def _of_the_device(key):
    return key in ("PrivateUse1", "FAKEDEV")


def _kernels_ignored():
    def impl(self, op_name, fn, dispatch_key="", **options):
        if not _of_the_device(dispatch_key):
            _impl(self, op_name, fn, dispatch_key, **options)

    torch.library.Library.impl = impl


def _upper_case_key_refused():
    def impl(self, op_name, fn, dispatch_key="", **options):
        if dispatch_key == "FAKEDEV":
            raise RuntimeError("could not parse dispatch key: FAKEDEV")
        _impl(self, op_name, fn, dispatch_key, **options)

    torch.library.Library.impl = impl


def _custom_operators_for_the_host_alone():
    kind = torch._library.custom_ops.CustomOpDef
    register = kind.register_kernel

    def register_kernel(self, device_types, func=None, /):
        return register(self, "cpu" if device_types == "fakedev" else device_types, func)

    kind.register_kernel = register_kernel


def _predictions_of_custom_operators_ignored():
    torch._library.custom_ops.CustomOpDef.register_fake = lambda self, function, /: function


def _second_kernel_ignored():
    first = set()

    def impl(self, op_name, fn, dispatch_key="", **options):
        if (op_name, dispatch_key) not in first:
            _impl(self, op_name, fn, dispatch_key, **options)
        first.add((op_name, dispatch_key))

    torch.library.Library.impl = impl


def _foreign_generators_ignored():
    draw = torch.rand

    def rand(*sizes, generator=None, **options):
        return draw(*sizes, generator=generator if generator is None or generator.device.type == "cpu" else None, **options)

    torch.rand = rand


PLACES = {
    "core.kernels_of_own_operators_ignored": _kernels_ignored,
    "core.upper_case_key_refused": _upper_case_key_refused,
    "core.custom_operators_for_the_host_alone": _custom_operators_for_the_host_alone,
    "core.predictions_of_custom_operators_ignored": _predictions_of_custom_operators_ignored,
    "core.second_kernel_ignored": _second_kernel_ignored,
    "core.foreign_generators_ignored": _foreign_generators_ignored,
}
