# SPDX-License-Identifier: BSD-3-Clause
"""Which call of a failing test goes wrong: each call that meets the device is done once more on the CPU
with copies of its arguments, and the first one that differs is the culprit.

`Watch` sees the calls of PyTorch's Python interface, `OperatorWatch` the operators below it (what
backward does is seen only there). Both know nothing of a test.
"""

import contextlib
from dataclasses import dataclass

import torch
from suites.upstream import call_copies
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

# How sure it is that a difference is what the test stumbled over, best first.
RAISED, RETURNED, VALUE, ALIAS, OTHER_ERROR, WORDS, ROUNDING, STRIDES = range(8)
KINDS = ["raised", "returned", "value", "alias", "other error", "words", "rounding", "strides"]

# Names whose answers differ between devices by their nature.
INCOMPARABLE = {
    "data_ptr", "get_device", "__repr__", "__format__", "__hash__", "__reduce_ex__", "is_pinned",
    "_version", "storage", "untyped_storage", "_storage", "__array__", "__dlpack__",
    "__dlpack_device__", "device", "is_cpu", "grad_fn", "_backward_hooks", "register_hook", "grad",
    "_is_view", "_base",  # the copies are views of the copied storage
}
BACKWARD = {"backward", "grad"}


@dataclass(eq=False)
class Call:
    """One call that went another way on the device: `kind` is a number of KINDS."""

    function: object
    name: str
    copies: object
    kind: int
    on_device: str
    on_cpu: str
    error: BaseException | None
    operators: tuple = ()


@dataclass
class _Outcome:
    value: object = None
    error: BaseException | None = None


