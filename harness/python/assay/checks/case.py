# SPDX-License-Identifier: BSD-3-Clause
"""The base class of every Python check: devices of the target, safe transfers, expectations.

If a check runs under the host, a violated expectation is reported with both values and the check continues. Under plain
`python -m unittest`, the expectation raises. The argument `what` always states the expectation in words. Importing this
file runs no operator. For plain unittest, ASSAY_TARGET_IMPORT names the module that loads the backend.
"""

import contextlib
import functools
import importlib
import os
import re
import threading
import unittest

import torch
from assay.checks import case_processes, held_streams, late, owed, sample
from assay.refusals import behind_fallback, shape as refusals
from assay.values import own_torch, words as expectation_words

try:
    from assay.host import report
except ImportError:  # plain unittest: the package of the host is not on the path
    report = None


# how a finding quotes an exception of a type that may be a refusal
RAISED = re.compile(r"\b(?:Runtime|NotImplemented|Value|Type)Error: ")


class Ended(report.Ended if report else BaseException):
    """Ends a check whose finding is already reported. This class is not derived from Exception, so that `except
    Exception` does not catch it."""


class _About:
    """The context manager that Case.clause returns."""

    def __init__(self, before):
        self.before = before

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is None and _hosted():
            report.clause(self.before)


def _hosted():
    return report is not None and report.active()


