# SPDX-License-Identifier: BSD-3-Clause
"""assay next: how far a backend is, and the one thing whose absence holds up most of the next stage.

    python -m next_step next [format text|json|shields] -- [RUN]

Reads a run and the contract through assay itself (ASSAY_PROGRAM) and judges nothing: a verdict is the run's.
"""

import collections
import json
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).resolve().parents[1]
EXAMPLES = ("fake_device/integration", "fake_device/torch_fakedev")
BROKEN = {"fail", "crash", "timeout", "broken"}
FINE = {"pass", "noted"}
WIDTH = 100
LONGEST = 300  # of what a backend said


class Unreadable(Exception):
    """Words of assay about the run, and its exit status."""


def ask(*words):
    """The document that a command of assay prints."""
    told = subprocess.run([os.environ.get("ASSAY_PROGRAM", "assay"), *words, "--format", "json"],
                          capture_output=True, text=True)
    if told.returncode not in (0, 1, 2) or not told.stdout:
        raise Unreadable(told.stderr.strip(), told.returncode)
    return json.loads(told.stdout)


@dataclass
class Stage:
    """Checks of a stage: right, not to be observed on this backend, still open, and not asked by the run."""

    name: str
    text: str
    fine: list = field(default_factory=list)
    unseen: list = field(default_factory=list)
    open: list = field(default_factory=list)
    unasked: list = field(default_factory=list)

    @property
    def reached(self):
        return not self.open and not self.unasked


def is_lacking(check, capabilities):
    return check["verdict"] == "skip" and check["about"] in capabilities


def sort_into(known, verdicts):
    """A check that needs what the backend may lack does not count for the stage."""
    sorted_stage = Stage(known["name"], known["text"])
    for name in known["checks"]:
        check = verdicts.get(name)
        if check is None:
            sorted_stage.unasked.append(name)
        elif check["verdict"] in FINE:
            sorted_stage.fine.append(name)
        elif check["verdict"] == "unobservable":
            sorted_stage.unseen.append(name)
        elif check["verdict"] != "skip" or is_lacking(check, known["capabilities"]):
            sorted_stage.open.append(name)
    return sorted_stage


@dataclass
class Step:
    """One thing to do: a check to mend, or something to bring that checks wait for."""

    what: str
    check: dict  # the first that is held up
    held_up: list

    @property
    def is_defect(self):
        return self.check["verdict"] in BROKEN


def subject_of(check):
    """A defect is a matter of its own. Checks that are blocked or skipped wait for the same thing together."""
    about = check["about"]
    if check["verdict"] in BROKEN or not about or about.startswith("self."):  # a function of the check itself
        return check["blocked_by"] or check["id"]
    return about


def steps_of(stage, verdicts, later):
    """The steps of a stage, the one that holds up most first; a defect before what is only missing."""
    groups = collections.defaultdict(list)
    for name in stage.open:
        groups[subject_of(verdicts[name])].append(verdicts[name])
    steps = []
    for what, checks in groups.items():
        first = next((check for check in checks if check["id"] == what), checks[0])
        waiting = [check["id"] for check in verdicts.values()
                   if check["verdict"] not in FINE | {"unobservable"} and what in (check["id"], check["about"], check["blocked_by"])]
        steps.append(Step(what, first, waiting or [first["id"]]))
    return sorted(steps, key=lambda step: (-len(step.held_up), not step.is_defect, later.index(step.check["id"])))


def numbers_of(text):
    """Clauses named in a "Serves:" sentence; "OPS-001 to OPS-004" are four."""
    found = set()
    for prefix, first, last in re.findall(r"([A-Z]+)-(\d{3})(?:\s+(?:\*\s+|#\s+)?to\s+(?:\*\s+)?[A-Z]+-(\d{3}))?", text):
        found.update(f"{prefix}-{number:03}" for number in range(int(first), int(last or first) + 1))
    return found


def example_of_clause(clauses):
    """The file of the worked example that says it serves one of the clauses."""
    for folder in EXAMPLES:
        for path in sorted((DATA / folder).glob("*.*")):
            if path.suffix not in (".cc", ".py"):
                continue
            head = path.read_text(encoding="utf-8", errors="replace")[:4000]
            said = re.search(r"Serves:(.*?)(?:\.\s*\n|\*/|\"\"\")", head, re.DOTALL)
            if said and numbers_of(said.group(1)) & set(clauses):
                return f"{folder}/{path.name}"
    return None


