# SPDX-License-Identifier: BSD-3-Clause
"""opinfo.<operator>.<dtype>: one operator of the installed torch, asked in every way of operator_aspects.py.

Each way is asked of the CPU and of the device with the same samples. What the CPU refuses is no question. The notes
of the check are the cells of the matrix: aspect, then verdict, how many samples, and what was seen.
"""

import contextlib
import functools
import re
import unittest
import warnings

import operator_aspects
import operator_place
import operator_results
import torch
import torch_testing
from assay_host import report
from operator_refusals import refusal
from operator_samples import Arguments

TEXT, NOTE = 160, 700  # characters of a sentence, and of a note
KINDS = 3  # of differences that are told


def first_line(error):
    """Without core's long guess at why a kernel is not there."""
    return (str(error).strip().splitlines() or [""])[0].split(" This could be because")[0]


class Answers:
    """What an aspect came to, over its samples."""

    def __init__(self):
        self.asked = self.refused = self.wrong = 0
        self.first_refusal = self.means = None
        self.kinds = {}  # of what is wrong, the first of each: numbers apart

    def refuse(self, means, error):
        self.refused += 1
        self.means = self.means or means
        self.first_refusal = self.first_refusal or f"{type(error).__name__}: {first_line(error)}"

    def add_wrong(self, text, sample):
        self.wrong += 1
        if len(self.kinds) < KINDS:
            kind = re.sub(r"[-+]?(\d[-+.\de]*|nan|inf)j?", "#", text)
            self.kinds.setdefault(kind, f"{text[:TEXT]}, of ({str(sample)[:TEXT]})")

    @property
    def first_wrong(self):
        return next(iter(self.kinds.values()), None)

    @property
    def verdict(self):
        return "wrong" if self.wrong else "refused" if self.refused else "right"

    def __str__(self):
        count = self.wrong or self.refused or self.asked
        said = "; and: ".join(self.kinds.values()) or (self.first_refusal and f"{self.means}: {self.first_refusal}") or ""
        return f"{self.verdict} {count}/{self.asked} {said[:NOTE]}".strip()


def seeded(call):
    torch_testing.seed()
    return call()


def attempt(call, settle=None):
    """What the call gives, and what it raises; `settle` waits for work that may still raise."""
    try:
        return seeded(call), settle and settle()
    except operator_aspects.Absent:
        raise
    except Exception as error:
        return None, error


