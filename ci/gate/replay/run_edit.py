# SPDX-License-Identifier: BSD-3-Clause
"""Changes the journal of a run, as a defective harness or a forger would."""

import json


def journal_of(run):
    return [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]


def rewrite(run, change):
    """Calls `change` with every record of the journal. It returns the record, or None to delete it."""
    rows = [change(row) for row in journal_of(run)]
    text = "".join(json.dumps(row) + "\n" for row in rows if row is not None)
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
