# SPDX-License-Identifier: BSD-3-Clause
"""The process with torch and without the target that the host keeps beside its jobs (harness/host/job/bare_process.h).

It is forked in the middle of `import torch`, where PyTorch looks for the entry points of backends. There it stays,
and each of its children goes on from there: it gets the environment of a request, returns the entry points that
there are, or none, runs the rest of `import torch`, then the program of the request, and ends as an interpreter ends.
So what entry points do to `import torch` is done by PyTorch's own lines, and costs a fork.

bare_request.py asks. What is asked comes over a socket of the job's own, which a child of the bare process reads: the
bare process itself only forks, and says how its children ended.
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
MOST = 64  # children at a time: nobody needs more than one
PR_SET_PDEATHSIG = 1

_library, _makes_one = None, False


def attach(library, makes_one):
    """`makes_one`: this is a host, not a job."""
    global _library, _makes_one
    _library, _makes_one = library, makes_one


def requests():
    """Number of the socket by which a job asks; -1 if there is no bare process."""
    return _library.hn_bare_requests() if _library else -1


def import_torch():
    """In a host this forks the bare process, and in the children of that it does not return."""
    if not _makes_one or "torch" in sys.modules or not hasattr(os, "pidfd_open"):
        return
    real, child, place = importlib.metadata.entry_points, [], []

    def asked(**options):
        """Once, in the middle of `import torch`."""
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
    """None in the host; in a child of the bare process the socket with its request."""
    sys.stdout.flush()
    sys.stderr.flush()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    number = ours.detach()  # a number alone: an object would close what has the number next
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
        os._exit(1)  # the host notices


def _leave_host(host, requests):
    """Nothing of the host's is kept open: it would not be missed by whoever waits for its end."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != host:
        os._exit(0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # a collection in a child would touch, and so copy, every page
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number != requests.fileno():
            with contextlib.suppress(OSError):  # one of them was of the listing itself
                os.close(number)


def _serve(requests):
    """Returns in children only."""
    children = {}  # pidfd -> (pid, the job's socket)
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
    """The socket that a job has sent; None for anything else that it sends."""
    try:
        data, extra, _flags, _from = requests.recvmsg(1, socket.CMSG_SPACE(4), socket.MSG_DONTWAIT)
    except BlockingIOError:
        data, extra = b"", []
    if not data and event & (select.POLLHUP | select.POLLERR):
        os._exit(0)  # the host is gone, or somebody has shut the socket
    numbers = [number for _level, _kind, content in extra for (number,) in NUMBER.iter_unpack(content)]
    if len(numbers) == 1:
        try:
            return socket.socket(fileno=numbers[0])
        except OSError:
            pass  # no socket
    for number in numbers:
        os.close(number)
    return None


def _fork_child(job):
    """As os.fork(); None if there can be none now."""
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
        pass  # whoever asked is gone
    job.close()
