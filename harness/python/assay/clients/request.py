# SPDX-License-Identifier: BSD-3-Clause
"""The request of `assay clients`: its options and the client's file. The C program has validated the syntax of the
file.

Called by __main__.py and sides.py. ci/clients/README.md describes the file of a client.
"""

import re
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60
CPU = "cpu"  # the name of this side, also its device


class Refused(Exception):
    """The request is invalid; the message is one sentence."""


@dataclass
class Client:
    name: str
    distribution: str
    version: str
    folder: Path  # the folder of the client's file
    tests: Path
    files: list
    options: list
    environment: dict
    pythonpath: list
    device: dict
    seconds: int
    heal: list
    known: list
    match: str
    is_part: bool  # only some of the tests were selected


def client_of(request):
    said, folder, tests = request["client"], Path(request["file"]).parent, Path(request["checkout"])
    for row in said.get("known", []) + said.get("heal", []):
        expect_expression(row.get("message", ""), request["file"])
    for plugin in [said["device"].get("plugin"), *(row["plugin"] for row in said.get("heal", []))]:
        if plugin and not (folder / plugin).is_file():
            raise Refused(f"{request['file']}: there is no plugin {plugin} beside it")
    for row in said.get("known", []):
        if "test" not in row and "message" not in row:
            raise Refused(f"{request['file']}: a row of known names a test, a message or both: {row['why']}")
    patterns = request["files"].split(",") if request["files"] else said["tests"]
    return Client(said["name"], said.get("distribution", said["name"]), said["version"], folder, tests,
                  files_of(tests, patterns), said.get("options", []), said.get("environment", {}), said.get("pythonpath", []),
                  said["device"], request["seconds"] or said.get("timeout", SECONDS), said.get("heal", []),
                  said.get("known", []), request["match"] or "", any(request[part] for part in ("match", "files", "shard")))


def expect_expression(text, file):
    try:
        re.compile(text)
    except re.error as error:
        raise Refused(f'{file}: "{text}" is no regular expression: {error}') from None


def files_of(tests, patterns):
    found = []
    for pattern in patterns:
        here = sorted(str(path.relative_to(tests)) for path in tests.glob(pattern) if path.is_file())
        if not here:
            raise Refused(f"there is no {pattern} in {tests}; give the checkout of the library's tests by --tests")
        found += here
    return list(dict.fromkeys(found))
