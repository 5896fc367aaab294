# SPDX-License-Identifier: BSD-3-Clause
"""Makes a data folder with a contract of one module, for tests. The program assay accepts it."""

import json

from assay import places

HEAD = """contract: 7
levels: {must: It must., should: It should., may: It may., advisory: It is seen.}
capabilities: {}
profiles: {}
modules: {a: {prefix: A, title: A, anchors: [a.h]}}
"""


def write_contract(folder, clauses):
    """`clauses` gives the members of A-001, A-002 and so on that differ from the default: the anchor, since, until."""
    rows = [{"id": f"A-{number:03}", "level": "must", "text": "It is.", "why": "Because.", **clause} for number, clause in enumerate(clauses, 1)]
    untested = [{"id": row["id"], "reason": "Only its anchor matters."} for row in rows]
    (folder / "suites/a").mkdir(parents=True, exist_ok=True)
    (folder / "suites/a/contract.yaml").write_text(json.dumps({"requirements": rows, "untested": untested, "checks": []}), encoding="utf-8")
    whole = (places.data() / "conformance.yaml").read_text(encoding="utf-8")
    (folder / "conformance.yaml").write_text(HEAD + "gate:" + whole.partition("\ngate:")[2], encoding="utf-8")
