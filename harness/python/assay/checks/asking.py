# SPDX-License-Identifier: BSD-3-Clause
"""A check that asks many operators asks all of them, and says in the end which ones failed."""

import collections
import contextlib
import re

from assay.checks.case import Ended
from assay.refusals import behind_fallback

# Sizes, dtypes and layouts in the name of a case, which do not make it another kind.
FORM = re.compile(r"(, (every second element of a row|by columns)| of \(.*\)| of torch\.\w+| on \w+:\d+)(?=,|$)")
MOST_KINDS = 12


def kinds_of(asked, failed, kind):
    """"24 of 36: LSTM cell (12 of 12); GRU cell (12 of 12). Nothing failed of: RNN cell"."""
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
    """All that failed, and a line of it for people: what of each kind did, and of which kinds nothing."""
    case.note("failed", f"{len(failed)} of {len(asked)}: {', '.join(failed)}")
    case.note("failed by kind", kinds_of(asked, failed, kind))


class _Refused(BaseException):
    """Ends one of many, not the check. No handler of an Exception may swallow it."""


class Many:
    """The many that a check asks; each within `one(name)`, then `conclude()`.

    An exception in one is a failure of that one; a refusal leaves it out, unless the call is plain and a fallback stood
    behind the operator. Where all are refused the check is blocked, or the backend lacks the capability that all of
    them need.
    """

    def __init__(self, case, capability=None, kind=plain_name):
        self.kind = kind  # of a name, by which those that failed are counted for people
        self.case, self.asked, self.failed, self.refused, self.capability = case, [], [], {}, capability
        self.broken = []  # raised what would be a refusal without the fallback behind it

    @contextlib.contextmanager
    def one(self, name, is_plain=False):
        """`is_plain`: any backend that has the operator, or a fallback, takes such a call."""
        self.asked.append(name)
        self.case.begin_case(name)
        with self._kept_going(name):
            try:
                yield
            except Exception as error:
                means = self.case.refused_means(error) or (name if isinstance(error, NotImplementedError) else None)
                is_broken = is_plain and behind_fallback.is_broken(self.case, error)
                if means and not self.case._has_to_offer(means) and not is_broken:
                    self._leave_out(name, str(error), means)
                else:
                    self.broken += [name] if is_broken else []
                    self.case.expect(False, f"{name} works", f"raised {type(error).__name__}: {error}")

    @contextlib.contextmanager
    def _kept_going(self, name):
        """In the block nothing ends the check: neither a failure that was reported nor a refusal."""
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
        if self.asked and len(self.refused) == len(self.asked):
            seen, means = next(iter(self.refused.values()))
            self.case.lacks(self.capability, seen.split("\n")[0]) if self.capability else self.case.block(seen, means)


def each(case, table, capability=None, plain=lambda name: False):
    """Name and value of each entry of a table, one after the other, whatever becomes of those before. `plain`: of a name,
    whether any backend takes such a call.

    for name, value, one in each(self, TABLE):
        with one:
            ...
    """
    many = Many(case, capability)
    for name, value in table.items():
        yield name, value, many.one(name, plain(name))
    many.conclude()
