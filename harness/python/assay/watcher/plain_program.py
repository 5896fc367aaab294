# SPDX-License-Identifier: BSD-3-Clause
"""Writes one recorded call of an operator as a program in plain PyTorch with at most twenty lines.

The program makes the inputs, calls the operator on the CPU and on the device, and prints both results. The exit status
of the program is 1 if the results differ. If the call crashes or hangs, the program also crashes or hangs. The program
does not import assay. Called by reproducer.py for `assay watch`, and by the second look at a test of PyTorch
(suites/upstream/second_look.py).
"""

import base64
import zlib

import torch
from assay.values.judge import FACTOR, roundings_of
from assay.watcher.comparison import SHARING, STRIDES, VALUE, flat, inputs

FEW = 24  # largest number of values that are written out
INLINE_BYTES = 1 << 16  # size of a storage; a larger storage is read from the file of stored inputs, if that file exists
MOST_BYTES = 4 << 20
# A run sets this variable as well. Otherwise torch would also load the installed backend, which may differ from the
# backend in the load steps.
ONLY_BY_STEPS = "import os; os.environ['TORCH_DEVICE_BACKEND_AUTOLOAD'] = '0'"
LOAD_LINES = {
    "import": "import {0}",
    "import a file": "import importlib.util as u, sys; s = u.spec_from_file_location({2!r}, {0!r}); "
                     "m = sys.modules[s.name] = u.module_from_spec(s); s.loader.exec_module(m)",
    "call": "from {1} import {2} as load; load()",
    "exec": "exec({0!r})",
    "dlopen": "__import__('ctypes').CDLL({0!r}, mode={3})",
    "entry_point": "[e.load()() for e in __import__('importlib.metadata').metadata.entry_points(group={4!r}, name={0!r})]",
}
# A kernel that writes nothing returns old memory contents. This code fills the memory first, so that the old contents
# are never right by chance.
USED = "[torch.full((1 << n,), 7.0).to(place) for n in range(14)]  # memory has been used before"
# Terms of a sum can be larger than the sum, so the rounding error of the largest number is allowed for each number.
LARGEST = ("largest = max([0.0, *(v.double().abs().nan_to_num(0, 0, 0).max().item() for v in cpu"
           " if torch.is_tensor(v) and v.is_floating_point() and v.numel())])")
SHARED = ("[at for at, v in enumerate(values) for w in values[:at] if torch.is_tensor(v) and"
          " torch.is_tensor(w) and v.untyped_storage()._cdata == w.untyped_storage()._cdata]")


class NotWritten(Exception):
    """An argument of the call cannot be written in plain PyTorch."""


def load_line(kind, argument, extra=""):
    """The code line for one load step of the target."""
    module, _, name = argument.partition(":")
    kind = "import a file" if kind == "import" and "/" in argument else kind
    name = argument.rpartition("/")[2].split(".")[0] if kind == "import a file" else name
    return LOAD_LINES[kind].format(argument, module, name, int("global" in extra) * 256, extra or "torch.backends")


def limits_of(arguments, results=(), cpu_error=None):
    """The relative and the absolute tolerance of the program. The program cannot use the judge. The tolerance is the
    rounding error that the judge always allows, or a multiple of `cpu_error`, the CPU's own error relative to the
    largest number, if the judge measured it. If nothing measured it, the program allows a rounding error of the largest
    number, because the terms of a sum can be larger than the sum."""
    floats = [one for one in flat(results) or flat(arguments) if isinstance(one, torch.Tensor) and one.dtype.is_floating_point and one.numel()]
    if not floats:
        return 0.0, 0.0
    coarsest = max(floats, key=lambda one: torch.finfo(one.dtype).eps)
    terms = max((one.numel() for one in flat(arguments) if isinstance(one, torch.Tensor)), default=1) / coarsest.numel()
    info = torch.finfo(coarsest.dtype)
    own = FACTOR * cpu_error * coarsest.double().abs().nan_to_num(0, 0, 0).max().item() if cpu_error else 0.0
    return roundings_of(coarsest.dtype, terms), max(info.smallest_normal, own)


# ---- values ----------------------------------------------------------------------------------------


def _values(tensor):
    """An expression for a one-dimensional tensor on the CPU. For a meta tensor, only the form is known."""
    if tensor.is_meta:
        drawn = f"torch.randn({len(tensor)})" if tensor.dtype.is_floating_point or tensor.dtype.is_complex else f"torch.randint(0, 2, ({len(tensor)},))"
        return f"{drawn}.to({tensor.dtype})"
    if tensor.nbytes > MOST_BYTES:
        raise NotWritten(f"inputs of {tensor.nbytes} bytes")
    values = tensor.tolist()
    if values and len(values) <= FEW:
        text = f"torch.tensor({values}, dtype={tensor.dtype})"
        if _bytes(eval(text, {"torch": torch, "nan": float("nan"), "inf": float("inf")})) == _bytes(tensor):  # noqa: S307
            return text
    if not values:
        return f"torch.empty(0, dtype={tensor.dtype})"
    if _bytes(tensor[:1].repeat(len(values))) == _bytes(tensor):
        return f"torch.full(({len(values)},), {values[0]!r}, dtype={tensor.dtype})"
    packed = base64.b64encode(zlib.compress(_bytes(tensor), 9)).decode()
    return f"torch.frombuffer(bytearray(zlib.decompress(base64.b64decode('{packed}'))), dtype={tensor.dtype})"


