# SPDX-License-Identifier: BSD-3-Clause
"""Finds every mutation of a C or C++ file by rule. Uses the grammar of tree-sitter, which needs no headers and expands
no macros, so TORCH_CHECK(...) is parsed as a call. The grammar has no types; invalid mutations are found by the
compiler.

The driver's instruments, faults and variants are not mutated, because they are inactive in a run."""

import re

import tree_sitter
import tree_sitter_c
import tree_sitter_cpp
from mutation import Form, Mutation, count_occurrences

LANGUAGES = {".c": tree_sitter_c.language, ".cc": tree_sitter_cpp.language}
LONGEST = 600  # longest text that a mutation may repeat

SWAPPED = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "<<": [">>"], ">>": ["<<"],
    "&": ["|"], "|": ["&"], "^": ["&"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "|=": ["&="], "&=": ["|="],
}  # fmt: skip
RULES = {
    **dict.fromkeys(("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"), "arithmetic"),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), "relational"),
    **dict.fromkeys(("&&", "||"), "logical"),
    **dict.fromkeys(("+=", "-=", "*=", "/=", "|=", "&="), "arithmetic"),
}
ORDER = ("<", "<=", ">", ">=")

# Constants of the language, and nodes that are not expressions.
CLOSED = {
    "template_argument_list", "type_descriptor", "array_declarator", "enumerator_list", "string_literal",
    "comment", "static_assert_declaration", "attribute_declaration", "attribute_specifier", "decltype",
    "sizeof_expression", "preproc_def", "preproc_function_def", "preproc_call", "preproc_include",
    "subscript_designator", "char_literal", "raw_string_literal", "concatenated_string", "alignas_qualifier",
}  # fmt: skip
INSTRUMENT = re.compile(rb"\b(fd_fault|fd_fault_is_on|fd_variant_is_on|variant|fd_trace\w*|fd_milestone\w*)\s*\(")
SAYS_ONLY = re.compile(rb"^(TORCH_CHECK\w*|TORCH_WARN\w*|TORCH_INTERNAL_ASSERT\w*|check|fd_fail|AT_ERROR|assert)$")
ERROR_CALL = re.compile(rb"^(TORCH_CHECK\w*|TORCH_INTERNAL_ASSERT\w*|check|check_\w+|AT_ERROR|\w*refuse\w*)$")
ERROR_TEXT = re.compile(rb"FD_ERROR|fd_fail|throw|TORCH_CHECK|AT_ERROR|refuse|nullptr|NULL|-1|status")
REGISTERS = re.compile(rb"(\bimpl|fallback|[Rr]egister\w*|[Ss]et\w*Allocator|rename\w*|serve)$")
LOCK = re.compile(rb"^(const\s+)?std::(lock_guard|scoped_lock|unique_lock)\b[^(]*?\b(\w+)\s*\(([^(),]+)\);$", re.DOTALL)
MUTEX_CALL = re.compile(rb"^(\(void\))?pthread_mutex_(lock|unlock)\s*\((.*)\);$", re.DOTALL)
ROW = re.compile(rb"^FD_ROW\d?\((?:[^(),]+,\s*){3}|^FD_ROW3\((?:[^(),]+,\s*){2}|^FD_CONVERT\((?:[^(),]+,\s*){3}",
                 re.MULTILINE)  # fmt: skip


