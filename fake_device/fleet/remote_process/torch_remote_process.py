# SPDX-License-Identifier: BSD-3-Clause
"""A backend whose tensors are in another process. Orders are sent without waiting for a reply. Written in Python only.

A tensor is a key for numbers of the board (remote_process_board.py). To execute an operator, the backend computes the
form of the results with `meta` tensors, sends an order and returns. Only a copy to the CPU and synchronize() wait for
the board. Both raise the error of an earlier order, if there is one. A deep copy has the key of its original
(deep-copies-are-one). Assigning `data` changes no key (data-keeps-its-values).
"""

import builtins
import itertools
import os
import pickle
import threading
import weakref
from multiprocessing.connection import Pipe

import remote_process_board
import torch
from fleet_module import OneDeviceModule, add_autocast
from fleet_subclass import CHANGES_THE_TENSOR, written
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

NAME = "remote_process"


# ---- the connection to the board ------------------------------------------------------------------
class Link:
    """Starts the process of the board at the first order. A process that is forked later cannot use the connection."""

    def __init__(self):
        self.connection, self.owner, self.lock = None, None, threading.Lock()
        self.keys, self.dropped, self.seed = itertools.count(1), [], None

    def _open(self):
        if self.owner is None:
            self.connection, theirs = Pipe()
            self.owner = os.getpid()
            if os.fork() == 0:
                _become_board(theirs)
            theirs.close()
            if self.seed is not None:
                self._send("seed", self.seed)
        if self.owner != os.getpid():
            raise RuntimeError(f"{NAME}: the board was reached before this process was forked; start a new process")

    def _send(self, what, *words):
        self.connection.send_bytes(remote_process_board.ORDER + pickle.dumps((what, words)))

    def tell(self, what, *words):
        with self.lock:
            self._open()
            gone, self.dropped = self.dropped, []
            if gone:
                self._send("drop", gone)
            self._send(what, *words)

    def ask(self, what, *words):
        with self.lock:
            self._open()
            self.connection.send_bytes(remote_process_board.QUESTION + pickle.dumps((what, words)))
            error, value = pickle.loads(self.connection.recv_bytes())
        if error is not None:
            kind = getattr(builtins, error[0], RuntimeError)
            raise kind(f"{NAME}: {error[1]}")
        return value


def _become_board(connection):
    status = 1
    try:
        os.setsid()
        os.closerange(3, connection.fileno())
        os.closerange(connection.fileno() + 1, 4096)
        remote_process_board.serve(connection)
        status = 0
    finally:
        os._exit(status)


_link = Link()


# ---- tensors --------------------------------------------------------------------------------------
class RemoteTensor(torch.Tensor):
    """A key for numbers of the board. `look` is a meta tensor of the same shape and strides."""

    @staticmethod
    def __new__(cls, look, key=None):
        return torch.Tensor._make_wrapper_subclass(
            cls, look.size(), strides=look.stride(), storage_offset=look.storage_offset(), dtype=look.dtype,
            device=torch.device(NAME, 0))

    def __init__(self, look, key=None):
        self.look = look
        self.key = next(_link.keys) if key is None else key
        weakref.finalize(self, _link.dropped.append, self.key)

    def __repr__(self, *, tensor_contents=None):
        return f"RemoteTensor({self.cpu().tolist()}, dtype={self.dtype})"  # repr-without-device

    def __reduce_ex__(self, _protocol):
        return _arrive, (self.detach().cpu(), self.requires_grad)  # strides-are-lost

    @classmethod
    def __torch_dispatch__(cls, operator, types_, args=(), kwargs=None):
        return _run(operator, args, dict(kwargs or {}))


def _arrive(values, needs_gradient):
    return values.to(f"{NAME}:0").requires_grad_(needs_gradient)


torch.serialization.add_safe_globals([_arrive])


# ---- orders ---------------------------------------------------------------------------------------
def _look_of(value):
    if isinstance(value, RemoteTensor):
        return value.look
    if isinstance(value, torch.Tensor):
        return value.to("meta")
    return torch.device("meta") if isinstance(value, torch.device) and value.type == NAME else value


