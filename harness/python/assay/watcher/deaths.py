# SPDX-License-Identifier: BSD-3-Clause
"""Finds processes of a watched program that died during a call, with the call and the signal or exit status.

Called by assay/watcher/summary.py after the program has ended.
"""

import json
import os
import signal

from assay.watcher import ends as watch_ends, under_way as watch_under_way
from assay.watcher.under_way import CALLED, COMPARED, IDLE, TAKEN, inputs_in_words

SOMEBODY_STOPPED_IT = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL}
DIED, STOPPED = "died", "stopped"
DURING = {CALLED: "during the call", COMPARED: "while assay waited for its results and compared them",
          TAKEN: "while its inputs were copied"}


def found(folder, is_cut_off):
    """Returns for each interrupted call `op`, `wrong` (a description), `how`, `form`, and the place of the call.
    If `is_cut_off`, the program was stopped on purpose, and a process with an unknown end counts as stopped."""
    ends, calls = watch_ends.read(folder), []
    for path in sorted(folder.glob(f"process-*{watch_under_way.SUFFIX}")):
        process = int(path.stem.partition("-")[2])
        ended_well, threads = watch_under_way.read(path)
        busy = [one for one in threads if one["state"] != IDLE]
        if not ended_well and not _is_alive(process):
            calls += [{**_told(one, len(busy), ends.get(process), is_cut_off), "process": process,
                       "reproducer": _kept(folder, one["form"])} for one in busy]
    return calls


def last(folder, process):
    """Describes the last call of a process that died between two calls, or returns "" if there is none."""
    _, threads = watch_under_way.read(folder / f"process-{process}{watch_under_way.SUFFIX}")
    if not threads or any(one["state"] != IDLE for one in threads):
        return ""
    one = max(threads, key=lambda each: each["since"])
    return f"outside of any operator; the last one was {one['form']['op']} at {one['line']}"


def _is_alive(process):
    """True for a running process, not for a zombie."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def _told(one, busy, end, is_cut_off):
    status, at = end or (None, 0)
    by, how = _cause(status, is_cut_off)
    after = f" {(at - one['since']) / 1e9:.1f} s after it began," if how is STOPPED and at else ""
    words = f"ended {by}{after} {DURING[one['state']]} ({inputs_in_words(one['form'])})"
    if busy > 1:
        words += f"; one of {busy} threads with a running call"
    if one["unwaited"]:
        words += f"; {one['unwaited']} earlier calls were not synchronized"
    return {**one, "op": one["form"]["op"], "wrong": words, "how": how, "at": one["since"]}


def _kept(folder, form):
    """Writes the form of the call for a reproducer and returns the file name. Returns "" if inputs of this operator are
    already stored."""
    name = form["op"].replace(".", "_")
    if "arguments" not in form or (folder / f"{name}.pt").exists():
        return ""
    try:
        (folder / f"{name}.json").write_text(json.dumps(form), encoding="utf-8")
    except OSError:
        return ""
    return f"{name}.json"


def _cause(status, is_cut_off):
    if status is None:
        return ("with the program", STOPPED) if is_cut_off else ("for an unknown reason", DIED)
    if not os.WIFSIGNALED(status):
        return f"with status {os.waitstatus_to_exitcode(status)}", DIED
    number = os.WTERMSIG(status)
    return f"by {signal.Signals(number).name}", STOPPED if number in SOMEBODY_STOPPED_IT else DIED
