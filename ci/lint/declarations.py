# SPDX-License-Identifier: BSD-3-Clause
"""Finds the blank line after the leading declarations of a function body. Called by rules.py.

The braces of a function are on their own lines (.clang-format), so no parser of C is needed.
"""

import re

# A brace on its own line opens one of these or a function body.
NOT_A_FUNCTION = re.compile(r"(template\s*<.*>\s*)?(class|struct|union|enum|namespace|extern \"C\")\b[^(]*$")
KEYWORDS = ("return", "goto", "delete", "throw", "else", "case", "new", "co_return")
DECLARES = ("static ", "struct ", "union ", "enum ", "using ", "typedef ", "constexpr ", "auto [", "auto &[", "const auto &[")
QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
DECLARATION = re.compile(r"[A-Za-z_][\w:<>,&*\s]*?[\s*&>](?:\(\*)?[A-Za-z_]\w*\)?\s*(?:\[[^;]*\]\s*)*(?:[;=,({]|$)")


def is_declaration(statement):
    if statement.split(None, 1)[0] in KEYWORDS or "<<" in statement.split("=")[0]:
        return False
    return statement.startswith(DECLARES) or DECLARATION.match(statement) is not None


def header_before(lines, at):
    """The text between the previous statement and the brace at `lines[at]`."""
    parts = []
    while at > 0 and lines[at - 1].strip() and not lines[at - 1].rstrip().endswith((";", "}", "{", "*/")):
        at -= 1
        parts.insert(0, lines[at].strip())
    return " ".join(parts)


def blank_after_declarations(lines, at):
    """The index of the blank line after the declarations at the brace `lines[at]`, or None."""
    statement, depth, seen, inside = "", 0, False, False
    for index in range(at + 1, len(lines)):
        line = lines[index].strip()
        if inside or line.startswith(("/*", "//")):
            inside = "*/" not in line and not line.startswith("//")
            continue
        if not line and not statement:
            return index if seen else None
        code = re.sub(r"\s*(/\*.*?\*/|//.*)", "", QUOTED.sub('""', line))
        if not statement and (code.startswith(("#", "}")) or not code or not is_declaration(code)):
            return None
        statement = f"{statement} {code}"
        depth += sum(code.count(one) for one in "({[") - sum(code.count(one) for one in ")}]")
        if depth <= 0 and code.endswith(";"):
            statement, depth, seen = "", 0, True
    return None


def blanks(text):
    """The indices of blank lines after the leading declarations of a function."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        header = header_before(lines, at) if line.strip() == "{" else ""
        if "(" in header and not NOT_A_FUNCTION.match(header):
            blank = blank_after_declarations(lines, at)
            if blank is not None:
                yield blank
