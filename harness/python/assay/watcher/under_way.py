# SPDX-License-Identifier: BSD-3-Clause
"""Records the running call of each thread of a watched process in a mapped file that survives the process.

Before each call that reaches the device, the watch writes the operator with the form of its inputs, the line of the
program and the path of the module. If a signal kills the process, the file shows which call was running. Written by
assay/watcher/mode.py, read by assay/watcher/deaths.py.
"""

import json
import os
import struct
import threading
import time

import torch
from assay.watcher.ledger import mapped

PLACES = 32  # number of slots; if there are more threads, they share the slots
ROOM = 4096
SIZE = ROOM * (PLACES + 1)  # the first slot records whether the process exited by itself
HEAD = struct.Struct("=8q")  # state, start time, lengths of three texts, backward, number of calls not synchronized, 0
TEXTS = ((64, 3072), (3136, 512), (3648, 448))  # offset and largest size of each text
IDLE, TAKEN, CALLED, COMPARED = range(4)
SUFFIX = ".calls"


class UnderWay:
    def __init__(self, folder):
        self.folder = folder
        self.reopen()

    def reopen(self):
        self.memory, self.places, self.pid, self.lock = None, {}, os.getpid(), threading.Lock()

    def here(self):
        """The slot of this thread."""
        return self.places.get(threading.get_ident()) or self._begun()

    def _begun(self):
        with self.lock:
            if self.memory is None:
                self.memory = memoryview(mapped(os.path.join(self.folder, f"process-{self.pid}{SUFFIX}"), SIZE))
            at = ROOM * (1 + len(self.places) % PLACES)
            place = self.places[threading.get_ident()] = Place(self.memory[at:at + ROOM])
            if len(self.places) > PLACES:
                for one in self.places.values():
                    one.is_shared = True
        return place

    def is_idle_here(self):
        place = self.places.get(threading.get_ident())
        return place is None or not place.numbers[0]

    def end_well(self):
        """Called if the process exits by itself. Then calls running in other threads are not crashes."""
        if self.memory is not None:
            self.memory[0] = 1


class Place:
    """The slot of one thread."""

    def __init__(self, memory):
        self.memory, self.numbers, self.unwaited, self.is_shared = memory, memory[:HEAD.size].cast("q"), 0, False
        self.form = self.line = self.module = None  # the texts that the slot contains

    def begin(self, form, line, module, is_backward):
        """Begins a call. Its inputs are copied next. The texts are bytes with at most the sizes in TEXTS."""
        memory = self.memory
        if form is not self.form or self.is_shared:
            memory[64:64 + len(form)] = self.form = form
        if line is not self.line or self.is_shared:
            memory[3136:3136 + len(line)] = self.line = line
        if module is not self.module or self.is_shared:
            memory[3648:3648 + len(module)] = self.module = module
        HEAD.pack_into(memory, 0, TAKEN, time.monotonic_ns(), len(form), len(line), len(module), is_backward, self.unwaited, 0)

    def goes_on(self, state):
        self.numbers[0] = state

    def end(self, is_waited):
        """`is_waited` is set if the device has completed this call and all earlier calls."""
        self.numbers[0] = IDLE
        self.unwaited = 0 if is_waited else self.unwaited + 1


def read(path):
    """Returns True if the process exited by itself, and for each thread that called the device its state, start time,
    form, line, module, backward, and number of calls not synchronized."""
    try:
        data = path.read_bytes()
    except OSError:
        data = b""
    if len(data) != SIZE:
        return False, []
    return bool(data[0]), [one for number in range(PLACES) if (one := _read(data[ROOM * (number + 1):ROOM * (number + 2)]))]


def _read(room):
    state, since, *lengths, is_backward, unwaited, _ = HEAD.unpack_from(room)
    texts = [room[at:at + length].decode(errors="replace") for (at, _), length in zip(TEXTS, lengths, strict=True)]
    try:
        form = json.loads(texts[0])
    except ValueError:  # the slot is unused or the text is cut off
        return None
    return {"state": state, "since": since, "form": form, "line": texts[1], "module": texts[2], "backward": bool(is_backward),
            "unwaited": unwaited}


# ---- the form of a call ---------------------------------------------------------------------------------


PLAIN = {int: str, bool: lambda one: "true" if one else "false", type(None): lambda _: "null", str: json.dumps}


def form_of(function, arguments, named):
    """The form as bytes of JSON. From the form, the call can be repeated on similar inputs."""
    given = ", ".join([f"{json.dumps(name)}: {_text(one)}" for name, one in named.items()])
    text = f'{{"op": "{function}", "arguments": {_text(arguments)}, "named": {{{given}}}}}'.encode()
    if len(text) > TEXTS[0][1]:
        text = json.dumps({"op": str(function)}).encode()
    return text


def _text(one):
    """The same text as json.dumps(), at a third of its cost."""
    if type(one) in PLAIN:
        return PLAIN[type(one)](one)
    if isinstance(one, (list, tuple)):
        return f"[{', '.join(map(_text, one))}]"
    if isinstance(one, torch.Tensor):
        strides = list(one.stride()) if one.layout is torch.strided else "null"
        return (f'{{"tensor": "{str(one.dtype).removeprefix("torch.")}", "device": "{one.device.type}", '
                f'"shape": {list(one.shape)}, "strides": {strides}}}')
    return json.dumps(_leaf(one))


def _leaf(leaf):
    if isinstance(leaf, (float, complex)):
        return {"number": str(leaf)}
    if isinstance(leaf, torch.device):
        return {"device": leaf.type}
    return {"word": str(leaf)[:60]}


def inputs_of(function, arguments, named):
    """The inputs of a call as text for a reader."""
    return inputs_in_words(json.loads(form_of(function, arguments, named)))


def inputs_in_words(form):
    if "arguments" not in form:
        return "more inputs than there is room for"
    given = [_in_words(one) for one in form["arguments"]] + [f"{name}={_in_words(one)}" for name, one in form["named"].items()]
    return ", ".join(given)


def _in_words(one):
    if isinstance(one, list):
        return f"[{', '.join(map(_in_words, one))}]"
    if not isinstance(one, dict):
        return str(one)
    if "tensor" in one:
        strides = one["strides"]
        is_plain = strides is None or strides == _contiguous(one["shape"])
        return f"{one['tensor']} {one['shape']}" + ("" if is_plain else f" strides {strides}") + (" of the CPU" * (one["device"] == "cpu"))
    return next(iter(one.values()))


def _contiguous(shape):
    strides, size = [], 1
    for one in reversed(shape):
        strides.insert(0, size)
        size *= max(one, 1)
    return strides
