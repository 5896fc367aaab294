# SPDX-License-Identifier: BSD-3-Clause
"""Groups similar calls of a watched program into kinds, and selects the calls of a kind that are compared.

Called by assay/watcher/mode.py.
"""

import functools

import torch
from assay.values import tables
from assay.watcher import comparison, gradients as watch_gradients, traffic as watch_traffic, views as watch_views
from assay.watcher.place import Where
from torch.nn.parameter import UninitializedTensorMixin

FIRST = 3  # compares the first calls of each kind, then the 16th, the 64th and so on
COLLECTIVES = {"c10d", "_c10d_functional", "c10d_functional", "_dtensor", "symm_mem"}
# These operators give a different result for a copy of the tensor, because a copy has its own storage.
OF_STORAGES = {"_has_same_storage_numel", "is_set_to"}
RESULTS_NOT_SET = {"resize_", "resize_as_", "set_", "_resize_output_"}
ODD = "an unsupported layout or tensor class"
NO_SHAPE = "a parameter of a lazy module has no shape yet"
ASKS_WHERE = "its result depends on where tensors are stored"
MOVED = "memory that is moved"
SEEN_BEFORE = "calls like these were compared before"
GENERATED = "a kernel that a compiler generated; each counts once"
CPU_RAISES_TOO = "it raises, and so does the CPU"
# Reasons for skipping a call that cannot produce a wrong number.
HARMLESS = {ASKS_WHERE, NO_SHAPE, CPU_RAISES_TOO, *tables.reasons("unwritten", "grown")}
# Reasons that leave no operator of the program unjudged: similar calls were compared, or others are judged apart.
EXPECTED = HARMLESS | {SEEN_BEFORE, tables.RANDOM, MOVED}
HASHED = {int, bool, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format}
TENSORS = {torch.Tensor, torch.nn.Parameter}


class NoShape(Exception):
    """An argument is a parameter of a lazy module, which has no numbers yet."""


def leaves_and_key(function, arguments, named):
    """The leaves as a flat list, and a key that decides quickly whether two calls are of one kind. An argument is at
    most a list of tensors. The key contains a class for each float, such as its sign, and the lengths of lists. This
    function makes only one pass, because it runs at each call."""
    leaves, key = [], [id(function), *named]
    for one in (*arguments, *named.values()) if named else arguments:
        kind = type(one)
        if kind in TENSORS:
            leaves.append(one)
            key += one.dtype, one.device, one.shape, one.stride()
        elif kind in HASHED:
            leaves.append(one)
            key += kind, one
        elif isinstance(one, (list, tuple)):
            leaves += one
            key += list, len(one)
            for leaf in one:
                key += _key_of(leaf)
        else:
            leaves.append(one)
            key += _key_of(one)
    return leaves, tuple(key)


def _key_of(leaf):
    kind = type(leaf)
    if kind in HASHED:
        return kind, leaf
    if isinstance(leaf, UninitializedTensorMixin):
        raise NoShape
    if isinstance(leaf, torch.Tensor):
        return leaf.dtype, leaf.device, leaf.shape, leaf.stride()
    return kind, word_of(leaf) if kind is float else repr(leaf)


def is_odd(leaf):
    """True for a tensor without strides or with symbolic sizes. Such a tensor is not compared, and some queries of it
    raise an exception."""
    return isinstance(leaf, torch.Tensor) and (has_own_dispatch(type(leaf)) or leaf.layout is not torch.strided or leaf.is_nested)


@functools.cache
def has_own_dispatch(kind):
    """True for a class of tensors that computes operators by itself, usually by operators on other tensors."""
    return kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


@functools.cache
def is_opened(kind):
    """True for a class of tensors whose __torch_dispatch__ calls operators that the watch can compare. The classes of the
    compiler compute nothing."""
    return has_own_dispatch(kind) and not kind.__module__.startswith(("torch._subclasses", "torch.fx", "torch._functorch"))


