# SPDX-License-Identifier: BSD-3-Clause
"""assay next: shows how complete a backend is, and the missing piece that blocks most checks of the next stage.

    python -m next_step next [format text|json|shields] -- RUN

Reads a run and the contract through assay itself (ASSAY_PROGRAM). It makes no verdicts: they come from the run.
"""

import collections
import json
import os
import re
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path

from assay.command import Refused, serve
from guide_steps import number_of, read_steps

DATA = Path(__file__).resolve().parents[1]
EXAMPLES = ("fake_device/integration", "fake_device/torch_fakedev")
BROKEN = {"fail", "crash", "timeout", "broken"}
FINE = {"pass", "noted"}
WIDTH = 100
UNASKED = "ask what was not asked yet"
SHOWN = 4  # number of blocked checks to show
LONGEST = 300  # longest quotation of the backend's output
GUIDE = read_steps()


def ask(*words):
    """Returns the document that a command of assay prints."""
    told = subprocess.run([os.environ.get("ASSAY_PROGRAM", "assay"), *words, "--format", "json"],
                          capture_output=True, text=True)
    if told.returncode not in (0, 1, 2) or not told.stdout:
        raise Refused(told.stderr.strip().removeprefix("assay: "), told.returncode)
    return json.loads(told.stdout)


@dataclass
class Step:
    """One thing to do: a check to fix, or a missing piece that blocks checks."""

    what: str
    check: dict  # the first blocked check
    held_up: list

    @property
    def is_defect(self):
        return self.check["verdict"] in BROKEN


def subject_of(check):
    """Each defect is a separate subject. Checks that are blocked or skipped for the same reason share one subject."""
    about = check["about"]
    if check["verdict"] in BROKEN or not about or about.startswith("self."):  # the check's own function
        return check["blocked_by"] or check["id"]
    return about


def root_of(check, verdicts):
    """The check that shows what is missing. If a capability is unproven, that is the check that probes it."""
    probe = re.search(r"is unproven: see (\S+)", check.get("reason") or "")
    root = verdicts.get(probe[1]) if probe else None
    return root or check


def steps_of(stage, verdicts, known_checks):
    """The steps of a stage: first those that block most checks, defects before missing pieces, and last the missing
    pieces that no page of the guide adds."""
    later = list(known_checks)
    groups = collections.defaultdict(list)
    for name in stage["open"]:
        root = root_of(verdicts[name], verdicts)
        groups[subject_of(root)].append(root)
    steps = []
    for what, checks in groups.items():
        first = next((check for check in checks if check["id"] == what), checks[0])
        waiting = [check["id"] for check in verdicts.values()
                   if check["verdict"] not in FINE | {"unobservable"}
                   and what in (check["id"], check["about"], check["blocked_by"], subject_of(root_of(check, verdicts)))]
        steps.append(Step(what, first, waiting or [first["id"]]))
    return sorted(steps, key=lambda step: (not step.is_defect and page_of(step, known_checks) is None, -len(step.held_up),
                                           not step.is_defect, later.index(step.check["id"])))


def numbers_of(text):
    """The clauses that a "Serves:" sentence names. "OPS-001 to OPS-004" names four clauses."""
    found = set()
    for prefix, first, last in re.findall(r"([A-Z]+)-(\d{3})(?:\s+(?:\*\s+|#\s+)?to\s+(?:\*\s+)?[A-Z]+-(\d{3}))?", text):
        found.update(f"{prefix}-{number:03}" for number in range(int(first), int(last or first) + 1))
    return found


def files_of_example(folder):
    """The sources of the worked example by name. Tests and the extension module show no clause."""
    left_out = {DATA / folder / "tests", DATA / folder / "binding"}
    found = (path for path in (DATA / folder).rglob("*.*") if path.suffix in (".cc", ".py") and path.parent not in left_out)
    return sorted(found, key=lambda path: path.name)


def example_of_clause(clauses):
    """The file of the worked example whose header says that it serves one of the clauses."""
    for folder in EXAMPLES:
        for path in files_of_example(folder):
            head = path.read_text(encoding="utf-8", errors="replace")[:4000]
            said = re.search(r"Serves:(.*?)(?:\.\s*\n|\*/|\"\"\")", head, re.DOTALL)
            if said and numbers_of(said.group(1)) & set(clauses):
                return path.relative_to(DATA).as_posix()
    return None


