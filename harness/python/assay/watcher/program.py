# SPDX-License-Identifier: BSD-3-Clause
"""Runs the watched program. The terminal, the output and signals behave as without a watch.

Called by __main__.py. A signal from the terminal reaches the whole process group and is not forwarded. A signal that
another process sends to assay is forwarded.
"""

import atexit
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from assay import places
from assay.watcher import ends as watch_ends

HERE = Path(__file__).resolve().parent
PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
OUTPUT = "output.txt"  # the output of a further run
NOT_STARTED = 127
BY_THE_KERNEL = 0x80  # SI_KERNEL of sigaction(2)
SOMEBODY_STOPPED_IT = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL}


def words_of(command):
    """The command line. `-m package` and `train.py` are run with the target's Python."""
    first = command[0]
    is_script = first.endswith(".py") and os.path.isfile(first) and not os.access(first, os.X_OK)
    return [sys.executable, *command] if first in ("-m", "-c") or is_script else command


def environment_of(request):
    """The environment of the program. Each Python process finds the package assay, but not the folder suites/, because
    module names there may collide with those of the program."""
    site = site_in(request["folder"])
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and not places.is_data(path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *paths]), "ASSAY_WATCH": str(Path(request["folder"], "request.json"))}


def site_in(folder):
    """Writes the folder that the program finds first. PYTHONPATH cannot hold a path with a colon, so if the path of the
    run has one, the folder is a temporary one that is removed when assay ends."""
    site = Path(folder, "site")
    if os.pathsep in folder:
        site = Path(tempfile.mkdtemp(prefix="assay-watch-"))
        atexit.register(shutil.rmtree, site, ignore_errors=True)
    site.mkdir(exist_ok=True)
    shutil.copy(HERE / "site.py", site / "sitecustomize.py")
    return site


def run(command, request):
    """Runs the program. Returns its status as a shell reports it, the signal that ended it or "", a message or "", True
    if it was stopped on purpose, and its pid."""
    waited_for = PASSED_ON | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    words = words_of(command)
    try:
        program = os.posix_spawnp(words[0], words, environment_of(request), setsigmask=before,
                                  setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    except OSError as error:
        return {"exit": NOT_STARTED, "signal": "", "ended": f"cannot start {words[0]}: {error.strerror}", "cut_off": False}
    while True:
        came = signal.sigwaitinfo(waited_for)
        if came.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(program, os.WNOHANG)
            if ended:
                watch_ends.note(os.path.join(request["folder"], watch_ends.FILE), program, status)
                return {**how_it_ended(status), "process": program}
        elif came.si_code != BY_THE_KERNEL:
            os.kill(program, came.si_signo)


def run_again(command, request, seconds):
    """Runs the program once more, with its output in a file and without input. Returns the same as run(), or None if a
    signal came for assay or the time was over. The program is the leader of a process group, so that all its processes
    can be ended."""
    waited_for = PASSED_ON | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    words, until = words_of(command), time.monotonic() + seconds
    output = os.path.join(request["folder"], OUTPUT)
    files = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
             (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT, 0o644), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    program = os.posix_spawnp(words[0], words, environment_of(request), file_actions=files, setpgroup=0, setsigmask=before,
                              setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    while True:
        came = signal.sigtimedwait(waited_for, max(0, until - time.monotonic()))
        if came is not None and came.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(program, os.WNOHANG)
            if ended:
                return how_it_ended(status)
        else:
            os.killpg(program, signal.SIGKILL)
            os.waitpid(program, 0)
            return None


def how_it_ended(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name
        return {"exit": 128 + number, "signal": name, "ended": f"the program was ended by {name}",
                "cut_off": number in SOMEBODY_STOPPED_IT}
    code = os.WEXITSTATUS(status)
    return {"exit": code, "signal": "", "ended": f"the program ended with status {code}" if code else "", "cut_off": False}
