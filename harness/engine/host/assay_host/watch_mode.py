# SPDX-License-Identifier: BSD-3-Clause
"""Watches a program from within: each operator that reaches the device is done again on the CPU and judged.

A dispatch mode stands below autograd, so it sees forward and backward, in the engine's threads as in the program's. What
it finds is appended to a file of this process, a line at a time: a program that is killed leaves all but its last line.
Begun by watch_site.py; read by watch.py.
"""

import collections
import json
import os
import sys
import threading
import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode

FIRST = 3  # of each distinct call; then each whose number is a power of two
LIMIT_BYTES = 64 << 20  # of inputs that are copied for one comparison
KEPT_BYTES = 4 << 20  # of inputs that a reproducer may have
RESULTS_NOT_SET = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_", "set_")
OUR_FOLDERS = (os.path.dirname(os.path.abspath(__file__)), os.path.dirname(torch.__file__))

_watch = None


def begin():
    """Once in each process; a forked child goes on in a file of its own."""
    global _watch
    folder = os.environ["ASSAY_WATCH"]
    _watch = Watch(folder, torch._C._get_privateuse1_backend_name, bool(os.environ.get("ASSAY_WATCH_ALL")))
    _watch.__enter__()
    _watch_threads()
    Modules.hook()
    os.register_at_fork(after_in_child=_watch.reopen)


def _watch_threads():
    """A dispatch mode belongs to a thread: each new one enters it."""
    run = threading.Thread.run

    def run_watched(thread):
        with _watch:
            run(thread)

    threading.Thread.run = run_watched


class Modules:
    """The path of the module whose forward is under way in this thread, as in `model.layers.3.mlp`."""

    here = threading.local()

    @classmethod
    def hook(cls):
        torch.nn.modules.module.register_module_forward_pre_hook(cls.enter)
        torch.nn.modules.module.register_module_forward_hook(cls.leave, always_call=True)

    @classmethod
    def enter(cls, module, _inputs):
        stack = cls.here.__dict__.setdefault("stack", [])
        if not stack:
            cls.here.names = weakref.WeakKeyDictionary({one: name for name, one in module.named_modules()})
            cls.here.names[module] = ""
            cls.here.root = type(module).__name__
        stack.append(module)

    @classmethod
    def leave(cls, module, _inputs, _output):
        stack = cls.here.__dict__.get("stack", [])
        while stack and stack.pop() is not module:
            pass

    @classmethod
    def path(cls):
        stack = cls.here.__dict__.get("stack", [])
        if not stack:
            return ""
        name = cls.here.names.get(stack[-1], type(stack[-1]).__name__)
        return ".".join(filter(None, (cls.here.root, name)))


def _user_line():
    """`file:line` of the innermost frame that is neither ours nor torch's."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(OUR_FOLDERS) and not file.startswith("<"):
            return f"{file}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def _tensors(tree):
    return [leaf for leaf in torch.utils._pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def _size_class(tensor):
    return [size if size < 4 else 1 << (size - 1).bit_length() for size in tensor.shape]


def _word(leaf):
    if isinstance(leaf, torch.Tensor):
        order = sorted(range(leaf.dim()), key=lambda i: -leaf.stride(i))
        return [str(leaf.dtype), leaf.device.type, _size_class(leaf), order, leaf.is_contiguous()]
    return repr(leaf)[:60]


class Watch(TorchDispatchMode):
    def __init__(self, folder, name_of_device, everything):
        super().__init__()
        self.folder, self.name_of_device, self.everything = folder, name_of_device, everything
        self.calls, self.lines, self.lock = collections.Counter(), collections.OrderedDict(), threading.Lock()
        self.reopen()

    def reopen(self):
        self.file = open(os.path.join(self.folder, f"process-{os.getpid()}.jsonl"), "a", encoding="utf-8")
        self.lock = threading.Lock()

    def tell(self, **record):
        with self.lock:
            self.file.write(json.dumps(record) + "\n")
            self.file.flush()

    # ---- each call --------------------------------------------------------------------------------

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        named = named or {}
        if not self.concerns(arguments, named):
            return function(*arguments, **named)
        where = self.place()
        call = str([str(function), [_word(leaf) for leaf in torch.utils._pytree.tree_leaves((arguments, named))]])
        with self.lock:
            self.calls[call] += 1
            number = self.calls[call]
        told = {"op": str(function), "call": hash(call) & 0xFFFFFFFF, "number": number, **where}
        reason = self.why_not(function, arguments, named, number)
        if reason:
            result = function(*arguments, **named)
            self.tell(**told, uncompared=reason)
            return result
        return self.compared(function, arguments, named, told)

    def concerns(self, arguments, named):
        kind = self.name_of_device()
        leaves = torch.utils._pytree.tree_leaves((arguments, named))
        return any(isinstance(leaf, torch.Tensor) and leaf.device.type == kind or
                   isinstance(leaf, torch.device) and leaf.type == kind for leaf in leaves)

    def place(self):
        """Of a call in backward, what its forward was called from."""
        node = torch._C._current_autograd_node()
        if node is not None:
            line, module = self.lines.get(node._sequence_nr(), (_user_line(), ""))
            return {"line": line, "module": module, "backward": True}
        line, module = _user_line(), Modules.path()
        # The node of this call was made just before; later calls that make none see the same number.
        self.lines.setdefault(torch._C._autograd._get_sequence_nr() - 1, (line, module))
        while len(self.lines) > 100000:
            self.lines.popitem(last=False)
        return {"line": line, "module": module, "backward": False}

    def why_not(self, function, arguments, named, number):
        """The reason why a call is not compared, or None."""
        name = function._schema.name.split("::")[1]
        if torch.Tag.nondeterministic_seeded in function.tags:
            return "random"
        if name in RESULTS_NOT_SET:
            return "memory that is not set, or moved"
        tensors = _tensors((arguments, named))
        if any(one.layout is not torch.strided or type(one) not in (torch.Tensor, torch.nn.Parameter) for one in tensors):
            return "a layout or a class of its own"
        if sum(one.numel() * one.element_size() for one in tensors) > LIMIT_BYTES:
            return "too large"
        if not self.everything and number > FIRST and number & (number - 1):
            return "seen before"
        return None

    # ---- the comparison -----------------------------------------------------------------------------

    def compared(self, function, arguments, named, told):
        from watch_comparison import Compared

        one = Compared(function, arguments, named, self.name_of_device())
        result = function(*arguments, **named)
        try:
            words = one.difference(result)
        except Exception as error:
            self.tell(**told, uncompared=f"the CPU refuses it: {type(error).__name__}")
            return result
        if words:
            told["reproducer"] = self.keep(one, told)
        self.tell(**told, wrong=words, worst=one.worst)
        return result

    def keep(self, one, told):
        """The inputs of a wrong call, in a file that a reproducer reads: the first of each operator."""
        path = os.path.join(self.folder, told["op"].replace(".", "_") + ".pt")
        if not os.path.exists(path) and one.bytes() <= KEPT_BYTES:
            torch.save({"operator": told["op"], "arguments": one.before}, path)
        return os.path.basename(path) if os.path.exists(path) else ""
