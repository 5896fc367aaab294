# SPDX-License-Identifier: BSD-3-Clause
"""Watches a program from inside: repeats on the CPU each operator that reaches the device, and judges the result.

A dispatch mode runs below autograd, so it gets the calls of forward and backward, in the threads of the engine and of
the program. Results are written to the ledger of this process immediately. assay/watcher/install.py installs the mode,
and assay/watcher/summary.py reads the results.
"""

import contextlib
import functools
import os
import sys
import time

import torch
from assay.values.tables import RANDOM
from assay.watcher import (
    comparison,
    copies,
    gradients as watch_gradients,
    raised as watch_raised,
    reproducer,
    traffic as watch_traffic,
    views as watch_views,
)
from assay.watcher.captures import CAPTURED, Captures
from assay.watcher.kinds import (
    COLLECTIVES,
    CPU_RAISES_TOO,
    GENERATED,
    NO_SHAPE,
    ODD,
    Call,
    Form,
    Kind,
    NoShape,
    Operator,
    form_of_tensor,
    is_composed,
    is_odd,
    is_opened,
    leaves_and_key,
    word_of,
)
from assay.watcher.ledger import Ledger
from assay.watcher.mirror import Mirror
from assay.watcher.place import Forwards, Modules, words_of_place
from assay.watcher.random_calls import RandomCalls
from assay.watcher.settling import Settling
from assay.watcher.under_way import CALLED, COMPARED, IDLE, TEXTS, UnderWay, form_of, inputs_of
from torch.utils._python_dispatch import TorchDispatchMode

KEPT_BYTES = 4 << 20  # size of the inputs in the file of a reproducer
MOST_CALLS = 100000  # number of different calls that are stored at one time
MOST_TOLD = 20  # most wrong calls of one operator that are listed individually

OUR_FRAMES = 4  # number of frames from before() to the mode, which may be the outermost frame
CAME_LATE = "an error of the device appeared after its call"
NOT_COPIED = "an input cannot be copied to the host"
NOT_OURS = Form(None, b"")

_is_compiled = torch._C._dynamo.eval_frame.get_eval_frame_callback


class ThreadWatch(TorchDispatchMode):
    """The dispatch mode of one thread. A compiled program is compiled unchanged, and its calls are not watched."""

    supports_higher_order_operators = True

    def __init__(self, watch):
        super().__init__()
        self.watch = watch

    @classmethod
    def ignore_compile_internals(cls):
        return True

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # otherwise the first operator would import the whole compiler

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        if types and any(map(is_opened, types)):
            return NotImplemented  # the class computes the operator under this mode, by operators on plain tensors
        with torch._C.DisableTorchFunctionSubclass():  # the watch is not a user of the program's classes
            return self.dispatched(function, arguments, named)

    def dispatched(self, function, arguments, named):
        is_apart = is_composed(function) and self.watch.is_plain(arguments, named or {})
        call = self.taken_apart if is_apart else self.watch.call
        if _is_compiled() is not None:
            call = _uncompiled(call)
        return call(function, arguments, named or {})

    def taken_apart(self, function, arguments, named):
        """Calls core's own kernel, as without a watch, because core's decompositions in Python are other code."""
        with self:
            return function._op_dk(torch._C.DispatchKey.CompositeImplicitAutograd, *arguments, **named)


@functools.cache
def _uncompiled(call):
    return torch._dynamo.disable(call)


def _came_late(work):
    """Returns the error of work() if a second call of work() succeeds: the device reported an error of earlier work
    once. Raises other errors. Returns None if there is no error."""
    try:
        work()
        return None
    except Exception as error:
        first = error
    try:
        work()
    except Exception:
        raise first from None
    return first


