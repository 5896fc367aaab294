# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program that is watched, as it would run without us: its terminal, its output, its signals are its own.

Called by watch.py. A signal of the terminal reaches the whole group and is not passed on again; one that somebody sends
to us is.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from assay import places
from assay.watcher import ends as watch_ends

HERE = Path(__file__).resolve().parent
PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
BY_THE_KERNEL = 0x80  # SI_KERNEL
SOMEBODY_STOPPED_IT = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL}


def words_of(command):
    """`-m package` and `train.py` are for the target's own Python."""
    first = command[0]
    is_script = first.endswith(".py") and os.path.isfile(first) and not os.access(first, os.X_OK)
    return [sys.executable, *command] if first in ("-m", "-c") or is_script else command


def environment_of(request):
    """Each Python that is started finds the package assay, and not the folder of suites/: a program has its own names."""
    folder = Path(request["folder"])
    site = folder / "site"
    site.mkdir(exist_ok=True)
    shutil.copy(HERE / "site.py", site / "sitecustomize.py")
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and not places.is_data(path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *paths]), "ASSAY_WATCH": str(folder / "request.json")}


def run(command, request):
    """The end of the program: its status as a shell says it, the name of the signal it died of or "", words or "", whether it
    was stopped on purpose, and its number."""
    waited_for = PASSED_ON | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    words = words_of(command)
    try:
        program = os.posix_spawnp(words[0], words, environment_of(request), setsigmask=before,
                                  setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    except OSError as error:
        return {"exit": 127, "signal": "", "ended": f"cannot start {words[0]}: {error.strerror}", "cut_off": False}
    while True:
        came = signal.sigwaitinfo(waited_for)
        if came.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(program, os.WNOHANG)
            if ended:
                watch_ends.note(os.path.join(request["folder"], watch_ends.FILE), program, status)
                return {**how_it_ended(status), "process": program}
        elif came.si_code != BY_THE_KERNEL:
            os.kill(program, came.si_signo)


def how_it_ended(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name
        return {"exit": 128 + number, "signal": name, "ended": f"the program was ended by {name}",
                "cut_off": number in SOMEBODY_STOPPED_IT}
    code = os.WEXITSTATUS(status)
    return {"exit": code, "signal": "", "ended": f"the program ended with status {code}" if code else "", "cut_off": False}
