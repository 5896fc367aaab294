# SPDX-License-Identifier: BSD-3-Clause
"""python -m assay.drift COMMAND [OPTION VALUE]... -- WORD...: started by `assay drift` and `assay uses`."""

import multiprocessing
import os
import shutil
import signal
import tempfile
from functools import partial
from pathlib import Path

from assay.command import serve


def main(command):
    with tempfile.TemporaryDirectory(prefix="assay-drift-") as scratch:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, partial(leave, scratch, os.getpid()))
        return function_of(command)(command, Path(scratch))


def leave(scratch, owner, number, _frame):
    """Handles a signal at once: removes the unpacked files and ends the child processes."""
    if os.getpid() == owner:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a thread may still write to a child that this handler kills
        for child in multiprocessing.active_children():
            child.kill()
        shutil.rmtree(scratch, ignore_errors=True)
    os._exit(128 + number)


def function_of(command):
    """Imports a command's module only when the command runs, because each command needs few modules."""
    if command.name == "drift" and command.words[:1] == ["dump"]:
        from assay.facts.dump_command import dump_command

        return dump_command
    if command.name == "drift" and command.words[:1] == ["anchors"]:
        from assay.anchors.command import anchors_command

        return anchors_command
    if command.name == "uses":
        from assay.uses.command import uses_command

        return uses_command
    from assay.drift.command import drift_command

    return drift_command


if __name__ == "__main__":
    serve(main)
