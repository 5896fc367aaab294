# SPDX-License-Identifier: BSD-3-Clause
"""One recorded call as a program of plain PyTorch: the arguments, the call, what it gives on the CPU and
on the device. It needs neither the test nor anything of ours, and has fewer than 20 lines.

It ends with 1 when the two differ, and is killed or hangs where the call does.
"""

import base64
import zlib

import torch
from suites.upstream import call_copies

FEW = 24  # values that are written out
# As in a run: else torch loads what is installed, which need not be what the steps load.
ONLY_BY_STEPS = "import os; os.environ['TORCH_DEVICE_BACKEND_AUTOLOAD'] = '0'"


class NotWritten(Exception):
    """Something of the call cannot be written as a program."""


def load_lines(steps):
    """How the target is loaded, as a program does it."""
    writers = {
        "import": lambda what, extra: f"import {what}",
        "call": lambda what, extra: "from {} import {} as load; load()".format(*what.split(":")),
        "exec": lambda what, extra: f"exec({what!r})",
        "dlopen": lambda what, extra: f"__import__('ctypes').CDLL({what!r}, mode={int('global' in extra) * 256})",
        "entry_point": lambda what, extra: (
            "[e.load()() for e in __import__('importlib.metadata').metadata"
            f".entry_points(group={extra!r}, name={what!r})]"
        ),
    }
    return [writers[kind](what, extra) for kind, what, extra in steps]


# ---- values ----------------------------------------------------------------------------------------


def _values(tensor):
    """An expression for a tensor of one dimension on the CPU."""
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex or len(tensor) > FEW:
        return _exact(tensor)
    return f"torch.tensor({tensor.tolist()}, dtype={tensor.dtype})"


def _exact(tensor):
    values = tensor.tolist()
    if len(values) <= FEW and tensor.numel():
        text = f"torch.tensor({_plain(values)}, dtype={tensor.dtype})"
        scope = {"torch": torch, "nan": float("nan"), "inf": float("inf")}
        if _bytes(eval(text, scope)) == _bytes(tensor):  # noqa: S307
            return text
    if not values:
        return f"torch.empty(0, dtype={tensor.dtype})"
    if _bytes(tensor[:1].repeat(len(values))) == _bytes(tensor):
        return f"torch.full(({len(values)},), {_plain(values[0])}, dtype={tensor.dtype})"
    packed = base64.b64encode(zlib.compress(_bytes(tensor), 9)).decode()
    return (
        "torch.frombuffer(bytearray(zlib.decompress(base64.b64decode("
        f"'{packed}'))), dtype={tensor.dtype})"
    )


def _plain(value):
    """nan and inf are names in the script."""
    return repr(value)


def _bytes(tensor):
    return bytes(tensor.contiguous().view(torch.uint8).tolist())


# ---- arguments -------------------------------------------------------------------------------------


class _Writer:
    def __init__(self, copies):
        self.copies = copies
        self.lines = []
        self.names = {}

    def write_tensors(self):
        """A line for each storage, and one for each view that is not the whole of it."""
        for number, stored in enumerate(self.copies.stored):
            place = ".to(place)" if stored.on_device else ""
            self.names[id(stored)] = f"s{number}"
            self.lines.append(f"s{number} = {_values(stored.values)}{place}")
        for number, view in enumerate(self.copies.tensors()):
            self.names[id(view)] = f"x{number}"
            self.lines.append(f"x{number} = {self.view(view)}")

    def view(self, view):
        text = self.names[id(view.stored)]
        if not (view.is_whole() and len(view.size) == 1):
            text += f".as_strided({view.size}, {view.stride}, {view.offset})"
        if view.conj:
            text += ".conj()"
        if view.neg:
            text = f"torch._neg_view({text})"
        if view.requires_grad:
            text += ".detach().requires_grad_()" + ("" if view.is_leaf else ".clone()")
        return text

    def value(self, value):
        if id(value) in self.names:
            return self.names[id(value)]
        if isinstance(value, call_copies.Place):
            return "place" if value.is_text else "torch.device(place)"
        if isinstance(value, torch.Size):
            return f"torch.Size({list(value)})"
        if isinstance(value, (tuple, list)):
            return self.sequence(value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self.value(v)}" for k, v in value.items()) + "}"
        if isinstance(value, slice):
            parts = (value.start, value.stop, value.step)
            return f"slice({', '.join(map(self.value, parts))})"
        if isinstance(value, torch.device):
            return f"torch.device({str(value)!r})"
        if value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str)):
            return repr(value)
        if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
            return str(value)
        raise NotWritten(f"an argument of type {type(value).__name__}")

    def sequence(self, value):
        items = ", ".join(map(self.value, value))
        if isinstance(value, list):
            return f"[{items}]"
        return f"({items},)" if value else "()"


