# SPDX-License-Identifier: BSD-3-Clause
"""The result of an operator on the device beside that on the CPU: the first difference in words.

Results are trees of tensors and plain values, or have parts with names. The judge decides (judge.py).
"""

from assay.values.judge import compare

RESULT, OUT, MEMORY = "the result", "out=", "the memory of out="
OF_TENSOR, GRADIENTS = "the memory of the tensor", "the gradients"
AFTERWARDS, TWICE = "an argument after the call", "a second call gives the same bits"


class Named(dict):
    """A result that is compared part by part; a difference is told with the name of the part."""


def _asked(name, values):
    """The rule for a part: a result by the operator's own rule, arguments unless nothing is, facts always."""
    if name in (RESULT, OUT, MEMORY, GRADIENTS):
        return values
    return values is not False if name in (AFTERWARDS, OF_TENSOR, TWICE) else True


def difference(seen, reference, place, values=True):
    """The first difference in words; None when they agree. `place`: where results must be, or None; `values` as the
    judge has it, of results."""
    if isinstance(reference.cpu, Named):
        for name in reference.cpu:
            said = difference(seen[name], reference.part(name), place, _asked(name, values))
            if said:
                return f"{name}: {said}"
        return None
    return next(iter(compare(seen, reference, place, values=values)), None)
