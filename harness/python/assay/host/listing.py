# SPDX-License-Identifier: BSD-3-Clause
"""Functions for the program list_checks.py of a suite, which is started as `list_checks.py REQUEST LIST REFUSAL`.

REQUEST is JSON: {"arguments": [...], "steps": the load steps of the target}. LIST receives {"module", "code",
"checks"}, see contract/listed_checks.c. If the arguments are invalid, REFUSAL receives one sentence.
"""

import json
import os
import sys


class Refusal(Exception):
    """One sentence for the user that says what is wrong and what to do."""


def _write(path, text):
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def serve(module, code, list_checks):
    """`list_checks(arguments, steps)` returns the checks in order, each in the form of a contract.yaml."""
    request_file, list_file, refusal_file = sys.argv[1:]
    with open(request_file, encoding="utf-8") as file:
        request = json.load(file)
    try:
        checks = [json.dumps(check) for check in list_checks(request["arguments"], request["steps"])]
    except Refusal as refusal:
        _write(refusal_file, str(refusal))
        sys.exit(1)
    head = json.dumps({"module": module, "code": code})[:-1]
    _write(list_file, head + ', "checks": [\n' + ",\n".join(checks) + "\n]}\n")
    sys.stdout.flush()
    os._exit(0)  # skips torch's destructors, which take a second
