# SPDX-License-Identifier: BSD-3-Clause
"""Each defect of lanes in a few lines of plain torch. See ../fleet_defects.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fleet_defects import core, main, now, raises, shows  # noqa: E402
from fleet_face import shows_face  # noqa: E402

import torch  # noqa: E402


def register():
    return torch.arange(32, dtype=torch.int32).to("lanes")


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
    there = torch.full((32,), -1, dtype=torch.int32).to("lanes")
    there.copy_(register())
    assert there.cpu().tolist() == [*range(28), -1, -1, -1, -1]


@shows("no-pinned-allocator")
def a_copy_that_does_not_block_raises():
    assert raises(NotImplementedError, lambda: register().to("cpu", non_blocking=True))


@shows("empty-host-cache", dies="SIGSEGV")
def there_is_no_cache_to_empty():
    register()
    now()
    torch.accelerator.empty_host_cache()


shows_face("lanes", "cpu-device-taken")


if __name__ == "__main__":
    main(__file__)
