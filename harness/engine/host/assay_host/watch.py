# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay_host.watch REQUEST COMMAND...: runs a program under watch and says what its operators did.

REQUEST is a JSON file: the target's name, its load steps, the folder for what is found, `all` and `format`. The program
is a process of its own; each Python in it is watched from within (watch_site.py, watch_mode.py). Exit status: 0 nothing
wrong, 1 an operator was wrong, 2 the program did not end well and nothing wrong was seen.
"""

import collections
import json
import os
import shutil
import signal
import subprocess
import sys
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


# ---- the program ---------------------------------------------------------------------------------------


def run(command, folder, everything):
    """The exit status of the program, as a shell says it. Signals that end us are for the program."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    shutil.copy(HERE / "watch_site.py", site / "sitecustomize.py")
    path = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "ASSAY_WATCH": str(folder)}
    if everything:
        environment["ASSAY_WATCH_ALL"] = "1"
    try:
        program = subprocess.Popen(command, env=environment)
    except OSError as error:
        print(f"assay: cannot start {command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: program.send_signal(got))
    status = program.wait()
    return 128 - status if status < 0 else status


# ---- what was found ---------------------------------------------------------------------------------------


def records(folder):
    """Of all processes, in the order in which they began; the last line of one that was killed may be cut."""
    for path in sorted(Path(folder).glob("process-*.jsonl"), key=lambda one: one.stat().st_ctime):
        with path.open(encoding="utf-8") as file:
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    continue


def summed(folder, command, status):
    """The document: assay/watch/1."""
    operators, reasons, first = {}, collections.Counter(), None
    for one in records(folder):
        row = operators.setdefault(one["op"], {"name": one["op"], "calls": 0, "kinds": set(), "compared": 0, "wrong": 0,
                                               "worst": None, "where": ""})
        row["calls"] += 1
        row["kinds"].add(one["call"])
        if "uncompared" in one:
            reasons[one["uncompared"]] += 1
            continue
        row["compared"] += 1
        if one["worst"] is not None:
            row["worst"] = max(row["worst"] or 0.0, one["worst"])
        if one["wrong"]:
            row["wrong"] += 1
            row["where"] = row["where"] or one["line"]
            first = first or {key: one.get(key, "") for key in ("op", "wrong", "line", "module", "backward", "reproducer")}
    for row in operators.values():
        row["kinds"] = len(row["kinds"])
    rows = sorted(operators.values(), key=lambda row: (-row["wrong"], -row["calls"], row["name"]))
    return {"schema": "assay/watch/1", "command": command, "exit": status, "operators": rows,
            "uncompared": [{"reason": reason, "calls": calls} for reason, calls in reasons.most_common()], "first": first}


def write_reproducers(folder, request):
    """Beside the inputs that were kept: a program that needs nothing of ours but load_steps.py."""
    lines = {one["op"]: one["line"] for one in reversed(list(records(folder))) if one.get("wrong")}
    for path in Path(folder).glob("*.pt"):
        op = next((op for op in lines if op.replace(".", "_") == path.stem), None)
        if op:
            shutil.copy(HERE / "load_steps.py", folder)
            path.with_suffix(".py").write_text(REPRODUCER.format(
                op=op, line=lines[op] or "a program", target=request["target"], steps=request["steps"], file=path.name))


# ---- words -------------------------------------------------------------------------------------------------


def verdict(document):
    compared, wrong = (sum(row[key] for row in document["operators"]) for key in ("compared", "wrong"))
    names = [row["name"] for row in document["operators"] if row["wrong"]]
    if names:
        return f"wrong: {len(names)} of {len(document['operators'])} operators, {wrong} of {compared} compared calls"
    if not compared:
        return "nothing was compared: no operator reached the device"
    return f"right: {compared} calls of {len(document['operators'])} operators compared"


def text(document, folder):
    yield verdict(document) + (f"; the program ended with status {document['exit']}" if document["exit"] else "")
    first = document["first"]
    if first:
        yield ""
        yield f"first wrong: {first['op']}{' in backward, its forward' if first['backward'] else ''} at {first['line']}"
        if first["module"]:
            yield f"  module      {first['module']}"
        yield f"  seen        {first['wrong']}"
        if first["reproducer"]:
            yield f"  reproducer  {Path(folder, first['reproducer']).with_suffix('.py')}"
    yield ""
    yield f"{'operator':44} {'calls':>7} {'kinds':>6} {'compared':>8} {'wrong':>6} {'worst':>9}"
    for row in document["operators"]:
        worst = "" if row["worst"] is None else f"{row['worst']:.1e}"
        yield f"{row['name'][:44]:44} {row['calls']:7} {row['kinds']:6} {row['compared']:8} {row['wrong']:6} {worst:>9}"
    for one in document["uncompared"]:
        yield f"not compared: {one['calls']} calls, {one['reason']}"


def main(arguments):
    request = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    command, folder = arguments[1:], Path(request["folder"])
    status = run(command, folder, request["all"])
    document = summed(folder, command, status)
    write_reproducers(folder, request)
    (folder / "watch.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if request["format"] == "json":
        print(json.dumps(document, indent=1))
    else:
        print("\n".join(text(document, folder)), flush=True)
    return 1 if document["first"] else 2 if status else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
