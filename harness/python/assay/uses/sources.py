# SPDX-License-Identifier: BSD-3-Clause
"""Finds uses of PyTorch's headers in C++ sources with the parser program `assay_facts`.

PyTorch's headers are parsed once for all files with the same flags, without function bodies. Then each file takes about
a second. If the parser cannot read a file completely, the output names the file.
"""

import concurrent.futures
import os
import re
import subprocess
import tempfile
from pathlib import Path

from assay.command import Refused
from assay.uses.database import own_includes, torch_includes

INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^>"\n]+)[>"]', re.MULTILINE)
UNIT_S = 600  # a parser that hangs is killed; the slowest file so far took 30 s


def _resolve(name, places):
    return next((path for path in (os.path.join(place, name) for place in places) if os.path.isfile(path)), None)


def torch_headers(units, includes):
    """PyTorch's headers that the units include, directly or through headers of the backend, in order of first use."""
    found, seen = {}, set()
    waiting = [(unit.file, unit) for unit in units]
    while waiting:
        file, unit = waiting.pop(0)
        if file in seen:
            continue
        seen.add(file)
        places = [os.path.dirname(file), *own_includes(unit.flags, includes)]
        for name in INCLUDE.findall(Path(file).read_bytes()):
            name = name.decode("utf-8", "replace")
            if _resolve(name, includes):
                found.setdefault(name)
            elif path := _resolve(name, places):
                waiting.append((path, unit))
    return list(found)


def _run(facts, arguments):
    try:
        return subprocess.run([facts, *arguments], capture_output=True, text=True, errors="replace",
                              timeout=UNIT_S)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, 75, "", "takes longer than ten minutes")
    except OSError as problem:
        raise Refused(f"{facts}: the parser program cannot be started: {problem.strerror}; a wheel does not contain it; build assay with libclang") from None


def _precompile(facts, folder, number, headers, flags):
    """The path of a precompiled header, or None if the headers cannot be compiled together."""
    text = Path(folder, f"upstream{number}.h")
    text.write_text("".join(f"#include <{name}>\n" for name in headers), encoding="utf-8")
    made = text.with_suffix(".pch")
    done = _run(facts, ["precompile", str(made), str(text), "-x", "c++-header", *flags])
    return str(made) if done.returncode == 0 and made.is_file() else None


def _groups(units):
    """Groups units by the flags on which a precompiled header depends: all except the folders of own headers."""
    groups = {}
    for unit in units:
        upstream = torch_includes(unit.flags)
        if upstream:
            key = (tuple(flag for flag in unit.flags if flag.startswith(("-D", "-U", "-std", "-f", "-m"))),
                   tuple(upstream))
            groups.setdefault(key, []).append(unit)
    return groups


def _places(roots, includes):
    words = []
    for folder in includes:
        words += ["--upstream", os.path.realpath(folder)]
    for root in roots:
        words += ["--own", root]
    return words


def _lines_of(facts, unit, places, pch):
    extra = ["-include-pch", pch] if pch else []
    done = _run(facts, ["uses", *places, "--", unit.file, *unit.flags, *extra])
    if done.returncode != 0:
        why = done.stderr.strip().splitlines()[-1:] or ["the parser gave up"]
        return [("error", f"{unit.file}: {why[0]}", "", "0", "")]
    return [tuple(line.split("\t")) for line in done.stdout.splitlines() if line.count("\t") == 4]


def read_sources(facts, units, roots, jobs=None):
    """Returns {file: lines of uses_emit.h} for each unit."""
    found = {}
    jobs = jobs or os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="assay-uses-") as folder, \
            concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, ((_, includes), group) in enumerate(sorted(_groups(units).items())):
            headers = torch_headers(group, includes)
            pch = _precompile(facts, folder, number, headers, group[0].flags) if len(group) > 1 else None
            places = _places(roots, includes)
            made = pool.map(lambda unit: _lines_of(facts, unit, places, pch), group)
            found.update(zip((unit.file for unit in group), made))
    return found
