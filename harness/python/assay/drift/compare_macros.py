# SPDX-License-Identifier: BSD-3-Clause
"""Compares the parameters of macros and the values of constant macros. Called by compare_cxx.py."""

import re

from assay.drift.compare_bases import entry

VERSION_MACRO = re.compile(r"macro:(TORCH_VERSION\w*|TORCH_ABI_VERSION|\w*_VERSION_(MAJOR|MINOR|PATCH|STRING))")


def macro_entries(before, after):
    if before.get("parameters") != after.get("parameters") and not takes_all(before, after):
        if len(before.get("parameters") or ()) != len(after.get("parameters") or ()) or ("parameters" in before) != ("parameters" in after):
            yield entry(after, "macro_arity", before=macro_head(before), after=macro_head(after))
            return
    if before.get("body") != after.get("body") and not VERSION_MACRO.fullmatch(after["id"]):
        change = "constant" if all("parameters" not in fact and is_value(fact.get("body", "")) for fact in (before, after)) else "macro_body"
        yield entry(after, change, before=before.get("body", ""), after=after.get("body", ""))


REST = [".", ".", "."]  # `...` as tokens of the compiler


def takes_all(before, after):
    """True if the new macro is variadic and requires no more arguments than the old macro."""
    old, new = (fact.get("parameters") or [] for fact in (before, after))
    return "parameters" in before and new[-3:] == REST and old[-3:] != REST and len(new) - len(REST) <= len(old)


VALUE = re.compile(r"""(?:\s|[-+*/%&|^~!<>=?:(),.]|\b\d[\w.']*|\b(?:true|false|static_cast|int|unsigned|long|short|char|size_t)\b|"[^"\n]*"|\bU?INT\d+_C\b|\b[A-Z_][A-Z0-9_]*\b(?!\s*\())+""")
LITERAL = re.compile(r"""\d|"|\b(?:true|false)\b""")


def is_value(body):
    """True if the macro is a constant expression with a literal: a number, a string or other macros."""
    return VALUE.fullmatch(body) is not None and LITERAL.search(body) is not None


def macro_head(fact):
    if "parameters" not in fact:
        return fact["id"][6:]
    return f"{fact['id'][6:]}({', '.join(fact['parameters']).replace('., ., .', '...')})"
