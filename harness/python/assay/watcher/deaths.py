# SPDX-License-Identifier: BSD-3-Clause
"""Processes of a watched program that ended in the midst of a call: which one it was, and what ended them.

Called by assay/watcher/summary.py, once the program is over.
"""

import json
import os
import signal

from assay.watcher import ends as watch_ends, under_way as watch_under_way
from assay.watcher.under_way import CALLED, COMPARED, IDLE, TAKEN, inputs_in_words

SOMEBODY_STOPPED_IT = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL}
DIED, STOPPED = "died", "stopped"
DURING = {CALLED: "during the call", COMPARED: "while its results were waited for and compared",
          TAKEN: "while its inputs were copied"}


def found(folder, is_cut_off):
    """Of each call that was under way: `op`, `wrong` (words), `how`, `form`, and its place. `is_cut_off`: somebody stopped
    the program, so what nobody knows the end of was stopped as well."""
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
    """In words, the last call of a process that ended between two; "" where there is none."""
    _, threads = watch_under_way.read(folder / f"process-{process}{watch_under_way.SUFFIX}")
    if not threads or any(one["state"] != IDLE for one in threads):
        return ""
    one = max(threads, key=lambda each: each["since"])
    return f"outside of any operator; the last one was {one['form']['op']} at {one['line']}"


def _is_alive(process):
    """Not one whose parent has not waited for it yet."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def _told(one, busy, end, is_cut_off):
    status, at = end or (None, 0)
    by, how = _cause(status, is_cut_off)
    after = f" {(at - one['since']) / 1e9:.1f} s after its begin," if how is STOPPED and at else ""
    words = f"ended {by}{after} {DURING[one['state']]} ({inputs_in_words(one['form'])})"
    if busy > 1:
        words += f"; one of {busy} threads that had a call under way"
    if one["unwaited"]:
        words += f"; {one['unwaited']} calls before it were not waited for"
    return {**one, "op": one["form"]["op"], "wrong": words, "how": how, "at": one["since"]}


def _kept(folder, form):
    """The name of a file with the form of the call, for a reproducer; "" where inputs of that operator were kept already."""
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
        return ("with the program", STOPPED) if is_cut_off else ("by nobody knows what", DIED)
    if not os.WIFSIGNALED(status):
        return f"with status {os.waitstatus_to_exitcode(status)}", DIED
    number = os.WTERMSIG(status)
    return f"by {signal.Signals(number).name}", STOPPED if number in SOMEBODY_STOPPED_IT else DIED
