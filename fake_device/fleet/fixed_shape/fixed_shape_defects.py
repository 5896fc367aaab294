# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of fixed_shape. See ../fleet_defects.py."""

import torch
from fleet_defects import core, shows


def register():
    return torch.arange(32, dtype=torch.int32).to("fixed_shape")


@shows("any-index-is-zero")
def device_5_can_be_made_current():
    register()
    torch.accelerator.set_device_index(5)
    assert torch.accelerator.current_device_index() == 0


@shows("context-of-any-device")
def a_device_there_is_not_is_in_use():
    assert core().fleet_has_primary_context(9) == 1


@shows("move-loses-tail")
def the_copy_of_a_register_is_another_one():
    there = torch.full((32,), -1, dtype=torch.int32).to("fixed_shape")
    there.copy_(register())
    assert there.cpu().tolist() == [*range(28), -1, -1, -1, -1]
