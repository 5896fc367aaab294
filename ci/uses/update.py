#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes ci/uses/<backend>.json again for the backends of this tree, or says which are out of date.

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

# Where each is; what only looks for its defects is left out. OpenReg stands in PyTorch's tree: its file comes from there.
# Half of the small backend is files of the whole one (fake_device/narrow/CMakeLists.txt).
SHARED = ("allocator_stats", "copy_from", "copy_transfer", "device_allocator", "device_guard", "device_index", "events", "factories", "status",
          "streams", "tensor_descriptor")  # fmt: skip
SHARED_FILES = [str(path.relative_to(ROOT)) for name in SHARED for end in (".cc", ".h")
                for path in (ROOT / "fake_device/integration").rglob(f"{name}{end}")]  # fmt: skip
FLEET_HEADERS = "fake_device/fleet/fleet_headers.h"
BACKENDS = {
    "fakedev": ["fake_device/integration", "fake_device/torch_fakedev"],
    "bridge": ["harness/bridge"],
    "narrow": ["fake_device/narrow", *SHARED_FILES, "fake_device/integration/memory/host_allocator.h"],
    "hostram": ["fake_device/fleet/hostram", FLEET_HEADERS],
    "dozen": ["fake_device/fleet/dozen", FLEET_HEADERS],
    "opaque": ["fake_device/fleet/opaque"],
    "wrapper": ["fake_device/fleet/wrapper"],
    "jit": ["fake_device/fleet/jit"],
    "remote": ["fake_device/fleet/remote"],
    "bare_module": ["fake_device/fleet/bare_module", FLEET_HEADERS],
    "crowd": ["fake_device/fleet/crowd", FLEET_HEADERS],
    "slow_start": ["fake_device/fleet/slow_start", FLEET_HEADERS],
}


def take(name, output):
    """The command a vendor would give. Returns its exit status."""
    words = ["uses", BUILD / "compile_commands.json", *BACKENDS[name], "--name", name, "--output", output,
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


def main(words):
    asked = [word for word in words if word != "--check"] or list(BACKENDS)
    for name in asked:
        if name not in BACKENDS:
            print(f"there is no backend {name} here, only {', '.join(BACKENDS)}", file=sys.stderr)
            return 64
    if "--check" in words:
        return int(any([check(name) for name in asked]))
    return max(take(name, Path(__file__).with_name(f"{name}.json")) for name in asked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
