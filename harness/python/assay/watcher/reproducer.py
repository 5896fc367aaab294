# SPDX-License-Identifier: BSD-3-Clause
"""Writes a reproducer for each operator for which a watch stored a call (plain_program.py).

If the process died in a call, only the form of the call is known: shapes, strides, dtypes and numbers. The reproducer
then creates inputs of that form from a seed. Called by assay/watcher/__main__.py and block.py after the watched
program has ended.
"""

import json
from pathlib import Path

import torch
from assay import files
from assay.watcher import plain_program
from assay.watcher.comparison import flat, inputs

OF_A_FORM = ". The process ended in this call: these inputs have the same form, with values from a seed"


def keep(path, op, one):
    """Stores a compared call for write()."""
    given, limits = one.before, plain_program.limits_of(one.before, one.results_seen(), one.cpu_worst)
    torch.save({"operator": op, "arguments": given, "tensors": inputs(given), "host": plain_program.on_host(one.live), "differs": one.differs,
                "limits": limits, "of_largest": limits[0] if is_far(one, limits) else 0.0}, path)


def is_far(one, limits):
    """True if some result is wrong by more than the rounding error of the largest number. Otherwise the reproducer must
    not allow this error."""
    seen = one.results_seen()
    if not seen:
        return True
    pairs = [pair for pair in zip(flat(seen), flat(one.again(one.before)[0]), strict=False)
             if all(isinstance(each, torch.Tensor) and each.is_floating_point() and each.numel() for each in pair) and pair[0].shape == pair[1].shape]
    return any((mine.double() - cpu.double()).abs().nan_to_num(0, 0, 0).max() > limits[1] + 2 * limits[0] * cpu.double().abs().nan_to_num(0, 0, 0).max()
               for mine, cpu in pairs)


def write(folder, request, document):
    """Writes one reproducer for each operator with a stored call."""
    for row in document["operators"]:
        if row["reproducer"]:
            path = Path(folder, row["reproducer"])
            files.write_inside(path.with_suffix(".py"), _program(path, row, request))


def _program(path, row, request):
    is_form = path.suffix == ".json"
    kept = of_a_form(json.loads(path.read_text(encoding="utf-8"))) if is_form else torch.load(path, weights_only=False)
    title = f"{row['name']}, as {row['where'] or 'a program'} called it, on the CPU and on {request['target']}" + OF_A_FORM * is_form
    try:
        return plain_program.write(row["name"], kept["arguments"], request["steps"], title, kept["differs"], kept["host"],
                                   kept["limits"], is_kept=not is_form, of_largest=kept["of_largest"])
    except plain_program.NotWritten as reason:
        return f"# {title}\nraise SystemExit({f'no program can be written: {reason}; the inputs are in {path.name}'!r})\n"


def of_a_form(form):
    """Returns the data in the form that keep() stores, with meta tensors as inputs."""
    made = [_made(one) for one in form["arguments"]], {name: _made(one) for name, one in form["named"].items()}
    host = [number for number, one in enumerate(inputs(made)) if one.is_on_host]
    limits = plain_program.limits_of(made)
    return {"arguments": made, "host": host, "differs": plain_program.VALUE, "limits": limits, "of_largest": limits[0]}


def _made(form):
    if isinstance(form, list):
        return [_made(one) for one in form]
    if not isinstance(form, dict):
        return form
    if "tensor" in form:
        made = torch.empty_strided(form["shape"], form["strides"], dtype=getattr(torch, form["tensor"]), device="meta")
        made.is_on_host = form["device"] == "cpu"
        return made
    if "number" in form:
        number = complex(form["number"].strip("()"))
        return number if "j" in form["number"] else number.real
    return torch.device(form["device"]) if "device" in form else getattr(torch, form["word"].removeprefix("torch."))
