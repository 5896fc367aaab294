# SPDX-License-Identifier: BSD-3-Clause
"""What C++ sources use of PyTorch's headers, by the parser program `assay_facts`.

PyTorch's headers are parsed once for all files that share their flags, without the bodies of functions;
then each file costs about a second. A file that the parser cannot read whole is named, not left out.
"""

import concurrent.futures
import os
import re
import subprocess
import tempfile
from pathlib import Path

from .uses_database import CXX, torch_includes
from .refusal import Refusal

INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^>"\n]+)[>"]', re.MULTILINE)
HEADERS = {".h", ".hh", ".hpp", ".hxx", ".inl", ".cuh"}
UNIT_S = 600  # a parser that hangs is ended; the slowest file seen took 30 s


def own_files(roots):
    """All C++ files below the roots, hidden and build folders left out."""
    for root in roots:
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not name.startswith((".", "build"))]
            yield from (os.path.join(folder, name) for name in names
                        if Path(name).suffix in CXX | HEADERS)


def _torch_headers(files, includes):
    """PyTorch's headers that the files include, in the order they are met."""
    found = {}
    for file in files:
        for name in INCLUDE.findall(Path(file).read_bytes()):
            name = name.decode("utf-8", "replace")
            if any(os.path.isfile(os.path.join(folder, name)) for folder in includes):
                found.setdefault(name)
    return list(found)


def _headers_of(units, roots, includes):
    """Of the units' own text and of the own headers in their neighbourhood."""
    headers = [file for file in own_files(roots) if Path(file).suffix in HEADERS]
    return _torch_headers([unit.file for unit in units] + headers, includes)


def _run(facts, arguments):
    try:
        return subprocess.run([facts, *arguments], capture_output=True, text=True, errors="replace",
                              timeout=UNIT_S)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, 75, "", "takes longer than ten minutes")
    except OSError as problem:
        raise Refusal(f"{facts}: the parser program cannot be started: {problem.strerror}") from None


def _precompile(facts, folder, number, headers, flags):
    """The path of a precompiled header, or None when the headers cannot be read together."""
    text = Path(folder, f"upstream{number}.h")
    text.write_text("".join(f"#include <{name}>\n" for name in headers), encoding="utf-8")
    made = text.with_suffix(".pch")
    done = _run(facts, ["precompile", str(made), str(text), "-x", "c++-header", *flags])
    return str(made) if done.returncode == 0 and made.is_file() else None


def _groups(units):
    """Units by the flags that a precompiled header depends on: all but where own headers are."""
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
    """{file: lines of uses_emit.h} of each unit."""
    found = {}
    jobs = jobs or os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="assay-uses-") as folder, \
            concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, ((_, includes), group) in enumerate(sorted(_groups(units).items())):
            headers = _headers_of(group, roots, includes)
            pch = _precompile(facts, folder, number, headers, group[0].flags) if len(group) > 1 else None
            places = _places(roots, includes)
            made = pool.map(lambda unit: _lines_of(facts, unit, places, pch), group)
            found.update(zip((unit.file for unit in group), made))
    return found
