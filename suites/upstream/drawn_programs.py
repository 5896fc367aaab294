# SPDX-License-Identifier: BSD-3-Clause
"""Samples failing tests of `assay run --upstream` and runs the program of each alone. The program must show the failure
of the run, without assay and without the test, in at most 20 lines. The exit status is 0 if every program shows its
failure.

    ci/programs [--count N] [--seed S] [RUN...]

Without RUN, the script runs our own tests on the fake device with a fault and on a backend of the fleet.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import yaml
from suites.upstream import causes

ROOT = Path(__file__).resolve().parents[2]
FAULTS = ("ops.zero_does_nothing",)
FLEET = ("few_operators",)
PROGRAMS = ROOT / "build/programs"
SELECT = "upstream.test_arithmetic.*float*,upstream.test_arithmetic.*complex64*,upstream.test_products.*"
WORDS = ("--upstream", "suites/upstream/testdata/own", "--select", SELECT, "--isolation", "fork-loaded", "--timeout-scale", "0.3",
         "--plain", "--quiet")


def made_runs():
    """Starts a run. Failures of tests are expected, so only a run that could not start is an error."""
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    PROGRAMS.mkdir(parents=True)
    profiles = {name: ROOT / f"build/fleet/{name}/profile.yaml" for name in FLEET}
    plain = (ROOT / "ci/targets/fakedev_faulty.yaml").read_text(encoding="utf-8")
    for fault in FAULTS:  # set in the environment, so that the programs that run alone get the settings, too
        profiles[fault] = PROGRAMS / f"{fault}.yaml"
        profiles[fault].write_text(plain.replace("\nenv: {", f"\nenv: {{FAKEDEV_FAULT: {fault}, "), encoding="utf-8")
    for name, profile in profiles.items():
        ran = subprocess.run(["build/bin/assay", "run", *WORDS, "--target", profile, "--out", PROGRAMS / name], cwd=ROOT)
        if ran.returncode > 2:
            sys.exit(ran.returncode)
    return [PROGRAMS / name for name in profiles]


def environment_of(run):
    """The environment with the variables that the profile of the run sets for processes that load the backend."""
    words = json.loads((run / "plan.json").read_text(encoding="utf-8"))["arguments"]
    options = dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)
    target = options.get("target", "fakedev")
    profile = Path(target) if target.endswith(".yaml") else ROOT / f"ci/targets/{target}.yaml"
    told = yaml.safe_load(profile.read_text(encoding="utf-8")).get("env") or {}
    return {**os.environ, **{name: str(value) for name, value in told.items()}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = sorted(told for run in options.runs or made_runs() for told in (run / "jobs").glob("*/culprit.json"))
    drawn = random.Random(options.seed).sample(found, min(options.count, len(found)))
    good = 0
    for told in drawn:
        words = causes.why_not_shown(told.with_suffix(".py"), json.loads(told.read_text()), environment_of(told.parents[2]))
        good += not words
        if words:
            print(f"{told.parents[2].name}: {told.parent.name}: {words}", flush=True)
    print(f"{good} of {len(drawn)} programs show what the run saw; {len(found)} failures have a culprit")
    sys.exit(good < len(drawn) or not drawn)


if __name__ == "__main__":
    main()
