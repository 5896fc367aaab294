# SPDX-License-Identifier: BSD-3-Clause
"""The device module `torch.foo`. Its names follow torch.cuda, because PyTorch looks them up here.

PyTorch also uses the names with an underscore: factories call _lazy_init, and DataLoader and manual_seed call
_is_in_bad_fork.
"""

import contextlib  # @with streams
import threading
import types

import torch

_NAME = "foo"


class _Start:
    """Initialises the device once per process. Refuses in a child that was forked after the initialisation."""

    def __init__(self, library):
        self._library = library
        self._lock = threading.RLock()
        self._done = False
        self._queued = []

    def is_in_bad_fork(self):
        return bool(self._library.foo_python_forked())

    def is_initialized(self):
        return self._done and not self.is_in_bad_fork()

    def lazy_init(self):
        if self.is_initialized():
            return
        with self._lock:
            if self.is_in_bad_fork():
                raise RuntimeError(
                    "Cannot re-initialize foo in forked subprocess. To use foo with multiprocessing, you "
                    "must use the 'spawn' start method"
                )
            if self._library.foo_python_device_count() == 0:
                raise RuntimeError("foo: there is no device")
            self._done = True
            while self._queued:
                self._queued.pop(0)()

    def lazy_call(self, function, **_):
        """Calls `function` now, or when the device is initialised."""
        if self.is_initialized():
            function()
        else:
            self._queued.append(function)


def index_of(device):
    """The index of a device, a string, an int or None; the current index if none is given."""
    if device is None:
        return torch._C._accelerator_getDeviceIndex()
    if isinstance(device, int):
        return device
    device = torch.device(device)
    if device.type != _NAME:
        raise ValueError(f"expected a device of foo, got {device}")
    return torch._C._accelerator_getDeviceIndex() if device.index is None else device.index


# @with module
class device:
    """Context manager: makes the device current. None and negative indices change nothing."""

    def __init__(self, device):
        self.idx = -1 if device is None else index_of(device)
        self.prev_idx = -1

    def __enter__(self):
        self.prev_idx = torch._C._accelerator_getDeviceIndex()
        set_device(self.idx)

    def __exit__(self, kind, value, trace):
        set_device(self.prev_idx)
        return False


class device_of(device):
    """Context manager: makes the device of a tensor or storage current. Any other object changes nothing."""

    def __init__(self, thing):
        super().__init__(thing.get_device() if thing.device.type == _NAME else None)


def set_device(device):
    index = index_of(device)
    if index >= 0:
        torch._C._accelerator_setDeviceIndex(index)


def current_device():
    return torch._C._accelerator_getDeviceIndex()


def synchronize(device=None):
    torch.accelerator.synchronize(index_of(device))


def get_device_name(device=None):
    index = index_of(device)
    if not 0 <= index < torch.accelerator.device_count():
        raise ValueError(f"there is no device {_NAME}:{index}")
    return f"{_NAME}:{index}"


def current_stream(device=None):
    return torch.accelerator.current_stream(index_of(device))


# @end
# @with streams
class Stream(torch.Stream):
    """Creates a new stream of the device."""

    def __new__(cls, device=None, priority=0, **fields):
        if fields:
            return super().__new__(cls, priority=priority, **fields)
        return super().__new__(cls, device=torch.device(_NAME, index_of(device)), priority=priority)


class Event(torch.Event):
    """Creates plain torch.Event objects of the device, because torch.Stream and elapsed_time() accept no subclass."""

    def __new__(cls, device=_NAME, *, enable_timing=False, blocking=False, interprocess=False):
        return torch.Event(device, enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)


def default_stream(device=None):
    kind = int(torch._C._autograd.DeviceType.PrivateUse1.value)
    return torch.Stream(stream_id=0, device_index=index_of(device), device_type=kind)


def set_stream(stream):
    if stream is not None:
        torch.accelerator.set_stream(stream)


def stream(stream):
    """Context manager: makes the stream current. None changes nothing."""
    return contextlib.nullcontext() if stream is None else stream


# @end
# @with generator
class _Random:
    """Random numbers: the functions that torch.manual_seed, fork_rng and checkpointing call."""

    @staticmethod
    def manual_seed(seed):
        torch.ops.foo.manual_seed(index_of(None), _as_int64(seed))

    @staticmethod
    def manual_seed_all(seed):
        for index in range(torch.accelerator.device_count()):
            torch.ops.foo.manual_seed(index, _as_int64(seed))

    @staticmethod
    def seed():
        return torch.ops.foo.seed(index_of(None)) % 2**64

    @staticmethod
    def seed_all():
        if torch.accelerator.device_count() > 0:
            _Random.manual_seed_all(_Random.seed())

    @staticmethod
    def initial_seed():
        return torch.ops.foo.initial_seed(index_of(None)) % 2**64

    @staticmethod
    def get_rng_state(device=_NAME):
        return torch.ops.foo.get_state(index_of(device))

    @staticmethod
    def set_rng_state(new_state, device=_NAME):
        torch.ops.foo.set_state(index_of(device), new_state)

    @staticmethod
    def get_rng_state_all():
        return [_Random.get_rng_state(index) for index in range(torch.accelerator.device_count())]

    @staticmethod
    def set_rng_state_all(new_states):
        for index, state in enumerate(new_states):
            _Random.set_rng_state(state, index)


def _as_int64(seed):
    """Converts an int that torch.manual_seed accepts to the int64 that an operator can take."""
    seed = int(seed) % 2**64
    return seed - 2**64 if seed >= 2**63 else seed


# @end
def _public(owner):
    return {name: value for name, value in vars(owner).items() if not name.startswith("_")}


class _Module(types.ModuleType):
    """A module with `_initialized`. If this attribute were missing, checkpointing would save no random state."""

    @property
    def _initialized(self):
        return self.is_initialized()


def make(library):
    """The module object that PyTorch stores as torch.foo."""
    start = _Start(library)
    module = _Module(f"torch.{_NAME}", __doc__)
    module.device_count = library.foo_python_device_count
    module.is_available = lambda: module.device_count() > 0
    module.is_initialized = start.is_initialized
    module.init = start.lazy_init
    module._lazy_init = start.lazy_init
    module._lazy_call = start.lazy_call
    module._is_in_bad_fork = start.is_in_bad_fork
    # @with module
    for function in (current_device, set_device, device, device_of, synchronize, get_device_name, current_stream):
        setattr(module, function.__name__, function)
    for name in ("empty_cache", "memory_allocated", "memory_reserved", "memory_stats", "max_memory_allocated",
                 "max_memory_reserved", "reset_peak_memory_stats", "reset_accumulated_memory_stats"):
        setattr(module, name, getattr(torch.accelerator, name))
    # @end
    # @with streams
    for function in (Stream, Event, default_stream, set_stream, stream):
        setattr(module, function.__name__, function)
    # @end
    # @with generator
    for name in _public(_Random):
        setattr(module, name, getattr(_Random, name))
    # @end
    # @with amp
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16]
    # @end
    return module