@functools.cache
def is_composed(function):
    """True if core decomposes the operator on all devices. In inference mode, without autograd, the dispatch mode gets
    the operator before core decomposes it."""
    if not isinstance(function, torch._ops.OpOverload) or function.namespace != "aten":
        return False
    has, name = torch._C._dispatch_has_kernel_for_dispatch_key, function.name()
    try:
        return has(name, "CompositeImplicitAutograd") and not any(has(name, key) for key in ("PrivateUse1", "CPU"))
    except RuntimeError:  # an operator of TorchScript only
        return False


def _size_class(size):
    return size if size < 4 else 1 << (size - 1).bit_length()


def form_of_tensor(leaf):
    """The properties of a tensor that select a code path of a backend, except its size; None for other objects."""
    if not isinstance(leaf, torch.Tensor):
        return None
    order = sorted(range(leaf.dim()), key=[-stride for stride in leaf.stride()].__getitem__)
    return leaf.dtype, leaf.device.type, tuple(order), leaf.is_contiguous()


def word_of(leaf):
    if isinstance(leaf, torch.Tensor):
        return tuple(map(_size_class, leaf.shape)), form_of_tensor(leaf)
    if type(leaf) is float:
        return "float", leaf if leaf in (0, 1, -1) else leaf > 0
    if type(leaf) is int:
        return "int", leaf if abs(leaf) < 16 else leaf.bit_length()
    return repr(leaf)[:60]


def _is_later_choice(number):
    """True for call number 16, 64, 256 and so on."""
    return number >= 16 and not number & (number - 1) and number.bit_length() % 2 == 1


def why_left_out(function, name):
    if function.namespace in COLLECTIVES:
        return "other processes take part in it"
    if name in OF_STORAGES:
        return ASKS_WHERE
    return MOVED if name in RESULTS_NOT_SET else None


class Operator:
    """Facts about an operator that hold for all its calls. `reason` says why its calls are not compared, or is None."""

    def __init__(self, ledger, function, watch):
        self.name = function._schema.name.split("::")[1]
        self.op = str(function)
        self.ran = watch_traffic.ran_as(function)
        self.waits, self.copies = watch_traffic.waits(function), self.name in watch_traffic.COPIES
        self.reason = why_left_out(function, self.name) or comparison.why_unjudged(function)
        self.gives_views = watch_views.gives_views(function)
        self.is_unrecorded = watch_gradients.is_unrecorded(function)
        self.writes = comparison.writes(function)
        self.draws, self.is_of_core = self.reason == watch.random_reason, function.namespace == "aten"
        self.calls = ledger.slot(kind="calls", op=self.op, ran=self.ran)
        self.compared = ledger.slot(kind="compared", op=self.op)
        self.seen_before = ledger.slot(kind="uncompared", op=self.op, reason=SEEN_BEFORE)
        self.unjudged = ledger.slot(kind="uncompared", op=self.op, reason=self.reason) if self.reason else None
        self.kinds = ledger.slot(kind="kinds", op=self.op)


class Kind:
    """Similar calls of an operator. `is_new_form` is set for the first call with these dtypes and this layout."""

    def __init__(self, operator, is_new_form):
        self.__dict__.update(vars(operator))
        self.is_new_form, self.number, self.worst = is_new_form, 0, 0.0

    def is_chosen(self):
        number = self.number
        return number <= FIRST or not number & (number - 1) and _is_later_choice(number)

    def is_looked_at_thoroughly(self):
        """True for the first call of a form in any size, and for some later calls."""
        return self.number == 1 and self.is_new_form or _is_later_choice(self.number)


class Form:
    """Calls of a kind with the same exact key. `text` is the form in bytes. `views` has the CPU's result if it
    consists of views."""

    __slots__ = ("kind", "text", "views")

    def __init__(self, kind, text):
        self.kind, self.text, self.views = kind, text, None


class Call(Where):
    """A call that reaches the device. `one` has the inputs if the call is compared. `wanted` lists the results that
    must require a gradient, if gradients are checked. `late` is an error of the device that appeared when the watch
    copied the inputs; without the watch, the program would not get this error."""

    __slots__ = ("kind", "form", "here", "one", "wanted", "late", "number")

    def __init__(self, form, here, number):
        """`number` counts the calls of the process that do work."""
        self.number = number
        self.kind, self.form, self.here, self.one, self.wanted, self.late = form.kind, form, here, None, (), None

    def words(self):
        return {**super().words(), "number": self.number}
