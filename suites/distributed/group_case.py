# SPDX-License-Identifier: BSD-3-Clause
"""The base class of the checks that run ranks. The class starts the ranks, and judges the results of all ranks for each
case.

A case that every rank refuses is left out, as in every other module. A case that only some ranks refuse is a failure,
because the other ranks may wait for the ranks that refuse. A rank that dies or hangs fails the case that it was
running.
"""

from assay.checks import Case, asking
from suites.distributed import ranks

RTOL, ATOL = 1e-4, 1e-5


class GroupCase(Case):
    """`ask` runs the ranks, `judge` compares a table of cases with their expected values."""

    def need_group(self, ranks_wanted=2):
        """The name of the process group. Ends the check if the backend has no process group, or too few devices for the
        ranks."""
        name = self.need_name()
        if len(self.devices) < ranks_wanted:
            self.does_not_apply(f"{ranks_wanted} ranks need {ranks_wanted} devices, and this machine has {len(self.devices)}")
        self.need_any_kind()
        return name

    def need_name(self):
        name = ranks.registered_name(self)
        if name is None:
            self.lacks("c10d", f"torch.distributed knows no process group for the device type {self.device_name}")
        return name

    def ask(self, function, *arguments, size=2, **options):
        """Runs the ranks of MODULE to their end. Returns the ranks if they could join their group."""
        self.need_group(min(size, 2))
        return self.start(function, *arguments, size=size, **options)

    def start(self, function, *arguments, size, **options):
        with ranks.Ranks(self, self.MODULE, function, *arguments, size=size, **options) as group:
            done = group.finish()
        if size > len(self.devices):
            self.need_shared_devices(done)
        self.expect_started(done)
        return done

    def need_right_training(self, on_cpu, on_device):
        """Ends the check if the values that a model reaches without a process group differ between the CPU and the
        device, because then the operators of the model are wrong."""
        if not is_close(on_device, on_cpu):
            self.block("without a process group, the same model trains to other values than on the CPU", "the operators of the model")

    def need_shared_devices(self, done):
        """Ends the check if the first case did not return on every rank. Many backends refuse several ranks on one
        device."""
        if not all("value" in next(iter(rank.cases.values()), ()) for rank in done):
            self.does_not_apply(f"{len(done)} ranks need {len(done)} devices, because {len(self.devices)} cannot be shared")

    def expect_started(self, done):
        """Ends the check if a rank raised outside of every case, or ended before its first case."""
        what = "every rank joins the process group"
        raised = [rank for rank in done if rank.said.get("end") == "raised"]
        for rank in raised:
            if not rank.cases and rank.said["means"] and len(raised) == len(done):
                self.block(rank.said["text"], rank.said["means"])
            self.expect(False, what, f"rank {rank.number} raised {_words(rank.said)} in {rank.under_way}")
        dead = [rank for rank in done if "end" not in rank.said and rank.under_way == "the start"]
        for rank in dead:
            self.expect(False, what, rank.how_it_ended())
        self.require(not raised and not dead)

    def judge(self, done, table):
        """`table`: {case: [expected value of each rank]}, or a function that gets the values of all ranks and reports
        findings itself."""
        many = asking.Many(self)
        for name, expected in table.items():
            if any(name in rank.cases or rank.under_way == name for rank in done):
                with many.one(name):
                    self._judge_case(done, name, expected)
        many.conclude()
        self.expect_ended(done)

    def _judge_case(self, done, name, expected):
        values = self.values_of(done, name)
        if callable(expected):
            expected(values)
            return
        for rank, (seen, wanted) in enumerate(zip(values, expected, strict=True)):
            self.expect_equal(seen, wanted, f"{name}: the result of rank {rank}")

    def judge_or_raised(self, done, name, expected, kinds):
        """The values of all ranks are right, or every rank raised one of `kinds`."""
        if any("error" in rank.cases.get(name, ()) for rank in done):
            self.expect_all_raised(done, name, kinds)
            return
        for rank, (seen, wanted) in enumerate(zip(self.values_of(done, name), expected, strict=True)):
            self.expect_equal(seen, wanted, f"{name} raises or computes the right values on rank {rank}")

    def values_of(self, done, name):
        """The value of each rank. Reports ranks that ended, and exceptions that were not raised on all ranks."""
        for rank in done:
            if name not in rank.cases:
                self.require(self.expect(False, f"{name} returns or raises on every rank", rank.how_it_ended()))
        outcomes = [rank.cases[name] for rank in done]
        raised = [(number, one) for number, one in enumerate(outcomes) if "error" in one]
        if not raised:
            return [one["value"] for one in outcomes]
        number, first = raised[0]
        if len(raised) == len(outcomes) and all(one["means"] for _, one in raised):
            self.block(first["text"], first["means"])
        others = "the other ranks returned" if len(raised) < len(outcomes) else "so did every rank"
        self.require(self.expect(False, f"{name} works on every rank", f"rank {number} raised {_words(first)}; {others}"))

    def expect_ended(self, done):
        """Every rank reached the end of its function."""
        for rank in done:
            if rank.said.get("end") not in ("whole", "out of step"):
                self.expect(False, "every rank reaches its end", rank.how_it_ended())

    def expect_all_raised(self, done, name, kinds, words=None):
        """Every rank raised one of `kinds` in this case, with these words."""
        for rank in done:
            if name not in rank.cases:
                self.expect(False, f"{name} raises on every rank and does not hang", rank.how_it_ended())
                continue
            one = rank.cases[name]
            what = f"{name} raises {' or '.join(kinds)} on every rank"
            if "error" not in one:
                self.expect(False, what, f"rank {rank.number} returned {one['value']!r}"[:300])
                continue
            fits = set(kinds) & set(one["kinds"]) and "INTERNAL ASSERT" not in one["text"]
            self.expect(fits, what, f"rank {rank.number} raised {_words(one)}")
            if fits and words:
                self.expect(words in one["text"], f"{what}, and says \"{words}\"", one["text"][:300])


def _words(told):
    return f"{told['error']}: {told['text']}"[:500]


def is_close(seen, expected):
    """Compares nested lists of numbers of float32 after some training steps."""
    if isinstance(expected, list):
        return isinstance(seen, list) and len(seen) == len(expected) and all(map(is_close, seen, expected))
    if isinstance(expected, float):
        return isinstance(seen, float) and abs(seen - expected) <= ATOL + RTOL * abs(expected)
    return seen == expected
