# SPDX-License-Identifier: BSD-3-Clause
"""Child processes of torch.multiprocessing. Each child runs one function and has a pipe to its parent.

A spawned child finds its function by name, so all such functions are defined here and not in a test file. No wait is
longer than the time of the check, and no child outlives its block.
"""

import contextlib
import gc
import io
import pickle
import signal
from multiprocessing import util
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler

import torch
import torch.multiprocessing
from assay.checks.case import Ended
from assay.checks.lent_interpreters import lent_interpreters


class Child:
    """Runs `work(connection, *arguments)` in a child of this start method ("fork", "spawn", "forkserver").

    A child that is not forked loads the target first. A spawned child uses an interpreter of lent_interpreters.py,
    unless `new` asks for a new one.
    """

    def __init__(self, case, method, work, *arguments, new=False):
        context = torch.multiprocessing.get_context(method)
        util.get_temp_dir()  # children use this folder too; the job removes it even if they are killed
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
        """The next message of the child. The last message is {"value": ...} with the result of its work, or {"error":
        name, "text": ...}. If the child dies or does not answer, `what` is violated."""
        wait([self.connection, self.process.sentinel], self.case.seconds_left * 0.6)
        try:
            if self.connection.poll():
                return self.connection.recv()
        except (EOFError, ConnectionError):
            # the child has closed its end of the pipe and is about to exit
            self.process.join(self.case.seconds_left / 4)
        self.case.expect(False, what, _end_of(self.process.exitcode))
        raise Ended

    def value(self, what):
        """The result of the child's work. An exception in the work violates `what`."""
        outcome = self.says(what)
        if "error" in outcome:
            self.case.expect(False, what, f"the child raised {outcome['error']}: {outcome['text']}"[:600])
            raise Ended
        return outcome["value"]


@contextlib.contextmanager
def closed(queue):
    """Closes a queue of torch.multiprocessing after the block. The named semaphores of the queue disappear only when
    its thread has ended and no process holds them, and a job ends without the interpreter's own clean-up."""
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


# ---- work: a device is passed as text, because a spawned child reads it before it has loaded the backend


def computed(device):
    """Copies four numbers to the device and back. Runs a kernel on them if the device has one."""
    x = torch.arange(4.0).to(device)
    try:
        x.add(x)
    except (RuntimeError, NotImplementedError):
        pass
    return x.cpu().tolist()


def use_device(_connection, device):
    return computed(device)


def use_device_apart(_connection, devices, seed):
    """Changes state that is separate in each process: the current device, the seed, memory."""
    torch.manual_seed(seed)
    torch.accelerator.set_device_index(torch.device(devices[0]).index)
    return [computed(device) for device in devices]


def use_until_killed(connection, device):
    kept = torch.arange(4.0).to(device)
    connection.send(kept.cpu().tolist())
    connection.recv()


def add_one(connection, inbox, outbox, seconds):
    """Writes into the received tensor, sends it back, and stays alive until the parent has it."""
    tensor = inbox.get(timeout=seconds)
    tensor.add_(1)
    outbox.put(tensor)
    connection.recv()


def fill(_connection, queue):
    """Writes into the received tensor."""
    tensor = queue.get()
    seen = [str(tensor.device), tensor.cpu().tolist()]
    tensor.fill_(7)
    tensor.cpu()
    return seen


def exchange(connection, inbox, outbox, count):
    """Reports the received tensor, sends a tensor of its own, and stays alive until the parent has read that tensor."""
    came = [inbox.get() for _ in range(count)]
    own = came[0].cpu().to(came[0].device)
    outbox.put(own)
    connection.send([(str(one.device), list(one.shape), one.cpu().tolist()) for one in came])
    connection.recv()


def take_and_drop(connection, queue):
    """On each command, takes a tensor from the queue or releases it, and reports the first numbers of the tensor."""
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
    """Sends a tensor as a queue does, keeps the tensor, and stays alive until the parent kills this process."""
    kept = torch.arange(4.0).to(device)
    connection.send(bytes(ForkingPickler.dumps(kept)))
    connection.recv()


def take_each(_connection, messages, device):
    """Returns how each message was received. Then copies a tensor to the device and back."""
    return [taken(message) for message in messages], computed(device)


def taken(message):
    """Returns the device and the numbers of the tensor in a message, or the exception if the message is refused."""
    try:
        tensor = _Receiver(io.BytesIO(message)).load()
        return {"value": [str(tensor.device), tensor.cpu().tolist()]}
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}


class _Receiver(pickle.Unpickler):
    def persistent_load(self, part):
        """Returns `part`, which stands for an object that the pickled bytes leave out."""
        return part
