# SPDX-License-Identifier: BSD-3-Clause
"""Finds every mutation of a Python file by rule. A place is the number of a node in the order of ast.walk(). Each
parse of the same text gives the same numbers (python_schemata.py)."""

import ast
import copy

from mutation import Form, Mutation, count_occurrences

OPERATORS = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.FloorDiv], ast.FloorDiv: [ast.Mult], ast.Mod: [ast.Mult],
    ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt], ast.Gt: [ast.GtE, ast.LtE], ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn], ast.NotIn: [ast.In], ast.And: [ast.Or], ast.Or: [ast.And],
}  # fmt: skip
REGISTERS = ("register", "rename", "generate_methods")


class Reader(ast.NodeVisitor):
    def __init__(self, path, tree):
        self.path, self.found, self.function = path, [], "<module>"
        self.numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}

    def add(self, node, rule, mutated, form=Form.EXPRESSION):
        number = self.numbers[id(node)]
        self.found.append(
            Mutation(self.path, self.function, node.lineno, rule, number, number,
                     ast.unparse(node), mutated and ast.unparse(mutated), form)
        )  # fmt: skip

    def changed(self, node, **fields):
        other = copy.copy(node)
        for name, value in fields.items():
            setattr(other, name, value)
        return other

    # ---- current position

    def visit_FunctionDef(self, node):
        before, self.function = self.function, node.name
        for default in node.args.defaults + [one for one in node.args.kw_defaults if one]:
            self.visit(default)
        self.visit_body(node.body)
        self.function = before

    def visit_ClassDef(self, node):
        before, self.function = self.function, node.name
        self.visit_body(node.body)
        self.function = before

    def visit_body(self, body):
        for statement in body:
            self.visit(statement)

    def visit_JoinedStr(self, node):
        """The texts of messages are not mutated."""

    def visit_AnnAssign(self, node):
        if node.value:
            self.visit(node.value)

    # ---- expressions

    def visit_BinOp(self, node):
        for other in OPERATORS.get(type(node.op), ()):
            self.add(node, "arithmetic", self.changed(node, op=other()))
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        for other in OPERATORS[type(node.op)]:
            self.add(node, "logical", self.changed(node, op=other()))
        if len(node.values) == 2:
            for value in node.values:
                self.add(node, "condition", value)
        self.generic_visit(node)

    def visit_Compare(self, node):
        if len(node.ops) == 1:
            for other in OPERATORS.get(type(node.ops[0]), ()):
                self.add(node, "relational", self.changed(node, ops=[other()]))
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self.add(node, "condition", node.operand)
            self.visit(node.operand)
        elif not isinstance(node.operand, ast.Constant):
            self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, bool):
            self.add(node, "constant", ast.Constant(not node.value))
        elif isinstance(node.value, int):
            self.add(node, "constant", ast.Constant(node.value + 1))

    def visit_IfExp(self, node):
        self.negate(node.test)
        self.generic_visit(node)

    def visit_If(self, node):
        self.negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node):
        self.negate(node.test)
        self.generic_visit(node)

    def negate(self, test):
        self.add(test, "condition", ast.UnaryOp(ast.Not(), test))

    def visit_Call(self, node):
        for at, (one, other) in enumerate(zip(node.args, node.args[1:], strict=False)):
            if isinstance(one, (ast.Constant, ast.Starred)) or isinstance(other, (ast.Constant, ast.Starred)):
                continue
            swapped = [*node.args[:at], other, one, *node.args[at + 2 :]]
            self.add(node, "argument", self.changed(node, args=swapped))
        for at in range(len(node.keywords)):
            self.add(node, "argument", self.changed(node, keywords=node.keywords[:at] + node.keywords[at + 1 :]))
        self.generic_visit(node)

    # ---- statements

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Call):
            words = ast.unparse(node.value.func)
            registers = any(word in words for word in REGISTERS)
            self.drop(node, "registration" if registers else "call")
            self.generic_visit(node)

    def visit_Assign(self, node):
        if self.function != "<module>" and all(isinstance(one, ast.Attribute) for one in node.targets):
            self.drop(node, "assignment")
        self.visit(node.value)

    def visit_Raise(self, node):
        self.drop(node, "error path")

    def drop(self, node, rule):
        self.add(node, rule, None, Form.STATEMENT)

    def visit_With(self, node):
        for item in node.items:
            if "lock" in ast.unparse(item.context_expr).lower():
                self.add(item.context_expr, "lock", ast.parse("__import__('contextlib').nullcontext()").body[0].value)
            self.visit(item.context_expr)
        self.visit_body(node.body)

    def visit_ImportFrom(self, node):
        """Removes a name that the package exports."""
        if self.path.endswith("_device_module.py"):
            for alias in node.names:
                name = alias.asname or alias.name
                self.found.append(
                    Mutation(self.path, self.function, alias.lineno, "registration", self.numbers[id(node)],
                             self.numbers[id(node)], name, "", Form.WHOLE)
                )  # fmt: skip


def points(path, text):
    """The mutations of this file in order of position."""
    tree = ast.parse(text)
    reader = Reader(path, tree)
    reader.visit_body(tree.body)
    for one in reader.found:
        one.mutated = one.mutated or ""
    return count_occurrences(reader.found)
