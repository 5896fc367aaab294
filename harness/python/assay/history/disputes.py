# SPDX-License-Identifier: BSD-3-Clause
"""Clauses that are disputed: what the contract of this assay says by now, asked whenever pages are made. A dispute is no
verdict, so a history has none of it, and one that was decided is gone from the next pages."""

import json
import os
import subprocess

from assay.command import Refused

from .page_parts import fill, join, link, section, slug, table


def now():
    """{clause: {"by", "since", "issue", "check", "against", "for"}}"""
    done = subprocess.run([os.environ["ASSAY_PROGRAM"], "list", "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"which clauses are disputed cannot be read: {done.stderr.strip().removeprefix('assay: ')}")
    return json.loads(done.stdout)["disputed"]


def of_check(disputes, check, covers):
    """Clauses of a check, of which what it says is disputed."""
    return [clause for clause in covers if clause in disputes and disputes[clause]["check"] in ("", check)]


def views(disputes, clauses, root):
    """Both views of each: a section, or nothing."""
    rows = [(link(f"{root}clause/{slug(clause)}.html", clause), cells_of(disputes[clause], root)) for clause in clauses]
    columns = ["Clause", "Disputed", "Against it", "For it", "Where"]
    note = "Open disputes, with both views. Verdicts stay what they are until one is decided."
    return [section("disputed", "Disputed", note, table("disputed", columns, rows))] if rows else []


def cells_of(dispute, root):
    check = dispute["check"]
    alone = [fill("two", first="of one check alone:", second=link(f"{root}check/{slug(check)}.html", check))] if check else []
    told = fill("two", first=f"by {dispute['by']}", second=f"since {dispute['since']}")
    return [join([told, *alone], " "), fill("wide", text=dispute["against"]), fill("wide", text=dispute["for"]), link(dispute["issue"], "issue")]
