# SPDX-License-Identifier: BSD-3-Clause
"""Splits, prints and compares types and parameter lists as text."""

import re

# PyTorch's former replacements of names in std.
OF_THE_STANDARD = re.compile(r"\b(?:c10|at|torch)::(?:guts::)?(nullopt|optional|make_optional|in_place|invoke_result(?:_t)?|conjunction|disjunction|negation|bool_constant|void_t)\b")
WIDTHS = {"char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned int": 4,
          "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8}  # fmt: skip
NUMBERS = re.compile(r"(const )?(unsigned |signed )?(bool|char|short|int|long( long)?|float|double|signed char|unsigned char)")


def split_list(text):
    """Splits at commas outside brackets, so `int, std::pair<int, long>` gives two parts."""
    parts, depth, start = [], 0, 0
    for at, byte in enumerate(text):
        depth += byte in "([{<"
        depth -= byte in ")]}" or (byte == ">" and text[at - 1 : at] != "-")
        if byte == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def parameter_types(identity):
    """Canonical parameter types from the id of a function, and the qualifiers after the parameters (" const", " &")."""
    start = identity.find("operator()(")
    start = start + len("operator()") if start >= 0 else identity.find("(")
    end = identity.rfind(")")
    return split_list(identity[start + 1 : end]), identity[end + 1 :]


def is_number(canonical):
    return NUMBERS.fullmatch(canonical.strip()) is not None


def is_wider(was, now):
    """True if every integer of the old type converts to the new type without loss."""
    return was in WIDTHS and now in WIDTHS and WIDTHS[was] <= WIDTHS[now]


def declaration(fact):
    """A function fact as a C++ declaration."""
    words = []
    for parameter in fact.get("parameters", ()):
        text = f"{parameter.get('type', '')} {parameter.get('name', '')}".strip()
        words.append(f"{text} = {parameter['default']}" if "default" in parameter else text)
    tail = parameter_types(fact["id"])[1] + (" noexcept" if fact.get("noexcept") else "")
    tail += " = 0" if fact.get("virtual") == "pure" else ""
    head = "virtual " if fact.get("virtual") == "virtual" else ""
    leaf = re.sub(r"\(.*", "", fact["id"].split("operator", 1)[0]).split("::")[-1] or "operator"
    return f"{head}{fact.get('returns', '')} {leaf}({', '.join(words)}){tail}".strip()


def canonical(fact, key):
    return fact.get("canonical", fact.get(key, ""))


def bare(name):
    """The name without template arguments."""
    return name.partition("<")[0]


def spelled(text):
    """Normalises spellings: shortens names of traits, and removes brackets around a single operand and conversions of a
    number to its own type. Examples: `is_same<A, B>::value`, `typename std::enable_if<A>::type`, `!(X)`, `int(1 <<
    20)`."""
    text = OF_THE_STANDARD.sub(r"std::\1", re.sub(r"(?<![\w>:])::(?=\w)", "", text))  # `::std` and `std` are equal
    number = re.fullmatch(r"int\(([^()]*)\)", text)
    if number:
        return number[1]
    # Each compiler uses its own name for std::index_sequence.
    text = re.sub(r"\b(__indices|Is|Ints)\.\.\.", "numbers...", text)
    text = re.sub(r">::(value|type)\b", ">", re.sub(r"\btypename (?=\w+::|enable_if<)|\bstd::(?=enable_if(_t)?<)", "", text.replace("(& ", "(&")))
    text = re.sub(r"!\(([\w:]+(?:<[^()]*>)?)\)", r"!\1", re.sub(r"(?<=\w)_[vt](?=<)", "", text))
    return with_conditions(text, lambda condition, kind: f"{CONDITION}{condition}{', ' + kind if kind != 'void' else ''}>")


CONDITION = "enable_if<"


def with_conditions(text, change):
    """Replaces each `enable_if<A, T>` by change(A, T). T is void if it is not written."""
    start = text.find(CONDITION)
    if start < 0:
        return text
    depth, end = 1, start + len(CONDITION)
    while depth and end < len(text):
        depth += (text[end] == "<") - (text[end] == ">" and text[end - 1] != "-")
        end += 1
    inside = with_conditions(text[start + len(CONDITION) : end - 1], change)
    condition, *kind = split_list(inside)
    return text[:start] + change(condition, kind[0] if kind else "void") + with_conditions(text[end:], change)


def unconditional(text):
    """A type without its enable_if condition."""
    return with_conditions(spelled(text), lambda _, kind: kind)


def unscoped(text):
    """The text with each name without its scope."""
    return re.sub(r"\b(?:\w+::)+(?=\w)", "", spelled(text))


VALUE = re.compile(r"^(bool|int|size_t|std::size_t|int64_t|std::int64_t) \w+$")  # a non-type template parameter
PARAMETER = re.compile(r"(?:typename|class)(?:\.\.\.| )\s*(\w+)")


def renumbered(template):
    """Renames template parameters by position, because their names have no meaning for a caller."""
    text = spelled(template)
    for number, name in enumerate(dict.fromkeys(PARAMETER.findall(text))):
        text = re.sub(rf"\b{name}\b", f"${number}", text)
    return ", ".join(VALUE.sub(r"\1", part) for part in split_list(text))


def initialised(fact):
    """Gives the defaults `{}`, `T()` and `T{}` the same text. For a container of the standard library, a default that
    is not written gets this text as well."""
    kind = canonical(fact, "type")
    leaf = re.escape(bare(kind).rpartition("::")[2])
    empty = re.fullmatch(rf"\{{\}}|(\w+::)*{leaf}(<.*>)?(\(\)|\{{\}})", fact.get("default", ""))
    none = "default" not in fact and kind.startswith("std::") and not kind.startswith("std::array<")
    return "{}" if empty or none else spelled(fact.get("default", ""))