def example_of_operator(operator):
    """The line of the worked example that registers the operator."""
    name = operator.removeprefix("aten::")
    for path in sorted((DATA / EXAMPLES[0]).glob("*.cc")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if f'"{name}"' in line:
                return f"{EXAMPLES[0]}/{path.name}:{number}"
    return None


def clauses_of(step, known_checks, capabilities):
    """For a capability, those of the check that probes it; else those of the check."""
    probe = capabilities.get(step.what)
    return known_checks.get(probe, known_checks.get(step.check["id"], {})).get("covers", []) or step.check["covers"]


def what_it_is(step, capabilities):
    if step.is_defect or step.what == step.check["id"]:
        return f"mend {step.check['id']}"
    if step.what in capabilities:
        return f"bring the capability {step.what}"
    if step.what.startswith("aten::"):
        return f"register {step.what}"
    return f"bring {step.what}"


def rows_of(step, known_checks, capabilities, target):
    clauses = clauses_of(step, known_checks, capabilities)
    clause = ask("explain", clauses[0]) if clauses else {"demand": step.check["demand"], "why": None}
    example = example_of_operator(step.what) if step.what.startswith("aten::") else None
    yield "do", what_it_is(step, capabilities)
    yield "clause", f"{clauses[0]}: {clause['demand']}" if clauses else clause["demand"]
    yield "without it", clause.get("why") or ""
    seen = step.check["seen"] or step.check["reason"] or step.check["verdict"]
    yield "seen", seen if len(seen) <= LONGEST else seen[:LONGEST] + " ..."
    yield "holds up", f"{len(step.held_up)} check{'s' * (len(step.held_up) > 1)}: {', '.join(step.held_up[:4])}" + (
        " ..." if len(step.held_up) > 4 else "")
    yield "likely", step.check["hint"] if step.is_defect else ""
    yield "example", example or example_of_clause(clauses) or ""
    yield "done when", f"assay run --target {target} --select {','.join(step.held_up[:4])}"


def show(label, text):
    lines = textwrap.wrap(" ".join(text.split()), WIDTH - 13, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        print(f"  {label if number == 0 else '':10} {line}")


def target_of(run):
    """The target as the run was started with it, so that the command can be pasted."""
    given = re.search(r"--target[= ](\S+)", run["command"] or "")
    return given.group(1) if given else run["target"]


def last_reached(stages):
    """The last stage before which all are reached, too."""
    reached = "none"
    for stage in stages:
        if not stage.reached:
            break
        reached = stage.name
    return reached


def badge(stages, target):
    """For the endpoint of shields.io. A run of a few checks cannot tell that no stage is reached."""
    reached = last_reached(stages)
    message = "not asked" if reached == "none" and not stages[0].open else reached
    colour = {"none": "lightgrey", stages[-1].name: "brightgreen"}.get(reached, "yellow")
    return {"schemaVersion": 1, "label": f"{target} stage", "message": message, "color": colour, "isError": False}


def as_json(stages, target):
    counts = [{"name": stage.name, "reached": stage.reached, "fine": len(stage.fine), "open": stage.open,
               "not_asked": len(stage.unasked), "not_observable": len(stage.unseen)} for stage in stages]
    return {"schema": "assay/next/1", "target": target, "reached": last_reached(stages), "stages": counts}


def say_how_far(stages):
    print(f"stage reached: {last_reached(stages)}")
    for stage in stages:
        count = len(stage.fine) + len(stage.open) + len(stage.unasked)
        state = "reached" if stage.reached else "not yet"
        unseen = f", {len(stage.unseen)} more cannot be observed here" if stage.unseen else ""
        unasked = f", {len(stage.unasked)} not asked" if stage.unasked else ""
        print(f"  {stage.name:10} {len(stage.fine):4} of {count:4}  {state}{unasked}{unseen}")


def advise(stages, verdicts, listed, report):
    known_checks = {check["id"]: check for check in listed["checks"]}
    capabilities = probes_of(report, known_checks)
    stage = next((stage for stage in stages if not stage.reached), None)
    if stage is None:
        print("nothing is left to do: every stage is reached")
        return
    print(f"\nnext, for {stage.name}: {stage.text}")
    steps = steps_of(stage, verdicts, list(known_checks))
    if not steps:
        show("do", "ask what was not asked yet")
        show("done when", f"assay run --target {target_of(report['run'])} --select {stage.name}")
        return
    for label, text in rows_of(steps[0], known_checks, capabilities, target_of(report["run"])):
        if text:
            show(label, text)
    for step in steps[1:4]:
        show("after that", f"{what_it_is(step, capabilities)} ({len(step.held_up)})")


def probes_of(report, known_checks):
    """Each capability of the report, with the check that shows it."""
    probes = {}
    for capability in report["capabilities"]:
        name = capability["name"]
        probes[name] = next((check for check, known in known_checks.items()
                             if known["capability"] and name in known["capability"].split(",")), None)
    return probes


def given_format(words):
    """As assay's command line hands it on: NAME VALUE pairs between the command and --."""
    options = words[1 : words.index("--")]
    return dict(zip(options[::2], options[1::2], strict=True)).get("format", "text")


def main(words):
    run = words[words.index("--") + 1 :] or ["runs/last"]
    report = ask("report", run[0])
    listed = ask("list", "--torch", report["run"]["torch"]["version"])
    verdicts = {check["id"]: check for check in report["checks"]}
    stages = [sort_into(known, verdicts) for known in listed["stages"]]
    format = given_format(words)
    if format == "text":
        say_how_far(stages)
        advise(stages, verdicts, listed, report)
    else:
        document = (as_json if format == "json" else badge)(stages, report["run"]["target"])
        print(json.dumps(document, indent=1))
    return 0 if all(stage.reached for stage in stages) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:  # the reader had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Unreadable as unreadable:
        print(unreadable.args[0], file=sys.stderr)
        sys.exit(unreadable.args[1])
