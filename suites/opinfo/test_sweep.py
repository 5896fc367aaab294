# SPDX-License-Identifier: BSD-3-Clause
"""opinfo.<operator>.<dtype>: one operator of the installed torch, tested in every aspect of
assay/operators/aspects.py.

Each aspect runs on the CPU and on the device with the same samples. A sample that the CPU refuses is not tested.
The notes of the check are the cells of the matrix: aspect, verdict, number of samples, and what was seen.
"""

import contextlib
import functools
import itertools
import re
import unittest
import warnings

import torch
from assay.checks import late
from assay.host import report
from assay.operators import (
    aspects as operator_aspects,
    layouts as operator_layouts,
    place as operator_place,
    results as operator_results,
    samples as own_samples,
    torch_testing,
    values as operator_values,
)
from assay.operators.arguments import Arguments
from assay.refusals.operators import refusal
from assay.values import distributions as operator_random, judge, tables as judge_tables

TEXT, NOTE = 160, 700  # lengths in characters of a sentence and of a note
KINDS = 3  # at most this many kinds of differences are reported


def first_line(error):
    """The first line, without PyTorch's long guess why a kernel is missing."""
    return (str(error).strip().splitlines() or [""])[0].split(" This could be because")[0]


class Answers:
    """The result of an aspect over its samples."""

    def __init__(self):
        self.asked = self.refused = self.wrong = 0
        self.first_refusal = self.means = None
        self.kinds = {}  # the first difference of each kind; differences that differ only in numbers have the same kind

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

    def told(self, is_noted):
        """The note for the matrix. If no must applies to the aspect, a difference from the CPU is noted and not called
        wrong."""
        other = "noted" if is_noted else "wrong"
        verdict = other if self.wrong else "refused" if self.refused else "right"
        count = self.wrong or self.refused or self.asked
        said = "; and: ".join(self.kinds.values()) or (self.first_refusal and f"{self.means}: {self.first_refusal}") or ""
        return f"{verdict} {count}/{self.asked} {said[:NOTE]}".strip()


def seeded(call):
    torch_testing.seed()
    return call()


def attempt(call, place=None):
    """Returns the result of the call, and its exception or None. If `place` is given, waits for this device, because a
    late error would otherwise be attributed to another call."""
    try:
        return seeded(call), place and late.settle(place)
    except operator_aspects.Absent:
        raise
    except Exception as error:
        if place is not None:
            late.waited(place)
        return None, error