class _Operators(TorchDispatchMode):
    """Remembers which operators run."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.append(function)
        return function(*args, **(kwargs or {}))


def name_of(function):
    """As a program writes it; None when it cannot be written."""
    if isinstance(function, torch._ops.OpOverload):
        return f"torch.ops.{str(function).replace('::', '.')}"
    try:
        name = resolve_name(function)
    except Exception:
        return None
    return name


def _short_name(function):
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    return getattr(owner, "__name__", name) if name == "__get__" else name


def is_comparable(operators):
    """Not what draws random numbers, or leaves memory as it is."""
    for one in operators:
        tags = getattr(one, "tags", ())
        name = str(one)
        if torch.Tag.nondeterministic_seeded in tags or "empty" in name or "rand" in name:
            return False
    return True


# ---- differences -----------------------------------------------------------------------------------


def words_of(error):
    return f"{type(error).__name__}: {error}"


def plain_words(text, device_type):
    """Without what rightly differs between devices."""
    text = text.split("\n")[0].replace(device_type, "cpu").replace("PrivateUse1", "CPU")
    return text.replace("privateuseone", "cpu").replace("cpu:0", "cpu").replace("cpu:1", "cpu")


def _describe(value):
    if isinstance(value, torch.Tensor):
        return f"{value.dtype} {tuple(value.shape)}: {value.detach().cpu().flatten()[:6].tolist()}"
    return str(value)[:300]


def _tensor_difference(mine, other):
    if mine.shape != other.shape or mine.dtype != other.dtype:
        return VALUE
    if mine.layout != torch.strided or mine.is_quantized or mine.is_nested:
        return None
    left, right = mine.detach().cpu(), other.detach()
    left, right = left.resolve_conj().resolve_neg(), right.resolve_conj().resolve_neg()
    for factor, kind in ((10, VALUE), (1, ROUNDING)):
        try:
            rtol, atol = torch.testing._comparison.default_tolerances(left.dtype)
            torch.testing.assert_close(
                left, right, rtol=rtol * factor, atol=atol * factor, equal_nan=True
            )
        except AssertionError:
            return kind
    if mine.stride() != other.stride() and mine.numel() > 1:
        return STRIDES
    return None


def _scalar_difference(mine, other):
    if type(mine) is not type(other) or not isinstance(mine, (bool, int, float, complex)):
        return None
    same = mine == other or (mine != mine and other != other)
    if isinstance(mine, (float, complex)) and not same:
        same = abs(mine - other) <= 1e-4 * max(abs(mine), abs(other), 1e-3)
    return None if same else VALUE


def _leaf_difference(mine, other):
    if isinstance(mine, torch.Tensor) and isinstance(other, torch.Tensor):
        return _tensor_difference(mine, other)
    return _scalar_difference(mine, other)


def _aliases(leaves):
    """Which tensors share a storage: for each the position of the first that has it."""
    first, pattern = {}, []
    for position, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided:
            pattern.append(first.setdefault(leaf.untyped_storage()._cdata, position))
    return pattern


def value_difference(mine, other):
    """(kind, one side, other side) of two trees of results and arguments, or None."""
    left, right = tree_flatten(mine)[0], tree_flatten(other)[0]
    if len(left) != len(right):
        return VALUE, f"{len(left)} values", f"{len(right)} values"
    worst = None
    for one, two in zip(left, right):
        kind = _leaf_difference(one, two)
        if kind is not None and (worst is None or kind < worst[0]):
            worst = kind, _describe(one), _describe(two)
    if worst is None or worst[0] > ALIAS:
        if _aliases(left) != _aliases(right):
            return ALIAS, f"storages {_aliases(left)}", f"storages {_aliases(right)}"
    return worst


def difference(mine, other, device_type, comparable):
    """(kind, on the device, on the CPU), or None when the call did the same on both."""
    if mine.error is not None and other.error is None:
        return RAISED, words_of(mine.error), "no exception"
    if mine.error is None and other.error is not None:
        return RETURNED, "no exception", words_of(other.error)
    if mine.error is not None:
        left, right = words_of(mine.error), words_of(other.error)
        if type(mine.error) is not type(other.error):
            return OTHER_ERROR, left, right
        same = plain_words(left, device_type) == plain_words(right, device_type)
        return None if same else (WORDS, left, right)
    return value_difference(mine.value, other.value) if comparable else None


# ---- watching --------------------------------------------------------------------------------------


class Finder:
    """The part that both modes share. `began`, if given, hears of each call before it runs."""

    def __init__(self, device_type, began=None):
        self.device_type = device_type
        self.began = began
        self.calls = []

    def watch(self, function, args, kwargs, operators):
        copies = self.copies(function, args, kwargs)
        if copies is None:
            return function(*args, **kwargs)
        if self.began:
            self.began(function, copies)
        mine = _Outcome()
        try:
            with operators or contextlib.nullcontext():
                mine.value = function(*args, **kwargs)
        except Exception as error:
            mine.error = error
        seen = tuple(operators.seen) if operators else (function,)
        with contextlib.suppress(call_copies.NotCopied):
            self.compare(function, copies, (args, kwargs), mine, seen)
        if mine.error is not None:
            raise mine.error
        return mine.value

    def copies(self, function, args, kwargs):
        """None: nothing to compare here."""
        if _short_name(function) in INCOMPARABLE or name_of(function) is None:
            return None
        try:
            return call_copies.copy((args, kwargs), self.device_type)
        except (call_copies.NotCopied, RuntimeError):
            return None

    def compare(self, function, copies, arguments, mine, seen):
        with torch.random.fork_rng(devices=[]):
            other, theirs = _call_on_cpu(function, copies)
        if mine.error is None and other.error is None:
            mine = _Outcome((mine.value, arguments))
            other = _Outcome((other.value, theirs))
        found = difference(mine, other, self.device_type, is_comparable(seen))
        # A copy to a device is none where it is there already.
        if found and not (found[0] == ALIAS and copies.names_a_device()):
            kind, left, right = found
            self.calls.append(
                Call(function, name_of(function), copies, kind, left, right, mine.error, seen)
            )

    def culprit(self, error=None):
        """The call that raised what ended the test; else the surest difference, the first of these."""
        for call in self.calls:
            if error is not None and call.error is error:
                return call
        return min(self.calls, key=lambda call: call.kind, default=None)


def _call_on_cpu(function, copies):
    outcome, arguments = _Outcome(), None
    try:
        arguments = copies.build("cpu")
        outcome.value = function(*arguments[0], **arguments[1])
    except Exception as error:
        outcome.error = error
    return outcome, arguments


class OperatorWatch(TorchDispatchMode):
    def __init__(self, finder):
        super().__init__()
        self.finder = finder

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return self.finder.watch(function, args, kwargs or {}, None)


class Watch(TorchFunctionMode):
    def __init__(self, finder):
        super().__init__()
        self.finder = finder

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if _short_name(function) in BACKWARD and getattr(function, "__name__", "") != "__get__":
            with OperatorWatch(self.finder):
                return function(*args, **kwargs)
        return self.finder.watch(function, args, kwargs, _Operators())