def spread(samples, most):
    """At most so many, from the whole list."""
    if len(samples) <= most:
        return samples
    return [samples[i * len(samples) // most] for i in range(most)]


def is_random_by_name(operator):
    """PyTorch itself does not compare its values with the CPU's."""
    return operator.formatted_name in operator_aspects.NO_VALUES or any(
        getattr(entry, "test_name", None) == "test_compare_cpu" and entry.device_type is None
        for entry in operator.decorators
    )


class OneOperator(unittest.TestCase):
    def __init__(self, name, operator, dtype):
        super().__init__()
        self.name, self.operator, self.dtype = name, operator, dtype
        self.tolerance = operator_results.Tolerance(operator)
        self.answers = {}
        self.by_value = not is_random_by_name(operator)

    # ---- samples ----

    def samples(self, aspect):
        most = operator_aspects.SAMPLES.get(aspect, operator_aspects.FEW)
        if aspect == "errors":
            return spread(self.error_samples, most)
        wants = aspect in operator_aspects.WITH_GRADIENT
        return spread(self.made_for_gradients if wants else self.made, most)

    def make(self, **options):
        made = seeded(lambda: list(self.operator.sample_inputs("cpu", self.dtype, **options)))
        return [Arguments.of(one) for one in spread(made, operator_aspects.SAMPLES["forward"])]

    @functools.cached_property
    def made(self):
        return self.make()

    @functools.cached_property
    def made_for_gradients(self):
        operator = self.operator
        can = operator.supports_autograd and self.dtype in operator.supported_backward_dtypes("cpu")
        return self.make(requires_grad=True) if can else []

    @functools.cached_property
    def error_samples(self):
        if self.operator.error_inputs_func is None:
            return []
        return [Arguments.of(one.sample_input) for one in seeded(lambda: list(self.operator.error_inputs("cpu")))]

    # ---- one sample, one aspect ----

    def ask(self, aspect, sample, place):
        function = operator_aspects.ASPECTS[aspect]
        expected, refused_by_cpu = attempt(lambda: function(self.operator, sample, "cpu"))
        if refused_by_cpu is not None and (
            aspect not in operator_aspects.MAY_NOT_SUCCEED
            or isinstance(refused_by_cpu, NotImplementedError) and aspect != "errors"
        ):
            return
        seen, error = attempt(lambda: function(self.operator, sample, place), self.settle)
        if refused_by_cpu is not None:
            self.compare_refusals(aspect, sample, refused_by_cpu, error)
        elif error is not None:
            self.take_error(aspect, sample, error)
        else:
            self.compare(aspect, sample, seen, expected, place)

    def settle(self):
        """The whole device, if it can be waited for at all: to wait is only a means."""
        try:
            torch.accelerator.synchronize()
        except Exception as error:
            if not refusal(error) and not isinstance(error, AttributeError):
                raise

    def answer(self, name):
        answer = self.answers.setdefault(name, Answers())
        answer.asked += 1
        return answer

    def compare_refusals(self, aspect, sample, wanted, error):
        answer = self.answer(aspect)
        if error is None:
            answer.add_wrong(f"nothing was raised, the CPU raises {type(wanted).__name__}", sample)
        elif not isinstance(error, type(wanted)):
            means = refusal(error)
            if means:
                answer.refuse(means, error)
            elif aspect == "errors":
                answer.add_wrong(f"raised {type(error).__name__}, the CPU {type(wanted).__name__}", sample)

    def take_error(self, aspect, sample, error):
        answer, means = self.answer(aspect), refusal(error)
        if means:
            answer.refuse(means, error)
        else:
            answer.add_wrong(f"raised {type(error).__name__}: {first_line(error)}", sample)

    def compare(self, aspect, sample, seen, expected, place):
        parts = expected.keys() if aspect == "forward" else [None]
        place = None if self.operator.name in operator_aspects.STAY else place
        is_long = aspect in operator_aspects.WITH_GRADIENT
        tolerance = self.tolerance.by_largest() if is_long else self.tolerance
        for part in parts:
            if part and (seen[part] is None or expected[part] is None):  # it cannot be said
                continue
            answer = self.answer(part or aspect)
            pair = (seen[part], expected[part]) if part else (seen, expected)
            by_value = self.by_value or part == "views" or aspect == "filled"
            said, error = attempt(lambda: operator_results.difference(*pair, place, tolerance, by_value))
            if error is not None and refusal(error):  # to read it is only a means
                answer.refuse(refusal(error), error)
            elif error is not None:
                answer.add_wrong(f"the result cannot be read: {type(error).__name__}: {first_line(error)}", sample)
            elif said:
                answer.add_wrong(said, sample)

    # ---- where it runs ----

    def find_place(self, place):
        """Each overload of some samples; decides also whether values can be compared."""
        where = {}
        report.mark("suites/support/operator_place.py (place)", 1)
        for sample in self.made:
            with operator_place.Seen() as on_cpu:
                attempt(lambda: sample.on("cpu").call(self.operator.op))
            self.by_value = self.by_value and not on_cpu.is_random
        for sample in self.samples("second_device"):
            given, refused = attempt(lambda: operator_aspects.given_on(self.operator, sample, place))
            if refused is not None:
                continue
            with operator_place.Seen(place) as seen:
                attempt(lambda: given.call(self.operator.op))
            where.update(operator_place.places(seen.overloads))
        return where

    # ---- the check ----

    def runTest(self):
        check = report.check()
        devices = [torch.device(check.device_name, index) for index in check.devices]
        warnings.simplefilter("ignore")
        where = self.find_place(devices[0])
        self.note_places("", where)
        for aspect, function in operator_aspects.ASPECTS.items():
            place = devices[-1] if aspect == "second_device" else devices[0]
            unfit = operator_aspects.NO_MEASURE.get((aspect, self.name))
            if unfit:
                report.note(aspect, f"unasked: {unfit}")
            if unfit or aspect == "second_device" and len(devices) < 2:
                continue
            report.mark(f"suites/support/operator_aspects.py ({aspect})", function.__code__.co_firstlineno)
            for sample in self.samples(aspect):
                try:
                    self.ask(aspect, sample, place)
                except operator_aspects.Absent:
                    pass
            self.tell_answers()
        self.tell_places(where, self.find_other_places(devices[0]))

    def find_other_places(self, place):
        """Of what only gradients and other forms of the operator use. The answer counts for nothing: while
        somebody looks, core takes other ways."""
        where = {}
        for aspect in operator_aspects.OTHER_OVERLOADS:
            for sample in self.samples(aspect)[:1]:
                with operator_place.Seen(place) as seen, contextlib.suppress(operator_aspects.Absent):
                    attempt(lambda: operator_aspects.ASPECTS[aspect](self.operator, sample, place), self.settle)
                where.update(operator_place.places(seen.overloads))
        return where

    def tell_answers(self):
        """Those of one aspect, at once: the next one may end the process."""
        for name, answer in self.answers.items():
            report.note(name, str(answer))
            self.find(name, answer)
        self.answers = {}

    def tell_places(self, where, others):
        self.note_places("also ", {name: place for name, place in others.items() if name not in where})
        if where and operator_place.worst(where) == "fallback":
            missing = next(name for name, place in where.items() if place == "fallback")
            report.finding(report.FALLBACK, f"a kernel of the backend computes {self.operator.full_name}",
                           f"{missing} has none: its fallback answered", missing)

    def note_places(self, word, where):
        for kind in operator_place.ORDER:
            names = [name for name, place in where.items() if place == kind]
            if names:
                report.note(word + kind, " ".join(names))

    def find(self, name, answer):
        what = f"{self.operator.full_name}: {name} as on the CPU"
        if answer.wrong:
            kind = report.NOTED if name in operator_aspects.NOTED else report.FAIL
            report.finding(kind, what, answer.first_wrong)
        elif answer.refused:
            report.finding(report.BLOCKED, what, answer.first_refusal, answer.means)


class Family:
    """Every operator of the installed torch."""

    def __init__(self):
        self.operators = {}

    def warm(self):
        torch_testing.warm()
        self.operators = torch_testing.operators()

    def has(self, identity):
        return identity.startswith("opinfo.") and identity.split(".")[1] in self.operators

    def case(self, identity):
        _, name, dtype = identity.split(".")
        return OneOperator(name, self.operators[name], getattr(torch, dtype))


FAMILY = Family()