def _arguments(writer, copies):
    leaves = [_Leaf(leaf) for leaf in copies.leaves]
    args, kwargs = torch.utils._pytree.tree_unflatten(leaves, copies.tree)
    text = [writer.value(_unpack(one)) for one in args]
    text += [f"{name}={writer.value(_unpack(one))}" for name, one in kwargs.items()]
    return ", ".join(text)


class _Leaf:
    """Keeps a leaf from being taken for a tree while the tree is put together."""

    def __init__(self, value):
        self.value = value


def _unpack(tree):
    if isinstance(tree, _Leaf):
        return tree.value
    if isinstance(tree, dict):
        return {name: _unpack(one) for name, one in tree.items()}
    if isinstance(tree, list):
        return [_unpack(one) for one in tree]
    if isinstance(tree, tuple):
        return tuple(_unpack(one) for one in tree)
    return tree


# ---- the program -----------------------------------------------------------------------------------


SHARED = (
    "[at for at, v in enumerate(values) for w in values[:at] if torch.is_tensor(v) and"
    " torch.is_tensor(w) and v.untyped_storage()._cdata == w.untyped_storage()._cdata]"
)


USED = "[torch.full((1 << n,), 7.0).to(place) for n in range(14)]  # memory has been used, as in the test"


def write(name, copies, steps, device, title, shared=False, strides=False, value=False):
    """The script. NotWritten when the call cannot be said in plain PyTorch. `shared`, `strides`, `value`: what
    differs is who shares a storage, or strides, or a value: it may be what was left in memory."""
    writer = _Writer(copies)
    writer.write_tensors()
    call = f"{name}({_arguments(writer, copies)})"
    changed = ", ".join(writer.names[id(view)] for view in copies.tensors())
    packed = any("zlib" in line for line in writer.lines)
    lines = [f"# {title}"]
    lines += ["import base64, zlib"] * packed
    lines += [f"{ONLY_BY_STEPS}; import torch; from torch import inf, nan", *load_lines(steps)]
    lines += ["def run(place):", *(f"    {line}" for line in _folded(writer.lines))]
    lines += [f"    {USED}"] * value
    lines += [
        "    try:",
        f"        values = torch.utils._pytree.tree_leaves(({call}, {changed}))",
        "        return [v.detach().cpu() if torch.is_tensor(v) else v for v in values"
        " if isinstance(v, (torch.Tensor, int, float, complex))]" + (" + " + SHARED) * shared,
        "    except Exception as error:",
        "        return type(error).__name__ + ': ' + str(error).split('\\n')[0]",
        f"cpu, device = run('cpu'), run({device!r})",
        "print('on the CPU:   ', cpu); print('on the device:', device, flush=True)",
        "if str in (type(cpu), type(device)): raise SystemExit(int(cpu != device))",
        f"torch.testing.assert_close(device, cpu, equal_nan=True, check_stride={strides})",
    ]
    return "\n".join(lines) + "\n"


def _folded(lines):
    """Many short lines share one, so that the whole stays short."""
    if len(lines) <= 5:
        return lines
    return ["; ".join(lines[at : at + 4]) for at in range(0, len(lines), 4)]
