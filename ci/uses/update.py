#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes ci/uses/<backend>.json again for the fake device and the bridge, or says which are out of date.

    ci/uses/update.py [--check] [BACKEND]...

Needs a build. A minute for fakedev on two cores.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
from assay.uses.file import read_uses

BACKENDS = {
    "fakedev": ["fake_device/integration", "fake_device/torch_fakedev"],
    "bridge": ["harness/bridge"],
}
# Backends of the fleet have no stored file, because no user has them; with --check each is read all the same.
FLEET = ROOT / "fake_device/fleet"


def take(name, output, folders=None):
    """Runs the command that a vendor would give. Returns its exit status."""
    words = ["uses", BUILD / "compile_commands.json", *(folders or BACKENDS[name]), "--name", name, "--output", output,
             "--root", ".", "--exclude", "*_defects.py,*_test.py"]  # fmt: skip
    return subprocess.run([BUILD / "bin/assay", *words], cwd=ROOT).returncode


def meaning(document):
    """The content of each entry, without where: a line that moved is no news."""
    return {entry["id"]: (entry["ways"], entry.get("flags"), entry.get("arguments")) for entry in document["entries"]}


def differences(stored, made):
    """Sentences; empty when the stored file still says what is true."""
    old, new = meaning(stored), meaning(made)
    for id in sorted(old.keys() | new.keys()):
        if id not in new:
            yield f"{id} is no longer used"
        elif id not in old:
            yield f"{id} is used now: {', '.join(new[id][0])}"
        elif old[id] != new[id]:
            yield f"{id} is used in other ways now: {new[id]}"


def check(name):
    stored = Path(__file__).with_name(f"{name}.json")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, f"{name}.json")
        status = take(name, made)
        found = [f"{name}.json: reading the backend ended with {status}"] if status else list(
            differences(read_uses(stored), read_uses(made)))
    for sentence in found[:20]:
        print(f"{name}.json: {sentence}")
    if found:
        print(f"{name}.json is out of date ({len(found)} differences): run ci/uses/update.py {name}")
    return bool(found)


def read_fleet():
    """How many backends of the fleet cannot be read, or seem to use nothing of PyTorch."""
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in sorted(path.parent for path in FLEET.glob("*/profile.yaml")):
            made = Path(scratch, f"{folder.name}.json")
            status = take(folder.name, made, [folder.relative_to(ROOT)])
            if status or not read_uses(made)["entries"]:
                print(f"{folder.name}: reading the backend ended with {status}" if status else f"{folder.name}: no use was found")
                wrong += 1
    return wrong


def main(words):
    asked = [word for word in words if word != "--check"] or list(BACKENDS)
    for name in asked:
        if name not in BACKENDS:
            print(f"there is no backend {name} here, only {', '.join(BACKENDS)}", file=sys.stderr)
            return 64
    if "--check" in words:
        wrong = sum(check(name) for name in asked)
        return int(wrong + (0 if words != ["--check"] else read_fleet()) > 0)
    return max(take(name, Path(__file__).with_name(f"{name}.json")) for name in asked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
