# SPDX-License-Identifier: BSD-3-Clause
"""Gradients that get lost in a watched program: a result that does not require one, where the CPU's does.

A dispatch mode stands below autograd. It sees by autograd's count whether a node was made for a call, and by its next call
in that thread what became of the results. Only a call for which none was made, though an input requires a gradient, is
asked again on the CPU, once of each kind; and a backend's kernel for an operator that core composes of others, since
autograd only puts a warning behind that. Called by assay/watcher/mode.py.
"""

import _thread
import threading
import weakref

import torch
from assay.watcher.place import Modules, position, user_line

MOST_BYTES = 64 << 20
NOT_RECORDED = "NotImplemented"


def is_unrecorded(function):
    """Whether the device runs it by a kernel of its own, the CPU by parts that autograd knows."""
    has, name = torch._C._dispatch_has_kernel_for_dispatch_key, function.name()
    return (has(name, "PrivateUse1") and has(name, "CompositeImplicitAutograd")
            and not has(name, "AutogradPrivateUse1") and not has(name, "Autograd"))


def in_a_bare_thread(work):
    """The result of work() where no mode, no key and no switch of this thread is on; None if it raises."""
    box, done = [], _thread.allocate_lock()

    def run():
        try:
            box.append(work())
        except Exception:  # what the CPU refuses tells nothing
            box.append(None)
        finally:
            done.release()

    done.acquire()
    _thread.start_new_thread(run, ())
    done.acquire()
    return box[0]


class _Here(threading.local):
    """Of one thread: calls whose results autograd may still be at work on."""

    pending = ()


class Gradients:
    def __init__(self, flat, mapped):
        """`flat` and `mapped` are those of assay/watcher/comparison.py."""
        self.flat, self.mapped = flat, mapped
        self.here, self.asked = _Here(), {}

    def wanted(self, kind, function, arguments, named, leaves):
        """Numbers of the results that require a gradient on the CPU; none where no input does."""
        flags = tuple([leaf.requires_grad for leaf in leaves if isinstance(leaf, torch.Tensor)])
        if True not in flags or not torch.is_grad_enabled() or torch._C._functorch.peek_interpreter_stack() is not None:
            return ()
        key = id(kind), flags
        if key not in self.asked:
            found = in_a_bare_thread(lambda: self.on_cpu(function, arguments, named))
            self.asked[key] = kind, found or ()  # keeps the kind, whose id is the key
        return self.asked[key][1]

    def on_cpu(self, function, arguments, named):
        """The call on zeros of that form."""
        made = {}

        def blank(leaf):
            if isinstance(leaf, torch.device):
                return torch.device("cpu")
            if not isinstance(leaf, torch.Tensor):
                return leaf
            if id(leaf) not in made:
                one = torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype).zero_()
                made[id(leaf)] = one.requires_grad_().clone() if leaf.requires_grad else one  # one that may be written to
            return made[id(leaf)]

        given = self.flat((arguments, named))
        if sum(leaf.numel() * leaf.element_size() for leaf in given if isinstance(leaf, torch.Tensor)) > MOST_BYTES:
            return ()
        arguments, named = self.mapped(arguments, blank), self.mapped(named, blank)
        return tuple(number for number, one in enumerate(self.flat(function(*arguments, **named)))
                     if isinstance(one, torch.Tensor) and one.requires_grad)

    def remember(self, kind, wanted, result):
        """Until autograd is done with the call."""
        results = self.flat(result)
        asked = [(number, weakref.ref(results[number])) for number in wanted
                 if number < len(results) and isinstance(results[number], torch.Tensor)]
        self.here.pending = [*self.here.pending, (position(), kind, asked, (user_line(), Modules.ends()))]

    def settle(self, at_the_end=False):
        """Of calls before this one: their kind, what is lost in words, and the place. While Python stands where it stood, the
        same function of C++ may be at work, and autograd not done with it."""
        pending = self.here.pending
        if not pending:
            return []
        here = None if at_the_end else position()
        self.here.pending = [one for one in pending if one[0] == here]
        found = [(kind, lost(asked), where) for at, kind, asked, where in pending if at != here]
        return [one for one in found if one[1]]


def lost(asked):
    """In words, of numbers of results and weak references to them; None where nothing is."""
    for number, weak in asked:
        one = weak()
        if one is None:
            continue
        if not one.requires_grad:
            return f"a gradient is lost: result {number} does not require one, the CPU's does"
        if one.grad_fn is not None and NOT_RECORDED in one.grad_fn.name():
            return f"a gradient is lost: backward does not reach the inputs from result {number}"
    return None
