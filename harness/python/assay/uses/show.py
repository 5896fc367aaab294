# SPDX-License-Identifier: BSD-3-Clause
"""`assay uses show NAME` lists the backends of the collection that use an entity, and how they use it."""

import json
import sys

from assay.command import USAGE, Refused
from assay.uses.entries import name_of
from assay.uses.file import SPACES, read_uses


def matches(id, wanted):
    """True for an equal identity, an equal name without parameters, or a name that ends with these parts."""
    if wanted.startswith(SPACES):
        return id == wanted or id.startswith(wanted + "(")
    name = name_of(id)
    return name == wanted or name.endswith(("::" + wanted, "." + wanted)) or id.partition(":")[2] == wanted


def find(documents, wanted):
    """[{name, entries}] of the backends that use the entity."""
    found = []
    for document in documents:
        entries = [entry for entry in document["entries"] if matches(entry["id"], wanted)]
        if entries:
            found.append({"name": document["name"], "torch": document.get("torch", []), "entries": entries})
    return found


def _show_text(wanted, found, total):
    if not found:
        print(f"none of {total} backends uses {wanted}")
        return
    for backend in found:
        print(f"{backend['name']}")
        for entry in backend["entries"]:
            ways = ", ".join(f"{way} ({'+'.join(by)})" for way, by in entry["ways"].items())
            print(f"  {entry['id']}")
            print(f"    {ways}" + (f"  {'  '.join(entry['where'])}" if entry.get("where") else ""))


def show(words, as_json, collection):
    """`words` are the wanted name and then files; by default, the files of the collection. The exit status is 1 if no
    backend uses the entity."""
    if not words:
        raise Refused("give a name to show, like c10::Allocator::copy_data", USAGE)
    files = words[1:] or collection
    if not files:
        raise Refused("there is no file of uses to search; name some, or see ci/uses/README.md")
    documents = [read_uses(path) for path in files]
    found = find(documents, words[0])
    if as_json:
        json.dump({"schema": "assay/uses-show/1", "wanted": words[0], "asked": len(documents), "backends": found},
                  sys.stdout, indent=2)  # fmt: skip
        print()
    else:
        _show_text(words[0], found, len(documents))
    return 0 if found else 1
