# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.clients REQUEST [ENDED SIGNAL]: compares the runs of both sides. Started by `assay clients`.

If a run is missing, the program writes its name to the file `next` and exits with status 3; `assay clients` then makes
the run and starts the program again. If a run has ended early, ENDED gives the reason, and the program compares the
tests that both sides have run. Otherwise the program writes clients.json for the user and checks.json for the journal,
and exits with status 0. Exit status 65 means that the request is wrong; a sentence states the error.
"""

import collections
import json
import re
import signal
import sys
from pathlib import Path

from assay.clients import report as client_report
from assay.clients.pairs import AGREES, ALONE, DIFFERS, UNSTEADY, groups_of, judge, paired
from assay.clients.request import CPU, Refused, client_of
from assay.clients.runs import Run

INPUT, NEXT = 65, 3
TARGET = "target"


class Missing(Exception):
    """The run that is missing; the message is its name."""


class Comparison:
    def __init__(self, client, folder, ended):
        self.client, self.folder, self.ended = client, folder, ended
        self.cpu, self.there = self.run(CPU), self.run(TARGET)
        self.device = self.there.listed["device"]

    def run(self, name):
        run = Run(self.folder, name, self.client.seconds)
        if not run.is_complete and not self.ended:
            raise Missing(name)
        self.ended = self.ended or run.lost
        return run

    def compared(self, there):
        pairs = paired(self.cpu.tests, there.tests)
        for pair in pairs:
            judge(pair, self.client, self.device)
        return pairs

    def found(self, number):
        untold = self.cpu.unread.keys() | self.there.unread.keys()  # files that at least one side could not read
        pairs = [pair for pair in self.compared(self.there)
                 if pair.says != ALONE or not self.ended and pair.name.split("::")[0] not in untold]
        unread = {name: one for name, one in self.there.unread.items() if one["outcome"] != "skipped" and (name not in self.cpu.unread or not pairs)}
        outcomes = {side: collections.Counter(one["outcome"] for one in run.tests.values())
                    for side, run in (("cpu", self.cpu), ("target", self.there))}
        healed = [] if self.ended else list(filter(None, (self.healed(heal, number, pairs) for number, heal in enumerate(self.client.heal))))
        return client_report.Found(self.client, self.device, self.there.listed["versions"], pairs, unread, outcomes, healed, self.ended,
                                   number)

    def healed(self, heal, number, pairs):
        """Runs tests with a known cause again under a plugin that removes the cause, to find hidden failures."""
        sick = {pair.id: pair for pair in pairs if pair.says == DIFFERS and re.search(heal["message"], pair.message)}
        if not sick:
            return None
        name = f"heal-{number}"
        Path(self.folder, f"{name}-tests.json").write_text(
            json.dumps({"plugins": [heal["plugin"]], "tests": [pair.name for pair in sick.values()]}), encoding="utf-8")
        run = self.run(name)
        left = [pair for pair in self.compared(run) if pair.id in sick and pair.says not in (AGREES, ALONE, UNSTEADY)]
        return {"plugin": heal["plugin"], "why": heal["why"], "tests": len(sick), "left": len(left),
                "groups": [{"says": group.says, "message": group.key, "tests": len(group.pairs), "first": group.pairs[0].name}
                           for group in groups_of(left)]}


def main(path, ended="", number="0"):
    request, number = json.loads(Path(path).read_text(encoding="utf-8")), int(number)
    ended = f"stopped by {signal.Signals(number).name}" if number else ended
    folder = Path(request["folder"])
    try:
        found = Comparison(client_of(request), folder, ended).found(number)
    except Missing as name:
        (folder / "next").write_text(str(name), encoding="utf-8")
        return NEXT
    except Refused as refusal:
        print(f"assay: {refusal}", file=sys.stderr)
        return INPUT
    document = client_report.document(found)
    (folder / "clients.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    (folder / "checks.json").write_text(json.dumps(client_report.checks(found)), encoding="utf-8")
    if request["format"] == "json":
        print(json.dumps(document), flush=True)
    else:
        print("\n".join(client_report.text(found, folder)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
