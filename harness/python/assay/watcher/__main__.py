# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.watcher REQUEST [COMMAND...]: runs a program under watch and reports on its operators.

REQUEST is a JSON file with the target's name, its load steps, the folder for the results and the options of assay
watch. Without a command, the records already in the folder are summarised. Writes watch.json and checks.json; assay
makes a run from checks.json. The exit status is 0.
"""

import json
import struct
import sys
import time
from pathlib import Path

from assay import files
from assay.command import Refused, serve
from assay.watcher import order as watch_order, program as watch_program, reproducer as watch_reproducer, summary as watch_sum, text as watch_text
from assay.watcher.checks import checks

NOT_KNOWN = {"exit": 0, "signal": "", "ended": "assay ended before the program: how the program ended is not known", "cut_off": True}


def request_of(path):
    """Reads the request. With --read, the user names the file, so the content is verified."""
    request = files.read_json(path)
    if not isinstance(request, dict) or not {"target", "steps", "format"} <= request.keys():
        raise Refused(f"{path.parent}: is not the folder of a watched program: give the folder that assay watch printed")
    return request


def summed(folder, command, ended):
    try:
        return watch_sum.summed(folder, command, ended)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, struct.error) as error:
        raise Refused(f"{folder}: the records of the watched program are damaged: {type(error).__name__}: {error}") from None


def main(arguments):
    path, command = Path(arguments[0]), arguments[1:]
    request = request_of(path)
    folder, ended = path.parent, request.get("ended", NOT_KNOWN)
    if command:
        path.write_text(json.dumps({**request, "command": command}), encoding="utf-8")
        began = time.monotonic()
        ended = watch_program.run(command, request)
        took = time.monotonic() - began
    document = summed(folder, command or request.get("command", ["?"]), ended)
    if command:
        document["order"] = watch_order.found(document, command, request, took)
    watch_reproducer.write(folder, request, document)
    files.write_inside(folder / "watch.json", json.dumps(document, indent=1) + "\n")
    files.write_inside(folder / "checks.json", json.dumps(checks(document)))
    if request["format"] == "json":
        print(json.dumps(document), flush=True)
    else:
        print("\n".join(watch_text.text(document, folder)), file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    serve(main, list)
