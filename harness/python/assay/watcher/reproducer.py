# SPDX-License-Identifier: BSD-3-Clause
"""Beside the inputs that were kept of a wrong call: a program that shows it, and needs nothing of ours but load_steps.py.

Of a call in which the process ended nothing but its form is left: shapes, strides, dtypes and numbers. The program makes
inputs of that form, from a seed, in a process of its own. Called by watch.py.
"""

import shutil
from pathlib import Path

from assay.host import load_steps

BEGIN = '''# {op}, as {line} called it: once more on the CPU and on {target}.{how}
import json
import subprocess
import sys
from pathlib import Path

import torch
import load_steps  # beside this program

HERE = Path(__file__).resolve().parent
for step in {steps!r}:
    load_steps.run(*step)
device = torch.device(torch._C._get_privateuse1_backend_name())


def operator(words):
    library, name, overload = words.split(".")
    return getattr(getattr(getattr(torch.ops, library), name), overload)


def called(place, function, given):
    """The results, and what is left of the inputs, on the CPU."""
    def there(leaf):
        return leaf.detach().clone().to(place) if isinstance(leaf, torch.Tensor) else \\
            torch.device(place) if isinstance(leaf, torch.device) else leaf

    arguments, named = torch.utils._pytree.tree_map(there, given)
    result = function(*arguments, **named)
    leaves = torch.utils._pytree.tree_leaves((result, arguments, named))
    return [leaf.detach().cpu() for leaf in leaves if isinstance(leaf, torch.Tensor)]


'''
OF_VALUES = BEGIN + '''kept = torch.load(HERE / {file!r}, weights_only=False)
function = operator(kept["operator"])
try:
    seen = called(device, function, kept["arguments"])
except Exception as error:
    called("cpu", function, kept["arguments"])
    sys.exit(f"{{kept['operator']}} raises, the CPU does not: {{error}}")
wrong = 0
for number, (seen, wanted) in enumerate(zip(seen, called("cpu", function, kept["arguments"]), strict=True)):
    off = torch.where(seen == wanted, 0, (seen.double() - wanted.double()).abs()) if not wanted.is_complex() else \\
        (seen - wanted).abs()
    print(f"tensor {{number}} {{tuple(wanted.shape)}}: off by at most {{off.nan_to_num(float('inf')).max().item() if off.numel() else 0:.3g}}")
    wrong |= not torch.allclose(seen, wanted, equal_nan=True) if wanted.is_floating_point() or wanted.is_complex() \\
        else not torch.equal(seen, wanted)
print(kept["operator"], "differs" if wrong else "does not differ")
sys.exit(bool(wrong))
'''
THEIR_VALUES = '''
# The process ended in the call: its inputs are gone. These have their form, and values of a seed; numbers beside tensors are
# those of the first call of that form.'''
OF_A_FORM = BEGIN + '''def made(form):
    if isinstance(form, list):
        return [made(one) for one in form]
    if not isinstance(form, dict):
        return form
    if "tensor" in form:
        dtype = getattr(torch, form["tensor"])
        one = torch.randn(form["shape"]) if dtype.is_floating_point or dtype.is_complex else torch.randint(0, 2, form["shape"])
        strides = form["strides"]
        room = 1 + sum((size - 1) * stride for size, stride in zip(form["shape"], strides)) if one.numel() else 0
        laid = torch.zeros(room, dtype=dtype).as_strided(form["shape"], strides)
        laid = laid.copy_(one) if torch._debug_has_internal_overlap(laid) == 0 else laid
        return laid.to(device).as_strided(form["shape"], strides) if form["device"] != "cpu" else laid
    if "number" in form:
        number = complex(form["number"].strip("()"))
        return number if "j" in form["number"] else number.real
    if "device" in form:
        return torch.device(device.type if form["device"] != "cpu" else "cpu")
    return getattr(torch, form["word"].removeprefix("torch."))


form = json.loads((HERE / {file!r}).read_text())
if sys.argv[1:] == ["once"]:
    torch.manual_seed(0)
    function = operator(form["op"])
    result = function(*made(form["arguments"]), **{{name: made(one) for name, one in form["named"].items()}})
    for leaf in torch.utils._pytree.tree_leaves(result):
        leaf.cpu() if isinstance(leaf, torch.Tensor) else None
    sys.exit(0)
try:
    status = subprocess.run([sys.executable, __file__, "once"], timeout=300).returncode
except subprocess.TimeoutExpired:
    sys.exit("{op}: on {target} the process of this call does not end within five minutes")
print(form["op"], f"ends its process by signal {{-status}}" if status < 0 else f"ended with status {{status}}")
sys.exit(status not in (0, 1))  # 1: an exception, as values that were made may raise
'''


def write(folder, request, document):
    """One for each operator of which something was kept."""
    for row in document["operators"]:
        if not row["reproducer"]:
            continue
        shutil.copy(load_steps.__file__, folder)
        is_form = row["reproducer"].endswith(".json")
        Path(folder, row["reproducer"]).with_suffix(".py").write_text((OF_A_FORM if is_form else OF_VALUES).format(
            op=row["name"], line=row["where"] or "a program", target=request["target"], steps=request["steps"],
            file=row["reproducer"], how=THEIR_VALUES if is_form else ""))
