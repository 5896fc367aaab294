# SPDX-License-Identifier: BSD-3-Clause
"""Other processes of a Python check: a forked child, and a new process that loads the backend again.

Used by methods of Case. A child answers with one JSON value. A new process has the same deadline as the check. A forked
child exits by os._exit, so that no exit handler of the parent runs twice.
"""

import contextlib
import faulthandler
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback

FRESH = """
import json, os, sys
steps, code, ends = json.loads(sys.stdin.read())
from assay.host import load_steps
for step in steps:
    load_steps.run(*step)
answer = None
scope = {}
exec(code, scope)
print("\\n" + json.dumps(scope["answer"]), flush=True)
if not ends:
    os._exit(0)  # taking torch down takes a third of a second
from assay.host import engine_threads
engine_threads.let_finish()  # else it is core's engine that dies, not the backend
"""


FRAME = re.compile(r'File "(.*)", line (\d+) in (.*)')
MOST_FRAMES = 5


class Dead(Exception):
    """The child did not answer. The text says whether the child ended by a signal, by an exit status or at the
    deadline, and which code the child was running."""

    hung = False


def _kept_findings():
    try:
        from assay.host import report
    except ImportError:
        return []  # plain unittest
    return report.keep_findings()


def _ask(work, write):
    findings = _kept_findings()
    try:
        answer = {"value": work()}
    except BaseException as error:
        answer = {
            "error": type(error).__name__,
            "text": str(error),
            "kinds": [kind.__name__ for kind in type(error).__mro__],
            "trace": traceback.format_exc()[-2000:],
        }
    os.write(write, json.dumps({**answer, "findings": findings}).encode())


def in_forked_child(work, seconds):
    """Runs `work()` in a forked child. Returns {"value": ...} or {"error": name, "text": ..., "kinds": [...]}, with the
    findings of the child."""
    with tempfile.TemporaryFile() as stack:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(read)
                _leave_a_stack(stack, seconds)
                _ask(work, write)
            finally:
                os._exit(0)
        os.close(write)
        try:
            return json.loads(_read_all(read, seconds) or "null") or _death(child, None, stack)
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            return _death(child, f"no answer within {seconds:.0f} s", stack)
        finally:
            os.close(read)
            _reap(child)


def _leave_a_stack(file, seconds):
    """Makes the child dump its stacks on a signal, and shortly before the parent's deadline."""
    faulthandler.enable(file)
    faulthandler.dump_traceback_later(0.9 * seconds, file=file)


def where(stack):
    """Returns for example "synchronize (memory.py:42) < use (test_x.py:7)": the innermost frames of the first stack, up
    to the first frame of a check."""
    frames = []
    for line in stack.partition("most recent call first")[2].splitlines()[1:]:
        frame = FRAME.search(line)
        if not frame:
            break
        folder, file = f"/{frame[1]}".split(os.sep)[-2:]
        frames.append(f"{frame[3]} ({folder + os.sep if file == '__init__.py' else ''}{file}:{frame[2]})")
        if os.path.basename(frame[1]).startswith("test_") or len(frames) == MOST_FRAMES:
            break
    return " < ".join(frames)


def _read_all(read, seconds):
    end, data = time.monotonic() + seconds, b""
    while True:
        ready, _, _ = select.select([read], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise TimeoutError
        piece = os.read(read, 65536)
        if not piece:
            return data
        data += piece


def _reap(child):
    try:
        return os.waitpid(child, 0)[1]
    except ChildProcessError:
        return None


def _death(child, hung, stack):
    status = _reap(child)
    place = where(_text(stack))
    death = Dead((hung or ended_by(os.waitstatus_to_exitcode(status))) + (f" in {place}" if place else ""))
    death.hung = bool(hung)
    raise death


def ended_by(status):
    """For example "SIGSEGV" or "exit status 3"."""
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def in_fresh_process(code, steps, environment, first=(), new=False, ends=False):
    """Returns the variable `answer` that `code` sets in another interpreter, after the load steps of the target.

    The interpreter starts with `import torch`. If the host keeps a process that has torch, the interpreter is forked
    from it. `new` starts a new interpreter, for checks of actions before `import torch`. `first` are folders to put at
    the front of sys.path. With `ends`, the interpreter must exit as a program does; without `ends`, no exit handlers
    run.
    """
    words = [steps, code, ends]
    path = [*first, *filter(None, sys.path)]
    environment = {**os.environ, **environment, "PYTHONPATH": os.pathsep.join(path)}
    with contextlib.ExitStack() as opened:
        files = [opened.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        status = None if new else _of_bare_process(words, files, environment, path)
        if status is None:
            from assay.host import SAFE  # Only a host has this attribute. The test of this file runs without a host.

            _say(files, words)
            status = subprocess.run(
                [sys.executable, *SAFE, "-c", FRESH], stdin=files[0], stdout=files[1], stderr=files[2], env=environment
            ).returncode
        said, complaints = (_text(file) for file in files[1:])
    if status != 0:
        raise Dead(f"{ended_by(status)}: {last_words(complaints)}")
    return json.loads(said.strip().splitlines()[-1])


def last_words(complaints):
    """The class and text of an uncaught C++ exception without PyTorch's stack. If none, the end of the output."""
    thrown = re.search(r"terminate called after throwing an instance of '(.*?)'\s+what\(\):\s+(.*?)(?:\s+Exception raised from|\Z)",
                       complaints, re.DOTALL)
    return f"{thrown[1]}: {thrown[2].strip()[:1500]}" if thrown else complaints.strip()[-1500:]


def _say(files, words):
    """The first file receives the text; the other files are empty."""
    for file in files:
        file.seek(0)
        file.truncate()
    files[0].write(json.dumps(words).encode())
    files[0].seek(0)


def _text(file):
    file.seek(0)
    return file.read().decode(errors="replace")


def _of_bare_process(words, files, environment, path):
    """Runs FRESH in a child of the bare process. Returns the exit status, or None if there is no bare process."""
    try:
        from assay.host import bare_request
    except ImportError:
        return None  # plain unittest
    _say(files, words)
    autoload = environment.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") == "1"
    status = bare_request.run(FRESH, [file.fileno() for file in files], environment, path, autoload)
    return None if status is None else os.waitstatus_to_exitcode(status)