def example_of_operator(operator):
    """The line of the worked example that registers the operator."""
    name = operator.removeprefix("aten::")
    for path in files_of_example(EXAMPLES[0]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if f'"{name}"' in line:
                return f"{path.relative_to(DATA).as_posix()}:{number}"
    return None


def example_of(step, clauses):
    """A path that the user can open: relative only in a checkout of assay."""
    of_operator = example_of_operator(step.what) if step.what.startswith("aten::") else None
    found = of_operator or example_of_clause(clauses)
    return found if not found or Path(found.partition(":")[0]).exists() else f"{DATA}/{found}"


def clauses_of(step, known_checks, capabilities):
    """For a capability, the clauses of the check that probes it; otherwise the check's own clauses."""
    probe = capabilities.get(step.what)
    return known_checks.get(probe, known_checks.get(step.check["id"], {})).get("covers", []) or step.check["covers"]


def what_it_is(step, capabilities):
    if step.is_defect or step.what == step.check["id"]:
        return f"mend {step.check['id']}"
    if step.what in capabilities:
        return f"bring the capability {step.what}"
    if step.what.startswith("aten::"):
        return f"serve {step.what}: register it, or let it take what it refuses"
    return f"bring {step.what}"


def last_of(names):
    """The number of the last guide step that these names need; None if the guide adds none of them."""
    return max((number for number in (number_of(name, GUIDE) for name in names if name) if number is not None), default=None)


def capabilities_of(check, known_checks):
    return (known_checks.get(check, {}).get("capability") or "").split(",")


def guide_step_of(step, known_checks):
    """The number of the guide step that adds the missing piece. For a check: its capabilities, or its module."""
    if step.what not in known_checks:
        return last_of([step.what])
    number = last_of([*capabilities_of(step.what, known_checks), *capabilities_of(step.check["id"], known_checks)])
    return last_of([step.what]) if number is None else number


def page_of(step, known_checks):
    number = guide_step_of(step, known_checks)
    return None if number is None else f"assay guide {GUIDE[number].name}"


def command_of(step, target, known_checks):
    """The command that runs the checks that need only the steps up to this page."""
    number = guide_step_of(step, known_checks)
    soon = [check for check in step.held_up if number is not None and (last_of([*capabilities_of(check, known_checks), check]) or 0) <= number]
    return f"assay run --target {target} --select {','.join((soon or step.held_up)[:SHOWN])}"


def rows_of(step, known_checks, capabilities, target):
    clauses = clauses_of(step, known_checks, capabilities)
    clause = ask("explain", clauses[0]) if clauses else {"demand": step.check["demand"], "why": None}
    yield "do", what_it_is(step, capabilities)
    # A check that only uses an operator has a clause about something else.
    is_subject = step.is_defect or step.what in capabilities or step.what == step.check["id"]
    yield "clause" if is_subject else "needed by", f"{clauses[0]}: {clause['demand']}" if clauses else clause["demand"]
    yield "without it", (clause.get("why") or "") if is_subject else ""
    seen = step.check["seen"] or step.check["reason"] or step.check["verdict"]
    yield "seen", seen if len(seen) <= LONGEST else seen[:LONGEST] + " ..."
    yield "holds up", f"{len(step.held_up)} check{'s' * (len(step.held_up) > 1)}: {', '.join(step.held_up[:SHOWN])}" + (
        " ..." if len(step.held_up) > SHOWN else "")
    yield "likely", step.check["hint"] if step.is_defect else ""
    yield "read", page_of(step, known_checks) or ""
    yield "example", example_of(step, clauses) or ""
    yield "then run", command_of(step, target, known_checks)


def show(label, text):
    lines = textwrap.wrap(" ".join(text.split()), WIDTH - 13, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        print(f"  {label if number == 0 else '':10} {line}")


def target_of(run):
    """The target as it was given at the start of the run, so that the command can be pasted."""
    given = re.search(r"--target[= ](\S+)", run["command"] or "")
    return given.group(1) if given else run["target"]


def badge(report):
    """Writes JSON for the endpoint of shields.io. A run of a few checks does not give "none"."""
    reached = report["run"]["stage"] or "not asked"
    last = report["stages"][-1]["name"]
    colour = {"none": "lightgrey", "not asked": "lightgrey", last: "brightgreen"}.get(reached, "yellow")
    return {"schemaVersion": 1, "label": f"{report['run']['target']} stage", "message": reached, "color": colour,
            "isError": False}


def say_how_far(report):
    print(f"stage reached: {report['run']['stage'] or 'not asked'}")
    for stage in report["stages"]:
        count = stage["kept"] + len(stage["open"])  # if the run contains only some checks, only these count
        state = "reached" if stage["reached"] else "not yet"
        unseen = f", {stage['not_observable']} more cannot be observed here" if stage["not_observable"] else ""
        unasked = f", {stage['not_asked']} not asked" if stage["not_asked"] else ""
        print(f"  {stage['name']:10} {stage['kept']:4} of {count:4}  {state}{unasked}{unseen}")


@dataclass
class Advice:
    """The steps for the first stage that is not reached. If there are none, the run contains too few checks."""

    stage: dict
    steps: list
    known_checks: dict
    capabilities: dict
    target: str

    def as_json(self):
        if not self.steps:
            return {"stage": self.stage["name"], "do": UNASKED, "checks": [], "read": None, "example": None, "command": self.asking()}
        step = self.steps[0]
        example = example_of(step, clauses_of(step, self.known_checks, self.capabilities))
        return {"stage": self.stage["name"], "do": what_it_is(step, self.capabilities), "checks": step.held_up,
                "read": page_of(step, self.known_checks), "example": example,
                "command": command_of(step, self.target, self.known_checks)}

    def asking(self):
        return f"assay run --target {self.target} --select {self.stage['name']}"

    def rows(self):
        if not self.steps:
            yield "do", UNASKED
            yield "then run", self.asking()
            return
        yield from rows_of(self.steps[0], self.known_checks, self.capabilities, self.target)
        for step in self.steps[1:4]:
            yield "after that", f"{what_it_is(step, self.capabilities).partition(': ')[0]} ({len(step.held_up)})"


def advice_of(report):
    stage = next((stage for stage in report["stages"] if not stage["reached"]), None)
    if stage is None:
        return None
    torch = report["run"]["torch"]["version"]
    listed = ask("list", "--torch", torch or "")
    known_checks = {check["id"]: check for check in listed["checks"]}
    verdicts = {check["id"]: check for check in report["checks"]}
    return Advice(stage, steps_of(stage, verdicts, known_checks), known_checks, probes_of(report, known_checks),
                  target_of(report["run"]))


def as_json(report):
    advice = advice_of(report)
    return {"schema": "assay/next/1", "target": report["run"]["target"], "reached": report["run"]["stage"],
            "stages": [{**stage, "text": " ".join(stage["text"].split())} for stage in report["stages"]],
            "advice": advice and advice.as_json()}


def say_advice(advice):
    if advice is None:
        print("nothing is left to do: every stage is reached")
        return
    print(f"\nnext, for {advice.stage['name']}: {advice.stage['text']}")
    for label, text in advice.rows():
        if text:
            show(label, text)


def probes_of(report, known_checks):
    """Each capability of the report, with the check that shows it."""
    probes = {}
    for capability in report["capabilities"]:
        name = capability["name"]
        probes[name] = next((check for check, known in known_checks.items()
                             if known["capability"] and name in known["capability"].split(",")), None)
    return probes


def main(command):
    run = command.words[0]
    report = ask("report", run)
    if not report["stages"]:
        raise Refused(f"{run} contains no stages, because an older assay wrote it; run again")
    format = command.option("format", "text")
    if format == "text":
        say_how_far(report)
        say_advice(advice_of(report))
    else:
        print(json.dumps((as_json if format == "json" else badge)(report), indent=1))
    return 0 if all(stage["reached"] for stage in report["stages"]) else 1


if __name__ == "__main__":
    serve(main)
