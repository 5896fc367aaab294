#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes ci/uses/fakedev.json again, or reports that it is out of date.

    ci/uses/update.py                writes the file
    ci/uses/update.py --check        compares the file, and reads all other backends of this tree
    ci/uses/update.py NAME FOLDER    writes FOLDER/NAME.json: the bridge, or a backend of the fleet

Needs a build. fakedev takes a minute on two cores. The files of the bridge and the fleet are not stored, because users
do not have these backends.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
from assay.uses.file import read_uses

STORED = "fakedev"
BACKENDS = {
    STORED: ["fake_device/integration", "fake_device/torch_fakedev"],
    "bridge": ["harness/bridge"],
    **{path.parent.name: [path.parent.relative_to(ROOT), "fake_device/fleet/common"]
       for path in sorted(ROOT.glob("fake_device/fleet/*/defects.tsv"))},
}


def take(name, output):
    """Runs the command as a vendor would. Returns its exit status."""
    words = ["uses", BUILD / "compile_commands.json", *BACKENDS[name], "--name", name, "--output", output,
             "--root", ".", "--exclude", "*_defects.py,*_test.py"]  # fmt: skip
    return subprocess.run([BUILD / "bin/assay", *words], cwd=ROOT).returncode


def meaning(document):
    """Returns the entries without their places, because a moved line is not a difference."""
    return {entry["id"]: (entry["ways"], entry.get("flags"), entry.get("arguments")) for entry in document["entries"]}


def differences(stored, made):
    """Sentences about differences; empty if the stored file is up to date."""
    old, new = meaning(stored), meaning(made)
    for id in sorted(old.keys() | new.keys()):
        if id not in new:
            yield f"{id} is no longer used"
        elif id not in old:
            yield f"{id} is used now: {', '.join(new[id][0])}"
        elif old[id] != new[id]:
            yield f"{id} is used in other ways now: {new[id]}"


def complaints(name, folder):
    """Sentences about errors in the recorded uses of PyTorch by a backend. The file of uses is written to the folder."""
    made = Path(folder, f"{name}.json")
    status = take(name, made)
    if status:
        return [f"reading the backend ended with {status}"]
    if name == STORED:
        return list(differences(read_uses(Path(__file__).with_name(f"{name}.json")), read_uses(made)))
    return [] if read_uses(made)["entries"] else ["no use of PyTorch was found"]


def check():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in BACKENDS:
            found = complaints(name, folder)
            for sentence in found[:20]:
                print(f"{name}: {sentence}")
            wrong += len(found)
    return int(wrong > 0)


def main(words):
    if words == ["--check"]:
        return check()
    if not words:
        return take(STORED, Path(__file__).with_name(f"{STORED}.json"))
    if len(words) != 2 or words[0] not in BACKENDS:
        print(f"update.py: give --check, or one of {', '.join(BACKENDS)} and a folder", file=sys.stderr)
        return 64
    Path(words[1]).mkdir(parents=True, exist_ok=True)
    return take(words[0], Path(words[1], f"{words[0]}.json"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
