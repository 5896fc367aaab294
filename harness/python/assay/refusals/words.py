# SPDX-License-Identifier: BSD-3-Clause
"""The messages of PyTorch for something that the backend does not offer, and the name of the refused means (names:
suites/RULES.md). This file does not import torch.

SENTENCES and PATTERNS are the same table as in refused_words.c, which native checks use; refused_words_test.py
compares them. Only Python has the names of the device module.
"""

import re
import sys

from assay.refusals import absences

# If several methods have the same message of PyTorch, the means is the method that a program calls first.
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

# Text before a name, text after it, and the kind of means.
PATTERNS = [
    ("Could not run '", "'", ""),
    ("by `RegisterPrivateUse1HooksInterface` and implement `", "`", "hooks."),
    ("Backend doesn't support ", "()", "hooks."),
    ("Backend doesn`t support ", "()", "hooks."),
]

# Messages in which Python reports that the device module lacks a name.
MODULE_WORDS = [
    r"has no attribute '(\w+)'",
    r"But the func `(\w+)` is missing",
    r"Try to call torch\.\w+\.(\w+)",
]


def refused_means(text):
    """The means that `text` reports as not offered, or None if the text is not a clear refusal."""
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
    """The patterns with which PyTorch and Python name the device module."""
    kind = type(module)
    names = {getattr(module, "__name__", ""), kind.__name__, f"{kind.__module__}.{kind.__name__}"}
    torch = sys.modules.get("torch")
    if torch:
        names.add(f"torch.{torch._C._get_privateuse1_backend_name()}")
    return names - {"", "module", "builtins.module"}


def missing_in_module(text, module):
    """The means `module.x` if `text` reports that the device module has no x, or None."""
    for pattern in MODULE_WORDS:
        found = re.search(pattern, text)
        if found and _speaks_of(module, text[: found.start()], pattern):
            return f"module.{found[1]}"
    return None


def _speaks_of(module, before, pattern):
    """True if the text is about the device module. An attribute error of another object is not a refusal, because it
    comes from other code."""
    if not pattern.startswith("has no attribute"):
        return True
    owner = re.search(r"'([\w.]+)' (?:object )?$", before)
    return bool(owner) and owner[1] in _names_of(module)
