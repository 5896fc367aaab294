# SPDX-License-Identifier: BSD-3-Clause
"""A program sends tensors to another process."""

import io
import os
import pickle
import subprocess
import sys
import tempfile
from multiprocessing.reduction import ForkingPickler

import torch

from demonstrate import CRASH, ERROR, demonstrates


def received(thing):
    """As another process would get it."""
    return pickle.loads(ForkingPickler.dumps(thing))


@demonstrates("core.sharing_in_place_is_refused", shows=ERROR)
def model_on_the_device_cannot_be_shared():
    torch.nn.Linear(2, 2).to("fakedev").share_memory()


@demonstrates("python.children_close_the_device")
def child_that_did_nothing_dies():
    lines = "import os, sys, torch, torch_fakedev", "x = torch.ones(4, device='fakedev')", "child = os.fork()"
    end = "sys.exit(0 if child == 0 else os.waitstatus_to_exitcode(os.wait()[1]) != 0)"
    assert subprocess.run([sys.executable, "-c", "\n".join([*lines, end])]).returncode == 0


@demonstrates("python.sent_host_tensors_are_copies")
def batch_is_copied_once_more():
    x = torch.zeros(2)
    received(x).fill_(1)
    assert x.tolist() == [1, 1]


@demonstrates("python.sent_tensors_are_copies")
def shared_model_is_not_shared():
    x = torch.zeros(2, device="fakedev")
    received(x).fill_(1)
    assert x.tolist() == [1, 1]


@demonstrates("python.sent_tensors_arrive_on_cpu")
def sent_tensor_has_left_the_device():
    assert received(torch.ones(2, device="fakedev")).device.type == "fakedev"


class Cutter(ForkingPickler):
    """A line that loses the second half of whatever bytes it carries."""

    def persistent_id(self, thing):
        return thing[: len(thing) // 2] if type(thing) is bytes else None


class Receiver(pickle.Unpickler):
    def persistent_load(self, rest):
        return rest


def received_by_a_bad_line(thing):
    file = io.BytesIO()
    Cutter(file).dump(thing)
    file.seek(0)
    return Receiver(file).load()


@demonstrates("python.short_handle_ends_the_process", shows=CRASH)
def damaged_message_ends_who_gets_it():
    try:
        received_by_a_bad_line(torch.ones(2, device="fakedev"))
    except RuntimeError:
        pass


@demonstrates("python.unopened_memory_is_zeros")
def damaged_message_brings_zeros():
    try:
        assert received_by_a_bad_line(torch.ones(2, device="fakedev")).tolist() == [1, 1]
    except RuntimeError:
        pass


KEEPS = """
import sys, torch, torch_fakedev, torch.multiprocessing as processes

def take(queue, answers):
    torch.ones(1, device="fakedev")
    while (tensor := queue.get()) is not None:
        del tensor
        answers.put("taken")

if __name__ == "__main__":
    context = processes.get_context("spawn")
    queue, answers = context.SimpleQueue(), context.SimpleQueue()
    child = context.Process(target=take, args=(queue, answers), daemon=True)
    child.start()
    for _ in range(ROUNDS):
        queue.put(torch.empty(1 << 27, dtype=torch.uint8, device="fakedev"))
        while answers.empty() and child.is_alive():
            pass
        if not child.is_alive():
            sys.exit("the child got no more")
        answers.get()
    queue.put(torch.ones(1, device="fakedev"))
    answers.get()
    sys.exit(torch.accelerator.memory_allocated() > 1 << 20)
"""


def ends_well(rounds):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(KEEPS.replace("ROUNDS", str(rounds)))
        return subprocess.run([sys.executable, program]).returncode == 0


@demonstrates("python.imports_stay_open")
def receiver_runs_out_of_addresses():
    assert ends_well(40)


@demonstrates("python.sent_memory_is_kept")
def sender_keeps_what_nobody_has():
    assert ends_well(2)
