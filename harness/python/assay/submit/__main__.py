# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.submit submit [OPTION VALUE]... -- : started by `assay submit`."""

import json
import os
import subprocess
from pathlib import Path

from assay.command import USAGE, Refused, serve
from assay.submit import submission
from assay.submit.engines import check_options, engine_of
from assay.submit.gather import gather, status_of, text_of

OK = 0
OF_TASKS = ("target", "torch", "select", "shards", "engine", "out", "resources", "minutes", "at-once")


def expect_options(options, words):
    """Raises Refused if the options are wrong. The words are options of assay run."""
    ours = [word for word in words if word.partition("=")[0] in ("--out", "--target", "--shard", "--select", "--resume")]
    if ours:
        raise Refused(f"submit itself gives {ours[0].partition('=')[0]} to each run", USAGE)
    asked = [name for name in ("gather", "cancel") if name in options]
    other = [name for name in (*OF_TASKS, *asked[1:]) if name in options]
    if asked and (words or other):
        raise Refused(f"--{asked[0]} takes no arguments: {words[0]}" if words else f"--{other[0]} and --{asked[0]} cannot be given together", USAGE)
    missing = [name for name in ("target", "engine", "out") if name not in options]
    if missing and not asked:
        raise Refused(f"give --{missing[0]}", USAGE)


def check_selection(select, program):
    """Raises Refused if assay rejects the selection. Without this test, every task would fail."""
    words = [program, "list", *(["--select", select] if select else [])]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Refused(done.stderr.strip().removeprefix("assay: "), done.returncode)


def start(options, words, program):
    check_options(options)
    engine = engine_of(options["engine"])
    document, commands = submission.make(options, words, program)
    check_selection(document["select"], program)
    folder = Path(options["out"]).absolute()
    submission.write(document, commands, folder, program)
    document["job"] = engine.start(folder, len(commands), options)
    submission.save(document, folder)
    if document["job"]:
        print(f"{len(commands)} tasks are job {document['job']}; assay submit --gather {options['out']} reports their results")
    return OK


def gathered(options, program):
    document, tasks = submission.read(options["gather"])
    folder = Path(options["gather"]).absolute()
    found = gather(document, tasks, folder, engine_of(document["engine"]), program)
    print(json.dumps(found) if options.get("format") == "json" else "\n".join(text_of(found)))
    return status_of(found)


def cancelled(options):
    document, tasks = submission.read(options["cancel"])
    engine_of(document["engine"]).cancel(document["job"])
    print(f"job {document['job']} is cancelled; assay submit --gather {options['cancel']} reports the results so far")
    return OK


def main(command):
    options, words, program = command.options, command.words, os.environ["ASSAY_PROGRAM"]
    expect_options(options, words)
    if "gather" in options:
        return gathered(options, program)
    return cancelled(options) if "cancel" in options else start(options, words, program)


if __name__ == "__main__":
    serve(main)
