# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.watcher REQUEST [COMMAND...]: runs a program under watch and reports on its operators.

REQUEST is a JSON file with the target's name, its load steps, the folder for the results and the options of assay
watch. Without a command, the records already in the folder are summarised. Writes watch.json, and checks.json, from
which assay makes a run. The exit status is 0.
"""

import json
import sys
from pathlib import Path

from assay.watcher import program as watch_program, reproducer as watch_reproducer, summary as watch_sum, text as watch_text
from assay.watcher.checks import checks

NOT_KNOWN = {"exit": 0, "signal": "", "ended": "assay ended before the program: how the program ended is not known", "cut_off": True}


def main(arguments):
    path, command = Path(arguments[0]), arguments[1:]
    request = json.loads(path.read_text(encoding="utf-8"))
    folder, ended = Path(request["folder"]), request.get("ended", NOT_KNOWN)
    if command:
        path.write_text(json.dumps({**request, "command": command}), encoding="utf-8")
        ended = watch_program.run(command, request)
    document = watch_sum.summed(folder, command or request.get("command", ["?"]), ended)
    watch_reproducer.write(folder, request, document)
    (folder / "watch.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    (folder / "checks.json").write_text(json.dumps(checks(document)), encoding="utf-8")
    if request["format"] == "json":
        print(json.dumps(document), flush=True)
    else:
        print("\n".join(watch_text.text(document, folder)), file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