def _bytes(tensor):
    return bytes(tensor.contiguous().view(torch.uint8).tolist())


# ---- arguments -------------------------------------------------------------------------------------


class _Writer:
    """Writes lines that create the tensors: one for each storage, and one for each view of a part."""

    def __init__(self, arguments, host, is_kept):
        self.lines, self.names, storages = [], {}, {}
        for number, tensor in enumerate(inputs(arguments)):
            plain = torch._neg_view(tensor) if tensor.is_neg() else tensor
            plain = plain.conj() if plain.is_conj() else plain
            storage, place = plain.untyped_storage(), "" if number in host else ".to(place)"
            key = storage._cdata, plain.dtype, place
            if key not in storages:
                storages[key] = f"s{len(storages)}"
                row = plain.as_strided((storage.nbytes() // plain.element_size(),), (1,), 0)
                is_read = is_kept and row.nbytes > INLINE_BYTES and not row.is_meta
                values = f"kept[{number}].as_strided(({len(row)},), (1,), 0)" if is_read else _values(row)
                self.lines.append(f"{storages[key]} = {values}{place}")
            self.names[id(tensor)] = f"x{number}"
            self.lines.append(f"x{number} = {self.view(tensor, plain, storages[key])}")

    def view(self, tensor, plain, name):
        text = f"{name}.as_strided({tuple(plain.shape)}, {plain.stride()}, {plain.storage_offset()})"
        text = f"{text}.conj()" if tensor.is_conj() else text
        return f"torch._neg_view({text})" if tensor.is_neg() else text

    def value(self, value):
        if isinstance(value, torch.Tensor):
            return self.names[id(value)]
        if isinstance(value, (tuple, list)):
            return f"[{', '.join(map(self.value, value))}]"
        if isinstance(value, torch.device):
            return "torch.device(place)"
        if value is None or isinstance(value, (bool, int, float, complex, str)):
            return repr(value)
        if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
            return str(value)
        raise NotWritten(f"an argument of type {type(value).__name__}")


# ---- the program -----------------------------------------------------------------------------------


def on_host(live):
    """The positions of the CPU tensors among the live arguments of a call."""
    return [number for number, one in enumerate(inputs(live)) if one.is_cpu]


def write(op, arguments, steps, title, differs=VALUE, host=(), limits=(0.0, 0.0), is_kept=False, of_largest=0.0):
    """The text of the program. `arguments` is a pair of a list and a dict with copies on the CPU or meta tensors.
    `differs` is a kind of difference that the program tests in addition to values. `host` and `limits` are results of
    on_host() and limits_of(). `of_largest` times the largest number is allowed as well. If `is_kept` is set, the inputs are in a file of the same name with the suffix .pt."""
    (arguments, named), is_form = arguments, any(one.is_meta for one in inputs(arguments))
    writer = _Writer((arguments, named), host, is_kept)
    given = [*map(writer.value, arguments), *(f"{name}={writer.value(one)}" for name, one in named.items())]
    changed = ", ".join(writer.names.values())
    packed = any("zlib" in line for line in writer.lines)
    lines = [f"# {title}"]
    lines += [f"{ONLY_BY_STEPS}; import {'base64, zlib, ' * packed}torch; from torch import inf, nan"]
    lines += ["; ".join(load_line(*step) for step in steps)] if steps else []
    if any("kept[" in line for line in writer.lines):
        lines += ["kept = torch.load(__file__.removesuffix('.py') + '.pt', weights_only=False)['tensors']"]
    lines += ["def run(place):", *["    torch.manual_seed(0)"] * is_form, *(f"    {line}" for line in _folded(writer.lines))]
    lines += [f"    {USED}"] * (differs == VALUE)
    lines += [
        "    try:",
        f"        values = torch.utils._pytree.tree_leaves((torch.ops.{op}({', '.join(given)}), {changed}))",
        "        return [v.detach().cpu() if torch.is_tensor(v) else v for v in values"
        " if isinstance(v, (torch.Tensor, int, float, complex))]" + (" + " + SHARED) * (differs == SHARING),
        "    except Exception as error:",
        "        return type(error).__name__ + ': ' + str(error).split('\\n')[0]",
        "cpu, device = run('cpu'), run(torch._C._get_privateuse1_backend_name())",
        "print('on the CPU:   ', cpu); print('on the device:', device, flush=True)" + f"; {LARGEST}" * bool(of_largest),
        "if str in (type(cpu), type(device)): raise SystemExit(int(cpu != device))",
        "try: torch.testing.assert_close(device, cpu, rtol={:.3g}, atol={:.3g}{}, equal_nan=True, check_stride={})".format(
            *limits, f" + {of_largest:.3g} * largest" * bool(of_largest), differs == STRIDES),
        "except AssertionError as error: print(error); raise SystemExit(1)",
    ]
    return "\n".join(lines) + "\n"


def _folded(lines):
    """Joins short lines, so that the program stays short."""
    at_most = max(1, -(-len(lines) // 5))
    return ["; ".join(lines[at : at + at_most]) for at in range(0, len(lines), at_most)]
