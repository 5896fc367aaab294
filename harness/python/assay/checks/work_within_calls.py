# SPDX-License-Identifier: BSD-3-Clause
"""Whether a device does its work within the calls that give it: nothing goes on after them, nothing is to wait for.

Calls that take longer for more work do not say so alone: a queue that is full makes its callers wait, too, and then
holds work that is not done. So what was given must be there at once when it is read, in less time than one of its
parts took: who reads waits for what is left, and where anything is left, that is a part at least. A device whose
calls are slow for another reason takes as long for little work. And a busy machine makes any call late: so each
amount of work is looked at several times, and every look must say the same.
"""

import dataclasses

TIMES_AS_LONG = 8  # the calls for the most work, beside those for the least; elements differ by far more
LOOKS = 4  # at the least and at the most


@dataclasses.dataclass(frozen=True)
class Look:
    """The measurement of one piece of work: so many elements, the seconds of its calls and of reading its end."""

    elements: int
    calls: float
    reading: float
    goes_on: bool = False  # when the calls had returned


def done_within_its_calls(looks, parts):
    """The reason to think so, or None. `parts` is how many equal parts the calls of one look gave."""
    if not looks:
        return None
    little = with_elements(looks, min(look.elements for look in looks))
    much = with_elements(looks, max(look.elements for look in looks))
    least, most = little[-1], much[0]  # the slowest, the quickest
    if min(len(little), len(much)) < LOOKS or most.calls <= TIMES_AS_LONG * least.calls:
        return None
    if any(look.reading >= look.calls / parts for look in much):
        return None
    return (f"calls return when the work is done: they took {told(least)}, {told(most)}; "
            f"its result was there {1000 * most.reading:.1f} ms later")


def with_elements(looks, elements):
    """The quickest first."""
    return sorted((look for look in looks if look.elements == elements), key=lambda look: look.calls)


def told(look):
    return f"{1000 * look.calls:.1f} ms for {look.elements} elements"