def _order_of(value):
    if isinstance(value, RemoteTensor):
        return remote_process_board.Number(value.key)
    if isinstance(value, torch.device):
        return torch.device("cpu")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 1 << 31:
        return min(int(float(value)), (1 << 63) - 1)  # numbers-are-doubles
    return value


def _check_home(operator, args, kwargs):
    for value in tree_leaves((args, kwargs)):
        if isinstance(value, torch.Tensor) and not isinstance(value, RemoteTensor) and value.dim():  # indices-of-the-host
            raise RuntimeError(f"{NAME}: {operator} was given a tensor of {value.device} beside those of the board")


def _to_copy(source, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    if device is not None and device.type != NAME:
        return _brought(source).to(dtype or source.dtype)
    options = {"dtype": dtype or source.dtype, "memory_format": memory_format}
    return _plain(torch.ops.aten._to_copy.default, (source,), options)


def _sent(values):
    """Sends numbers of the CPU to the board: quantized-is-plain, sparse-is-dense, jagged-parts-parted."""
    packed = remote_process_board.packed(values)
    tensor = RemoteTensor(torch.empty(packed[1], dtype=packed[0], device="meta"))
    _link.tell("take", tensor.key, *packed)
    return tensor


def _brought(tensor):
    return remote_process_board.unpacked(*_link.ask("bring", tensor.key))


def _copy(target, source, non_blocking=False):
    if not isinstance(target, RemoteTensor):
        return target.copy_(_brought(source))
    # imaginary-part-unsaid: the board gives no warning
    source = source if isinstance(source, RemoteTensor) else _sent(source)
    _link.tell("run", "aten::copy_", (remote_process_board.Number(target.key), remote_process_board.Number(source.key)), {}, ())
    return target


def _name_of(operator):
    schema = operator._schema
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name


def _plain(operator, args, kwargs):
    """Sends the order. The form of the results comes from `meta`: indices-of-meta, dtype-of-meta, products-of-meta,
    gradients-of-meta, nested-on-meta."""
    schema, name = operator._schema, _name_of(operator)
    order, named = tree_map(_order_of, tuple(args)), tree_map(_order_of, kwargs)
    targets = written(schema, args, kwargs)
    try:
        if name in _ONLY_KNOWN_THERE:
            raise NotImplementedError
        looks = operator(*tree_map(_look_of, tuple(args)), **tree_map(_look_of, kwargs))
    except NotImplementedError:
        return _waited_for(schema, name, order, named, targets)
    single = not isinstance(looks, (tuple, list))
    looks = [looks] if single else list(looks)
    own = {index: targets.get(frozenset(slot.alias_info.before_set)) for index, slot in enumerate(schema.returns)
           if slot.alias_info is not None and slot.alias_info.is_write}
    results = [own.get(index, RemoteTensor(look) if isinstance(look, torch.Tensor) else look)
               for index, look in enumerate(looks)] if schema.returns else []
    for index, target in own.items():
        if target is not None and target.shape != looks[index].shape:
            raise NotImplementedError(f"{NAME}: {name} would resize a tensor, and the board cannot")
    _link.tell("run", name, order, named, [getattr(one, "key", 0) for one in results])
    return (results[0] if results else None) if single else type(looks)(results)


def _waited_for(schema, name, order, named, targets):
    """Executes an operator whose result sizes only the board can compute, and waits for the reply."""
    if targets:
        raise NotImplementedError(f"{NAME}: {name} cannot be ordered")
    keys = [next(_link.keys) for _ in schema.returns]
    answers = _link.ask("ask", name, order, named, keys)
    results = [RemoteTensor(torch.empty_strided(one[1], one[2], dtype=one[0], device="meta"), key)
               if isinstance(one, tuple) else one for key, one in zip(keys, answers)]
    return results[0] if len(schema.returns) == 1 else tuple(results)


_ONLY_KNOWN_THERE = {"aten::_local_scalar_dense", "aten::equal", "aten::is_nonzero"}


_OWN = {"aten::_to_copy": _to_copy, "aten::copy_": _copy}
# no-resize, no-lstm
_REFUSED = CHANGES_THE_TENSOR | {"aten::_thnn_fused_lstm_cell", "aten::_thnn_fused_gru_cell"}


def _run(operator, args, kwargs):
    name = operator._schema.name
    if name == "aten::_to_copy" and not isinstance(args[0], RemoteTensor):
        return _sent(args[0].to(kwargs.get("dtype") or args[0].dtype))
    if name in _REFUSED:
        raise NotImplementedError(f"{NAME}: the board has no {name}")
    if name in _OWN:
        return _OWN[name](*args, **kwargs)
    if kwargs.get("generator") is not None:
        raise RuntimeError(f"{NAME}: the board has one source of random numbers, and takes no generator")
    _check_home(name, args, kwargs)
    return _plain(operator, args, kwargs)


_kernels = torch.library.Library("aten", "IMPL")


def _empty(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return _empty_strided(size, torch.empty(size, device="meta", memory_format=memory_format).stride(), dtype,
                          pin_memory=pin_memory)


def _empty_strided(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    if pin_memory:
        raise RuntimeError(f"{NAME}: pin_memory is not supported, because the tensors are not in host memory")
    tensor = RemoteTensor(torch.empty_strided(size, stride, dtype=dtype, device="meta"))  # new-memory-unfilled
    words = {"dtype": dtype or torch.get_default_dtype()}
    _link.tell("run", "aten::empty_strided", (list(size), list(stride)), words, [tensor.key])
    return tensor


def _copy_from(source, target, non_blocking=False):
    return _copy(target, source)


def _made_here(operator):
    """Returns a factory that computes on the CPU and sends the few numbers to the board."""
    def make(*args, dtype=None, layout=None, device=None, pin_memory=None):
        return _sent(operator(*args, dtype=dtype, device="cpu"))
    return make


for _name in ("arange", "arange.start", "arange.start_step", "eye", "eye.m", "linspace"):
    _packet, _, _overload = _name.partition(".")
    _operator = getattr(getattr(torch.ops.aten, _packet), _overload or "default")
    _kernels.impl(_name, _made_here(_operator), "PrivateUse1")
_kernels.impl("empty.memory_format", _empty, "PrivateUse1")
_kernels.impl("empty_strided", _empty_strided, "PrivateUse1")
_kernels.impl("_copy_from", _copy_from, "PrivateUse1")


# Autocast is offered, but no operator is registered for it.
_autocast = torch.library.Library("_", "IMPL")
_autocast.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")


# ---- the device module ----------------------------------------------------------------------------
def _index(device=None):
    """The index of the only device. torch.device wraps an index to a byte (index-wraps)."""
    device = torch.device(NAME, device) if isinstance(device, int) and device >= 0 else torch.device(device or NAME)
    if device.type != NAME:
        raise ValueError(f"{NAME}: {device} is another device")
    return device.index or 0


def _manual_seed_all(seed):
    """Does not start the board. The board gets the seed when it starts."""
    _link.seed = int(seed)
    if _link.owner is not None:
        _link.tell("seed", _link.seed)


module = OneDeviceModule(NAME)
add_autocast(module, torch.float16, torch.bfloat16)
vars(module).update(
    _index=_index,
    _initialized=True,
    _is_in_bad_fork=lambda: _link.owner not in (None, os.getpid()),
    is_initialized=lambda: _link.owner == os.getpid(),
    synchronize=lambda device=None: _link.ask("wait") if _link.owner else None,
    current_stream=torch.accelerator.current_stream,
    stream=lambda stream: stream,  # no-stream-is-no-block
    manual_seed=_manual_seed_all,
    manual_seed_all=_manual_seed_all,
    initial_seed=lambda: torch.initial_seed() if _link.seed is None else _link.seed,
    get_rng_state=lambda device=NAME: _link.ask("state"),
    set_rng_state=lambda new_state, device=NAME: _link.tell("restore", new_state),
)
_setup_privateuseone_for_python_backend(NAME, backend_module=module)
