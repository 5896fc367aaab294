# SPDX-License-Identifier: BSD-3-Clause
"""The label names of conformance.yaml, read without a YAML library: the job that holds a write
token installs nothing. Used by pull_request.py. Refuses what it does not understand."""

import re

WANTED = ("adaptation", "override", "hint")


def unquote(text):
    quoted = re.fullmatch(r'"([^"\\]*)"|\'([^\']*)\'|([^"\'#\[{&*!|>%@`][^#]*?)', text.strip())
    if not quoted:
        raise ValueError(f"labels: cannot read {text.strip()!r}")
    return next(part for part in quoted.groups() if part is not None)


def read_labels(text):
    """{"adaptation": name, "override": name, "hint": name} from the block `labels:`."""
    block = re.search(r"^labels:[ ]*\n((?:[ ]+[^\n]*\n|[ ]*\n|[ ]*#[^\n]*\n)*)", text + "\n", re.M)
    if not block:
        raise ValueError("there is no block labels:")
    labels = {}
    for line in block[1].splitlines():
        line = re.sub(r"\s#.*", "", line) if '"' not in line and "'" not in line else line
        if not line.strip() or line.strip().startswith("#"):
            continue
        match = re.fullmatch(r"\s+([a-z_]+):\s*(\S.*)", line)
        if not match:
            raise ValueError(f"labels: cannot read {line!r}")
        labels[match[1]] = unquote(match[2])
    missing = [name for name in WANTED if not labels.get(name)]
    if missing:
        raise ValueError(f"labels: {', '.join(missing)} is missing")
    return labels
