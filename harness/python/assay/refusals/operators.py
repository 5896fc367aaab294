# SPDX-License-Identifier: BSD-3-Clause
"""The means that an exception of an operator clearly refuses."""

import re

from assay.refusals import shape as refusals, words as refused_words

# Patterns in addition to the patterns of words.py: a dtype without a kernel, and devices that PyTorch names explicitly.
REFUSALS = [
    r"\"?(\w+)\"? not (?:yet )?(?:implemented|supported) for '",
    r"(\w+) only supports [\w, ]+ device type",
    r"(\w+) not implemented\. You are likely triggering this with tensor backend other than",
]


def refusal(error):
    """The means that an exception clearly refuses, such as "aten::foo", or None if the exception is not a refusal."""
    text = str(error)
    named = refused_words.refused_means(text) or refusals.lacking_operator(text)
    if named:
        return named
    named = next(filter(None, (re.search(pattern, text) for pattern in REFUSALS)), None)
    if named:
        return named[1]
    if not isinstance(error, NotImplementedError):
        return None
    named = re.search(r"\w+::\w+(\.\w+)?", text)
    return named[0] if named else text.split("\n")[0][:60]
