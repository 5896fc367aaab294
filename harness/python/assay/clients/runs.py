# SPDX-License-Identifier: BSD-3-Clause
"""Records of the tests of one side, from the journal of its run and the list of its tests. Called by __main__.py."""

import json
import re
from pathlib import Path

FRAME = re.compile(r'  File "([^"]+)", line (\d+) in ')
OURS = ("/assay/", "/suites/clients/", "/_pytest/", "/pluggy/", "/unittest/", "/runpy.py", "<frozen")
DEATHS = {"crash": "crash", "timeout": "timeout"}


class Run:
    """`tests`: {id: record}; `unread`: {file: record}; `lost`: why tests could not run. All are empty before a run."""

    def __init__(self, folder, name, seconds):
        self.folder, self.seconds = Path(folder, name), seconds
        self.listed = {"device": "", "versions": {"client": "", "torch": ""}, "tests": {}, "unread": {}}
        self.tests, self.is_complete, self.lost = {}, False, ""
        try:
            self.listed = json.loads(Path(folder, f"{name}.json").read_text(encoding="utf-8"))
            lines = (self.folder / "journal.jsonl").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return
        for line in lines:
            self.take(line)

    @property
    def unread(self):
        return self.listed["unread"]

    def take(self, line):
        try:
            row = json.loads(line)
        except ValueError:
            return  # a killed run may leave an incomplete last line
        if row["event"] == "finish":
            self.is_complete = row["complete"]
        if row["event"] != "end" or row["id"] not in self.listed["tests"] or row["verdict"] in ("incomplete", "notrun"):
            return
        if row["verdict"] == "blocked" or row.get("stage") == "load":
            self.lost = self.lost or row.get("reason", "the target cannot be loaded")
            return
        record = self.record(row)
        first = self.tests.get(row["id"])
        if first:
            record["first"], record["calls"] = first.get("first", first), max(first["calls"], record["calls"])
        self.tests[row["id"]] = record

    def record(self, row):
        notes = {name: text for note in row.get("notes", ()) for name, text in note.items()}
        outcome = DEATHS.get(row["verdict"]) or notes.get("outcome", "error")
        message = notes.get("message", row.get("reason", ""))
        if outcome == "timeout":
            message = f"not done after {self.seconds} s"
        elif outcome == "crash":
            message = f"ended by {row['signal']}" if row.get("signal") else f"left by exit with status {row.get('status', 0)}"
        where = self.place_of_death(row) if outcome in DEATHS else row.get("location", "")
        return {"test": self.listed["tests"][row["id"]], "outcome": outcome, "message": message, "where": where,
                "calls": int(notes.get("calls", 0)), "seconds": row.get("duration_ms", 0) / 1000}

    def place_of_death(self, row):
        """The innermost line of the tests in the stack that the process wrote before it died."""
        try:
            stack = (self.folder / row["folder"] / "stack.txt").read_text(encoding="utf-8", errors="replace")
        except (KeyError, OSError):
            return ""
        return next((f"{path}:{line}" for path, line in FRAME.findall(stack) if not any(one in path for one in OURS)), "")
