# SPDX-License-Identifier: BSD-3-Clause
"""Other processes of a Python check: a forked child, and a fresh one that loads the backend again.

For Case methods. What a child says is one JSON value; the deadline of a fresh one is the check's. A child that is
forked leaves by os._exit, so that nothing of the parent runs twice.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback

FRESH = """
import json, sys
steps, code = json.loads(sys.stdin.read())
from assay_host import load_steps
for step in steps:
    load_steps.run(*step)
answer = None
scope = {}
exec(code, scope)
print("\\n" + json.dumps(scope["answer"]))
"""


class Dead(Exception):
    """The child gave no answer: a signal, an exit status, or the deadline; the text says which."""


def _ask(work, write):
    try:
        answer = {"value": work()}
    except BaseException as error:
        answer = {
            "error": type(error).__name__,
            "text": str(error),
            "kinds": [kind.__name__ for kind in type(error).__mro__],
            "trace": traceback.format_exc()[-2000:],
        }
    os.write(write, json.dumps(answer).encode())


def in_forked_child(work, seconds):
    """{"value": ...} or {"error": name, "text": ..., "kinds": [...]} of `work()` in a forked child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            _ask(work, write)
        finally:
            os._exit(0)
    os.close(write)
    try:
        return json.loads(_read_all(read, seconds) or "null") or _death(child, None)
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
        return _death(child, f"no answer within {seconds:.0f} s")
    finally:
        os.close(read)
        _reap(child)


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


def _death(child, reason):
    status = _reap(child)
    if reason is None:
        signalled = os.WIFSIGNALED(status)
        reason = (
            signal.Signals(os.WTERMSIG(status)).name
            if signalled
            else f"exit status {os.WEXITSTATUS(status)}"
        )
    raise Dead(reason)


def in_fresh_process(code, steps, environment):
    """The `answer` that `code` computes in a new interpreter, after the load steps of the target."""
    child = subprocess.run(
        [sys.executable, "-c", FRESH],
        input=json.dumps([steps, code]),
        capture_output=True,
        text=True,
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    if child.returncode != 0:
        raise Dead(f"exit status {child.returncode}: {child.stderr.strip()[-1500:]}")
    return json.loads(child.stdout.strip().splitlines()[-1])