class Case(sample.Samples, held_streams.HeldStreams, case_processes.Processes, unittest.TestCase):
    maxDiff = None
    _about = frozenset()
    _is_special = False
    _has_judged = False
    lists_no_case = False  # set by a list of cases that is empty (asking.py)
    _is_in_case = False
    _case = None

    def __init_subclass__(cls, **options):
        """Catches Ended before unittest does: the finding is already reported, and unittest would report an error."""
        super().__init_subclass__(**options)
        for name, method in list(vars(cls).items()):
            if (name.startswith("test_") or name == "runTest") and callable(method):
                setattr(cls, name, _until_ended(method))

    # ---- the target ---------------------------------------------------------------------------

    def setUp(self):
        if not _hosted():
            _load_for_plain_unittest()

    @property
    def device_name(self):
        return report.check().device_name if _hosted() else torch._C._get_privateuse1_backend_name()

    @property
    def devices(self):
        """All usable devices, each as a torch.device with an index."""
        if _hosted():
            return [torch.device(self.device_name, i) for i in report.check().devices]
        return [torch.device(self.device_name, i) for i in range(torch.accelerator.device_count())]

    @property
    def device(self):
        return self.devices[0]

    @property
    def bare_device(self):
        """The device without an index, as many programs write it."""
        return torch.device(self.device_name)

    @property
    def device_module(self):
        """torch.<name>, which may be a module, a class or an instance, or None if the attribute does not exist."""
        return getattr(torch, self.device_name, None)

    def put_device_back(self):
        """Restores the current device at the end of a check that switches devices."""
        with contextlib.suppress(Exception):
            self.addCleanup(_make_current, torch.accelerator.current_device_index())

    def start_device(self):
        """Initializes the device, as the first tensor of a program does. A stream or an event does not initialize
        it."""
        with contextlib.suppress(Exception):
            torch.accelerator.current_device_index()

    def need_storage(self):
        """If tensors have no storage or their storage has no address, ends the check: the backend lacks `storage`."""
        kind = self.known_kind
        try:
            made = torch.empty(kind.shape(1), dtype=kind.dtype, device=self.device)
            address = made.untyped_storage().data_ptr()
        except (RuntimeError, NotImplementedError) as error:
            self.lacks("storage", error)
        if not address:
            self.lacks("storage", "the storage of a tensor has no address")

    @property
    def seed(self):
        return report.check().seed & 0x7FFFFFFF if _hosted() else 20260101

    def count_of(self, who):
        """deviceCount of "guard" or "hooks", queried without PyTorch's Python code. None if the count is unknown."""
        return _target().library().count_of(who) if _hosted() else None

    def bridge_of_target(self):
        """The bridge (harness/bridge/bridge.h), for facts that PyTorch does not expose in Python. None without a
        host."""
        return _target().library().bridge if _hosted() else None

    def hold_stream(self, stream):
        """Holds the stream. Returns a function that releases the stream and returns whether it had been released
        before. Returns None if the target has no gate."""
        return _target().hold_stream(stream, self.seconds_left / 2) if _hosted() else None

    @property
    def seconds_left(self):
        return report.milliseconds_left() / 1000 - 1 if _hosted() else 30

    # ---- transfers: whole, contiguous, same dtype ------------------------------------------------

    def on_device(self, tensor, number=0):
        return self.op("aten::_copy_from", tensor.contiguous().to, self.devices[number])

    def on_cpu(self, tensor):
        return self.op("aten::_copy_from", tensor.detach().cpu)

    def op(self, name, call, *arguments, **options):
        """Calls an operation that the check needs as a means. If the operation is refused, the check is blocked."""
        try:
            return call(*arguments, **options)
        except Exception as error:
            means = self.refused_means(error)
            if not means and not isinstance(error, NotImplementedError):
                raise
            self.block(str(error), self.refused_means(str(error)) or refusals.operator_in(str(error)) or name)

    def refused_means(self, error):
        """Returns the means that `error` refuses, or None. Reads the shape of an exception, or the words of a text.

        In a special case the plain form has already worked. Then only the words decide: they must name a means, or an
        operator that the backend has not registered.
        """
        if self._is_special or getattr(error, "assay_special", False):
            error = str(error)
        return refusals.means_of(error, self.device_module)

    @contextlib.contextmanager
    def asks_a_special_case(self):
        """Marks further forms of a call whose plain form has worked: a second device, another dtype, no elements, a
        call after an error. An exception in this block is a failure, not a refusal."""
        before, self._is_special = self._is_special, True
        try:
            yield
        except Exception as error:
            error.assay_special = True
            raise
        finally:
            self._is_special = before

    def ask_special_cases(self):
        """Treats every call from here to the end of the check as a special case."""
        self._is_special = True

    @contextlib.contextmanager
    def subTest(self, *words, **named):
        """Detects a refusal inside the block, because unittest handles an exception that leaves a subTest."""
        with super().subTest(*words, **named):
            try:
                yield
            except Exception as error:
                self.block_if_refused(error)
                raise

    def is_about(self, *means):
        """Declares that the current clause is about these means. Then a refusal of these means is the result of the
        check and does not block the check."""
        self._about = frozenset(means)

    def _is_subject(self, means):
        """True if the check is about these means. A subject that ends in ':' stands for every operator of a library.
        For a function of the device module, the part of its name after the last dot is enough: an exception may not
        say what is refused, and then the refusal has the name of the call in the suite."""
        return any(
            means == one or one.endswith(":") and means.startswith(one)
            or one.startswith("module.") and means.rpartition(".")[2] == one.removeprefix("module.")
            for one in self._about
        )

    def _is_owed(self, means):
        """True if the current clause is about this means, and no capability in the contract makes the means
        optional."""
        return _hosted() and owed.is_owed(report.check().owed, report.clause_under_way(), means)

    def _has_to_offer(self, means):
        return self._is_subject(means) or self._is_owed(means)

    def block_if_refused(self, error):
        """Blocks the check if `error` is a clear refusal of a means, because such a refusal is not a violation."""
        means = self.refused_means(error)
        if means and not self._has_to_offer(means):
            self.block(str(error), means)

    def block(self, seen, means):
        """Ends the check because the backend does not offer `means`. If the check is about `means`, this is a failure."""
        self.end_if_of_another_kind(seen)
        if self._has_to_offer(means):
            kind, _, name = means.partition(".")
            offered = f"takes {name}=" if kind == "keyword" else f"offers {means}"
            self.require(self.expect(False, f"the backend {offered}", seen))
        self._give_up("BLOCKED", "the backend does not offer what the check relies on", seen, means)

    def undecided_if_mostly_refused(self, refused, asked):
        """Reports the check as blocked if more than half of its cases were refused: the others do not show that the
        clause is kept. Does not end the check. `refused` maps the name of a case to the words and the means."""
        count = len(set(asked))
        if 2 * len(refused) <= count:
            return
        (name, (seen, means)), *_ = refused.items()
        words = f"{len(refused)} of {count}, the first is {name}: {seen}".split("\n")[0]
        self._report("BLOCKED", "most cases of the check are not refused", words, means)

    # ---- expectations ---------------------------------------------------------------------------

    def expect(self, holds, what, seen):
        """Reports a violation if `holds` is false. All other expectations call this function."""
        self._has_judged = True
        if holds:
            self.asks(f"the check reaches its end; the last expectation that held: {what}")
            return True
        if seen is not None:
            self.block_if_refused(seen)
            if RAISED.search(str(seen)):
                self.end_if_of_another_kind(seen)
            seen = expectation_words.without_dump(str(seen))
        if not _hosted():
            raise self.failureException(f"{what}: {seen}")
        self._note_fallbacks_of_case()
        file, line = expectation_words.line_of_check()
        report.finding(report.FAIL, what, seen, None, file, line)
        return False

    def begin_case(self, name):
        """Begins one of many cases. If the process dies, the report names the current case. For the first failure, the
        report also lists the operators that the CPU computed in that case."""
        self._case = None
        self.asks(f"{name} reaches its end")
        self._case = name
        if _hosted() and not report.failed():
            _target().begin_case()
            self._is_in_case = True

    def end_case(self):
        self._is_in_case, self._case = False, None

    def asks(self, words):
        """Sets the expectation that is reported if the check dies or hangs from here on. Within a case, the expectation
        still contains the name of the case."""
        if _hosted() and self._case is None:
            report.under_way(words)

    def fallbacks_of_case(self):
        return _target().fallbacks_of_case() if _hosted() else []

    def _note_fallbacks_of_case(self):
        if not self._is_in_case:
            return
        self._is_in_case = False
        names = self.fallbacks_of_case()
        key = "the case through the CPU fallback" if names else "the case without the CPU fallback"
        report.note(key, ", ".join(names) or "none")

    def expect_equal(self, seen, expected, what):
        return self.expect(
            seen == expected, what, f"got {expectation_words.short(seen)}, expected {expectation_words.short(expected)}"
        )

    def expect_different(self, seen, other, what):
        same = own_torch.torch.equal(seen, other) if isinstance(seen, torch.Tensor) else seen == other
        return self.expect(not same, what, f"both are {expectation_words.short(seen)}")

    def expect_true(self, condition, what, seen):
        return self.expect(bool(condition), what, seen)

    def expect_dtype(self, tensor, dtype, what):
        return self.expect(
            tensor.dtype == dtype, what, f"dtype is {tensor.dtype}, expected {dtype}"
        )

    def expect_device(self, value, device, what):
        return self.expect(
            value.device == device, what, f"device is {value.device}, expected {device}"
        )

    def expect_tensor(self, seen, expected, what, rtol=0.0, atol=0.0):
        """Expects the same shape, dtype and values. Values must be equal unless a tolerance is given. Both tensors are
        compared on the CPU."""
        left, right = self.on_cpu(seen), self.on_cpu(expected)
        if left.shape != right.shape or left.dtype != right.dtype:
            words = f"{left.dtype} {tuple(left.shape)}, expected {right.dtype} {tuple(right.shape)}"
            return self.expect(False, what, words)
        same = own_torch.torch.equal(left, right)
        if not same and (rtol or atol):
            same = own_torch.torch.allclose(left, right, rtol=rtol, atol=atol, equal_nan=True)
        return self.expect(same, what, None if same else expectation_words.first_difference(left, right))

    def expect_raises(self, kinds, what, call, *arguments, **options):
        """Expects that the call or the next synchronisation (late.py) raises one of `kinds`. Returns the exception.

        If the backend refuses the whole call, the refusal does not show whether the backend checks the argument. Then
        the check is blocked, unless `kinds` contains the type of that refusal.
        """
        names = " or ".join(kind.__name__ for kind in expectation_words.as_tuple(kinds))
        try:
            result = call(*arguments, **options)
        except unittest.SkipTest:
            # the target raised a SkipTest, which is neither a refusal nor an error and proves nothing
            raise
        except expectation_words.as_tuple(kinds) as error:
            if not {NotImplementedError, AttributeError} & set(expectation_words.as_tuple(kinds)):
                self._need_the_call(str(error))
            return error
        except Exception as error:
            if self.devices and behind_fallback.refuses_dtype(self, error):
                self.block(str(error), refusals.call_of(error))
            seen = f"raised {expectation_words.error_words(error)}"
            self.expect(False, what, f"{seen}, expected {names}{expectation_words.raised_by(error)}")
            return None
        error = late.waited(self.device) if self.devices else None
        if isinstance(error, expectation_words.as_tuple(kinds)) and late.is_of_the_call(error, self.device):
            return error
        then = f", and waiting for the device raised {type(error).__name__}: {error}" if error else ""
        self.expect(False, what, f"returned {expectation_words.short(result)}, expected {names}{then}")
        return None

    def _need_the_call(self, words):
        """The check expects an exception here, so the shape of an exception decides nothing. Only the words of the
        exception can show that the backend refuses the whole call."""
        means = self.refused_means(words)
        if means and self._is_owed(means):
            self.block(words, means)
        self.block_if_refused(words)

    def clause(self, identity):
        """Makes one of the covered clauses current. Later findings belong to the current clause.

        A clause without findings passes. The result can be used in a `with` statement. After the block, the previous
        clause is current again. An exception that leaves the block still belongs to the clause of the block.
        """
        return _About(report.clause(identity) if _hosted() else None)

    # ---- ends ------------------------------------------------------------------------------------

    def require(self, held):
        """Ends the check if the expectation is violated: self.require(self.expect_equal(...))."""
        if not held:
            raise Ended

    def lacks(self, capability, reason):
        """Ends the check because the backend clearly refuses the capability. If the backend claims the capability, this
        is a failure. If `reason` is an exception that is not a refusal, that exception is raised again, because a
        broken capability is not an absent capability."""
        if isinstance(reason, Exception):
            if not self.refused_means(reason):
                raise reason
            reason = str(reason).split("\n")[0]
        if _hosted() and report.capability(capability) == report.YES:
            self._give_up("FAIL", f"the backend has {capability}, as it claims", reason, None)
        self._give_up("SKIP", f"lacks {capability}", reason, capability)

    def supported(self, capability, call, *arguments, **options):
        """Returns the result of the call. If the backend refuses it, ends the check: the backend lacks the
        capability."""
        try:
            return call(*arguments, **options)
        except RuntimeError as error:
            self.lacks(capability, error)

    def does_not_apply(self, reason):
        """Ends the check because the clause does not apply here, for a reason that the backend does not cause."""
        self._give_up("SKIP", "the check does not apply", reason, reason)

    def has_all_the_same(self, capability, reason):
        """Ends a refusal check: the backend has the capability, so no refusal can be tested."""
        self._give_up("NOTED", f"the capability {capability} is present", reason, capability)

    def cannot_observe(self, instrument, reason):
        """Ends the check because this target has no instrument to observe the result."""
        self._give_up("UNOBSERVABLE", f"cannot be observed without {instrument}", reason, instrument)

    def note(self, key, value):
        if _hosted():
            report.note(key, str(value))

    def report_again(self, findings):
        """Reports the findings that a forked child of the check kept."""
        for finding in findings:
            report.finding(*finding)

    def _give_up(self, kind, what, seen, subject):
        self._report(kind, what, seen, subject)
        raise Ended

    def _report(self, kind, what, seen, subject):
        if not _hosted():
            raise unittest.SkipTest(f"{subject}: {seen}")
        file, line = expectation_words.line_of_check()
        report.finding(getattr(report, kind), what, seen, subject, file, line)

    # ---- other processes: see case_processes.py ---------------------------------------------------

    def steps(self):
        """The load steps of the target, for a process that loads the target again."""
        if not _hosted():
            raise unittest.SkipTest("the load steps of the target are known only under the host")
        return _target().steps()

    def steps_as_code(self):
        """Source of a function run_steps(), which loads the target as the run does."""
        steps = _target().steps() if _hosted() else []
        return f"""
def run_steps():
    from assay.host import load_steps
    for step in {steps!r}:
        load_steps.run(*step)
"""

    # ---- bounded waits ---------------------------------------------------------------------------

    def on_thread(self, work, what):
        """Runs `work` on a new thread and waits until shortly before the deadline."""
        box = []
        thread = threading.Thread(target=lambda: box.append(_outcome(work)), daemon=True)
        thread.start()
        left = report.milliseconds_left() if _hosted() else 30000
        thread.join(max(0, left - 500) / 1000)
        self.require(self.expect(not thread.is_alive(), what, "the thread did not return in time"))
        value, error = box[0]
        if error is not None:
            raise error
        return value


def _make_current(index):
    with contextlib.suppress(Exception):
        torch.accelerator.set_device_index(index)


def _target():
    from assay.host import target

    return target


def _until_ended(method):
    @functools.wraps(method)
    def run(self):
        try:
            _run_or_block(self, method)
        except Ended:
            if _hosted() and not report.said():
                raise  # the frame is not in PyTorch

    return run


def _run_or_block(case, method):
    """Reports an exception that leaves the check as a failure, or blocks the check if the exception refuses a means."""
    try:
        method(case)
    except Exception as error:
        case.block_if_refused(error)
        raise
    if case.lists_no_case and not case._has_judged:
        case._report("UNOBSERVABLE", "the check has a case for this device and this torch", "it has none", "cases")


def _outcome(work):
    try:
        return work(), None
    except BaseException as error:
        return None, error


def _load_for_plain_unittest():
    module = os.environ.get("ASSAY_TARGET_IMPORT")
    if not module:
        raise unittest.SkipTest("set ASSAY_TARGET_IMPORT to the module that loads the backend")
    importlib.import_module(module)


if __name__ == "__main__":
    unittest.main()
