# SPDX-License-Identifier: BSD-3-Clause
"""Which checks turn green with a step of the guide: not green the step before, green from here on.

    python step_turns.py write FOLDER            builds every step in FOLDER, asks, and writes turns.tsv
    python step_turns.py hold FOLDER             the same, but exits with 1 unless turns.tsv says exactly that
    python step_turns.py hold FOLDER STEP...     these steps and the ones before them, asked only what they promise

All steps are built in one folder, so that each compiles what it touches; what a step was asked stays in FOLDER/STEP
and is not asked again, unless its folder is removed. The torch is that of the interpreter which runs this; ASSAY_PROGRAM, else
ASSAY_BUILD, names the assay.
"""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from guide_steps import files_after, read_steps
from scratch_build import compile_in, write_changed
from turns_table import (
    GREEN, UNSEEN, broken_by, differences, green_with, observed, read_turns, seen_so_far, turns_between, write_turns)

TORCH = importlib.metadata.version("torch")
ENOUGH, DEVICES = ("training", "complete"), 2  # where the last step leads
PATIENCE = "8"  # times each deadline: the machine may have other work


# ---- backends


def interpreter(place):
    """An environment that sees this one's torch and the backend, and no other backend."""
    python = place / "venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "venv"], check=True)
        site = next((place / "venv/lib").glob("python*/site-packages"))
        packages = [path for path in sys.path if Path(path).name in ("site-packages", "packages")]
        (site / "seen.pth").write_text("\n".join([*packages, str(place / "tree"), ""]))
    return python


def tell_of_entry_point(tree):
    """Metadata as pip would leave it beside the package, so that `import torch` finds it."""
    known = tree / "torch_foo-0.1.0.dist-info"
    known.mkdir(exist_ok=True)
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_foo\nVersion: 0.1.0\n")
    (known / "entry_points.txt").write_text("[torch.backends]\ntorch_foo = torch_foo:_autoload\n")


def build(place, steps):
    """The backend as it is after these steps; what the last of them touches is compiled."""
    write_changed(place / "tree", files_after(steps).items())
    compile_in(place / "tree")
    tell_of_entry_point(place / "tree")


# ---- what the checks say


def assay(*words, **given):
    program = os.environ.get("ASSAY_PROGRAM") or Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
    return subprocess.run([program, *words], **given)


def read_report(run):
    return json.loads(assay("report", run, "--format", "json", capture_output=True, text=True, check=True).stdout)


def read_verdicts(run):
    return {check["id"]: check["verdict"] for check in read_report(run)["checks"]}


def ask(place, name, checks=()):
    """The verdicts of these checks, or of all where none are named, on the backend that was built last."""
    run = place / name
    shutil.rmtree(run, ignore_errors=True)
    select = ["--select", " ".join(checks)] if checks else []
    # Where the tests of this tree are run, PYTHONPATH leads to the fake device, which would come as a second backend.
    told = assay("run", "--target", place / "tree/ci/foo.yaml", "--out", run, "--quiet", "--isolation", "fork-loaded",
                 "--timeout-scale", PATIENCE, *select, stdout=sys.stderr,
                 env=os.environ | {"ASSAY_PYTHON": str(interpreter(place)), "PYTHONPATH": ""})
    if told.returncode not in (0, 1, 2):
        raise SystemExit(f"step_turns: assay run ended with {told.returncode}")
    return read_verdicts(run)


def is_whole(run):
    journal = run / "journal.jsonl"
    return journal.exists() and '"event":"finish"' in journal.read_text(encoding="utf-8").splitlines()[-1]


def verdicts_of(place, steps):
    """Built and asked, unless that was done before."""
    name = steps[-1].name
    if is_whole(place / name):
        return read_verdicts(place / name)
    build(place, steps)
    return ask(place, name)


# ---- commands


def walk(place):
    """Each step with the verdicts before and after it."""
    before, steps = {}, read_steps()
    for number, step in enumerate(steps, 1):
        after = seen_so_far(before, verdicts_of(place, steps[:number]))
        yield step.name, before, after
        before = after


def write_table(place):
    found, asked = [], set()
    for step, before, after in walk(place):
        found += turns_between(step, before, after)
        asked |= after.keys()
    write_turns(found, asked, TORCH, [step.name for step in read_steps()])
    return []


def hold_all(place):
    told, wrong, unseen = read_turns(TORCH), [], set()
    for step, before, after in walk(place):
        promised = set(green_with(step, told))
        unseen |= {check for check, verdict in after.items() if verdict == UNSEEN and check in promised}
        asked = [row for row in told if row[1] in after]
        wrong += differences(step, observed(asked, unseen), observed(turns_between(step, before, after), unseen))
        wrong += broken_by(step, before, after)
    run = read_report(place / step)["run"]
    if (run["stage"], run["devices"]) not in ((stage, DEVICES) for stage in ENOUGH):
        wrong.append(f"after the last step {run['devices']} devices have reached the stage {run['stage']}")
    return wrong


def hold_some(place, names):
    """Of each step what it promises: not green without it, green with it."""
    told, wrong, steps = read_turns(TORCH), [], read_steps()
    for number, step in enumerate(steps, 1):
        if step.name not in names:
            continue
        checks = green_with(step.name, told)
        if not checks:
            wrong.append(f"{step.name}: turns.tsv promises nothing")
            continue
        for count in (number - 1, number):
            if not count:
                continue
            build(place, steps[:count])
            verdicts = ask(place, f"{step.name}-{'with' if count == number else 'without'}", checks)
            wrong += [f"{step.name}: {check} is {verdicts[check]} after {steps[count - 1].name}" for check in checks
                      if check in verdicts and (verdicts[check] in GREEN) != (count == number)]
    return wrong


def main(words):
    if len(words) < 2 or words[0] not in ("write", "hold"):
        print("step_turns: write FOLDER, or hold FOLDER [STEP]...", file=sys.stderr)
        return 64
    place = Path(words[1]).resolve()
    place.mkdir(parents=True, exist_ok=True)
    if words[0] == "write":
        wrong = write_table(place)
    else:
        wrong = hold_some(place, words[2:]) if words[2:] else hold_all(place)
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
