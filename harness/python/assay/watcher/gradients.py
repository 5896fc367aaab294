# SPDX-License-Identifier: BSD-3-Clause
"""Finds lost gradients in a watched program: a result that does not require a gradient although the CPU's result does.

A dispatch mode runs below autograd. Autograd's node counter shows whether a call created a node. At the next call in
that thread, the results of the previous call are complete. A call is repeated on the CPU, once per kind, only if an
input requires a gradient and the call created no node. If the backend has a kernel for an operator that core
decomposes, the call is also repeated, because autograd then only adds a node that warns. Called by
assay/watcher/mode.py.
"""

import _thread
import threading
import weakref

import torch
from assay.watcher.place import Modules, position, user_line

MOST_BYTES = 64 << 20
NOT_RECORDED = "NotImplemented"


def is_unrecorded(function):
    """True if the device has its own kernel for an operator that the CPU decomposes into differentiable parts."""
    has, name = torch._C._dispatch_has_kernel_for_dispatch_key, function.name()
    return (has(name, "PrivateUse1") and has(name, "CompositeImplicitAutograd")
            and not has(name, "AutogradPrivateUse1") and not has(name, "Autograd"))


def in_a_bare_thread(work):
    """The result of work() in a thread without the modes, dispatch keys and switches of this thread, or None."""
    box, done = [], _thread.allocate_lock()

    def run():
        try:
            box.append(work())
        except Exception:  # if the CPU refuses the call, nothing can be concluded
            box.append(None)
        finally:
            done.release()

    done.acquire()
    _thread.start_new_thread(run, ())
    done.acquire()
    return box[0]


class _Here(threading.local):
    """State of one thread: the calls whose results autograd may not have completed yet."""

    pending = ()


class Gradients:
    def __init__(self, flat, mapped):
        """`flat` and `mapped` are the functions of assay/watcher/comparison.py."""
        self.flat, self.mapped = flat, mapped
        self.here, self.asked = _Here(), {}

    def wanted(self, kind, function, arguments, named, leaves):
        """The positions of the results that require a gradient on the CPU, or () if no input requires a gradient."""
        flags = tuple([leaf.requires_grad for leaf in leaves if isinstance(leaf, torch.Tensor)])
        if True not in flags or not torch.is_grad_enabled() or torch._C._functorch.peek_interpreter_stack() is not None:
            return ()
        key = id(kind), flags
        if key not in self.asked:
            found = in_a_bare_thread(lambda: self.on_cpu(function, arguments, named))
            self.asked[key] = kind, found or ()  # the reference keeps the kind alive, because its id is the key
        return self.asked[key][1]

    def on_cpu(self, function, arguments, named):
        """Calls the operator on the CPU with zeros of the same form."""
        made = {}

        def blank(leaf):
            if isinstance(leaf, torch.device):
                return torch.device("cpu")
            if not isinstance(leaf, torch.Tensor):
                return leaf
            if id(leaf) not in made:
                one = torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype).zero_()
                # This is a clone, because the call may write to the tensor.
                made[id(leaf)] = one.requires_grad_().clone() if leaf.requires_grad else one
            return made[id(leaf)]

        given = self.flat((arguments, named))
        if sum(leaf.numel() * leaf.element_size() for leaf in given if isinstance(leaf, torch.Tensor)) > MOST_BYTES:
            return ()
        arguments, named = self.mapped(arguments, blank), self.mapped(named, blank)
        return tuple(number for number, one in enumerate(self.flat(function(*arguments, **named)))
                     if isinstance(one, torch.Tensor) and one.requires_grad)

    def remember(self, kind, wanted, result):
        """Remembers the call until autograd has completed it."""
        results = self.flat(result)
        asked = [(number, weakref.ref(results[number])) for number in wanted
                 if number < len(results) and isinstance(results[number], torch.Tensor)]
        self.here.pending = [*self.here.pending, (position(), kind, asked, (user_line(), Modules.ends()))]

    def settle(self, at_the_end=False):
        """Yields for each earlier call with lost gradients its kind, a description and the place. A call stays open
        while Python is at the same instruction, because a C++ function may still be running and autograd may not have
        completed the call."""
        pending = self.here.pending
        if not pending:
            return []
        here = None if at_the_end else position()
        self.here.pending = [one for one in pending if one[0] == here]
        found = [(kind, lost(asked), where) for at, kind, asked, where in pending if at != here]
        return [one for one in found if one[1]]


def lost(asked):
    """Returns a description of lost gradients, or None. `asked` has numbers of results and weak references to them."""
    for number, weak in asked:
        one = weak()
        if one is None:
            continue
        if not one.requires_grad:
            return f"a gradient is lost: result {number} does not require one, the CPU's does"
        if one.grad_fn is not None and NOT_RECORDED in one.grad_fn.name():
            return f"a gradient is lost: backward does not reach the inputs from result {number}"
    return None
