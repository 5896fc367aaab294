# SPDX-License-Identifier: BSD-3-Clause
"""Finds the place of a call in a watched program: the line and the path of the module. For a backward call, finds the
place of its forward call.

Called by assay/watcher/mode.py.
"""

import collections
import os
import sys
import threading
import warnings
import weakref

import torch

OUR_FOLDERS = (os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.path.dirname(torch.__file__))
MOST_LINES = 100000

_sequence_number, _current_node = torch._C._autograd._get_sequence_nr, torch._C._current_autograd_node


class _Here(threading.local):
    """State of one thread: the modules whose forward is running, each with its outermost and innermost module."""

    stack = None


class Modules:
    """The path of the module whose forward is running in this thread, such as `model.layers.3.mlp`."""

    here = _Here()
    paths = {}  # keys are two weak references

    @classmethod
    def hook(cls):
        enter = torch.nn.modules.module.register_module_forward_pre_hook(cls.enter)
        leave = torch.nn.modules.module.register_module_forward_hook(cls.leave, always_call=True)
        return enter, leave, Unwarned("Using `torch.compile\\(module\\)` when there are global hooks")

    @classmethod
    def enter(cls, module, _inputs):
        if torch.compiler.is_compiling():  # during compilation, modules are not changed
            return
        stack = cls.here.stack
        if stack is None:
            stack = cls.here.stack = []
        root = stack[0][0] if stack else module
        stack.append((module, (weakref.ref(root), weakref.ref(module))))

    @classmethod
    def leave(cls, module, _inputs, _output):
        if torch.compiler.is_compiling():
            return
        stack = cls.here.stack
        while stack and stack.pop()[0] is not module:
            pass

    @classmethod
    def ends(cls):
        """Returns the outermost and the innermost module, or None."""
        stack = cls.here.stack
        return stack[-1][1] if stack else None

    @classmethod
    def path(cls, ends):
        """The path as text. The path is cached, because each call of the module needs it."""
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


class Unwarned:
    """Suppresses a PyTorch warning that the watch itself would cause."""

    def __init__(self, message):
        warnings.filterwarnings("ignore", message=message)
        self.filter = warnings.filters[0]

    def remove(self):
        if self.filter in warnings.filters:
            warnings.filters.remove(self.filter)


_SEEN = {}  # {id of a code object: the object}, which keeps the object alive
_OURS = set()  # ids of code objects whose frames belong to assay or torch
_LINES = {}  # {(id of a code object, number of its instruction): line}


def _is_ours(code):
    if len(_SEEN) > MOST_LINES:  # the program generates code
        _SEEN.clear()  # clears _SEEN first, because code that is in _SEEN but not in _OURS counts as user code
        _LINES.clear()
        _OURS.clear()
    if code.co_filename.startswith((*OUR_FOLDERS, "<frozen")):
        _OURS.add(id(code))
    _SEEN[id(code)] = code
    return id(code) in _OURS


def user_line(depth=1):
    """`file:line` of the innermost frame outside assay and torch, or "". `depth` is the number of frames of assay."""
    frame, ours = sys._getframe(depth), _OURS
    while frame is not None:
        code = frame.f_code
        if id(code) not in ours and (id(code) in _SEEN or not _is_ours(code)):
            key = id(code), frame.f_lasti
            return _LINES.get(key) or _LINES.setdefault(key, f"{code.co_filename}:{frame.f_lineno}")
        frame = frame.f_back
    return ""


def position():
    """The innermost frame outside assay, and its current instruction."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OUR_FOLDERS[0]):
        frame = frame.f_back
    return (id(frame), frame.f_lasti) if frame is not None else (0, 0)


class _Last(threading.local):
    """The number of the last node seen in this thread."""

    number = 0


class Forwards:
    """The places at which nodes of the graph were created, by the number that autograd assigns within a thread."""

    def __init__(self):
        self.threads, self.last = {}, _Last()

    def remember(self, line):
        """Called at each call. Does more work only if a node was created since the last call."""
        number = _sequence_number()
        last = self.last
        if number == last.number:
            return False
        last.number = number
        lines = self.threads.setdefault(threading.get_ident(), collections.OrderedDict())
        lines[number - 1] = (line, Modules.ends())  # the node was created just before this call
        if len(lines) > MOST_LINES:
            lines.popitem(last=False)
        return True

    def of(self, node):
        """The place of a node, or None if it is not known. A node does not state its thread, so the main thread is
        tried first."""
        number, main = node._sequence_nr(), self.threads.get(threading.main_thread().ident)
        found = main.get(number) if main else None
        return found or next((lines[number] for lines in list(self.threads.values()) if number in lines), None)


class Where:
    """The place of a call. `ours` is the line that runs now. For a backward call, `ours` and `line` differ."""

    __slots__ = ("ours", "line", "ends", "is_backward")

    def find(self, forwards, depth):
        """`depth` is the number of frames of assay, including the caller's."""
        node = _current_node()
        self.line = self.ours = user_line(depth + 1)
        self.is_backward = node is not None
        found = forwards.of(node) if self.is_backward else None
        if found is None:
            self.ends = Modules.ends()
        else:
            self.line, self.ends = found

    def words(self):
        return words_of_place(self.line, self.ends, self.is_backward)


def words_of_place(line, ends, is_backward):
    return {"line": line, "module": Modules.path(ends), "backward": is_backward}
