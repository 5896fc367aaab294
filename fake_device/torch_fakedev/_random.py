# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers in the device module: the functions that torch.manual_seed, fork_rng and checkpoint call.

Generators hold no device memory, so a seed that is set before the first use of the device takes effect
immediately.
Serves: GEN-020 to GEN-028, GEN-035, MOD-010, MOD-011, MOD-022.
"""

from . import _C
from ._indices import device_index


def _generator(device):
    return _C.default_generator(device_index(device))


def default_generators():
    return tuple(_C.default_generator(i) for i in range(_C.device_count()))


def manual_seed(seed):
    """Seeds the current device."""
    _generator(None).manual_seed(int(seed))


def manual_seed_all(seed):
    """Seeds every device. Accepts every int that torch.manual_seed accepts."""
    for generator in default_generators():
        generator.manual_seed(int(seed))


def seed():
    """Gives the current device a random seed."""
    return _generator(None).seed()


def seed_all():
    """Gives every device the same random seed."""
    if _C.device_count() > 0:
        manual_seed_all(seed())


def initial_seed():
    return _generator(None).initial_seed()


def get_rng_state(device="fakedev"):
    return _generator(device).get_state()


def set_rng_state(new_state, device="fakedev"):
    _generator(device).set_state(new_state)


def get_rng_state_all():
    return [generator.get_state() for generator in default_generators()]


def set_rng_state_all(new_states):
    for generator, state in zip(default_generators(), new_states, strict=True):
        generator.set_state(state)
