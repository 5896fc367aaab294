# SPDX-License-Identifier: BSD-3-Clause
"""Bisects losses that have no result yet, within a time limit. Called by the nightly workflow.

  assay dashboard losses --db history.db > losses.json
  bisect_losses.py --losses losses.json --out FOLDER [--repository .] [--minutes 60]

FOLDER receives <key>.json, the output of assay bisect --format json. tell_losses.py --bisected reads it, and a key
with a file is not bisected again. If the revision of the backend changed between the last good night and the first bad
night, the bisection runs along revisions; if the version of torch changed, along versions; if both changed, along both.
A bisection that runs out of time continues the next night (FOLDER/state).

bisect_build and bisect_run build and test a point. Exit status: 0 done or out of time, 65 an input is wrong."""

import argparse
import contextlib
import datetime
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
from tell_losses import WrongInput, read_losses

MOST = 5  # losses per night
DAYS_MOST = 60  # PyTorch's index keeps this many nightly builds
NIGHTLY = re.compile(r"(.+\.dev)(\d{8})")


def versions_between(good, bad):
    """Versions of torch from good to bad. For nightly builds these are all days. A day without a wheel does not build
    and is skipped."""
    ends = [NIGHTLY.fullmatch(version) for version in (good, bad)]
    if not all(ends):
        return [good, bad]
    first, last = (datetime.datetime.strptime(end[2], "%Y%m%d").date() for end in ends)
    between = range(1, min((last - first).days, DAYS_MOST))
    names = dict.fromkeys(end[1] for end in ends)
    return [good, *(f"{name}{first + datetime.timedelta(day):%Y%m%d}" for day in between for name in names), bad]


def plain(version):
    """The version without pip's local part: 2.14.0+cpu becomes 2.14.0."""
    return str(version).partition("+")[0]


def shown_best(loss):
    """Returns the first occurrence that passed before and is not flaky, or None."""
    found = (one for one in loss["shown_by"] if one["before"] and not one["flaky"])
    return next((one for one in found if re.fullmatch(r"[\w.\[\]-]+", one["check"])), None)


def is_known(loss, out):
    """True if the loss has a result. If a cause disappeared and returned, its first night is another night, so the loss
    is new."""
    path, shown = out / f"{loss['key']}.json", shown_best(loss)
    return shown is None or path.exists() and json.loads(path.read_text()).get("first") == shown["first"]


def question_of(loss, shown, repository, folder):
    """Options of assay bisect, and variables for both programs; None if neither the backend nor torch changed."""
    good, bad = shown["before"], shown["first"]
    ends, options = [], []
    if good["backend"] != bad["backend"] and all(is_revision(repository, end["backend"]) for end in (good, bad)):
        options.append(f"--backend={repository}")
        ends.append((good["backend"], bad["backend"]))
    if plain(good["torch"]) != plain(bad["torch"]):
        versions = folder / "versions"
        versions.write_text("".join(f"{version}\n" for version in versions_between(plain(good["torch"]), plain(bad["torch"]))))
        options.append(f"--torch={versions}")
        ends.append((plain(good["torch"]), plain(bad["torch"])))
    if not ends:
        return None
    options += [f"--{name}={','.join(end[place] for end in ends)}" for place, name in enumerate(("good", "bad"))]
    still = {"ASSAY_CHECK": shown["check"], "ASSAY_TARGET": loss["target"], "ASSAY_BACKEND": bad["backend"], "ASSAY_TORCH": plain(bad["torch"])}
    return options, still


def is_revision(repository, name):
    words = ["git", "-C", str(repository), "cat-file", "-e", f"{name}^{{commit}}"]
    return bool(re.fullmatch("[0-9a-f]{7,40}", name)) and subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0


def bisect(loss, arguments, until):
    """Runs the bisection and returns a line with the result."""
    shown = shown_best(loss)
    state = arguments.out / "state" / f"{loss['key']}-{shown['first']['date'][:10]}"
    state.mkdir(parents=True, exist_ok=True)
    question = question_of(loss, shown, arguments.repository, state)
    if question is None:
        return "no known change of torch or the backend"
    options, still = question
    command = [arguments.assay, "bisect", "--format=json", f"--state={state}", f"--build={HERE}/bisect_build", f"--run={HERE}/bisect_run", *options]
    process = subprocess.Popen(command, env=os.environ | still, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        said, _ = process.communicate(timeout=max(0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "out of time; the next night continues"
    if process.returncode not in (0, 2):
        return f"assay bisect ended with status {process.returncode}"
    beside = arguments.out / f"{loss['key']}.part"
    beside.write_text(json.dumps(json.loads(said) | {"first": shown["first"]}) + "\n")
    beside.replace(arguments.out / f"{loss['key']}.json")
    found = [one["revision"] for one in json.loads(said)["culprits"] if one["found"]]
    return f"found {' and '.join(found)}" if found else "not found"


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--losses", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--repository", type=Path, default=Path("."))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--assay", default=str(HERE.parents[1] / "build/bin/assay"))
    arguments = parser.parse_args(words)
    until = time.monotonic() + 60 * arguments.minutes
    try:
        losses = read_losses(arguments.losses)
    except WrongInput as error:
        print(f"bisect_losses: {error}", file=sys.stderr)
        return 65
    arguments.out.mkdir(parents=True, exist_ok=True)
    new = [loss for loss in losses if not loss["flaky"] and not is_known(loss, arguments.out)]
    for loss in new[:MOST]:
        print(f"{loss['target']} {loss['shown_by'][0]['check']}: {bisect(loss, arguments, until)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
