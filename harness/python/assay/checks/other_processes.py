# SPDX-License-Identifier: BSD-3-Clause
"""Children that torch.multiprocessing starts, each with one piece of work and a pipe to its parent.

A spawned child finds its work by name, so all work stands here and not in a test file. Nothing waits longer than the
check may take, and no child outlives its block.
"""

import contextlib
import gc
import io
import pickle
import signal
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler

import torch
import torch.multiprocessing
from assay.checks.case import Ended
from assay.checks.lent_interpreters import lent_interpreters


class Child:
    """`work(connection, *arguments)` in a child of this start method ("fork", "spawn", "forkserver").

    All but a forked one load the target first. A spawned one has its interpreter lent (lent_interpreters.py) unless a
    `new` one is wanted.
    """

    def __init__(self, case, method, work, *arguments, new=False):
        context = torch.multiprocessing.get_context(method)
        self.case, steps = case, [] if method == "fork" else case.steps()
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, steps, work, arguments), daemon=True)
        with contextlib.nullcontext() if new else lent_interpreters():
            self.process.start()
        theirs.close()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.process.kill()
        self.process.join()

    def says(self, what):
        """The next message, at the end {"value": ...} of its work or {"error": name, "text": ...}; its death or
        silence is a violation of `what`."""
        wait([self.connection, self.process.sentinel], self.case.seconds_left * 0.6)
        try:
            if self.connection.poll():
                return self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join(self.case.seconds_left / 4)  # it has closed its end, and is about to be gone
        self.case.expect(False, what, _end_of(self.process.exitcode))
        raise Ended

    def value(self, what):
        """The result of its work; an exception there is a violation of `what`."""
        outcome = self.says(what)
        if "error" in outcome:
            self.case.expect(False, what, f"the child raised {outcome['error']}: {outcome['text']}"[:600])
            raise Ended
        return outcome["value"]


@contextlib.contextmanager
def closed(queue):
    """A queue of torch.multiprocessing. Its semaphores have names, and go when its thread has ended and nobody holds it;
    a job ends without the interpreter's own clean-up."""
    try:
        yield queue
    finally:
        queue.close()
        queue.join_thread()


def _end_of(code):
    if code is None:
        return "the child gave no answer in time"
    return f"the child ended by {signal.Signals(-code).name if code < 0 else f'exit status {code}'}"


def _serve(connection, steps, work, arguments):
    try:
        _load(steps)
        outcome = {"value": work(connection, *arguments)}
    except BaseException as error:
        outcome = {"error": type(error).__name__, "text": str(error)}
    connection.send(outcome)


def _load(steps):
    from assay.host import load_steps

    for step in steps:
        load_steps.run(*step)


# ---- work: a device goes by its text, because a spawned child is told of it before it knows the backend


def computed(device):
    """Four numbers by way of the device, and by a kernel if it has one for them."""
    x = torch.arange(4.0).to(device)
    try:
        x.add(x)
    except (RuntimeError, NotImplementedError):
        pass
    return x.cpu().tolist()


def use_device(_connection, device):
    return computed(device)


def use_device_apart(_connection, devices, seed):
    """Changes whatever a process has of its own: the current device, the seed, memory."""
    torch.manual_seed(seed)
    torch.accelerator.set_device_index(torch.device(devices[0]).index)
    return [computed(device) for device in devices]


def use_until_killed(connection, device):
    kept = torch.arange(4.0).to(device)
    connection.send(kept.cpu().tolist())
    connection.recv()


def add_one(connection, inbox, outbox, seconds):
    """Writes into the tensor that it is sent, sends it back, and is there until the parent has it."""
    tensor = inbox.get(timeout=seconds)
    tensor.add_(1)
    outbox.put(tensor)
    connection.recv()


def fill(_connection, queue):
    """Writes into the tensor that it is sent."""
    tensor = queue.get()
    seen = [str(tensor.device), tensor.cpu().tolist()]
    tensor.fill_(7)
    tensor.cpu()
    return seen


def exchange(connection, inbox, outbox, count):
    """Tells what it is sent, sends a tensor of its own, and is there until the parent has looked at that."""
    came = [inbox.get() for _ in range(count)]
    own = came[0].cpu().to(came[0].device)
    outbox.put(own)
    connection.send([(str(one.device), list(one.shape), one.cpu().tolist()) for one in came])
    connection.recv()


def take_and_drop(connection, queue):
    """Takes from the queue, and lets go, when it is told to; each time it says what the first numbers are."""
    while True:
        connection.recv()
        tensor = queue.get()
        connection.send(tensor[:4].cpu().tolist())
        connection.recv()
        numbers = tensor[:4].cpu().tolist()
        del tensor
        gc.collect()
        connection.send(numbers)


def send_bytes(connection, device):
    """Sends a tensor as a queue does, keeps it, and is there until it is killed."""
    kept = torch.arange(4.0).to(device)
    connection.send(bytes(ForkingPickler.dumps(kept)))
    connection.recv()


def take_each(_connection, messages, device):
    """The fate of each message, then numbers by way of the device."""
    return [taken(message) for message in messages], computed(device)


def taken(message):
    """Device and numbers of the tensor that a message brings, or how it is refused."""
    try:
        tensor = _Receiver(io.BytesIO(message)).load()
        return {"value": [str(tensor.device), tensor.cpu().tolist()]}
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}


class _Receiver(pickle.Unpickler):
    def persistent_load(self, part):
        """The rest of bytes that were cut stands for them."""
        return part
