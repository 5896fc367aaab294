# SPDX-License-Identifier: BSD-3-Clause
"""Determines the state of each task and merges one run for each target and torch. A task that an engine lost is
incomplete, never a pass."""

import collections
import os
import shutil
import socket
import subprocess
from pathlib import Path

OK, FAILED, UNDECIDED = 0, 1, 2

ENDED = ("passed", "failed", "undecided")


def state_of(task, folder, left):
    """`left` maps each task that has not ended to the engine's state. An exit status that no run returns means that the
    run is incomplete."""
    if task.number in left:
        return left[task.number]
    ended = Path(folder, "tasks", str(task.number), "ended")
    if not ended.is_file():
        return "lost" if run_of(task, folder).is_dir() else "never begun"
    status = ended.read_text(encoding="utf-8", errors="replace").strip()
    return dict(zip("012", ENDED)).get(status, f"ended with {status}")


def run_of(task, folder):
    return Path(folder, "tasks", str(task.number), "run")


def has_journal(task, folder):
    path = run_of(task, folder) / "journal.jsonl"
    return path.is_file() and path.stat().st_size > 0


def merge(name, tasks, folder, program):
    """Returns the folder of the merged run, or None and the reason. An earlier run of the same name is replaced when
    the new run is complete."""
    runs = [str(run_of(task, folder)) for task in tasks if has_journal(task, folder)]
    if not runs:
        return None, "none of its tasks has started"
    merged = Path(folder, "merged")
    merged.mkdir(exist_ok=True)
    for left in filter(is_left, merged.glob(".*.*.*")):
        shutil.rmtree(left, ignore_errors=True)
    # The name is unique, because `assay merge` of a killed gathering may still write to its folder.
    new = merged / f".{name}.{socket.gethostname()}.{os.getpid()}"
    new.mkdir()
    try:
        done = subprocess.run([program, "merge", "--partial", "--out", str(new / "run"), *runs], capture_output=True, text=True, check=False)
        if done.returncode:
            return None, done.stderr.strip().removeprefix("assay: ")
        if (merged / name).exists():
            (merged / name).rename(new / "old")
        (new / "run").rename(merged / name)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return merged / name, ""


def is_left(path):
    """True if the folder belongs to a gathering on this machine that has ended. Other machines cannot be queried."""
    _, host, pid = path.name.rsplit(".", 2)
    return host == socket.gethostname() and not Path("/proc", pid).exists()


def gather(document, tasks, folder, engine, program):
    """Returns the document of schema assay/submit/1. Does not merge runs while the engine still has tasks."""
    left = engine.left(document["job"])
    states = {task.number: state_of(task, folder, left) for task in tasks}
    groups = collections.defaultdict(list)
    for task in tasks:
        groups[task.group].append(task)
    merged = []
    for name, members in groups.items() if not left else ():
        place, why = merge(name, members, folder, program)
        merged.append({"name": name, "run": str(place) if place else "", "why": why, "status": decide(place, document["select"], program)})
    told = [{**row, "state": states[row["number"]]} for row in document["tasks"]]
    return {**document, "tasks": told, "left": len(left), "merged": merged}


def decide(run, select, program):
    """The gate's decision on the merged run. The gate does not decide on single shards, because a shard with only skips
    would be undecided."""
    if not run:
        return UNDECIDED
    words = [program, "gate", "--head", str(run), *(["--select", select] if select else [])]
    status = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    return status if status in (OK, FAILED) else UNDECIDED


def status_of(found):
    statuses = [one["status"] for one in found["merged"]]
    if FAILED in statuses:
        return FAILED
    is_whole = all(task["state"] in ENDED for task in found["tasks"])
    return OK if is_whole and UNDECIDED not in statuses else UNDECIDED


def text_of(found):
    """One line for each state with its count, for each task without a result, and for each merged run."""
    counts = collections.Counter(task["state"] for task in found["tasks"])
    yield ", ".join(f"{count} {state}" for state, count in counts.most_common())
    for task in found["tasks"] if not found["left"] else ():
        if task["state"] not in ENDED:
            torch = f" under torch {task['torch']}" if task["torch"] else ""
            yield f"incomplete: task {task['number']}, shard {task['shard']} of {found['shards']} of {task['target']}{torch}: {task['state']}"
    for one in found["merged"]:
        yield f"{one['name']}: {one['run'] or one['why']}"
    if found["left"]:
        yield f"the engine still has {found['left']} tasks: gather again when they have ended"
