# SPDX-License-Identifier: BSD-3-Clause
"""Reads the declarations of one C++ header as tokens, without a compiler.

A user's machine has no libclang. The tokens only decide whether a person must read a clause again. Scopes, names and
the tokens between them are enough for this, so no type is resolved. Both branches of an `#if` are read.
"""

import re

TOKEN = re.compile(
    r"""(?P<skip>\s+|//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
    |(?P<text>R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
    |(?P<word>~?[A-Za-z_]\w*|\d[\w.']*)
    |(?P<sign>::|->|<<=|<=|>=|==|!=|&&|\|\||\+\+|--|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
DEFINE = re.compile(r"#define (\w+)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
SCOPES = ("class", "struct", "union", "enum")
OPENS, CLOSES = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
NO_NAMES = {"final", "noexcept", "const", "override"}


def tokens_of(text):
    found = []
    for match in TOKEN.finditer(text):
        if match["skip"]:
            continue
        token = match[0]
        if match["directive"]:
            if re.match(r"\s*#\s*(include|pragma)\b", token):
                continue
            token = " ".join(COMMENT.sub(" ", token.replace("\\\n", " ")).replace("# ", "#").split())
        found.append(token)
    return found


def closing(tokens, at):
    """Index of the bracket that closes the bracket at index `at`, or the number of tokens if no bracket closes it."""
    depth = 0
    for here in range(at, len(tokens)):
        depth += (tokens[here] in OPENS) - (tokens[here] in CLOSES)
        if depth == 0:
            return here
    return len(tokens) - 1


def declarations(tokens, scope=()):
    """Yields (qualified name without namespaces, tokens) for each declaration, including members."""
    begin = at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.startswith("#"):
            if found := DEFINE.match(token):
                yield (*scope, found[1]), [token]
            if begin == at:
                begin += 1
            at += 1
        elif token in ("(", "["):
            at = closing(tokens, at) + 1
        elif token == ";" or (token == ":" and tokens[begin:at] in (["public"], ["protected"], ["private"])):
            yield from simple(tokens[begin:at], scope)
            begin = at = at + 1
        elif token == "{":
            end = closing(tokens, at)
            follows = tokens[end + 1] if end + 1 < len(tokens) else ""
            if follows in (";", ",") or is_initialiser(tokens[begin:at]):
                end += follows == ";"
                if follows == ",":
                    at = end + 1
                    continue
            yield from braced(tokens[begin : at], tokens[at + 1 : end + (tokens[end] == ";") * -1], tokens[begin : end + 1], scope)
            begin = at = end + 1
        else:
            at += 1
    yield from simple(tokens[begin:], scope)


def is_initialiser(head):
    return "=" in outside(head)


def outside(tokens):
    """The tokens outside all brackets."""
    found, at = [], 0
    while at < len(tokens):
        if tokens[at] in OPENS:
            at = closing(tokens, at)
        found.append(tokens[at])
        at += 1
    return found


def braced(head, body, whole, scope):
    words = [word for word in plain(head) if not word.startswith("#")]
    if "namespace" in words or words[:1] == ["extern"] and len(words) == 2 and words[1].startswith('"'):
        yield from declarations(body, scope)
        return
    kind = next((word for word in words if word in SCOPES), "")
    if kind and "(" not in until(words, ":"):
        name = name_before(until(words[words.index(kind) + 1 :], ":"))
        yield (*scope, name), whole
        if kind != "enum":
            yield from declarations(body, (*scope, name))
        return
    yield from simple(head, scope, whole)


def simple(tokens, scope, whole=None):
    words = plain(tokens)
    if words and (name := declared_name(words)):
        yield (*scope, name), whole or tokens


def plain(tokens):
    """The tokens without `template <...>`, attributes and template arguments."""
    found, at = [], 0
    while at < len(tokens):
        if tokens[at] == "[" and tokens[at + 1 : at + 2] == ["["]:
            at = closing(tokens, at)
        elif tokens[at] == "<" and found and found[-1] != "operator" and (end := closing_angle(tokens, at)):
            at = end
            if found[-1] == "template":
                found.pop()
        else:
            found.append(tokens[at])
        at += 1
    return found


def closing_angle(tokens, at):
    depth = 0
    for here in range(at, len(tokens)):
        depth += (tokens[here] == "<") - (tokens[here] == ">")
        if depth == 0:
            return here
        if tokens[here] in (";", "{"):
            return 0
    return 0


def until(words, sign):
    return words[: words.index(sign)] if sign in words else words


def name_before(words):
    """The last name in the head of a declaration."""
    return next((word for word in reversed(words) if re.fullmatch(r"~?[A-Za-z_]\w*", word) and word not in NO_NAMES), "")


def declared_name(words):
    if "operator" in words:
        at = words.index("operator")
        sign = words[at + 1 : at + 3] if words[at + 1 : at + 3] == ["(", ")"] else until(words[at + 1 :], "(")
        return "operator" + "".join(sign)
    if words[0] == "using":
        return name_before(until(words, "="))
    return name_before(until(until(words, "("), "=")) or name_before(until(words, "="))


def declaration(text, name):
    """The tokens of every declaration of Class::member or of a plain name, in order, or [] if there is none."""
    wanted = tuple(name.split("::"))
    return [token for found, tokens in declarations(tokens_of(text)) if found[-len(wanted) :] == wanted for token in (*tokens, ";")]
