# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.submit submit [OPTION VALUE]... -- : started by `assay submit`."""

import json
import os
import subprocess
from pathlib import Path

from assay.main import OK, USAGE, complain, run
from assay.submit import submission
from assay.submit.engines import check_options, engine_of
from assay.submit.gather import gather, status_of, text_of

OF_TASKS = ("target", "torch", "select", "shards", "engine", "out", "resources", "minutes", "at-once")


def expect_options(options, words):
    """A sentence, or None. Words are options of assay run."""
    ours = [word for word in words if word.partition("=")[0] in ("--out", "--target", "--shard", "--select", "--resume")]
    if ours:
        return f"submit itself gives {ours[0].partition('=')[0]} to each run"
    asked = [name for name in ("gather", "cancel") if name in options]
    if asked:
        other = [name for name in (*OF_TASKS, *asked[1:]) if name in options]
        if words:
            return f"--{asked[0]} takes no words: {words[0]}"
        return f"--{other[0]} and --{asked[0]} exclude each other" if other else None
    missing = [name for name in ("target", "engine", "out") if name not in options]
    return f"give --{missing[0]}" if missing else None


def check_selection(select, program):
    """(status, sentence) where assay refuses the selection, or None: said here once, and not by each task."""
    words = [program, "list", *(["--select", select] if select else [])]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return (done.returncode, done.stderr.strip().removeprefix("assay: ")) if done.returncode else None


def start(options, words, program):
    check_options(options)
    engine = engine_of(options["engine"])
    document, commands = submission.make(options, words, program)
    wrong = check_selection(document["select"], program)
    if wrong:
        return complain(*wrong)
    folder = Path(options["out"]).absolute()
    submission.write(document, commands, folder, program)
    document["job"] = engine.start(folder, len(commands), options)
    submission.save(document, folder)
    if document["job"]:
        print(f"{len(commands)} tasks are job {document['job']}; assay submit --gather {options['out']} says what became of them")
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
    print(f"job {document['job']} is cancelled; assay submit --gather {options['cancel']} says what was done")
    return OK


def main(arguments):
    cut = arguments.index("--")
    options, words = dict(zip(arguments[1:cut:2], arguments[2:cut:2], strict=True)), arguments[cut + 1 :]
    program = os.environ["ASSAY_PROGRAM"]
    sentence = expect_options(options, words)
    if sentence:
        return complain(USAGE, sentence)
    if "gather" in options:
        return gathered(options, program)
    return cancelled(options) if "cancel" in options else start(options, words, program)


if __name__ == "__main__":
    run(main)
