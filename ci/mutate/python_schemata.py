# SPDX-License-Identifier: BSD-3-Clause
"""Writes mutations into a Python file. Each mutation is written beside the original code and selected by
_assay_mutant_is(NUMBER)."""

import ast

from mutation import Form

ASK = "_assay_mutant_is"
HEAD = "from ._assay_mutant import is_on as _assay_mutant_is"


class Writer(ast.NodeTransformer):
    def __init__(self, tree, mutations):
        self.numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
        self.by_node = {}
        for one in mutations:
            self.by_node.setdefault(one.start, []).append(one)

    def visit(self, node):
        here = self.by_node.get(self.numbers.get(id(node)), ())
        node = self.generic_visit(node)
        for one in reversed([one for one in here if one.form is Form.EXPRESSION]):
            node = ast.IfExp(asked(one), ast.parse(one.mutated, mode="eval").body, node)
        for one in here:
            if one.form is Form.STATEMENT:
                node = ast.If(ast.UnaryOp(ast.Not(), asked(one)), [node], [])
        removed = [
            ast.If(asked(one), [ast.Delete([ast.Name(one.original, ast.Del())])], [])
            for one in here
            if one.form is Form.WHOLE
        ]
        return [node, *removed] if removed else node


def asked(mutation):
    return ast.parse(f"{ASK}({mutation.number})", mode="eval").body


def write(text, mutations):
    """Returns the text with the mutations. A line after the head imports the function that the mutations call."""
    tree = ast.parse(text)
    head = 1 if tree.body and isinstance(tree.body[0], ast.Expr) and ast.get_docstring(tree) else 0
    tree = Writer(tree, mutations).visit(tree)
    tree.body.insert(head, ast.parse(HEAD).body[0])
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
