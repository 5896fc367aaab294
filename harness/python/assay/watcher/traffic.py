# SPDX-License-Identifier: BSD-3-Clause
"""Counts costs other than computation: copies between host and device, synchronizations, and fallback calls.

Also records the steps of the program's optimizers and the memory in use after each step. Called by
assay/watcher/mode.py. The ledger has a counter for each line, and assay/watcher/summary.py summarises the counters.
"""

import functools
import time

import torch
from assay.watcher.place import user_line
from torch.optim.optimizer import register_optimizer_step_post_hook

MOST_STEPS = 1000  # each of these steps is recorded; later steps are recorded less often
COPIES = {"_to_copy", "copy_", "_copy_from", "_local_scalar_dense"}


def ran_as(function):
    """`native` if a kernel of the backend ran, `composite` if other operators ran, `fallback` if the CPU did."""
    name = function.name()
    if _has(name, "PrivateUse1"):
        return "native"
    if any(_has(name, key) for key in ("CompositeExplicitAutograd", "CompositeImplicitAutograd")):
        return "composite"
    if _has(name, "CompositeExplicitAutogradNonFunctional"):  # the out= form does the work
        base, overload = function._schema.name, function._overloadname
        wanted = "out" if overload == "default" else f"{overload}_out"
        forms = [form for form in function.overloadpacket.overloads() if form.endswith("out")]
        forms = [wanted] if wanted in forms else forms
        return "native" if any(_has(f"{base}.{form}", "PrivateUse1") for form in forms) else "fallback"
    return "fallback"


def _has(name, key):
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, key)


def waits(function):
    """True for an operator whose result the host must know before it can continue."""
    tags = function.tags
    return torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags


def direction(name, arguments, named, kind):
    """The direction, bytes and synchronization of a copy, or None for a copy within one device."""
    tensors = [one for one in arguments if isinstance(one, torch.Tensor)]
    if name == "_local_scalar_dense":
        return "to the host", tensors[0].element_size(), True
    if name == "_to_copy":
        source, place = tensors[0], torch.device(named.get("device") or tensors[0].device)
        into = place.type
    else:
        into, source = tensors[0].device.type, tensors[1]
        if name == "_copy_from":
            source, into = tensors[0], tensors[1].device.type
    if (source.device.type == kind) == (into == kind):
        return None
    free = bool(named.get("non_blocking")) or any(one is True for one in arguments[2:3])
    return ("to the device" if into == kind else "to the host"), source.numel() * source.element_size(), not free


class Traffic:
    def __init__(self, ledger):
        self.ledger, self.steps, self.kind, self.undo, self.settle = ledger, 0, None, [], None

    def begin(self, kind):
        """Called at the first call that reaches the device, because the device module exists at that time."""
        self.kind = kind
        self.module = getattr(torch, kind, None)
        for module in filter(None, (self.module, torch.accelerator)):
            synchronize = getattr(module, "synchronize", None)
            if callable(synchronize):
                self.settle = self.settle or synchronize
                module.synchronize = self.waiting(synchronize)
                self.undo.append(functools.partial(setattr, module, "synchronize", synchronize))
        self.undo.append(register_optimizer_step_post_hook(self.after_step).remove)

    def end(self):
        """Removes the hooks. Needed only if a part of a program is watched."""
        while self.undo:
            self.undo.pop()()

    def waiting(self, synchronize):
        @functools.wraps(synchronize)
        def waited(*arguments, **named):
            began = time.perf_counter_ns()
            try:
                return synchronize(*arguments, **named)
            finally:
                slot = self.ledger.slot(kind="traffic", what="wait", line=user_line())
                self.ledger.add(slot, nanoseconds=time.perf_counter_ns() - began)

        return waited

    def copied(self, name, arguments, named, nanoseconds, line):
        found = direction(name, arguments, named, self.kind)
        if found:
            what, size, is_waiting = found
            slot = self.ledger.slot(kind="traffic", what=what + ("" if is_waiting else ", not waited for"), line=line)
            self.ledger.add(slot, size=size, nanoseconds=nanoseconds)

    def waited(self, nanoseconds):
        self.ledger.add(self.ledger.slot(kind="traffic", what="wait", line=user_line()), nanoseconds=nanoseconds)

    # ---- steps ------------------------------------------------------------------------------------

    def after_step(self, _optimizer, _arguments, _named):
        self.steps += 1
        self.ledger.add(self.ledger.slot(kind="step"))
        if self.steps <= MOST_STEPS or self.steps % (self.steps // MOST_STEPS) == 0:
            self.ledger.tell(step=self.steps, memory=self.memory())

    def memory(self):
        """Bytes in use on the device, or None if the backend does not report it."""
        try:
            return int(self.module.memory_allocated())
        except Exception:
            return None
