# SPDX-License-Identifier: BSD-3-Clause
"""Place of a watched program: the line, the path of the module, and for a call in backward those of its forward.

Called by watch_mode.py.
"""

import collections
import os
import sys
import threading
import weakref

import torch

OUR_FOLDERS = (os.path.dirname(os.path.abspath(__file__)), os.path.dirname(torch.__file__))
MOST_LINES = 100000


class Modules:
    """The path of the module whose forward is under way in this thread, as in `model.layers.3.mlp`."""

    here = threading.local()

    @classmethod
    def hook(cls):
        enter = torch.nn.modules.module.register_module_forward_pre_hook(cls.enter)
        leave = torch.nn.modules.module.register_module_forward_hook(cls.leave, always_call=True)
        return enter, leave

    @classmethod
    def enter(cls, module, _inputs):
        stack = cls.here.__dict__.setdefault("stack", [])
        if not stack:
            cls.here.names = None
            cls.here.root = weakref.ref(module)
        stack.append(module)

    @classmethod
    def leave(cls, module, _inputs, _output):
        stack = cls.here.__dict__.get("stack", [])
        while stack and stack.pop() is not module:
            pass

    @classmethod
    def path(cls):
        stack = cls.here.__dict__.get("stack", [])
        root = cls.here.root() if stack else None
        if root is None:
            return ""
        if cls.here.names is None:  # asked for rarely, and a large model has many
            cls.here.names = {id(one): name for name, one in root.named_modules()}
        name = cls.here.names.get(id(stack[-1]), type(stack[-1]).__name__) if stack[-1] is not root else ""
        return ".".join(filter(None, (type(root).__name__, name)))


def user_line():
    """`file:line` of the innermost frame that is neither ours nor torch's."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(OUR_FOLDERS) and not file.startswith("<frozen"):
            return f"{file}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


class Forwards:
    """The places in which nodes of the graph were made, by the numbers that autograd gives them in each thread."""

    def __init__(self):
        self.threads, self.last = {}, threading.local()

    def remember(self):
        """Called for each call: only one that made a node since the last one costs more."""
        number = torch._C._autograd._get_sequence_nr()
        if number == getattr(self.last, "number", 0):
            return
        self.last.number = number
        lines = self.threads.setdefault(threading.get_ident(), collections.OrderedDict())
        lines[number - 1] = (user_line(), Modules.path())  # the node of this call was made just before
        if len(lines) > MOST_LINES:
            lines.popitem(last=False)

    def of(self, node):
        """None where it is not known. A node does not say of which thread it is: mostly of the main one."""
        number, main = node._sequence_nr(), self.threads.get(threading.main_thread().ident, {})
        return next((lines[number] for lines in (main, *list(self.threads.values())) if number in lines), None)


def place(forwards):
    """Of the call that is under way."""
    node = torch._C._current_autograd_node()
    if node is not None:
        line, module = forwards.of(node) or (user_line(), "")
        return {"line": line, "module": module, "backward": True}
    return {"line": user_line(), "module": Modules.path(), "backward": False}
