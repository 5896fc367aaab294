# SPDX-License-Identifier: BSD-3-Clause
"""Reads the disputed clauses from the contract of this assay each time pages are made. A history does not store
disputes: they do not change a verdict, and a decided dispute must disappear from the pages."""

import json
import os
import subprocess

from assay.command import Refused

from .page_parts import fill, join, link, section, slug, table


def now():
    """Returns {clause: {"by", "since", "issue", "check", "against", "for"}}."""
    done = subprocess.run([os.environ["ASSAY_PROGRAM"], "list", "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"the disputed clauses cannot be read: {done.stderr.strip().removeprefix('assay: ')}")
    return json.loads(done.stdout)["disputed"]


def of_check(disputes, check, covers):
    """The clauses of a check whose dispute concerns the whole clause or this check."""
    return [clause for clause in covers if clause in disputes and disputes[clause]["check"] in ("", check)]


def views(disputes, clauses, root):
    """A section with both views of each dispute, or nothing if no clause is disputed."""
    rows = [(link(f"{root}clause/{slug(clause)}.html", clause), cells_of(disputes[clause], root)) for clause in clauses]
    columns = ["Clause", "Disputed", "Against it", "For it", "Where"]
    note = "Open disputes, with both views. Verdicts do not change until a dispute is decided."
    return [section("disputed", "Disputed", note, table("disputed", columns, rows))] if rows else []


def cells_of(dispute, root):
    check = dispute["check"]
    alone = [fill("two", first="of one check alone:", second=link(f"{root}check/{slug(check)}.html", check))] if check else []
    told = fill("two", first=f"by {dispute['by']}", second=f"since {dispute['since']}")
    return [join([told, *alone], " "), fill("wide", text=dispute["against"]), fill("wide", text=dispute["for"]), link(dispute["issue"], "issue")]
