# SPDX-License-Identifier: BSD-3-Clause
"""Builds each step of the guide and runs all checks on it.

    python step_runs.py FOLDER      builds every step in FOLDER and runs the checks; exits with 1 unless each step makes
                                    checks pass, no step breaks one, and the last step reaches the stage that the guide promises

All steps are built in one folder, so that each step compiles only the files that it changes. The run of a step stays in
FOLDER/STEP and is reused until its folder is removed. The steps use the torch of the interpreter that runs this script.
ASSAY_PROGRAM, else ASSAY_BUILD, names the assay program.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from guide_steps import files_after, read_steps
from scratch_build import compile_in, write_changed

GREEN = {"pass", "noted", "flaky", "slow"}  # flaky and slow checks passed when they ran alone or with more time
NOT_WRONG = {"skip", "fallback"}  # a check of a refusal is skipped once the feature exists
UNSEEN = "unobservable"
ENOUGH, DEVICES = ("training", "complete"), 2  # the stage after the last step
PATIENCE = "8"  # factor for each deadline, because the machine may run other work


# ---- backends


def interpreter(place):
    """Creates an environment that contains this one's torch and the backend, and no other backend."""
    python = place / "venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "venv"], check=True)
        site = next((place / "venv/lib").glob("python*/site-packages"))
        packages = [path for path in sys.path if Path(path).name in ("site-packages", "packages")]
        (site / "seen.pth").write_text("\n".join([*packages, str(place / "tree"), ""]))
    return python


def tell_of_entry_point(tree):
    """Writes metadata beside the package as pip does, so that `import torch` finds it."""
    known = tree / "torch_foo-0.1.0.dist-info"
    known.mkdir(exist_ok=True)
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_foo\nVersion: 0.1.0\n")
    (known / "entry_points.txt").write_text("[torch.backends]\ntorch_foo = torch_foo:_autoload\n")


def build(place, steps):
    """Builds the backend after these steps, and compiles the files that the last step changes."""
    write_changed(place / "tree", files_after(steps).items())
    compile_in(place / "tree")
    tell_of_entry_point(place / "tree")


# ---- verdicts


def assay(*words, **given):
    program = os.environ.get("ASSAY_PROGRAM") or Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
    return subprocess.run([program, *words], **given)


def read_report(run):
    return json.loads(assay("report", run, "--format", "json", capture_output=True, text=True, check=True).stdout)


def read_verdicts(run):
    return {check["id"]: check["verdict"] for check in read_report(run)["checks"]}


def ask(place, name, checks=()):
    """The verdicts of these checks, or of all if none are named, on the backend that was built last."""
    run = place / name
    shutil.rmtree(run, ignore_errors=True)
    select = ["--select", " ".join(checks)] if checks else []
    # In this tree's tests, PYTHONPATH contains the fake device, which would be a second backend.
    told = assay("run", "--target", place / "tree/ci/foo.yaml", "--out", run, "--quiet", "--isolation", "fork-loaded",
                 "--timeout-scale", PATIENCE, *select, stdout=sys.stderr,
                 env=os.environ | {"ASSAY_PYTHON": str(interpreter(place)), "PYTHONPATH": ""})
    if told.returncode not in (0, 1, 2):
        raise SystemExit(f"step_runs: assay run ended with {told.returncode}")
    return read_verdicts(run)


def is_whole(run):
    journal = run / "journal.jsonl"
    return journal.exists() and '"event":"finish"' in journal.read_text(encoding="utf-8").splitlines()[-1]


def verdicts_of(place, steps):
    """Builds the backend and runs the checks, unless a run exists."""
    name = steps[-1].name
    if is_whole(place / name):
        return read_verdicts(place / name)
    build(place, steps)
    return ask(place, name)


# ---- changes of a step


def seen_so_far(before, found):
    """The verdicts after a step. If a check passed before and is unobservable now, it still counts as passed."""
    return {check: before[check] if verdict == UNSEEN and before.get(check) in GREEN else verdict for check, verdict in found.items()}


def green_since(before, after):
    """Checks that pass after a step but not before the step."""
    return sorted(check for check, verdict in after.items() if verdict in GREEN and before.get(check) not in GREEN)


def broken_by(step, before, after):
    """Checks that passed before a step and fail after it."""
    return [f"{step}: {check} was {before[check]} and is {verdict}" for check, verdict in sorted(after.items())
            if before.get(check) in GREEN and verdict not in GREEN | NOT_WRONG]


def walk(place):
    """Yields each step with the verdicts before and after it."""
    before, steps = {}, read_steps()
    for number, step in enumerate(steps, 1):
        after = seen_so_far(before, verdicts_of(place, steps[:number]))
        yield step.name, before, after
        before = after


def complaints(place):
    wrong = []
    for step, before, after in walk(place):
        wrong += broken_by(step, before, after)
        if not green_since(before, after):
            wrong.append(f"{step}: no check passes that did not pass before")
    run = read_report(place / step)["run"]
    if (run["stage"], run["devices"]) not in ((stage, DEVICES) for stage in ENOUGH):
        wrong.append(f"after the last step {run['devices']} devices have reached the stage {run['stage']}")
    return wrong


def main(words):
    if len(words) != 1:
        print("step_runs: give a FOLDER", file=sys.stderr)
        return 64
    place = Path(words[0]).resolve()
    place.mkdir(parents=True, exist_ok=True)
    wrong = complaints(place)
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
