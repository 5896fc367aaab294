# SPDX-License-Identifier: BSD-3-Clause
"""Makes the facts of a side. The sections are made at the same time, because most of them wait for another program."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

from assay.facts.buildfacts import build_facts
from assay.facts.dump import Dump, plain_name
from assay.facts.headers import cxx_facts
from assay.facts.operators import library_operators, operator_facts
from assay.facts.prefilter import prefilter_facts
from assay.facts.pyfacts import python_facts
from assay.facts.symbols import exported_symbols

# These scopes repeat every operator in another form. The schema already describes the operators.
DERIVED = ("cxx:at::symint::", "cxx:at::redispatch::", "cxx:at::_ops::", "cxx:at::cpu::", "cxx:at::meta::",
           "cxx:at::compositeexplicitautograd")  # fmt: skip


def make_dump(side, settings):
    """Makes the sections that the side allows. The head lists them."""
    facts = {}
    with ThreadPoolExecutor(len(SECTIONS)) as pool:
        jobs = {name: pool.submit(SECTIONS[name], side, settings) for name in SECTIONS if name in settings.sections}
        found = {name: job.result() for name, job in jobs.items()}
    sections = [name for name, section in found.items() if section is not None]
    symbols = found.pop("symbols", None) or {}
    add(facts, build_facts(side, symbols))
    for section in found.values():
        add(facts, section or ())
    return head_of(side, settings, sections), facts, symbols


def add(facts, found):
    """Adds facts of ctags where the compiler has none, because the compiler's facts have more detail."""
    names = {plain_name(key) for key in facts}
    for fact in found:
        if "seen" not in fact or fact["id"] not in names:
            facts.setdefault(fact["id"], fact)


def head_of(side, settings, sections):
    return {
        "torch": side.version, "git": side.git, "side": side.kind, "path": str(side.path), "macros": sorted(settings.macros),
        "std": settings.standard, "sections": sections, **({"alone": True} if settings.alone else {}),
    }  # fmt: skip


def cxx_section(side, settings):
    return [fact for fact in cxx_facts(side, settings) if not fact["id"].startswith(DERIVED)]


def tree_section(side, settings):
    return list(prefilter_facts(side))


def ops_section(side, settings):
    if not side.schemas:
        return None
    return [*operator_facts(side.schemas), *template_facts(side), *(fact for path in side.libraries for fact in library_operators(path))]


def template_facts(side):
    for folder in side.templates:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                digest = hashlib.sha256(b"".join(path.read_bytes().split())).hexdigest()[:16]
                yield {"id": f"file:{folder.parent.name}/{path.name}", "kind": "template", "header": path.name, "body": digest}


def python_section(side, settings):
    if not side.python:
        return None
    return list(python_facts([folder for folder in (side.python, side.generated) if folder]))


def symbols_section(side, settings):
    return {path.stem: exported_symbols(path) for path in side.libraries} or None


# The order matters: the compiler's facts take precedence over the facts of ctags.
SECTIONS = {"cxx": cxx_section, "tree": tree_section, "ops": ops_section, "python": python_section, "symbols": symbols_section}


def dump_of(side, settings):
    head, facts, symbols = make_dump(side, settings)
    return Dump(head, facts, {name: library for library, found in symbols.items() for name in found})
