# SPDX-License-Identifier: BSD-3-Clause
"""Reads the C++ facts of one side: starts `assay-facts` and joins its output."""

import json
import os
import shutil
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay.facts.overlay import OWN_FOLDERS
from assay.command import SYSTEM, Refused

LIST = Path(__file__).with_name("integration_headers.txt")
# Generated tables of names and third-party containers, which would add thousands of useless facts.
LEFT_OUT = ("ATen/core/interned_strings", "ATen/core/aten_interned_strings", "c10/util/flat_hash_map",
            "c10/util/order_preserving_flat_hash_map", "ATen/cpu/", "torch/csrc/autograd/generated/")  # fmt: skip
# From these headers, only names are read. Members of operator classes follow from the schema, and backends use only
# names of jit's types.
SHALLOW = ("ATen/ops/", *(f"torch/csrc/jit/{part}/" for part in ("api", "frontend", "ir", "python", "runtime")))
PARSE_S = 600


def integration_headers():
    lines = (line.split("#")[0].strip() for line in LIST.read_text().splitlines())
    return [line for line in lines if line]


def facts_program():
    program = os.environ.get("ASSAY_FACTS") or shutil.which("assay-facts")
    if not program or not os.access(program, os.X_OK):
        raise Refused("C++ headers cannot be read: this assay has no assay-facts; a wheel does not contain assay-facts, a build with libclang does "
                      "(Debian: libclang-16-dev). Stored dumps can be compared without assay-facts", SYSTEM)  # fmt: skip
    return program


def compiler_arguments(side, settings):
    python_include = sysconfig.get_path("include")
    words = [f"-std={settings.standard}", "-w", "-DNDEBUG", *(f"-D{name}" for name in settings.macros)]
    for root in roots_of(side):
        words += ["-I", root]
    return [*words, "-isystem", python_include]


def roots_of(side):
    """Absolute paths: libclang names an anonymous entity by its path, and only such a name has a slash."""
    return [os.path.abspath(root) for root in side.roots]


def run_facts(side, settings, headers, *options):
    words = [facts_program(), *options]
    for prefix in LEFT_OUT:
        words += ["--left-out", prefix]
    for prefix in SHALLOW:
        words += ["--shallow", prefix]
    words += [*roots_of(side), "--", "-", "--", *compiler_arguments(side, settings)]
    return rows_of(side, settings, words, "\n".join(headers))


def run_check(side, settings, source):
    """The compiler's errors in a source. `in` is empty for the source itself. If a pragma of the source turns a
    warning into an error, the warning counts as an error. The option -w would hide the warning."""
    arguments = [word for word in compiler_arguments(side, settings) if word != "-w"]
    words = [facts_program(), "--check", *roots_of(side), "--", "--", *arguments, "-ferror-limit=0", "-Wno-everything"]
    return rows_of(side, settings, words, source)


def rows_of(side, settings, words, text):
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, errors="replace", timeout=PARSE_S)
    except subprocess.TimeoutExpired:
        raise Refused(f"{side.path}: its headers did not parse within {PARSE_S} s") from None
    if "its code is 4" in done.stderr:  # CXError_ASTReadError: libclang did not start to parse
        raise Refused(f"libclang refuses its arguments: it does not know the standard {settings.standard}, or a --define is not a macro")
    if done.returncode:
        raise Refused(f"{side.path}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'assay-facts died'}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def header_names(side):
    """The names by which an #include finds the headers of the tree."""
    names = set()
    for root in side.roots:
        for top in sorted(OWN_FOLDERS):
            for folder, _, files in os.walk(root / top, followlinks=True):
                below = os.path.relpath(folder, root)
                names.update(f"{below}/{name}" for name in files if name.endswith((".h", ".hpp", ".cuh")))
    return names


def cxx_facts(side, settings):
    """Facts of the integration headers and of the headers that they include, followed by one fact per header."""
    listed = [name for name in settings.headers or integration_headers() if side.header(name)]
    if not listed:
        raise Refused(f"{side.path}: none of the integration headers is there")
    includes, errors, found = {}, {}, {}
    for row in run_facts(side, settings, listed):
        if "include" in row:
            includes.setdefault(row["in"], set()).add(row["include"])
        elif "diagnostic" in row:
            errors.setdefault(row["in"], f"{row['line']}: {row['diagnostic']}")
        elif "id" not in row:
            found.get(row["inline"], {})["inline"] = True
        elif row["header"].split("/")[0] in OWN_FOLDERS:
            found[row["id"]] = row
    yield from found.values()
    integration = set(listed)
    lonely = alone(side, settings, [name for name in listed if name not in errors]) if settings.alone else {}
    for name in sorted(header_names(side) | set(listed)):
        yield {**header_fact(name, includes.get(name, ()), name in integration, errors.get(name)), **lonely.get(name, {})}


def alone(side, settings, headers):
    """Returns {header: {"alone": first error}} for headers that compile only after another header."""
    def complaint(name):
        rows = run_check(side, settings, f"#include <{name}>\n")
        return f"{rows[0]['in']}:{rows[0]['line']}: {rows[0]['diagnostic']}" if rows else ""

    with ThreadPoolExecutor(2) as pool:
        return {name: {"alone": said} for name, said in zip(headers, pool.map(complaint, headers)) if said}


def header_fact(name, includes, integration, error):
    fact = {"id": f"header:{name}", "kind": "header", "header": name}
    own = sorted(h for h in includes if h.split("/")[0] in OWN_FOLDERS)
    if own and not name.startswith("ATen/ops/"):
        fact["includes"] = [h for h in own if not h.startswith("ATen/ops/")]
    if integration:
        fact["integration"] = True
    if error:
        fact["error"] = error
    return fact

