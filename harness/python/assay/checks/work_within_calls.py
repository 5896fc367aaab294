# SPDX-License-Identifier: BSD-3-Clause
"""Decides whether a device finishes its work within the calls that enqueue it, so that nothing is left to wait for.

Calls that take longer for more work do not prove this: a full queue also makes its callers wait, and still holds
unfinished work. So a read of the result must also take less time than one part of the work: a read waits for the
remaining work, which is at least one part. If the calls of a device are slow for another reason, a small amount of work
takes as long as a large amount. A busy machine can delay any call. So each amount of work is measured several times,
and all measurements must agree.
"""

import dataclasses

# required ratio of the call times for the most and the least work; the ratio of the numbers of elements is far larger
TIMES_AS_LONG = 8
LOOKS = 4  # measurements at the smallest and at the largest size


@dataclasses.dataclass(frozen=True)
class Look:
    """One measurement: the number of elements, the seconds of the calls, and the seconds to read the result."""

    elements: int
    calls: float
    reading: float
    goes_on: bool = False  # True if the work continued after the calls returned


def done_within_its_calls(looks, parts):
    """The reason to conclude that the device finishes its work within its calls, or None. `parts` is the number of
    equal parts that the calls of one measurement enqueued."""
    if not looks:
        return None
    little = with_elements(looks, min(look.elements for look in looks))
    much = with_elements(looks, max(look.elements for look in looks))
    least, most = little[-1], much[0]  # the slowest of little work, and the quickest of much work
    if min(len(little), len(much)) < LOOKS or most.calls <= TIMES_AS_LONG * least.calls:
        return None
    if any(look.reading >= look.calls / parts for look in much):
        return None
    return (f"calls return when the work is done: the calls took {told(least)}, {told(most)}; "
            f"the result could be read {1000 * most.reading:.1f} ms later")


def with_elements(looks, elements):
    """The measurements with this number of elements, quickest first."""
    return sorted((look for look in looks if look.elements == elements), key=lambda look: look.calls)


def told(look):
    return f"{1000 * look.calls:.1f} ms for {look.elements} elements"
