#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fetches the files that a client of ci/clients names: its tests with git to FOLDER/NAME/source, its packages with
pip to FOLDER/NAME/packages.

Usage: ci/fetch_client.py FILE FOLDER. Existing files are not fetched again. Called only by ci/full.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import yaml


def clone(source, folder):
    """Fetches only one revision, because some of these repositories have a gigabyte of history."""
    beside = folder.with_suffix(".part")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for words in (["init", "--quiet"], ["fetch", "--quiet", "--depth", "1", source["git"], source["revision"]],
                  ["checkout", "--quiet", "FETCH_HEAD"], ["submodule", "--quiet", "update", "--init", "--depth", "1"]):
        subprocess.run(["git", *words], cwd=beside, check=True)
    beside.rename(folder)


def install(packages, folder):
    """Installs without dependencies, because torch and numpy of .venv must be used."""
    beside = folder.with_suffix(".part")
    shutil.rmtree(beside, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(beside), *packages], check=True)
    beside.rename(folder)


def main(file, folder):
    client = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    room = Path(folder, client["name"]).resolve()
    room.mkdir(parents=True, exist_ok=True)
    if not (room / "source").exists():
        clone(client["source"], room / "source")
    if not (room / "packages").exists():
        install(client.get("requires", []), room / "packages")


if __name__ == "__main__":
    main(*sys.argv[1:])