class Reader:
    def __init__(self, path, text, language):
        self.path, self.text, self.found, self.locks = path, text, [], {}
        parser = tree_sitter.Parser(tree_sitter.Language(language))
        self.root = parser.parse(rows_as_functions(text)).root_node

    # ---- texts

    def of(self, node):
        return self.text[node.start_byte : node.end_byte]

    def field(self, node, name):
        child = node.child_by_field_name(name)
        return child, self.of(child) if child else b""

    def add(self, node, rule, mutated, form=Form.EXPRESSION, also=()):
        original = self.of(node)
        if len(original) > LONGEST or original == mutated:
            return
        self.found.append(
            Mutation(self.path, self.function, node.start_point[0] + 1, rule, node.start_byte, node.end_byte,
                     original.decode(), mutated.decode(), form, also)
        )  # fmt: skip

    # ---- the walk

    def read(self):
        self.function = ""
        for node in functions_of(self.root):
            before = node.prev_sibling
            if before and before.type == "comment" and b"fault" in self.of(before).lower():
                continue
            self.function = name_of(self, node)
            for child in node.children:
                if child.type in ("compound_statement", "field_initializer_list"):
                    self.walk(child)
        self.add_locks()
        return count_occurrences(sorted(self.found, key=lambda one: (one.start, -one.end)))

    def walk(self, node):
        if node.type in CLOSED or node.type == "ERROR":
            return
        if INSTRUMENT.search(self.of(node)) and self.walk_around(node):
            return
        handler = getattr(self, "see_" + node.type, None)
        if handler:
            handler(node)
        for child in self.open_children(node):
            self.walk(child)

    def walk_around(self, node):
        """If a condition tests for an instrument, mutates only the branch without the instrument. Returns True if no
        other part of the node is left to mutate."""
        if node.type in ("if_statement", "conditional_expression"):
            condition, text = self.field(node, "condition")
            if condition and INSTRUMENT.search(text):
                alternative = node.child_by_field_name("alternative")
                if alternative:
                    self.walk(alternative)
                return True
            return False
        return node.type in ("call_expression", "binary_expression", "return_statement", "expression_statement") and (
            not any(child.type == "lambda_expression" for child in descendants(node))
            and not any(child.type == "conditional_expression" for child in descendants(node))
        )

    def open_children(self, node):
        children = node.named_children
        if node.type == "case_statement":
            value = node.child_by_field_name("value")
            return [child for child in children if child != value]
        if node.type == "call_expression":
            callee, text = self.field(node, "function")
            arguments = node.child_by_field_name("arguments")
            if SAYS_ONLY.match(text) and arguments:
                return arguments.named_children[:1] if not text.endswith(b"fail") else []
            return [callee, arguments] if arguments else [callee]
        return children

    # ---- expressions

    def see_binary_expression(self, node):
        operator = self.of(node.child_by_field_name("operator")).decode()
        left, left_text = self.field(node, "left")
        right, right_text = self.field(node, "right")
        for other in SWAPPED.get(operator, ()):
            self.add(node, RULES[operator], left_text + b" " + other.encode() + b" " + right_text)
        if operator in ("&&", "||"):
            self.add(node, "condition", left_text, Form.CONDITION)
            self.add(node, "condition", right_text, Form.CONDITION)
        if operator in ORDER and right.type != "number_literal":
            for change in (b" + 1", b" - 1"):
                self.add(right, "bound", b"(" + right_text + b")" + change)

    def see_unary_expression(self, node):
        operator = self.of(node.child_by_field_name("operator"))
        if operator == b"!":
            self.add(node, "condition", self.of(node.child_by_field_name("argument")), Form.CONDITION)
        if operator == b"-" and node.child_by_field_name("argument").type != "number_literal":
            self.add(node, "arithmetic", self.of(node.child_by_field_name("argument")))

    def see_update_expression(self, node):
        if node.parent.type == "for_statement":
            return
        text = self.of(node)
        other = text.replace(b"++", b"--") if b"++" in text else text.replace(b"--", b"++")
        self.add(node, "arithmetic", other)

    def see_assignment_expression(self, node):
        operator = self.of(node.child_by_field_name("operator")).decode()
        for other in SWAPPED.get(operator, ()):
            text = self.field(node, "left")[1] + b" " + other.encode() + b" " + self.field(node, "right")[1]
            self.add(node, RULES[operator], text)

    def see_number_literal(self, node):
        text = self.of(node)
        if re.fullmatch(rb"\d+", text):
            self.add(node, "constant", str(int(text) + 1).encode())
            if int(text) > 0:
                self.add(node, "constant", str(int(text) - 1).encode())
        elif re.fullmatch(rb"\d+\.\d*[fF]?", text):
            self.add(node, "constant", b"(" + text + b" + 1)")

    def see_true(self, node):
        self.add(node, "constant", b"false")

    def see_false(self, node):
        self.add(node, "constant", b"true")

    def see_conditional_expression(self, node):
        self.negate(node.child_by_field_name("condition"))

    def negate(self, node):
        if node is not None:
            self.add(node, "condition", b"!(" + self.of(node) + b")", Form.CONDITION)

    def see_if_statement(self, node):
        self.negate_clause(node)

    def see_while_statement(self, node):
        self.negate_clause(node)

    def negate_clause(self, node):
        clause = node.child_by_field_name("condition")
        inner = clause.named_children if clause else []
        if len(inner) == 1 and inner[0].type not in ("declaration", "init_statement", "condition_declaration"):
            self.negate(inner[0])

    def see_call_expression(self, node):
        """Swaps two arguments."""
        arguments = node.child_by_field_name("arguments")
        if arguments is None or SAYS_ONLY.match(self.field(node, "function")[1]):
            return
        given = arguments.named_children
        plain = ("identifier", "field_expression", "call_expression", "pointer_expression", "subscript_expression")
        for one, other in zip(given, given[1:], strict=False):
            texts = self.of(one), self.of(other)
            if one.type not in plain or other.type not in plain or texts[0] == texts[1]:
                continue
            if texts[0].startswith(b"&") != texts[1].startswith(b"&"):
                continue  # an address in place of a value does not compile
            at = node.start_byte
            text = self.of(node)
            self.add(node, "argument",
                     text[: one.start_byte - at] + self.of(other) + text[one.end_byte - at : other.start_byte - at]
                     + self.of(one) + text[other.end_byte - at :])  # fmt: skip
            self.add(one, "argument", self.of(other))

    # ---- statements

    def see_expression_statement(self, node):
        if not node.named_children:
            return
        inner = node.named_children[0]
        if MUTEX_CALL.match(self.of(node)):
            self.note_lock(node)
            return
        if inner.type == "cast_expression" and inner.child_by_field_name("value").type == "call_expression":
            inner = inner.child_by_field_name("value")
        if inner.type == "call_expression":
            callee = self.field(inner, "function")[1]
            if callee == b"assert":
                return
            rule = "error path" if ERROR_CALL.match(callee) else "call"
            if REGISTERS.search(callee):
                rule = "registration"
            self.drop(node, rule)
        elif inner.type == "assignment_expression":
            self.drop(node, "assignment")

    def see_return_statement(self, node):
        if not is_conditional(node):
            return
        self.drop(node, "error path" if ERROR_TEXT.search(self.of(node)) else "return")

    def see_throw_statement(self, node):
        self.drop(node, "error path")

    def drop(self, node, rule):
        self.add(node, rule, b"", Form.STATEMENT)

    def see_declaration(self, node):
        """A declaration is recognised by its text, because a grammar without types may parse it as a function."""
        lock = LOCK.match(self.of(node))
        if lock:
            self.add(node, "lock", b"const auto %s = assay_mutant_lock(@, %s);" % (lock[3], lock[4]), Form.WHOLE)

    # ---- mutexes in C: the lock and the unlock are removed together

    def note_lock(self, node):
        kind, argument = MUTEX_CALL.match(self.of(node)).group(2, 3)
        self.locks.setdefault(argument, []).append((self.function, kind, node))

    def add_locks(self):
        for calls in self.locks.values():
            by_function = {}
            for function, _, node in calls:
                by_function.setdefault(function, []).append(node)
            groups = list(by_function.items())
            if all(len(nodes) == 1 for nodes in by_function.values()):
                groups = [(groups[0][0], [node for _, nodes in groups for node in nodes])]
            for function, nodes in groups:
                self.function = function
                others = tuple((node.start_byte, node.end_byte) for node in nodes[1:])
                self.add(nodes[0], "lock", b"", Form.STATEMENT, others)


