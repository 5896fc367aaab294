# SPDX-License-Identifier: BSD-3-Clause
"""Starts the watch in a process, and ends it: the dispatch mode of each thread, the hooks, and the last records.

Called by assay/watcher/site.py in each process of a program, and by assay/watcher/block.py. mode.py watches the calls.
"""

import atexit
import functools
import json
import os
import threading

from assay.host import engine_threads, load_steps
from assay.watcher import ctc_loss as kept_ctc_loss
from assay.watcher.mode import ThreadWatch, Watch
from assay.watcher.place import Modules
from assay.watcher.settling import Settling

USUAL_MIB = 64  # size of the inputs; a larger call is not compared

_watch = None


def begin():
    """Called once in each process. A forked child writes to a new ledger."""
    if _watch is None:
        with open(os.environ["ASSAY_WATCH"], encoding="utf-8") as file:
            request = json.load(file)
        if not request.get("no-load"):
            for step in request["steps"]:
                load_steps.run(*step)
        most_mib = USUAL_MIB if request["most-mib"] is None else request["most-mib"]
        settling = Settling(**request["settle"]) if "settle" in request else None
        undone_later(Watch(request["folder"], request["all"], most_mib << 20, request["most-seconds"] or 0, settling))
    return _watch


def is_under_way():
    return _watch is not None


def undone_later(watch):
    """Starts the watch in this thread and in all threads that start later. Returns a function that ends it."""
    global _watch
    _watch = watch
    mode = ThreadWatch(watch)
    mode.__enter__()
    undo = [_watch_threads(watch), kept_ctc_loss.keep(), _see_exit(watch), watch.captures.hook(), *(handle.remove for handle in Modules.hook()), watch.end]
    os.register_at_fork(after_in_child=watch.ledger.reopen_soon)
    atexit.register(watch.end)
    atexit.register(engine_threads.let_finish)

    def end():
        global _watch
        _watch = None
        atexit.unregister(watch.end)
        atexit.unregister(engine_threads.let_finish)
        mode.__exit__(None, None, None)
        for one in undo:
            one()

    return end


def _watch_threads(watch):
    """A dispatch mode belongs to one thread, so each new thread enters its own mode, even if it overrides run()."""
    bootstrap = threading.Thread._bootstrap_inner

    def bootstrap_watched(thread):
        with ThreadWatch(watch):
            bootstrap(thread)

    threading.Thread._bootstrap_inner = bootstrap_watched
    return lambda: setattr(threading.Thread, "_bootstrap_inner", bootstrap)


def _see_exit(watch):
    """Replaces os._exit: if the process calls os._exit, running calls of other threads must not count as crashes."""
    leave = os._exit

    @functools.wraps(leave)
    def seen(status):
        if watch.under_way.is_idle_here():
            watch.under_way.end_well()
        leave(status)

    os._exit = seen
    return lambda: setattr(os, "_exit", leave)
