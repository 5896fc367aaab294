# SPDX-License-Identifier: BSD-3-Clause
"""The device module: the contents of `torch.fakedev`.

Names and signatures follow torch.cuda. PyTorch's own Python code (DataLoader, checkpoint, FSDP, fork_rng, autocast,
DeviceMesh) looks up the names here, also those with an underscore, without testing whether they exist. Serves: MOD-001
to MOD-025.
"""

from torch import Generator
from torch.accelerator import (
    empty_cache,
    get_memory_info as mem_get_info,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
)

from . import _compile, _lifecycle, _random as random, amp
from ._devices import (
    can_device_access_peer,
    current_device,
    device,
    device_of,
    get_device_capability,
    get_device_name,
    get_device_properties,
    set_device,
)
from ._lifecycle import (
    device_count,
    init,
    is_available,
    is_in_bad_fork as _is_in_bad_fork,
    is_initialized,
    lazy_call as _lazy_call,
    lazy_init as _lazy_init,
)
from ._random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from ._streams import Event, Stream, current_stream, default_stream, set_stream, stream, synchronize
from .amp import get_amp_supported_dtype, is_bf16_supported


def __getattr__(name):
    # These two values change while the process runs, and an imported name would keep the old value.
    if name == "_initialized":
        return _lifecycle.is_initialized()
    if name == "default_generators":
        return random.default_generators()
    # Inductor reads these names when it is imported. Importing the classes earlier would import Inductor.
    if name in ("Scheduling", "PythonWrapperCodegen", "CppWrapperCodegen", "WrapperFxCodegen"):
        return _compile.code_generator(name)
    raise AttributeError(f"module 'torch.fakedev' has no attribute '{name}'")