def descendants(node):
    for child in node.named_children:
        yield child
        yield from descendants(child)


def functions_of(node):
    for child in node.named_children:
        if child.type in ("function_definition", "lambda_expression"):
            yield child
        elif child.type not in CLOSED:
            yield from functions_of(child)


def name_of(reader, function):
    """The name of a function, or of a row of a template FD_ROW(name)."""
    row = re.match(rb"FD_\w+\([^,]+", reader.of(function))
    declarator = reader.field(function, "declarator")[1]
    name = re.search(rb"([~\w:]+|operator\W+)\s*\(", declarator)
    return row[0].decode() + ")" if row else name[1].decode().strip() if name else "lambda"


def is_conditional(node):
    """True for one branch of a condition, so that code after it is reachable."""
    parent = node.parent
    if parent.type == "compound_statement":
        parent = parent.parent
    return parent is not None and parent.type in ("if_statement", "else_clause", "for_statement", "while_statement")


def rows_as_functions(text):
    """Rewrites rows like FD_ROW(negate, T, T, -x), of the templates of arithmetic, as functions. The bytes of the
    expression keep their positions."""
    spaced = bytearray(text)
    for row in ROW.finditer(text):
        depth, at = 1, row.end()
        while depth and at < len(text):
            depth += {40: 1, 41: -1}.get(text[at], 0)
            at += 1
        head = b"T r(){return"
        spaced[row.start() : row.end()] = head + b" " * (row.end() - row.start() - len(head))
        spaced[at - 1 : at + 1] = b";}"
    return bytes(spaced)


def points(path, text):
    """The mutations of this file in order of position."""
    suffix = "." + path.rpartition(".")[2]
    language = LANGUAGES.get(suffix, tree_sitter_c.language if "/driver/" in path else tree_sitter_cpp.language)
    return Reader(path, text, language()).read()
