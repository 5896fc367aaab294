# SPDX-License-Identifier: BSD-3-Clause
"""Finds the classes that PyTorch's headers declare. If PyTorch's headers do not declare a class in PyTorch's
namespaces, the class belongs to the backend.

A user's machine has no libclang, so the headers are searched as text. This search takes a second or two, at the first
query.
"""

import os
import re
from pathlib import Path

CLASS = re.compile(rb"\b(?:class|struct|union)\s[^;{}()<>=&*,]*?\b(\w+)\s*(?:final\s*)?(?::(?!:)|\{)")
SPACE = re.compile(rb"\bnamespace\s+([\w:]+)\s*\{")
COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
FOLDERS = ("ATen", "c10", "torch", "caffe2")
HEADERS = (".h", ".hpp", ".cuh")


class UpstreamClasses:
    """A set of classes. Queries use the qualified name without template arguments."""

    def __init__(self, includes):
        self.includes = includes
        self.scopes = None  # {name of a class: names of the scopes that its headers open}

    def has(self, name):
        """1 if a header declares a class of this name and opens the scope around it."""
        if self.scopes is None:
            self.scopes = self._read()
        around, _, leaf = name.rpartition("::")
        return around.rpartition("::")[2].encode() in self.scopes.get(leaf.encode(), ())

    def _read(self):
        found = {}
        for path in _headers(self.includes):
            text = COMMENT.sub(b" ", path.read_bytes())
            classes = set(CLASS.findall(text))
            opened = classes.union(*(names.split(b"::") for names in SPACE.findall(text)))
            for name in classes:
                found.setdefault(name, set()).update(opened)
        return found


def _headers(includes):
    for root in includes:
        for space in FOLDERS:
            for folder, folders, names in os.walk(os.path.join(root, space)):
                folders[:] = sorted(name for name in folders if name != "ops")
                yield from (Path(folder, name) for name in sorted(names) if name.endswith(HEADERS))
