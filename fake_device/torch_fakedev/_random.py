# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers in the device module: what torch.manual_seed, fork_rng and checkpoint call.

Generators hold no device memory, so a seed set before the first device use takes effect at once.
Serves: GEN-020 to GEN-028, GEN-035, MOD-010, MOD-011, MOD-022.
"""

from . import _C
from ._driver import fault
from ._indices import device_index
from ._lifecycle import is_initialized


def _generator(device):
    if fault("python.rng_functions_reject_int") and isinstance(device, int):
        raise TypeError("expected a torch.device, got int")
    if fault("python.rng_state_of_current_device"):
        device = None
    if fault("python.bare_rng_state_of_device_zero") and device == "fakedev":
        device = 0
    return _C.default_generator(device_index(device))


def default_generators():
    return tuple(_C.default_generator(i) for i in range(_C.device_count()))


def manual_seed(seed):
    """Seeds the current device."""
    _generator(None).manual_seed(int(seed))


def manual_seed_all(seed):
    """Seeds every device. Takes every int that torch.manual_seed takes."""
    if fault("python.manual_seed_rejects_negative") and seed < 0:
        raise ValueError(f"seed {seed} is negative")
    if fault("python.seed_lost_before_start") and not is_initialized():
        return
    if fault("python.manual_seed_all_without_effect"):
        return
    if fault("python.manual_seed_all_only_current"):
        manual_seed(seed)
        return
    for generator in default_generators():
        generator.manual_seed(int(seed))


def seed():
    """Gives the current device a seed nobody chose."""
    return _generator(None).seed()


def seed_all():
    """Gives every device the same seed nobody chose."""
    if _C.device_count() > 0:
        manual_seed_all(seed())


def initial_seed():
    return _generator(None).initial_seed()


def get_rng_state(device="fakedev"):
    return _generator(device).get_state()


def set_rng_state(new_state, device="fakedev"):
    _generator(device).set_state(new_state)


def _generators_of_all():
    return (_generator(None),) if fault("python.rng_all_is_current_only") else default_generators()


def get_rng_state_all():
    return [generator.get_state() for generator in _generators_of_all()]


def set_rng_state_all(new_states):
    for generator, state in zip(_generators_of_all(), new_states, strict=True):
        generator.set_state(state)