class Watch:
    def __init__(self, folder, everything, most_bytes, most_seconds, settling=None):
        self.folder, self.everything, self.device, self.settling = folder, everything, None, settling or Settling()
        self.most_bytes, self.left = most_bytes, most_seconds * 1e9 if most_seconds else float("inf")
        self.ledger, self.under_way = WatchLedger(folder, self), UnderWay(folder)
        self.traffic, self.forwards, self.captures = watch_traffic.Traffic(self.ledger), Forwards(), Captures()
        self.random_reason = RANDOM
        # If few calls are compared, a copy of their inputs rarely exists already.
        self.mirror = Mirror() if everything else None
        # The reliable copies by dtype, and True if some copies of views are wrong.
        self.reliable, self.by_storage = {}, False
        self.begin_counting()

    def begin_counting(self):
        self.exact, self.kinds, self.operators, self.told = {}, {}, {}, {}
        self.functions, self.forms, self.texts = set(), set(), {}
        self.settling.restart()
        self.random_calls = RandomCalls(self)
        if self.mirror is not None:
            self.mirror.clear()
        self.gradients = watch_gradients.Gradients(comparison.flat, comparison.mapped)

    def end(self):
        """Ends the watch: writes the remaining findings about the last call."""
        self.settle_gradients(at_the_end=True)
        self.random_calls.end()
        self.count_generated()
        self.traffic.end()
        self.under_way.end_well()

    def count_generated(self):
        """Inductor calls its kernels without the dispatcher, so the watch sees only that they were generated."""
        metrics = sys.modules.get("torch._inductor.metrics")
        if metrics is not None and metrics.generated_kernel_count > 0 and self.device is not None:
            self.ledger.add(self.ledger.slot(kind="uncompared", op="", reason=GENERATED), times=metrics.generated_kernel_count)

    # ---- each call --------------------------------------------------------------------------------

    def call(self, function, arguments, named):
        """Runs the call exactly once for the program, even if the watch fails before or after it."""
        if not self.settling.compares:
            return self.settling.alone(self, function, arguments, named)
        call = self.before(function, arguments, named)
        if call is None:
            return function(*arguments, **named)
        if call.late is not None:
            raise call.late
        call.here.numbers[0] = CALLED
        began = time.perf_counter_ns()
        try:
            result = function(*arguments, **named)
        except Exception as error:
            self.raised(call, function, arguments, named, error)
            raise
        except BaseException:
            call.here.end(False)
            raise
        took = time.perf_counter_ns() - began
        if call.number >= self.settling.since:
            self.settling.after(self, call.number, call.kind.op, call)
        late = self.after(call, function, arguments, named, result, took)
        if late is not None:
            raise late
        return result

    def failed(self, error, function, *given):
        """Records a failure of the watch, except for odd tensors, which are not supported."""
        leaves = comparison.flat(given)
        if not any(map(is_odd, leaves)):
            self.say_uncompared(str(function), f"assay itself failed: {type(error).__name__}: {error}"[:200])
        elif self.concerns(leaves):
            self.say_uncompared(str(function), ODD)

    def is_plain(self, arguments, named):
        leaves = comparison.flat((arguments, named))
        return not any(map(is_odd, leaves)) and self.concerns(leaves)

    def before(self, function, arguments, named):
        """Returns the call, or None if it does not reach the device."""
        call = None
        try:
            if self.gradients.here.pending:
                self.settle_gradients()
            leaves, exact = leaves_and_key(function, arguments, named)
            form = self.exact.get(exact) or self.new_form(exact, function, leaves, arguments, named)
            kind = form.kind
            if kind is None:
                return None
            if self.captures.under_way:
                self.ledger.add(kind.calls)
                self.say_uncompared(kind.op, CAPTURED)
                return None
            kind.number += 1
            call = Call(form, self.under_way.here(), 0 if kind.gives_views else next(self.settling.numbers))
            call.find(self.forwards, OUR_FRAMES)
            is_recorded = self.forwards.remember(call.ours) and not kind.is_unrecorded
            texts = self.texts
            call.here.begin(form.text, texts.get(call.line) or self.text_of(call.line, TEXTS[1][1]),
                            self.text_of(Modules.path(call.ends), TEXTS[2][1]) if call.ends else b"", call.is_backward)
            self.take_inputs(call, leaves, function, arguments, named)
            if not is_recorded and kind.is_of_core and torch.is_grad_enabled():
                call.wanted = self.gradients.wanted(kind, function, arguments, named, leaves)
        except NoShape:
            if self.concerns(comparison.flat((arguments, named))):
                self.say_uncompared(str(function), NO_SHAPE)
        except Exception as error:
            self.failed(error, function, arguments, named)
        return call

    def text_of(self, words, most):
        """The text as bytes for the slot of the thread."""
        found = self.texts.get(words)
        if found is None:
            if len(self.texts) > MOST_CALLS:
                self.texts.clear()
            found = self.texts[words] = words.encode(errors="replace")[-most:]
        return found

    def take_inputs(self, call, leaves, function, arguments, named):
        """Copies the inputs of a call that will be compared."""
        kind = call.kind
        if not (self.everything or kind.reason or kind.is_chosen()):
            self.ledger.add(kind.seen_before)
            return
        reason = self.why_not(call, leaves)
        if reason is None or call.late is not None:
            began = time.perf_counter_ns()
            try:
                call.late = call.late or _came_late(lambda: self.take(call, function, arguments, named))
            except Exception as error:
                self.not_copied(call, (arguments, named), error)
            finally:
                self.left -= time.perf_counter_ns() - began
            if call.late is not None:
                self.say_uncompared("", CAME_LATE)
                call.here.end(True)
            return
        self.ledger.add(kind.unjudged if reason is kind.reason else self.ledger.slot(kind="uncompared", op=kind.op, reason=reason))
        if kind.writes and self.mirror is not None:
            for leaf in leaves:
                if isinstance(leaf, torch.Tensor) and leaf.layout is torch.strided:
                    self.mirror.forget(leaf)

    def take(self, call, function, arguments, named):
        kind, given = call.kind, (function, arguments, named, self.device)
        call.one = watch_views.ComparedView(*given, call.form) if kind.gives_views else \
            comparison.Compared(*given, self.is_thorough(kind), self.mirror, self.by_storage)

    def is_thorough(self, kind):
        return kind.is_looked_at_thoroughly()

    def not_copied(self, call, given, error):
        """Handles an input that the device cannot copy. An exception other than RuntimeError is an error of the
        watch."""
        if not isinstance(error, RuntimeError):
            raise error
        is_refused = watch_raised.why_unasked(error) or watch_raised.is_refusal(error, given, self.device, copies=True)
        if is_refused or not watch_raised.is_plain(given):
            self.say_uncompared(call.kind.op, NOT_COPIED)
        else:
            words = f"an input of {call.kind.op} cannot be copied to the host: {watch_raised.in_words(error, False)}"
            self.tell(call.words(), self.operator_of(torch.ops.aten._to_copy.default), None, words, "raised")

    def say_uncompared(self, op, reason):
        self.ledger.add(self.ledger.slot(kind="uncompared", op=op, reason=reason))

    def after(self, call, function, arguments, named, result, took):
        """Handles a call after it returned. Returns an error of the device that appeared only now, or None."""
        kind, late = call.kind, None
        call.here.numbers[0] = COMPARED
        try:
            self.ledger.add(kind.calls, nanoseconds=took)
            if kind.copies:
                self.traffic.copied(kind.name, arguments, named, took, call.ours)
            elif kind.waits:
                self.traffic.waited(took)
            if call.one is not None or kind.draws or self.everything:
                late = self.look(call, function, arguments, named, result)
            if late is not None:
                self.judge_raised(call, function, arguments, named, late, True)
            if call.wanted:
                self.gradients.remember(kind, call.wanted, result)
        except Exception as error:
            self.failed(error, function, arguments, named)
        if not kind.gives_views:
            call.here.end(call.one is not None or kind.waits or self.everything)
        else:
            call.here.goes_on(IDLE)
        return late

    def look(self, call, function, arguments, named, result):
        """Waits for the results of a selected call and compares them. Returns the same as after()."""
        if call.one is None:
            late = _came_late(self.traffic.settle) if self.everything and self.traffic.settle else None
            if late is None and call.kind.draws:
                self.random_calls.look(call, function, arguments, named, result)
            return late
        began = time.perf_counter_ns()
        try:
            late = _came_late(lambda: call.one.take(result))
            if late is None:
                self.compare(call)
        finally:
            self.left -= time.perf_counter_ns() - began
        return late

    def new_form(self, exact, function, leaves, arguments, named):
        """Stores a form under its exact key, so that later calls find it. A call without the device gets no kind."""
        if len(self.exact) > MOST_CALLS:
            self.exact.clear()
        self.functions.add(function)  # the reference keeps the function alive, so that its id is not reused
        kind = self.new_kind(function, leaves)
        found = self.exact[exact] = Form(kind, form_of(function, arguments, named)) if kind else NOT_OURS
        return found

    # ---- calls that raised an exception --------------------------------------------------------------

    def raised(self, call, function, arguments, named, error):
        call.here.goes_on(COMPARED)
        try:
            self.ledger.add(call.kind.calls)
            waits = call.kind.waits or call.kind.copies
            if call.here.unwaited and waits:
                self.say_uncompared(call.kind.op, CAME_LATE)
            else:
                self.judge_raised(call, function, arguments, named, error, False)
        except Exception as own:
            self.failed(own, function, arguments, named)
        finally:
            call.here.end(False)

    def judge_raised(self, call, function, arguments, named, error, late):
        """Judges a call that raised an exception. An exception is only counted if it does not concern the operator, if
        the CPU also raises it, or if it is a refusal. Other exceptions are reported."""
        kind, reason = call.kind, watch_raised.why_unasked(error)
        if reason is None and function.namespace in COLLECTIVES:
            reason = kind.reason
        if reason is None:
            if call.one is None:
                self.take(call, function, arguments, named)
            if watch_raised.cpu_error(call.one) is not None:
                reason = CPU_RAISES_TOO
        if reason is not None:
            self.say_uncompared(kind.op, reason)
        elif watch_raised.is_refusal(error, (arguments, named), self.device, kind.copies):
            self.ledger.add(self.ledger.slot(kind="refused", op=kind.op))
        else:
            self.tell(call.words(), kind, call.one, watch_raised.in_words(error, late, () if kind.copies else (arguments, named)), "raised")

    def new_kind(self, function, leaves):
        if not isinstance(function, torch._ops.OpOverload) or function.namespace == "prim" or not self.concerns(leaves):
            return None
        word = (function, *map(word_of, leaves))
        kind = self.kinds.get(word)
        if kind is None:
            form = (function, *map(form_of_tensor, leaves))
            kind = self.kinds[word] = Kind(self.operator_of(function), form not in self.forms)
            self.forms.add(form)
            self.ledger.add(kind.kinds)
        return kind

    def concerns(self, leaves):
        device = self.device or torch._C._get_privateuse1_backend_name()
        places = (leaf.device if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves)
        if not any(isinstance(place, torch.device) and place.type == device for place in places):
            return False
        if self.device is None:
            self.device = device
            self.traffic.begin(device)
        return True

    def operator_of(self, function):
        found = self.operators.get(function)
        if found is None:
            found = self.operators[function] = Operator(self.ledger, function, self)
        return found

    def relied_on(self, call, dtype):
        """Returns which copies from the device are reliable. This is determined once per dtype."""
        if dtype not in self.reliable:
            self.reliable[dtype] = copies.VIEWS  # if the device raises, the call that needs the copy reports it
            with contextlib.suppress(RuntimeError):
                call.late = _came_late(lambda: self.reliable.update({dtype: copies.reliable(self.device, dtype)}))
            self.by_storage |= self.reliable[dtype] == copies.STORAGES
        return self.reliable[dtype]

    def why_not(self, call, leaves):
        """The reason why a selected call is not compared, or None."""
        kind = call.kind
        if kind.reason:
            return kind.reason
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        if any(map(is_odd, tensors)):
            return ODD
        if any(self.relied_on(call, one.dtype) == copies.NOTHING for one in tensors if not one.is_cpu):
            return copies.UNRELIABLE
        sizes = (one.untyped_storage().nbytes() if self.by_storage else one.nbytes for one in tensors)
        if sum(sizes) > self.most_bytes:
            return "more inputs than --most-mib"
        return "--most-seconds is used up" if self.left <= 0 else None

    # ---- the comparison -----------------------------------------------------------------------------

    def compare(self, call):
        kind, one = call.kind, call.one
        try:
            words = one.difference()
        except Exception as error:
            self.say_uncompared(kind.op, f"the CPU refuses it: {type(error).__name__}")
            return
        self.ledger.add(kind.compared)
        if (one.worst or 0.0) > 1.1 * kind.worst:
            kind.worst = one.worst
            self.ledger.tell(op=kind.op, worst=one.worst, cpu=one.cpu_worst)
        if words:
            self.tell(call.words(), kind, one, words)

    def tell(self, where, kind, one, words, how="wrong"):
        """Records a finding. `how` is "wrong", or "raised" if only the device raised an exception."""
        self.ledger.add(self.ledger.slot(kind=how, op=kind.op))
        told = self.told[kind.op] = self.told.get(kind.op, 0) + 1
        if told <= MOST_TOLD:
            # The call may have changed the shape of its inputs.
            given = one and (one.before if kind.writes else one.live)
            inputs, kept = (inputs_of(kind.op, *given), self.keep(kind, one)) if one else ("", "")
            self.ledger.tell(op=kind.op, wrong=words, how=how, at=time.monotonic_ns(), inputs=inputs, reproducer=kept, **where)

    # ---- results that are not compared with the CPU -------------------------------------------------

    def settle_gradients(self, at_the_end=False):
        for kind, words, where in self.gradients.settle(at_the_end):
            self.tell(words_of_place(*where, False), kind, None, words)

    def keep(self, kind, one):
        """Stores the inputs of the first wrong call of each operator in a file for a reproducer."""
        path = os.path.join(self.folder, kind.op.replace(".", "_") + ".pt")
        try:
            if not os.path.exists(path) and one.bytes() <= KEPT_BYTES:
                reproducer.keep(path, kind.op, one)
        except Exception:  # if the disk is full or an object cannot be pickled, only the name is reported
            return ""
        return os.path.basename(path) if os.path.exists(path) else ""


class WatchLedger(Ledger):
    """The ledger of a watch. In a forked child, all counts start at 0."""

    def __init__(self, folder, watch):
        super().__init__(folder)
        self.watch = watch

    def reopen_soon(self):
        self.reopen()
        self.watch.under_way.reopen()
        self.watch.captures.under_way.clear()
        self.watch.begin_counting()