def spread(samples, most):
    """At most `most` samples, evenly spread over the list."""
    if len(samples) <= most:
        return samples
    return [samples[i * len(samples) // most] for i in range(most)]


class OneOperator(unittest.TestCase):
    def __init__(self, name, operator, dtype, is_deep=False):
        super().__init__()
        self.is_deep, self.kept = is_deep, []
        self.name, self.operator, self.dtype = name, operator, dtype
        self.answers = {}
        word = str(dtype)[6:]
        self.values, self.values_of_ties = (operator_values.values_of(name, one) for one in (word, operator_values.TIES))
        self.drawn = set()  # ids of samples with which the operator draws random numbers

    # ---- samples ----

    def most(self, aspect):
        return operator_aspects.SAMPLES.get(aspect, operator_aspects.FEW)[self.is_deep]

    def samples(self, aspect):
        if aspect == "errors":
            return spread(self.error_samples, self.most(aspect))
        wants = aspect in operator_aspects.WITH_GRADIENT
        made = self.made_for_gradients if wants else self.made
        own = operator_aspects.OWN.get(aspect)
        return self.own(own, made, self.most(aspect)) if own else spread(made, self.most(aspect))

    def own(self, make, made, most):
        """At most `most` samples that `make` derives from samples of different shapes. A sample that is derived from a
        random sample is random, too."""
        found, shapes = [], set()
        for sample in sorted(made, key=lambda one: judge.terms_of(one.tensors()), reverse=True):
            if str(sample) in shapes or len(found) >= most:
                continue
            shapes.add(str(sample))
            for one in itertools.islice(seeded(lambda: list(make(self.operator, sample))), most - len(found)):
                found.append(one)
                if id(sample) in self.drawn:
                    self.drawn.add(id(one))
        self.kept += found  # keeps the samples alive, so that no other sample gets the same id
        return found

    def make(self, **options):
        made = seeded(lambda: list(self.operator.sample_inputs("cpu", self.dtype, **options)))
        made = [Arguments.of(one) for one in spread(made, self.most("forward"))]
        more = (list(own_samples.with_dimensions(self.operator, one)) for one in made)
        return next(filter(None, more), []) + made

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
        seen, error = attempt(lambda: function(self.operator, sample, place), place)
        if refused_by_cpu is not None:
            self.compare_refusals(aspect, sample, refused_by_cpu, error)
        elif error is not None and self.is_against_the_rules(function, sample, error):
            return
        elif error is not None:
            self.take_error(aspect, sample, error)
        else:
            self.compare(aspect, sample, seen, self.reference(aspect, sample, expected), place)

    def is_against_the_rules(self, function, sample, error):
        """Returns whether the meta device refuses the call, too. Then the call violates a rule, and the CPU accepted
        the call only because it returned before the test of that rule."""
        if refusal(error):
            return False
        _, refused = attempt(lambda: function(self.operator, sample, "meta"))
        is_rule = isinstance(refused, (RuntimeError, IndexError, ValueError)) and not isinstance(refused, NotImplementedError)
        # an error because a meta tensor has no values is not a rule
        return is_rule and not refusal(refused) and "meta" not in str(refused)

    def reference(self, aspect, sample, expected):
        """The CPU's result. The results in double and for changed inputs are computed only when they are needed."""
        plain = operator_aspects.WITHOUT_FORM.get(aspect)

        def of(change):
            function, keep = operator_aspects.ASPECTS[aspect], lambda tree: tree
            if plain and change is judge.relaid:
                function, change = plain, keep
            given = Arguments(*change((sample.input, sample.args, sample.kwargs)), sample.finish)
            return seeded(lambda: function(self.operator, given, "cpu"))

        precision = self.dtype if self.dtype.is_floating_point or self.dtype.is_complex else torch.get_default_dtype()
        return judge.Reference(expected, lambda: of(judge.widened), lambda: judge.moves(of),
                               judge.terms_of(sample.tensors()), precision, aspect in operator_aspects.WITH_GRADIENT,
                               again=lambda: of(judge.widened))

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
            step = getattr(error, "assay_step", None)
            answer.add_wrong(f"{f'{step} ' if step else ''}raised {type(error).__name__}: {first_line(error)}", sample)

    def compare(self, aspect, sample, seen, reference, place):
        place = None if self.operator.name in operator_aspects.STAY else place
        for part in reference.cpu.keys() if aspect == "forward" else [None]:
            if part and (seen[part] is None or reference.cpu[part] is None):  # one result is unknown, so the part cannot be compared
                continue
            pair = (seen[part], reference.part(part)) if part else (seen, reference)
            values = aspect == "filled" or self.values_of(aspect, sample)
            answer = self.answer(part or aspect)
            said, error = attempt(lambda: operator_results.difference(*pair, place, values))
            if error is not None and refusal(error):  # reading the result is only a means
                answer.refuse(refusal(error), error)
            elif error is not None:
                answer.add_wrong(f"the result cannot be read: {type(error).__name__}: {first_line(error)}", sample)
            elif said:
                answer.add_wrong(said, sample)
            elif self.has_layout(aspect) and part in (None, "forward"):
                self.compare_layouts(aspect, sample, *pair, place)

    def has_layout(self, aspect):
        return aspect in operator_aspects.LAYOUTS and ("layout", self.name) not in operator_aspects.NO_REFERENCE

    def compare_layouts(self, aspect, sample, seen, reference, place):
        """Requires the strides that PyTorch predicts for the backend. A difference from the CPU alone is only noted."""
        results = [one.get(operator_results.RESULT, one) if isinstance(one, operator_results.Named) else one
                   for one in (seen, reference.cpu)]
        said = operator_layouts.difference(*results)
        given = operator_aspects.FORMS[aspect](sample) if aspect in operator_aspects.FORMS else sample
        promised = said and operator_layouts.predicted(self.operator, given, place)
        if said and promised is None:
            self.answer("layout_unpromised").add_wrong(said, sample)
        else:
            answer = self.answer("layout")
            said = said and operator_layouts.difference(results[0], promised)
            if said:
                answer.add_wrong(said, sample)

    def values_of(self, aspect, sample):
        if id(sample) in self.drawn or judge_tables.is_norm_of_one(self.name, (sample.input, *sample.args)):
            return False
        is_free = aspect in ("ties", "expanded") and not sample.kwargs.get("stable")
        return self.values_of_ties if is_free and self.values is True else self.values

    # ---- where it runs ----

    def find_place(self, place):
        """Finds the overloads that some samples call, and the samples that draw random numbers."""
        where = {}
        report.mark("harness/python/assay/operators/place.py (place)", 1)
        self.find_drawn(self.made)
        self.find_drawn(self.samples("gradients"))
        for sample in self.samples("second_device"):
            given, refused = attempt(lambda: operator_aspects.given_on(self.operator, sample, place))
            if refused is not None:
                continue
            with operator_place.Seen(place) as seen:
                attempt(lambda: given.call(self.operator.op))
            late.waited(place)
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
            unfit = operator_aspects.NO_REFERENCE.get((aspect, self.name))
            if unfit:
                report.note(aspect, f"unasked: {unfit}")
            if unfit or aspect == "second_device" and len(devices) < 2 or aspect in operator_aspects.DEEP and not self.is_deep:
                continue
            report.mark(f"harness/python/assay/operators/aspects.py ({aspect})", function.__code__.co_firstlineno)
            for sample in self.samples(aspect):
                try:
                    self.ask(aspect, sample, place)
                except operator_aspects.Absent:
                    pass
            self.tell_answers()
        self.ask_distributions(devices[0])
        self.tell_places(where, self.find_other_places(devices[0]))

    def find_drawn(self, samples):
        for sample in samples:
            with operator_place.Seen() as on_cpu:
                attempt(lambda: sample.on("cpu").call(self.operator.op))
            if on_cpu.is_random:
                self.drawn.add(id(sample))

    def ask_distributions(self, place):
        """Tests the distribution of random numbers, and whether a seed determines them."""
        if self.dtype is not torch.float32:
            return
        report.mark("harness/python/assay/values/distributions.py (distribution)", 1)
        for statement in operator_random.DISTRIBUTIONS.get(self.name, []):
            said, error = attempt(lambda: statement(place, self.dtype), place)
            self.take_statement("distribution", said, error)
        if self.drawn:
            self.take_statement("seeded", *attempt(lambda: operator_random.unseeded(self.draw_of_many(place)), place))
        self.tell_answers()

    def draw_of_many(self, place):
        """Returns a draw with the largest sample, because few numbers can be equal by chance."""
        drawn = [one for one in self.made + self.made_for_gradients if id(one) in self.drawn]
        most = max(drawn, key=lambda one: judge.terms_of(one.tensors()))
        sample = next(own_samples.large(self.operator, most), most)
        return lambda: operator_aspects.given_on(self.operator, sample, place).call(self.operator.op)

    def take_statement(self, aspect, said, error):
        if error is not None:
            self.take_error(aspect, f"{operator_random.COUNT} numbers", error)
            return
        answer = self.answer(aspect)
        if said:
            answer.add_wrong(said, f"{operator_random.COUNT} numbers")

    def find_other_places(self, place):
        """Finds the overloads of gradients and other forms. Ignores results, because under a dispatch mode PyTorch may
        use other overloads."""
        where = {}
        for aspect in operator_aspects.OTHER_OVERLOADS:
            for sample in self.samples(aspect)[:1]:
                with operator_place.Seen(place) as seen, contextlib.suppress(operator_aspects.Absent):
                    attempt(lambda: operator_aspects.ASPECTS[aspect](self.operator, sample, place))
                where.update(operator_place.places(seen.overloads))
        return where

    def tell_answers(self):
        """Reports the results of one aspect immediately, because the next aspect may end the process."""
        for name, answer in self.answers.items():
            report.note(name, answer.told(name in operator_aspects.NOTED))
            self.find(name, answer)
        self.answers = {}

    def tell_places(self, where, others):
        self.note_places("also ", {name: place for name, place in others.items() if name not in where})
        if where and operator_place.worst(where) == "fallback":
            missing = next(name for name, place in where.items() if place == "fallback")
            report.finding(report.FALLBACK, f"a kernel of the backend computes {self.operator.full_name}",
                           f"{missing} has no kernel, and the fallback computed it", missing)

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
    """All operators of the installed torch."""

    def __init__(self):
        self.operators = {}

    def warm(self):
        torch_testing.warm()
        self.operators = torch_testing.operators()

    def has(self, identity):
        return identity.startswith("opinfo.") and identity.split(".")[1] in self.operators

    def case(self, identity):
        _, name, dtype = identity.split(".")
        return OneOperator(name, self.operators[name], getattr(torch, dtype.removesuffix(operator_values.DEEP)), dtype.endswith(operator_values.DEEP))


FAMILY = Family()
