# SPDX-License-Identifier: BSD-3-Clause
"""Beside the inputs that were kept of a wrong call: a program that shows it, and needs nothing of ours but load_steps.py.

Called by watch.py.
"""

import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPRODUCER = '''# {op}, as {line} called it: once more on the CPU and on {target}.
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import torch
import load_steps

for step in {steps!r}:
    load_steps.run(*step)
kept = torch.load(HERE / {file!r}, weights_only=False)
library, name, overload = kept["operator"].split(".")
function = getattr(getattr(getattr(torch.ops, library), name), overload)
device = torch.device(torch._C._get_privateuse1_backend_name())


def called(place):
    """The results, and what is left of the inputs, on the CPU."""
    def there(leaf):
        return leaf.detach().clone().to(place) if isinstance(leaf, torch.Tensor) else \\
            torch.device(place) if isinstance(leaf, torch.device) else leaf

    arguments, named = torch.utils._pytree.tree_map(there, kept["arguments"])
    result = function(*arguments, **named)
    leaves = torch.utils._pytree.tree_leaves((result, arguments, named))
    return [leaf.detach().cpu() for leaf in leaves if isinstance(leaf, torch.Tensor)]


wrong = 0
for number, (seen, wanted) in enumerate(zip(called(device), called("cpu"), strict=True)):
    off = torch.where(seen == wanted, 0, (seen.double() - wanted.double()).abs()) if not wanted.is_complex() else \\
        (seen - wanted).abs()
    print(f"tensor {{number}} {{tuple(wanted.shape)}}: off by at most {{off.nan_to_num(float('inf')).max().item() if off.numel() else 0:.3g}}")
    wrong |= not torch.allclose(seen, wanted, equal_nan=True) if wanted.is_floating_point() or wanted.is_complex() \\
        else not torch.equal(seen, wanted)
print(kept["operator"], "differs" if wrong else "does not differ")
sys.exit(bool(wrong))
'''


def write(folder, request, document):
    """One for each operator of which inputs were kept."""
    for row in document["operators"]:
        if not row["reproducer"]:
            continue
        shutil.copy(HERE / "load_steps.py", folder)
        Path(folder, row["reproducer"]).with_suffix(".py").write_text(REPRODUCER.format(
            op=row["name"], line=row["where"] or "a program", target=request["target"], steps=request["steps"],
            file=row["reproducer"]))
