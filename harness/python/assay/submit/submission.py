# SPDX-License-Identifier: BSD-3-Clause
"""A submission: the list of tasks. The list is written into a folder that every machine can access.

    DIR/submit.json      the options, the tasks, and the name of the job at its engine
    DIR/commands         one line for each task: a command assay run --shard
    DIR/task.sh          runs the task with the given number, or the one in the engine's environment
    DIR/tasks/N/         the run of a task, its output, and its exit status in `ended`
    DIR/merged/NAME/     one run for each target and torch, made by --gather
"""

import dataclasses
import itertools
import json
import re
import shlex
from pathlib import Path

from assay import files
from assay.command import USAGE, Refused

SCHEMA = "assay/submit/1"
MOST_SHARDS = 1000  # the limit of assay merge


TASK = """#!/bin/bash
# A task of {place}: the one with the number given, or the one in the engine's environment.
number=${{1:-${{SLURM_ARRAY_TASK_ID:-$((${{JOB_COMPLETION_INDEX:?give the number of a task}} + 1))}}}}
mapfile -t commands < {place}/commands
command=${{commands[number - 1]:?there is no task $number}}
folder={place}/tasks/$number
mkdir -p "$folder"
# If the engine restarts a lost task, the run is resumed: checks in the journal are not run again.
if [ -s "$folder/run/journal.jsonl" ]; then
    command="{program} run --resume $(printf %q "$folder/run") --quiet"
else
    rm -rf "$folder/run"
fi
bash -c "$command" > "$folder/output" 2>&1
status=$?
echo "$status" > "$folder/ended.new" && mv "$folder/ended.new" "$folder/ended"
exit "$status"
"""


@dataclasses.dataclass(frozen=True)
class Task:
    """One shard of one target under one torch."""

    number: int
    target: str
    torch: str  # the user's name for this torch, or "" if there is only one
    shard: int

    @property
    def group(self):
        name = Path(self.target).stem if self.target.endswith((".yaml", ".yml")) else self.target
        return f"{name}-{self.torch}" if self.torch else name


def number_of(options, name, default, most):
    text = options.get(name, str(default))
    if not re.fullmatch(r"[0-9]{1,6}", text) or not 1 <= int(text) <= most:
        raise Refused(f"--{name} takes a number from 1 to {most}, not \"{text}\"", USAGE)
    return int(text)


def torches_of(text):
    """Parses NAME=PYTHON,... to {name: interpreter}. Without the option, assay finds an interpreter."""
    found = {}
    for word in filter(None, text.split(",")):
        name, mark, python = word.partition("=")
        if not mark or not re.fullmatch(r"[\w.+-]+", name) or not Path(python).is_file():
            raise Refused(f"--torch takes NAME=PYTHON with an interpreter that exists, such as new=/opt/new/bin/python, not {word}")
        if name in found:
            raise Refused(f"--torch names {name} twice")
        found[name] = str(Path(python).absolute())
    return found or {"": ""}


def targets_of(text):
    """Splits a list of targets. Names stay unchanged; the path of a profile is made absolute."""
    words = [word for word in text.split(",") if word]
    targets = [str(Path(word).absolute()) if "/" in word or word.endswith((".yaml", ".yml")) else word for word in words]
    names = [Task(0, target, "", 0).group for target in targets]
    for target in targets:
        if "/" in target and not Path(target).is_file():
            raise Refused(f"{target} does not exist: --target takes a profile, or a name in ci/targets")
    twice = {name for name in names if names.count(name) > 1}
    if twice or not targets:
        raise Refused(f"--target names {sorted(twice)[0]} twice" if twice else "--target is empty")
    return targets


def make(options, words, program):
    """Returns (document, commands) for the options. `words` are passed to each run."""
    shards = number_of(options, "shards", 1, MOST_SHARDS)
    torches = torches_of(options.get("torch", ""))
    groups = itertools.product(targets_of(options["target"]), torches, range(1, shards + 1))
    tasks = [Task(number, *group) for number, group in enumerate(groups, 1)]
    place = Path(options["out"]).absolute()
    more = (["--select", options["select"]] if "select" in options else []) + words
    commands = [command_of(task, shards, torches[task.torch], place, program) + more for task in tasks]
    document = {"schema": SCHEMA, "engine": options["engine"], "job": "", "shards": shards, "select": options.get("select", ""),
                "tasks": [dataclasses.asdict(task) for task in tasks]}
    return document, [shlex.join(command) for command in commands]


def command_of(task, shards, python, place, program):
    head = ["env", f"ASSAY_PYTHON={python}"] if python else []
    return [*head, program, "run", "--target", task.target, "--shard", f"{task.shard}/{shards}", "--out", str(place / "tasks" / str(task.number) / "run"), "--quiet"]


def write(document, commands, folder, program):
    folder = Path(folder).absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{folder} is not empty: give a new folder to --out")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "commands").write_text("".join(f"{command}\n" for command in commands), encoding="utf-8")
    script = folder / "task.sh"
    script.write_text(TASK.format(place=shlex.quote(str(folder)), program=shlex.quote(program)), encoding="utf-8")
    script.chmod(0o755)
    save(document, folder)


def save(document, folder):
    """Writes the file in one step, because --gather may read it at the same time."""
    new = Path(folder, "submit.json.new")
    new.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    new.replace(Path(folder, "submit.json"))


def read(folder):
    """Returns (document, tasks). Checks the names: they become paths, and any user with access to the folder may have
    written them."""
    path = Path(folder, "submit.json")
    if not path.exists():
        raise Refused(f"{folder} holds no submission: give the folder that --out named")
    document = files.read_json(path)
    try:
        if document["schema"] != SCHEMA:
            raise Refused(f'{path}: "schema" is not "{SCHEMA}"')
        tasks = [Task(**task) for task in document["tasks"]]
        texts = [document["engine"], document["job"], document["select"], *(task.target for task in tasks), *(task.torch for task in tasks)]
        numbers = [document["shards"], *(task.number for task in tasks), *(task.shard for task in tasks)]
        is_whole = (all(type(text) is str for text in texts) and all(type(number) is int for number in numbers)
                    and [task.number for task in tasks] == list(range(1, len(tasks) + 1))
                    and all(re.fullmatch(r"[^/.][^/]*", task.group) for task in tasks))  # fmt: skip
    except (KeyError, TypeError):
        is_whole = False
    if not is_whole:
        raise Refused(f"{path} is damaged: its list of tasks cannot be read")
    return document, tasks
