# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.bisect bisect [OPTION VALUE]... -- : started by `assay bisect`."""

import json
import os

from assay.bisect import commands, drift_step
from assay.bisect.answers import Answers
from assay.bisect.axes import axis
from assay.bisect.verdicts import Bisection
from assay.command import USAGE, Refused, serve

OK, UNDECIDED = 0, 2


def ends_of(options, count):
    for name in ("good", "bad"):
        parts = options[name].split(",")
        if len(parts) != count:
            raise Refused(f"--{name} {options[name]}: expected {count} names separated by commas, one for each axis")
        yield parts


def axes_of(options):
    given = [name for name in ("backend", "torch") if name in options]
    good, bad = ends_of(options, len(given))
    return [axis(name, options[name], *ends) for name, *ends in zip(given, good, bad, strict=True)]


def sentence_of(culprit):
    with_what = "".join(f", with {name} {value}" for name, value in culprit["with"].items())
    if not culprit["found"]:
        return (f"{culprit['axis']}: between {culprit['last_good']} and {culprit['first_bad']}{with_what}: no point "
                f"in between gives a result ({len(culprit['unanswered'])} points)")
    lines = [f"{culprit['axis']}: {culprit['way']} {culprit['revision']} {culprit['date']}{with_what}".rstrip()]
    if culprit["subject"]:
        lines += [f"  {culprit['subject']}", *(f"  {name}" for name in culprit["files"])]
    if culprit["drift"]:
        lines.append(f"  what changed for backends in this step: {culprit['drift']}")
    elif culprit["axis"] == "torch":
        lines.append(f"  assay drift of {culprit['last_good']} and {culprit['first_bad']} shows the changes between them")
    return "\n".join(lines)


def tell(found, answers, as_json):
    status = OK if found["culprits"] and all(culprit["found"] for culprit in found["culprits"]) else UNDECIDED
    counts = {"builds": answers.builds_made, "runs": answers.runs_made}
    if as_json:
        print(json.dumps({"schema": "assay/bisect/1", "needs": "", "why": ""} | found | counts))
        return status
    print(found.get("why") or "\n".join(sentence_of(culprit) for culprit in found["culprits"]))
    if len(found["culprits"]) == 2:
        words = "both are needed" if " and " in found["needs"] else "each change alone causes the failure"
        print(words)
    print(f"{counts['builds']} builds, {counts['runs']} runs, stored in {answers.folder}")
    return status


def expect_options(options, words):
    """Raises Refused if the options are wrong."""
    if words:
        raise Refused(f"bisect takes no arguments: {words[0]}", USAGE)
    missing = [name for name in ("good", "bad") if name not in options]
    if missing:
        raise Refused(f"give --{missing[0]}", USAGE)
    if "backend" not in options and "torch" not in options:
        raise Refused("give --backend, --torch or both: the axes to bisect", USAGE)
    if "run" not in options and not ("target" in options and "select" in options):
        raise Refused("give --target and --select, the checks that failed, or --run", USAGE)


def main(command):
    options = command.options
    expect_options(options, command.words)
    axes = axes_of(options)
    commands.expect_build(options, axes)
    build, run = commands.build_of(options, axes), commands.run_of(options, axes)
    question = {"axes": [[one.what, one.points[0], one.points[-1]] for one in axes], "build": build, "run": run}
    answers = Answers(options.get("state", "bisect"), question, axes, build, run)
    found = Bisection(answers, axes).find()
    for culprit in found["culprits"]:
        culprit["drift"] = drift_step.report(culprit, axes, answers, os.environ["ASSAY_PROGRAM"])
    return tell(found, answers, options.get("format") == "json")


if __name__ == "__main__":
    serve(main)
