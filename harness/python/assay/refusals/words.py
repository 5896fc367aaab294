# SPDX-License-Identifier: BSD-3-Clause
"""The words of PyTorch when a backend does not offer something, and the name of the means that is refused
with these words (names: suites/RULES.md). Pure, and without torch.

SENTENCES and PATTERNS are the table of refused_words.c, which native checks have; refused_words_test.py compares
them. Names of the device module are asked for by Python alone.
"""

import re
import sys

from assay.refusals import absences

# Where PyTorch has one message for several methods, the one a program calls first is named.
SENTENCES = {
    "Backend doesn't support acquiring a default stream": "guard.getDefaultStream",
    "Backend doesn't support acquiring a stream from pool": "guard.getStreamFromGlobalPool",
    "Backend doesn't support create a new Stream": "guard.getNewStream",
    "Backend doesn't support getting stream native handle": "guard.getStreamNativeHandle",
    "Backend doesn't support events": "guard.record",
    "Backend doesn't support getting device capabilities": "guard.getDeviceCapability",
    "Backend doesn't support querying streams": "guard.queryStream",
    "Backend doesn't support synchronizing streams": "guard.synchronizeStream",
    "Backend doesn't support synchronizing events": "guard.synchronizeEvent",
    "Backend doesn't support synchronizing all streams on device": "guard.synchronizeDevice",
    "Backend doesn't support elapsedTime": "guard.elapsedTime",
    "getMemoryInfo is not implemented for this allocator": "allocator.getMemoryInfo",
    "Expected a 'cpu' device type for generator but found": "keyword.generator",
    "Expected a 'cpu' generator device but found": "keyword.generator",
}

# Words before and after a name, and the kind of means it is.
PATTERNS = [
    ("Could not run '", "'", ""),
    ("by `RegisterPrivateUse1HooksInterface` and implement `", "`", "hooks."),
    ("Backend doesn't support ", "()", "hooks."),
    ("Backend doesn`t support ", "()", "hooks."),
]

# Where Python says that the device module lacks a name.
MODULE_WORDS = [
    r"has no attribute '(\w+)'",
    r"But the func `(\w+)` is missing",
    r"Try to call torch\.\w+\.(\w+)",
]


def refused_means(text):
    """The means that `text` says is not offered; None if it is no clear refusal."""
    if "INTERNAL ASSERT FAILED" in text:
        return absences.means_of(text)
    for words, means in SENTENCES.items():
        if words in text:
            return means
    for before, after, kind in PATTERNS:
        found = re.search(f"{re.escape(before)}(\\S+?){re.escape(after)}", text)
        if found:
            return kind + found[1]
    return None


def _names_of(module):
    """As what PyTorch and Python speak of the device module."""
    kind = type(module)
    names = {getattr(module, "__name__", ""), kind.__name__, f"{kind.__module__}.{kind.__name__}"}
    torch = sys.modules.get("torch")
    if torch:
        names.add(f"torch.{torch._C._get_privateuse1_backend_name()}")
    return names - {"", "module", "builtins.module"}


def missing_in_module(text, module):
    """The means `module.x` if `text` says that the device module has no x; None otherwise."""
    for pattern in MODULE_WORDS:
        found = re.search(pattern, text)
        if found and _speaks_of(module, text[: found.start()], pattern):
            return f"module.{found[1]}"
    return None


def _speaks_of(module, before, pattern):
    """An attribute of anything else is no refusal: it came from deep inside somebody's code."""
    if not pattern.startswith("has no attribute"):
        return True
    owner = re.search(r"'([\w.]+)' (?:object )?$", before)
    return bool(owner) and owner[1] in _names_of(module)
