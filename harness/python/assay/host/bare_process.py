# SPDX-License-Identifier: BSD-3-Clause
"""The bare process: a process that has loaded torch but not the target. The host keeps one bare process for its jobs
(harness/host/job/bare_process.h).

The host forks the bare process in the middle of `import torch`, at the place where PyTorch looks for the entry points
of backends. Each child continues from this place: it sets the environment of a request, returns the installed entry
points or an empty list, completes `import torch`, runs the program of the request and exits as an interpreter does. So
PyTorch's own code handles the entry points, and a child costs only a fork.

bare_request.py sends requests. A child reads its request from a socket of the job. The bare process only forks, and
reports how its children ended.
"""

import contextlib
import ctypes
import gc
import importlib.metadata
import os
import select
import signal
import socket
import sys

from assay.host import bare_child
from assay.host.bare_child import NUMBER

GROUP = "torch.backends"
SWITCH = "TORCH_DEVICE_BACKEND_AUTOLOAD"
MOST = 64  # largest number of children at one time; a job needs only one
PR_SET_PDEATHSIG = 1

_library, _makes_one = None, False


def attach(library, makes_one):
    """`makes_one` is True in a host and False in a job."""
    global _library, _makes_one
    _library, _makes_one = library, makes_one


def requests():
    """Number of the socket for requests, or -1 if there is no bare process."""
    return _library.hn_bare_requests() if _library else -1


def import_torch():
    """Imports torch. In a host, forks the bare process. In children of the bare process, does not return."""
    if not _makes_one or "torch" in sys.modules or not hasattr(os, "pidfd_open"):
        return
    real, child, place = importlib.metadata.entry_points, [], []

    def asked(**options):
        """Replaces importlib.metadata.entry_points. PyTorch calls it once in the middle of `import torch`."""
        if options.get("group") != GROUP or place:
            return real(**options)
        place.append(True)
        requested = _fork()
        importlib.metadata.entry_points = real
        if requested is None:
            return ()
        child.append(bare_child.Child(requested))
        return real(**options) if child[0].autoload else ()

    importlib.metadata.entry_points = asked
    os.environ[SWITCH] = "1"
    failure = None
    try:
        import torch  # noqa: F401
    except BaseException as error:
        failure = error
    if child:
        child[0].run(failure)
    importlib.metadata.entry_points = real
    os.environ[SWITCH] = "0"
    if failure:
        raise failure


def _fork():
    """Forks the bare process. Returns None in the host, and the socket with the request in a child of the bare
    process."""
    sys.stdout.flush()
    sys.stderr.flush()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    number = ours.detach()  # detached, because a socket object would later close another file with the same number
    host = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        os.close(number)
        return None
    if pid == 0:
        return _be_bare(host, theirs)
    theirs.close()
    if _library.hn_bare_keep(pid, number) != 0:
        os.close(number)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return None


def _be_bare(host, requests):
    try:
        _leave_host(host, requests)
        return _serve(requests)
    except BaseException:
        os._exit(1)  # the host sees that the process ended


def _leave_host(host, requests):
    """Closes all files of the host. A process that waits for the host's end would otherwise wait for this process."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != host:
        os._exit(0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # a garbage collection in a child would otherwise copy every page
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number != requests.fileno():
            with contextlib.suppress(OSError):  # one of these files was the listing of the folder and is already closed
                os.close(number)


def _serve(requests):
    """Serves requests. Returns only in children."""
    children = {}  # {pidfd: (pid, the job's socket)}
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    while True:
        for number, event in poll.poll():
            if number in children:
                poll.unregister(number)
                _bury(number, *children.pop(number))
                continue
            job = _next_request(requests, event)
            if job is None or len(children) == MOST:
                continue
            pid = _fork_child(job)
            if pid == 0:
                for other, (_pid, theirs) in children.items():
                    os.close(other)
                    theirs.close()
                requests.close()
                return job
            if pid:
                pidfd = os.pidfd_open(pid)
                children[pidfd] = (pid, job)
                poll.register(pidfd, select.POLLIN)


def _next_request(requests, event):
    """Returns the socket that a job sent, or None for any other message."""
    try:
        data, extra, _flags, _from = requests.recvmsg(1, socket.CMSG_SPACE(4), socket.MSG_DONTWAIT)
    except BlockingIOError:
        data, extra = b"", []
    if not data and event & (select.POLLHUP | select.POLLERR):
        os._exit(0)  # the host has ended, or the socket was shut down
    numbers = [number for _level, _kind, content in extra for (number,) in NUMBER.iter_unpack(content)]
    if len(numbers) == 1:
        try:
            return socket.socket(fileno=numbers[0])
        except OSError:
            pass  # the message contains no socket
    for number in numbers:
        os.close(number)
    return None


def _fork_child(job):
    """Like os.fork(), but returns None if no child can be forked."""
    try:
        return os.fork()
    except OSError:
        job.close()
        return None


def _bury(pidfd, pid, job):
    os.close(pidfd)
    status = os.waitpid(pid, 0)[1]
    try:
        job.send(bare_child.ENDED + NUMBER.pack(status), socket.MSG_DONTWAIT)
    except OSError:
        pass  # the job has ended
    job.close()
