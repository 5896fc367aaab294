# SPDX-License-Identifier: BSD-3-Clause
"""Compares the result of an operator on the device with that on the CPU. Returns the first difference in words.

Results are trees of tensors and plain values, or have named parts. assay/values/judge.py decides.
"""

from assay.values.judge import compare

RESULT, OUT, MEMORY = "the result", "out=", "the memory of out="
OF_TENSOR, GRADIENTS = "the memory of the tensor", "the gradients"
AFTERWARDS, TWICE = "an argument after the call", "a second call gives the same bits"


class Named(dict):
    """A result that is compared part by part. A difference is reported with the name of its part."""


def _asked(name, values):
    """The `values` argument for a part. For a result, it follows the rule of the operator. Arguments are compared
    unless the rule excludes all values. Facts are always compared."""
    if name in (RESULT, OUT, MEMORY, GRADIENTS):
        return values
    return values is not False if name in (AFTERWARDS, OF_TENSOR, TWICE) else True


def difference(seen, reference, place, values=True):
    """The first difference in words, or None if the results agree. `place` is the device on which results must be, or
    None. `values` says which results are compared by value, as in judge.compare."""
    if isinstance(reference.cpu, Named):
        for name in reference.cpu:
            said = difference(seen[name], reference.part(name), place, _asked(name, values))
            if said:
                return f"{name}: {said}"
        return None
    return next(iter(compare(seen, reference, place, values=values)), None)
