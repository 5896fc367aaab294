# SPDX-License-Identifier: BSD-3-Clause
"""Whether a program that call_script.py wrote shows, alone and in a fresh process, what the second look saw.

    script_trial.py RUN COUNT SEED     tries the programs of COUNT tests drawn from a run
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

SECONDS = 300  # importing torch takes a minute on a busy machine
LONGEST = 20  # lines


def shows(script, culprit):
    """The same kind of difference, with the same type of exception where there is one."""
    if len(script.read_text().splitlines()) > LONGEST:
        return False
    try:
        run = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, errors="replace", timeout=SECONDS
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


def main():
    run, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    found = sorted((run / "jobs").glob("*/culprit.json"))
    drawn = random.Random(seed).sample(found, min(count, len(found)))
    good = 0
    for told in drawn:
        script = told.with_suffix(".py")
        held = script.exists() and shows(script, json.loads(told.read_text()))
        good += held
        if not held:
            print(f"{told.parent.name}: {'does not show it' if script.exists() else 'no program'}")
    print(f"{good} of {len(drawn)}")


if __name__ == "__main__":
    main()
