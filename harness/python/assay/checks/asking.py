# SPDX-License-Identifier: BSD-3-Clause
"""Runs many cases in one check. The check runs all cases and reports the failed cases at the end."""

import collections
import contextlib
import re

from assay.checks.case import Ended
from assay.refusals import behind_fallback

# These parts of a case name (size, dtype, layout) are removed when failures are counted by kind.
FORM = re.compile(r"(, (every second element of a row|column-major)| of \(.*\)| of torch\.\w+| on \w+:\d+)(?=,|$)")
MOST_KINDS = 12


def kinds_of(asked, failed, kind):
    """Returns for example "24 of 36: LSTM cell (12 of 12); GRU cell (12 of 12). Nothing failed of: RNN cell"."""
    all_kinds, bad = (collections.Counter(map(kind, names)) for names in (asked, failed))
    words = [one if count == all_kinds[one] == 1 else f"{one} ({count} of {all_kinds[one]})" for one, count in bad.items()]
    whole = [one for one in all_kinds if one not in bad]
    held = f". Nothing failed of: {cut(whole)}" if whole else ""
    return f"{len(failed)} of {len(asked)}: {cut(words)}{held}"


def cut(words):
    more = len(words) - MOST_KINDS
    return "; ".join(words[:MOST_KINDS]) + (f" and {more} more" if more > 0 else "")


def plain_name(name):
    return FORM.sub("", name)


def note_failed(case, asked, failed, kind=plain_name):
    """Notes all failed cases and a summary by kind. The summary gives the number of failed cases of each kind, and the
    kinds without a failure."""
    case.note("failed", f"{len(failed)} of {len(asked)}: {', '.join(failed)}")
    case.note("failed by kind", kinds_of(asked, failed, kind))


class _Refused(BaseException):
    """Ends one case, not the whole check. It is not derived from Exception, so that `except Exception` in a check does
    not catch it."""


class Many:
    """The cases of one check. Each case runs within `one(name)`; `conclude()` follows the last one.

    An exception in a case is a failure of that case. If the backend refuses a case, the case is skipped. If the call is
    plain and the backend has a fallback for the operator, the refusal is a failure. If most cases are refused, the check
    is blocked. If all are refused, the check ends, and it may report that the backend lacks `capability`. A check that has
    no case and judges nothing else is unobservable.
    """

    def __init__(self, case, capability=None, kind=plain_name):
        self.kind = kind  # maps the name of a case to its kind, for the summary of failures
        self.case, self.asked, self.failed, self.refused, self.capability = case, [], [], {}, capability
        self.broken = []  # cases with an exception that would count as a refusal if the backend had no fallback

    @contextlib.contextmanager
    def one(self, name, is_plain=False):
        """`is_plain`: every backend that has the operator or a fallback must accept this call."""
        self.asked.append(name)
        self.case.begin_case(name)
        with self._kept_going(name):
            try:
                yield
            except Exception as error:
                is_absent = isinstance(error, NotImplementedError) or behind_fallback.refuses_dtype(self.case, error)
                means = self.case.refused_means(error) or (name if is_absent else None)
                is_broken = is_plain and behind_fallback.is_broken(self.case, error)
                if means and not self.case._has_to_offer(means) and not is_broken:
                    self._leave_out(name, str(error), means)
                else:
                    self.broken += [name] if is_broken else []
                    self.case.expect(False, f"{name} works", f"raised {type(error).__name__}: {error}")

    @contextlib.contextmanager
    def _kept_going(self, name):
        """In this block, neither a reported failure nor a refusal ends the check."""
        case, expect = self.case, self.case.expect

        def refuse(seen, means):
            if case._has_to_offer(means):
                type(case).block(case, seen, means)
            self._leave_out(name, seen, means)
            raise _Refused

        def remember(holds, what, seen):
            held = expect(holds, what, seen)
            if not held and name not in self.failed:
                self.failed.append(name)
            return held

        case.block, case.expect = refuse, remember
        try:
            yield
        except (_Refused, Ended):
            pass
        finally:
            del case.block, case.expect

    def _leave_out(self, name, seen, means):
        self.refused[name] = seen, means

    def conclude(self):
        self.case.end_case()
        if self.refused:
            words = (f"{name}: {seen}"[:120].split("\n")[0] for name, (seen, _) in self.refused.items())
            self.case.note("refused", "; ".join(words))
        if self.failed:
            offered = [name for name in dict.fromkeys(self.asked) if name not in self.refused or name in self.failed]
            note_failed(self.case, offered, self.failed, self.kind)
        if self.broken:
            self.case.note("no refusal", f"{', '.join(self.broken)}: the backend's fallback computes what has no kernel, so a kernel that raises is broken")
        self.case.lists_no_case |= not self.asked
        if self.asked and len(self.refused) == len(self.asked):
            seen, means = next(iter(self.refused.values()))
            self.case.lacks(self.capability, seen.split("\n")[0]) if self.capability else self.case.block(seen, means)
        if not self.capability and not self.failed:
            self.case.undecided_if_mostly_refused(self.refused, self.asked)


def each(case, table, capability=None, plain=lambda name: False):
    """Yields the name, the value and a `with` block for each entry of a table. A failure in one entry does not stop the
    next one. `plain(name)` says whether every backend must accept that call.

        for name, value, one in each(self, TABLE):
            with one:
                ...
    """
    many = Many(case, capability)
    for name, value in table.items():
        yield name, value, many.one(name, plain(name))
    many.conclude()
