# SPDX-License-Identifier: BSD-3-Clause
"""Writes one report about a release of torch from the outputs of the steps of ci/adopt.

    adopt_report.py OLD NEW OLD_PACKAGES NEW_PACKAGES FOLDER

FOLDER contains steps.tsv and the outputs of the steps that ran: drift.json (predict), compile.log, fleet-build.log,
and the folders run and pinned (run). The exit status is 1 if something broke, if the prediction missed a break, or if a
clause must be verified again.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
import releases_table
from assay.anchors import readings as anchors

LOGS = ("compile.log", "fleet-build.log")  # logs of all C++ code that includes torch's headers
REFUSED = re.compile(r"^(?P<where>\S+?):\d+:\d+: (?:fatal )?error: (?P<what>.*)", re.MULTILINE)
NAMED = re.compile(r"[‘']([^’']+)[’']")
# Changes that affect a backend which derives from a class or switches over an enumeration. In Python, only changes of
# modules for all accelerators count.
SURFACE_CHANGES = ("virtual_added", "virtual_refuses", "pure_virtual_added", "enumerator_added")
SURFACE_MODULES = ("py:torch.accelerator.",)


def predicted_breaks(drift):
    """Returns {backend: [(id, reason)]}."""
    return {backend["name"]: [(entry["id"], entry["reason"]) for entry in backend["entries"] if entry["verdict"] == "breaks"]
            for backend in drift["backends"]}  # fmt: skip


def compile_errors(log):
    """Returns [(file, message)] without duplicates."""
    return sorted({(found["where"], found["what"]) for found in REFUSED.finditer(log)})


def last_name(identity):
    return re.sub(r"\(.*", "", identity.partition(":")[2]).rpartition("::")[2].rpartition(".")[2]


def judge(breaks, errors, wrong):
    """Returns (errors that no predicted break names, predicted breaks that no error names)."""
    names = {last_name(identity): identity for found in breaks.values() for identity, _ in found}
    told = [(where, what) for where, what in errors] + [("run", line) for line in wrong]
    seen = {name for name in names for _, what in told if re.search(rf"\b{re.escape(name)}\b", what)}
    missed = [f"{where}: {what}" for where, what in told if not any(re.search(rf"\b{re.escape(name)}\b", what) for name in names)]
    return missed, sorted(identity for name, identity in names.items() if name not in seen)


def new_surfaces(drift, labels):
    """Returns entries that may affect a backend but have no anchor."""
    headers = {label.partition(":")[0] for label in labels}
    names = {label.partition(":")[2] or label for label in labels}
    for entry in drift["entries"]:
        plain = re.sub(r"\(.*", "", entry["id"].partition(":")[2])
        is_named = any(plain == name or plain.endswith((f"::{name}", f".{name}")) for name in names)
        of_class = entry["change"] in SURFACE_CHANGES and entry["header"] in headers
        of_python = entry["change"] == "added" and entry["id"].startswith(SURFACE_MODULES) and "(" not in entry["id"]
        if (of_class or of_python) and not is_named and not entry["internal"]:
            yield entry["id"]


def to_read(old, new, suites=anchors.SUITES):
    """Returns {clause: [labels whose text differs between the two releases]}."""
    before, after = anchors.digests(old, suites), anchors.digests(new, suites)
    found = {}
    for label, clauses in anchors.clauses_by_place(suites).items():
        if before[label] != after[label]:
            for clause in clauses:
                found.setdefault(clause, []).append(label)
    return dict(sorted(found.items()))


def read_steps(folder):
    path = folder / "steps.tsv"
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def listed(title, lines, empty):
    return [f"## {title}", *([f"- {line}" for line in lines] or [empty]), ""]


def told_run(folder):
    """Returns (lines for the report, lines about errors). Errors that also occur with the pinned torch are left out."""
    if not (folder / "run").exists():
        return ["not run"], []
    runs = [releases_table.read_torch(folder / name) for name in ("pinned", "run")]
    wrong = [*releases_table.complaints(runs, releases_table.read_known()), *releases_table.listed_complaints(runs[1:])]
    return list(releases_table.table(runs)), [line for line in wrong if line.startswith(runs[1][0] + " ")]


def told_compiled(folder):
    """Returns (True if anything was compiled, errors)."""
    logs = [folder / name for name in LOGS if (folder / name).exists()]
    return bool(logs), compile_errors("\n".join(log.read_text(encoding="utf-8", errors="replace") for log in logs))


def report(old, new, packages, folder):
    """Returns (lines, True if a person must act)."""
    steps = read_steps(folder)
    lines = [f"# torch {new} after {old}", "", "Steps: " + (", ".join(f"{name} {seconds} s" for name, seconds in steps) or "none"), ""]
    drift = json.loads((folder / "drift.json").read_text(encoding="utf-8")) if (folder / "drift.json").exists() else None
    breaks = predicted_breaks(drift) if drift else {}
    if drift:
        told = [f"{name}: `{identity}`, {reason}" for name, found in breaks.items() for identity, reason in found]
        looks = {backend["name"]: backend["look"] for backend in drift["backends"] if backend["look"]}
        lines += listed("Predicted to break", told, f"Nothing. Needs a look: {looks or 'nothing'}")
    is_compiled, errors = told_compiled(folder)
    lines += listed("The compiler refuses", [f"`{where}`: {what}" for where, what in errors], "Nothing." if is_compiled else "Not compiled.")
    table, wrong = told_run(folder)
    lines += ["## The suites", *table, ""] + listed("Wrong or undecided", wrong, "Nothing." if (folder / "run").exists() else "Not run.")
    is_judged = drift and (is_compiled or (folder / "run").exists())
    missed, invented = judge(breaks, errors, wrong) if is_judged else ([], [])
    if is_judged:
        lines += listed("Missed by the prediction", missed, "Nothing.") + listed("Invented by the prediction", invented, "Nothing.")
    changed = to_read(*packages)
    read = {row["clause"] for row in anchors.read_readings() if row["release"] == new}
    clauses = {clause: labels for clause, labels in changed.items() if clause not in read}
    lines += listed(f"Clauses to verify again: {len(clauses)}, and {len(changed) - len(clauses)} that are verified",
                    [f"{clause}: {'; '.join(labels)}" for clause, labels in clauses.items()], "None.")  # fmt: skip
    if drift:
        lines += listed("New, and without a clause", [f"`{identity}`" for identity in new_surfaces(drift, anchors.clauses_by_place())], "Nothing.")
    return lines, bool(errors or wrong or missed or clauses)


if __name__ == "__main__":
    old, new, *folders = sys.argv[1:]
    *packages, folder = map(Path, folders)
    lines, acting = report(old, new, packages, folder)
    print("\n".join(lines))
    sys.exit(acting)
