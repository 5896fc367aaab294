# SPDX-License-Identifier: BSD-3-Clause
"""Finds C files of a folder that call each other in a circle. Includes do not show a circle through a shared header, so
this module compares the functions that files define and use."""

import re

FUNCTION = re.compile(r"^(?!static\b)[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\n\{", re.M)
NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\b(?:struct|enum|union)\s+\w+', re.S)

def uses(sources):
    """Returns {file: the files whose functions it uses}. `sources` maps names to texts."""
    home = {name: file for file, text in sources.items() for name in FUNCTION.findall(text)}
    words = {file: set(re.findall(r"\w+", NO_CODE.sub("", text))) for file, text in sources.items()}
    return {file: {home[w] for w in words[file] if w in home} - {file} for file in sources}


def reached(graph, start):
    seen, ahead = set(), [start]
    while ahead:
        for file in graph[ahead.pop()] - seen:
            seen.add(file)
            ahead.append(file)
    return seen


def circles(sources):
    """Sets of files in which each file reaches all others."""
    graph = uses(sources)
    reach = {file: reached(graph, file) for file in graph}
    found = {frozenset(other for other in reach[file] if file in reach[other]) for file in graph if file in reach[file]}
    return sorted(map(sorted, found))
