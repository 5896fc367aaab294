# SPDX-License-Identifier: BSD-3-Clause
"""Lists tests of a client on one side (CPU or target) as checks: clients.<client>.<test>, without the device's name.

Arguments: the request of `assay clients`, and the side. A file beside the request maps checks to tests. A child process
reads the files, because a file may end its process or use the device.
"""

import contextlib
import importlib.metadata
import json
import os
import sys

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # imported before the target is loaded
from assay.checks.processes import Dead, in_forked_child
from assay.clients import pairs
from assay.clients.request import Refused
from assay.clients.sides import MOST_TEXT, Side
from assay.host import listing, load_steps

COVERS = ["CLNT-001"]
SECONDS, SECONDS_OF_ONE = 240, 120  # deadlines for all files, and for one file if reading all failed


def version_of(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def answer_of_child(side, files, seconds):
    def read():
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # hides the header that pytest prints
        side.read(files)
        return {"tests": list(side.items), "unread": side.unread, "uses": side.uses_device()}

    try:
        answer = in_forked_child(read, seconds)
    except Dead as death:
        return None, {"outcome": "timeout" if death.hung else "crash", "message": str(death)}
    return answer.get("value"), {"outcome": "error", "message": answer.get("text", "")[-MOST_TEXT:]}


def forks_well(device):
    """Returns whether an operator works on the device in a forked child of this process."""
    with contextlib.suppress(Dead):
        return in_forked_child(lambda: (torch.ones(2, device=device) + 1).tolist() == [2, 2], SECONDS_OF_ONE).get("value", False)
    return False


def read(side, files):
    """Returns {file: tests}, {file: why it cannot be read}, and the files that use the device when they are read."""
    answer, why = answer_of_child(side, files, SECONDS if len(files) > 1 else SECONDS_OF_ONE)
    if len(files) > 1 and (answer is None or answer["uses"]):
        tests, unread, users = {}, {}, []
        for parts in (read(side, [one]) for one in files):
            tests.update(parts[0])
            unread.update(parts[1])
            users += parts[2]
        return tests, unread, users
    if answer is None:
        return {}, {files[0]: why}, []
    tests = {}
    for name in answer["tests"]:
        tests.setdefault(name.split("::")[0], []).append(name)
    return tests, answer["unread"], files if answer["uses"] else []


def list_checks(arguments, steps):
    path, name = arguments
    try:
        side = Side(path, name)
    except Refused as refusal:
        raise listing.Refusal(str(refusal)) from refusal
    versions = {one: version_of(one) for one in ("pytest", "torch")} | {"client": version_of(side.client.distribution)}
    if not versions["pytest"]:
        raise listing.Refusal(f"pytest is not installed for {sys.executable}: install it, or name its folder by PYTHONPATH")
    try:
        for step in steps:
            load_steps.run(*step)
    except load_steps.StepError as error:
        raise listing.Refusal(f"the target cannot be loaded: {error}") from error
    side.prepare()
    if forks_well(side.device):
        side.listed.with_suffix(".forks").touch()
    tests, unread, users = read(side, side.client.files)
    if users:
        print(f"assay: each test of {', '.join(users)} reads its file again, which is slow: {users[0]}, or a module that it imports, "
              "uses the device while the tests are collected, and a forked process cannot use the device then. A plugin that answers such "
              "questions in a child process removes the cause.", file=sys.stderr, flush=True)
    named = pairs.named((one for file in tests.values() for one in file), side.client.name, side.device)
    if side.wanted["tests"] is not None:
        named = {identity: one for identity, one in named.items() if one in side.wanted["tests"]}
    side.listed.write_text(json.dumps({"device": side.device, "versions": versions, "tests": named, "unread": unread,
                                       "users": users}), encoding="utf-8")
    for identity, one in (named or {pairs.NO_TEST: "there is no test"}).items():
        yield {"id": identity, "covers": COVERS, "summary": f"{one} passes as on the CPU", "devices": 0,
               "timeout": side.client.seconds + (SECONDS_OF_ONE if one.split("::")[0] in users else 0)}


if __name__ == "__main__":
    listing.serve("clients", "test_clients.py", list_checks)
