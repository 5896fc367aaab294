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

_sequence_number, _current_node = torch._C._autograd._get_sequence_nr, torch._C._current_autograd_node


class Modules:
    """The path of the module whose forward is under way in this thread, as in `model.layers.3.mlp`."""

    here = threading.local()
    paths = {}  # by two weak references

    @classmethod
    def hook(cls):
        enter = torch.nn.modules.module.register_module_forward_pre_hook(cls.enter)
        leave = torch.nn.modules.module.register_module_forward_hook(cls.leave, always_call=True)
        return enter, leave

    @classmethod
    def enter(cls, module, _inputs):
        cls.here.__dict__.setdefault("stack", []).append(module)

    @classmethod
    def leave(cls, module, _inputs, _output):
        stack = cls.here.__dict__.get("stack", [])
        while stack and stack.pop() is not module:
            pass

    @classmethod
    def ends(cls):
        """The outermost module and the innermost one, or None."""
        stack = getattr(cls.here, "stack", None)
        return (weakref.ref(stack[0]), weakref.ref(stack[-1])) if stack else None

    @classmethod
    def path(cls, ends):
        """In words; kept, for a module is asked about with each of its calls."""
        if not ends:
            return ""
        kept = cls.paths.get(ends)
        if kept is None:
            if len(cls.paths) > MOST_LINES:
                cls.paths.clear()
            kept = cls.paths[ends] = cls._path(*(one() for one in ends))
        return kept

    @staticmethod
    def _path(root, module):
        if root is None or module is None:
            return ""
        name = next((name for name, one in root.named_modules() if one is module), type(module).__name__)
        return ".".join(filter(None, (type(root).__name__, name)))


_OURS = {}  # by the id of a code object: that object, and whether its frames are ours or torch's
_LINES = {}  # by the id of a code object and the number of its instruction


def _looked_at(code):
    if len(_OURS) > MOST_LINES:  # a program that makes programs
        _OURS.clear()
        _LINES.clear()
    found = _OURS[id(code)] = code, code.co_filename.startswith((*OUR_FOLDERS, "<frozen"))
    return found


def user_line(depth=1):
    """`file:line` of the innermost frame that is neither ours nor torch's, or "". `depth`: so many frames are ours."""
    frame, known = sys._getframe(depth), _OURS.get
    while frame is not None:
        code = frame.f_code
        if not (known(id(code)) or _looked_at(code))[1]:
            key = id(code), frame.f_lasti
            return _LINES.get(key) or _LINES.setdefault(key, f"{code.co_filename}:{frame.f_lineno}")
        frame = frame.f_back
    return ""


def position():
    """Of the innermost frame that is not ours: which one, and at which of its instructions."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OUR_FOLDERS[0]):
        frame = frame.f_back
    return (id(frame), frame.f_lasti) if frame is not None else (0, 0)


class Forwards:
    """The places in which nodes of the graph were made, by the numbers that autograd gives them in each thread."""

    def __init__(self):
        self.threads, self.last = {}, threading.local()

    def remember(self, line):
        """Called for each call: whether a node was made since the last one; only then it costs more."""
        number = _sequence_number()
        if number == getattr(self.last, "number", 0):
            return False
        self.last.number = number
        lines = self.threads.setdefault(threading.get_ident(), collections.OrderedDict())
        lines[number - 1] = (line, Modules.ends())  # the node of this call was made just before
        if len(lines) > MOST_LINES:
            lines.popitem(last=False)
        return True

    def of(self, node):
        """None where it is not known. A node does not say of which thread it is: mostly of the main one."""
        number, main = node._sequence_nr(), self.threads.get(threading.main_thread().ident, {})
        return next((lines[number] for lines in (main, *list(self.threads.values())) if number in lines), None)


class Where:
    """Place of a call: `ours`, the line of the program that is under way, which for a call in backward is not its `line`."""

    __slots__ = ("ours", "line", "ends", "is_backward")

    def find(self, forwards, depth):
        """`depth`: so many frames are ours, that of the caller with them."""
        node = _current_node()
        self.line = self.ours = user_line(depth + 1)
        self.is_backward = node is not None
        found = forwards.of(node) if node is not None else None
        if found is None:
            self.ends = Modules.ends()
        else:
            self.line, self.ends = found

    def words(self):
        return words_of_place(self.line, self.ends, self.is_backward)


def words_of_place(line, ends, is_backward):
    return {"line": line, "module": Modules.path(ends), "backward": is_backward}
