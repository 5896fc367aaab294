# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.clients REQUEST: started by `assay clients` with the target's interpreter.

Writes clients.json, for people and programs, and checks.json, which assay converts to a run. The exit status is 0 if
both were written. If the comparison cannot start, it is 65 and stderr has a sentence.
"""

import collections
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.clients import progress as client_progress, report as client_report
from assay.clients.pairs import AGREES, ALONE, DIFFERS, REFUSES, UNSTEADY, Pair, groups_of, judge, paired
from assay.clients.request import Refused, client_of
from assay.clients.sides import Side, Stopped

INPUT = 65
PATIENCE = 4  # factor on the seconds of a test when it is repeated
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def probed(client, steps):
    words = [sys.executable, "-m", "assay.clients.probe", client.distribution, json.dumps(steps)]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise Refused(f"the target cannot be loaded: {last}")
    said = json.loads(done.stdout.splitlines()[-1])
    if not said["versions"]["pytest"]:
        raise Refused(f"pytest is not installed for {sys.executable}: install it, or name its folder by PYTHONPATH")
    return said


class Comparison:
    """Runs both sides and repeats the tests that differ. A difference that does not occur again is not the target's."""

    def __init__(self, client, request, room):
        said = probed(client, request["steps"])
        self.client, self.device, self.versions = client, said["device"], said["versions"]
        self.jobs, forks = request["jobs"] or 1, not request["process"]
        self.cpu = Side(client, "cpu", [], room, forks, self.jobs)
        self.there = Side(client, self.device, request["steps"], room, forks and said["forks"], self.jobs)
        self.pairs, self.unread, self.healed, self.ended = [], {}, [], ""
        self.outcomes = {"cpu": collections.Counter(), "target": collections.Counter()}
        self.signal = 0

    def stop(self, number, _frame):
        if self.signal:
            return  # a second handler would wait for the locks of the first
        self.signal, self.ended = number, f"stopped by {signal.Signals(number).name}"
        self.cpu.stop()
        self.there.stop()

    def run(self):
        for number in STOPPING:
            signal.signal(number, self.stop)
        try:
            with client_progress.told((self.cpu, self.there)):
                self.compare()
        except Stopped:
            pass
        return client_report.Found(self.client, self.device, self.versions, self.pairs, self.unread, self.outcomes, self.healed,
                                   self.ended, self.signal)

    def compare(self):
        """Runs a few files on both sides, then the next ones. If the user stops the program, the files up to then are
        compared."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for cpu, there in pool.map(self.both_sides, self.cpu.parts(self.client.files)):
                self.take(cpu, there)
        if self.signal:
            raise Stopped
        self.look_again()
        for heal in self.client.heal:
            self.heal(heal)

    def both_sides(self, files):
        return self.cpu.run_part(files), self.there.run_part(files)

    def take(self, cpu, there):
        """A test that a signal ended on one side gives no result."""
        (cpu, unread), (there, unread_there) = cpu, there
        self.outcomes["cpu"].update(record["outcome"] for record in cpu.values())
        self.outcomes["target"].update(record["outcome"] for record in there.values())
        pairs = paired(cpu, there, self.device)
        for pair in pairs:
            judge(pair, self.client, self.device)
        if self.signal:
            self.pairs += [pair for pair in pairs if pair.says != ALONE]
        else:
            self.pairs += pairs
            self.unread.update({name: one for name, one in unread_there.items() if one["outcome"] != "skipped" and name not in unread})

    def files_of(self, pairs):
        files = {pair.name.split("::")[0] for pair in pairs}
        return [name for name in self.client.files if name in files]

    def again(self, side, pairs, plugins=()):
        return side.run(self.files_of(pairs), [pair.name for pair in pairs], plugins)[0]

    def look_again(self):
        """Repeats differing tests on the target only, because the CPU result is assumed stable. They get more time,
        since the machine may be busy."""
        self.there.seconds *= PATIENCE
        doubtful = [pair for pair in self.pairs if pair.says in (DIFFERS, REFUSES)]
        second = self.again(self.there, doubtful) if doubtful else {}
        for pair in doubtful:
            first, pair.there = pair.there, second.get(pair.name, pair.there)
            judge(pair, self.client, self.device)
            pair.there["calls"] = max(pair.there.get("calls", 0), first.get("calls", 0))
            if pair.says == AGREES:
                pair.says, pair.there = UNSTEADY, first

    def heal(self, heal):
        """Repeats the tests whose failure has a known cause, with a plugin that removes the cause. The result shows
        what the cause hides."""
        sick = [pair for pair in self.pairs if pair.says == DIFFERS and re.search(heal["message"], pair.message)]
        if not sick:
            return
        second = self.again(self.there, sick, [heal["plugin"]])
        left = []
        for pair in sick:
            again = Pair(pair.name, pair.cpu, second.get(pair.name, pair.there))
            judge(again, self.client, self.device)
            pair.behind = "" if again.says == AGREES else again.message
            if again.says != AGREES:
                left.append(again)
        self.healed.append({"plugin": heal["plugin"], "why": heal["why"], "tests": len(sick), "left": len(left),
                            "groups": [{"says": group.says, "message": group.key, "tests": len(group.pairs),
                                        "first": group.pairs[0].name} for group in groups_of(left)]})


def leave(number, _frame):
    """Handles a signal. It raises an exception, so that unfinished work is cleaned up."""
    sys.exit(128 + number)


def main(path):
    request = json.loads(Path(path).read_text(encoding="utf-8"))
    folder = Path(request["folder"])
    for number in STOPPING:
        signal.signal(number, leave)
    try:
        client = client_of(request)
        with tempfile.TemporaryDirectory(prefix="assay-clients-") as room:
            found = Comparison(client, request, room).run()
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
    sys.exit(main(sys.argv[1]))
