# SPDX-License-Identifier: BSD-3-Clause
"""Whether a program that call_script.py wrote shows, alone and in a fresh process, what the second look saw.

    script_trial.py [--count N] [--seed S] RUN...     tries the programs of N failures drawn from runs

Ends with 0 when each of them shows the same. `ci/programs` makes runs for it.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

PROFILES = Path(__file__).resolve().parents[2] / "ci" / "targets"
SECONDS = 300  # importing torch takes a minute on a busy machine
LONGEST = 20  # lines


def environment_of(run):
    """The variables that the profile of the run sets for whoever loads the backend."""
    import yaml  # which whoever only wants `shows` need not have

    words = json.loads((run / "plan.json").read_text(encoding="utf-8"))["arguments"]
    options = dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)
    target = options.get("target", "fakedev")
    profile = Path(target) if target.endswith(".yaml") else PROFILES / f"{target}.yaml"
    told = yaml.safe_load(profile.read_text(encoding="utf-8")).get("env") or {}
    return {**os.environ, **{name: str(value) for name, value in told.items()}}


def shows(script, culprit, environment=None):
    """The same kind of difference, with the same type of exception where there is one."""
    if len(script.read_text().splitlines()) > LONGEST:
        return False
    try:
        run = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, errors="replace", timeout=SECONDS,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return culprit["kind"] == "died"
    if culprit["kind"] == "died":
        return run.returncode < 0 or "on the CPU" not in run.stdout
    if run.returncode != 1:
        return False
    if culprit["kind"] in ("value", "rounding", "alias", "strides"):
        return "AssertionError" in run.stderr
    device, cpu = (_error(_after(run.stdout, f"on the {where}:")) for where in ("device", "CPU"))
    if culprit["kind"] == "returned":  # what comes later, when the result is read, is another error
        return cpu == _error(culprit["on_cpu"]) != device
    return device == _error(culprit["on_device"]) and cpu == _error(culprit["on_cpu"])


def _after(text, label):
    found = re.search(rf"^{label} *(.*)", text, re.MULTILINE)
    return found[1] if found else ""


def _error(words):
    """The type of an exception, None when it is none."""
    found = re.match(r"(\w*(?:Error|Exception|Warning|Interrupt|Iteration)\w*):", words)
    return found[1] if found else None


def verdict_of(told):
    """Words on the program of one culprit; empty: alone it shows the same."""
    script = told.with_suffix(".py")
    if not script.exists():
        return "no program"
    lines = len(script.read_text().splitlines())
    if lines > LONGEST:
        return f"{lines} lines"
    environment = environment_of(told.parents[2])
    return "" if shows(script, json.loads(told.read_text()), environment) else "does not show it"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = sorted(told for run in options.runs for told in (run / "jobs").glob("*/culprit.json"))
    drawn = random.Random(options.seed).sample(found, min(options.count, len(found)))
    good = 0
    for told in drawn:
        words = verdict_of(told)
        good += not words
        if words:
            print(f"{told.parents[2].name}: {told.parent.name}: {words}", flush=True)
    print(f"{good} of {len(drawn)} programs show what the run saw; {len(found)} failures have a culprit")
    sys.exit(good < len(drawn) or not drawn)


if __name__ == "__main__":
    main()
