# SPDX-License-Identifier: BSD-3-Clause
"""Changes the journal of a run, as a defective harness or a forger would."""

import collections
import json


def journal_of(run):
    return [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]


def rewrite(run, change):
    """Calls `change` with every record of the journal. `change` returns the new record, or None to delete the record.
    Then updates the totals in the last record, because readers refuse a journal that contradicts itself."""
    rows = [row for row in map(change, journal_of(run)) if row is not None]
    support = {check["id"] for check in rows[0].get("checks", ()) if check.get("support")}
    ends = [row["verdict"] for row in rows if row["event"] == "end" and row["final"] and row["id"] not in support]
    for row in rows:
        if row["event"] == "finish":
            row["totals"] = collections.Counter(ends)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (run / "journal.jsonl").write_text(text)


def set_verdict(run, check, verdict, **members):
    rewrite(
        run,
        lambda row: (
            {**row, "verdict": verdict, **members}
            if row["event"] == "end" and row["id"] == check
            else row
        ),
    )
