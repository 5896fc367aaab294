# SPDX-License-Identifier: BSD-3-Clause
"""Finds uses of torch in a backend's Python package from its syntax trees. This module does not import the package.

A name belongs to torch if an import of this file binds the name. The type of an object is known if an annotation, or
the call that created the object, states the type. Names that exist only at run time are left out.
"""

import ast
import re
from pathlib import Path

UPSTREAM = ("torch", "torchgen", "functorch")
# Functions that return a tensor. With this list, `torch.empty(2).item()` is recognised as Tensor.item.
MAKERS = {f"torch.{name}" for name in (
    "arange as_tensor cat empty empty_like empty_strided eye from_numpy full full_like linspace ones "
    "ones_like rand rand_like randint randn randn_like stack tensor zeros zeros_like").split()}
COPIED = re.compile(r"#.*\b(?:copied|adapted|taken|ported|borrowed|mirrors?|same as)\b.*?\b(torch(?:[./]\w+)+)",
                    re.IGNORECASE)


def is_upstream(path):
    return path.split(".")[0] in UPSTREAM


class Scope:
    """The names of one function or module, with the torch path and the type of each name."""

    def __init__(self, outer=None):
        self.outer = outer
        self.paths, self.types = {}, {}

    def _find(self, table, name):
        scope = self
        while scope:
            found = getattr(scope, table)
            if name in found:
                return found[name]
            scope = scope.outer
        return None

    def path(self, name):
        return self._find("paths", name)

    def type(self, name):
        return self._find("types", name)


class Reader(ast.NodeVisitor):
    """Reads one file and calls `add(way, id, line, flags, arguments)` for each use."""

    def __init__(self, add, module):
        self.add = add
        self.module = module
        self.scope = Scope()
        self.classes = []  # (own names, upstream bases) of the enclosing classes

    # --- names -----------------------------------------------------------------------------------

    def path_of(self, node):
        """The dotted torch path of an expression, or None."""
        if isinstance(node, ast.Name):
            return self.scope.path(node.id)
        if isinstance(node, ast.Attribute):
            base = self.path_of(node.value)
            return f"{base}.{node.attr}" if base else None
        if isinstance(node, ast.Call):
            return self._path_of_call(node)
        if isinstance(node, ast.Subscript):
            return self._path_of_item(node)
        return None

    def _path_of_call(self, node):
        """Handles getattr(torch, "cuda") and importlib.import_module("torch.cuda")."""
        function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        literals = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
        if function == "getattr" and len(literals) > 1 and isinstance(literals[1], str):
            base = self.path_of(node.args[0])
            return f"{base}.{literals[1]}" if base else None
        if function in ("import_module", "__import__") and literals and isinstance(literals[0], str):
            return literals[0] if is_upstream(literals[0]) else None
        return None

    def _path_of_item(self, node):
        """Handles sys.modules["torch.cuda"] and torch.__dict__["cuda"]."""
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if not isinstance(key, str) or not isinstance(node.value, ast.Attribute):
            return None
        if node.value.attr == "modules":
            return key if is_upstream(key) else None
        base = self.path_of(node.value.value) if node.value.attr == "__dict__" else None
        return f"{base}.{key}" if base else None

    def type_of(self, node):
        """The torch class of an expression's value, or None."""
        if isinstance(node, ast.Name):
            return self.scope.type(node.id)
        if isinstance(node, ast.Call):
            path = self.path_of(node.func)
            if path in MAKERS:
                return "torch.Tensor"
            if path and path.split(".")[-1][:1].isupper():
                return path
        return None

    def annotated(self, node):
        """The torch class that an annotation names: X, "X", Optional[X] or X | None."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self.annotated(ast.parse(node.value, mode="eval").body)
            except SyntaxError:
                return None
        if isinstance(node, ast.BinOp):
            return self.annotated(node.left) or self.annotated(node.right)
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", getattr(node.value, "attr", "")) == "Optional":
            return self.annotated(node.slice)
        path = self.path_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        return path if path and path.split(".")[-1][:1].isupper() else None

    # --- imports ---------------------------------------------------------------------------------

    def visit_Import(self, node):
        for alias in node.names:
            if is_upstream(alias.name):
                self.add("import", f"py:{alias.name}", node.lineno)
                bound = alias.asname or alias.name.split(".")[0]
                self.scope.paths[bound] = alias.name if alias.asname else bound

    def visit_ImportFrom(self, node):
        if node.level or not node.module or not is_upstream(node.module):
            for alias in node.names:  # the name no longer belongs to torch
                self.scope.paths[alias.asname or alias.name] = None
            return
        self.add("import", f"py:{node.module}", node.lineno)
        for alias in node.names:
            if alias.name != "*":
                path = f"{node.module}.{alias.name}"
                self.add("import", f"py:{path}", node.lineno)
                self.scope.paths[alias.asname or alias.name] = path

    # --- scopes ----------------------------------------------------------------------------------

    def visit_FunctionDef(self, node):
        for expression in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if expression is not None:
                self.visit(expression)
        self.scope = Scope(self.scope)
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        for argument in arguments:
            self.scope.paths[argument.arg] = None
            self.scope.types[argument.arg] = None
            if argument.annotation is not None:
                self.visit(argument.annotation)
                self.scope.types[argument.arg] = self.annotated(argument.annotation)
        if node.returns is not None:
            self.visit(node.returns)
        for statement in node.body:
            self.visit(statement)
        self.scope = self.scope.outer

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        bases = [path for path in map(self.path_of, node.bases) if path]
        for base in bases:
            self.add("subclass", f"py:{base}", node.lineno)
        for expression in [*node.bases, *node.decorator_list, *(word.value for word in node.keywords)]:
            self.visit(expression)
        own = {name for statement in node.body for name in _bound_by(statement)}
        for statement in node.body:
            for name in _bound_by(statement):
                for base in bases:
                    if not (name.startswith("__") and name.endswith("__")) or name == "__init__":
                        self.add("override", f"py:{base}.{name}", statement.lineno)
        self.classes.append((own, bases))
        self.scope = Scope(self.scope)
        for statement in node.body:
            self.visit(statement)
        self.scope = self.scope.outer
        self.classes.pop()

    # --- expressions -----------------------------------------------------------------------------

    def visit_Name(self, node):
        path = self.scope.path(node.id)
        if path and "." in path and isinstance(node.ctx, ast.Load):
            self.add("read", f"py:{path}", node.lineno)

    def visit_Attribute(self, node):
        path = self.path_of(node)
        if path:
            if not self._operator(path, node.lineno, "dispatch"):
                self.add("read", f"py:{path}", node.lineno)
            return
        reached = self._reached(node)
        if reached:
            self.add("read", f"py:{reached}", node.lineno)
        self.visit(node.value)

    def _reached(self, node):
        """A member of an object with a torch type, or a member that `self` inherits from a torch class."""
        kind = self.type_of(node.value)
        if kind:
            return f"{kind}.{node.attr}"
        inherits = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if _is_super(node.value) or inherits:
            own, bases = self.classes[-1] if self.classes else ((), ())
            if bases and (node.attr not in own or not inherits):
                return f"{bases[0]}.{node.attr}"
        return None

    def visit_Call(self, node):
        target = self.path_of(node.func)
        if target is None and isinstance(node.func, ast.Attribute):
            target = self._reached(node.func)
        if target and not self._operator(target, node.lineno, "dispatch"):
            self.add("call", f"py:{target}", node.lineno, (), _arguments(node))
        elif not target:
            self.visit(node.func)
        if target and isinstance(node.func, ast.Attribute) and self.path_of(node.func) is None:
            self.visit(node.func.value)
        self._special_call(node, target)
        for value in [*node.args, *(word.value for word in node.keywords)]:
            self.visit(value)

    def _special_call(self, node, target):
        function = getattr(node.func, "id", getattr(node.func, "attr", ""))
        literals = [arg.value if isinstance(arg, ast.Constant) and isinstance(arg.value, str) else None
                    for arg in node.args]
        if function in ("setattr", "delattr") and node.args:
            base = self.path_of(node.args[0])
            if base:
                name = literals[1] if len(literals) > 1 and literals[1] else "*"
                self.add("patch", f"py:{base}.{name}", node.lineno)
        elif function in ("_register_device_module", "rename_privateuse1_backend") and literals and literals[0]:
            self.add("call", f"py:{target}", node.lineno, (f"own={literals[0]}",))
        elif function == "impl" and literals and literals[0]:
            name = literals[0] if "::" in literals[0] else f"aten::{literals[0]}"
            self.add("register", f"op:{name}", node.lineno)
        elif function in ("getattr", "hasattr") and len(literals) > 1 and literals[1]:
            path = self.path_of(node.args[0])
            if path:
                self.add("read", f"py:{path}.{literals[1]}", node.lineno,
                         ("optional",) if function == "hasattr" or len(literals) > 2 else ())

    def _operator(self, path, line, way):
        """torch.ops.aten.add.Tensor is an operator, not an attribute."""
        parts = path.split(".")
        if parts[:2] != ["torch", "ops"] or len(parts) < 4:
            return False
        overload = parts[4:5] if len(parts) > 4 and parts[4] != "default" else []
        self.add(way, f"op:{parts[2]}::{'.'.join([parts[3], *overload])}", line)
        return True

    # --- assignments -----------------------------------------------------------------------------

    def _bind(self, target, value):
        if isinstance(target, ast.Name):
            self.scope.types[target.id] = self.type_of(value) if value is not None else None
            path = self.path_of(value) if isinstance(value, (ast.Name, ast.Attribute, ast.Call)) else None
            self.scope.paths[target.id] = path
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            path = self.path_of(target)
            if path:
                self.add("patch", f"py:{path}", target.lineno)
            else:
                self.visit(target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self._bind(item, None)

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            self._bind(target, node.value)

    def visit_AnnAssign(self, node):
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        self._bind(node.target, node.value)
        if isinstance(node.target, ast.Name):
            self.scope.types[node.target.id] = self.annotated(node.annotation)

    def visit_AugAssign(self, node):
        self.visit(node.value)
        self._bind(node.target, None)

    def visit_Delete(self, node):
        for target in node.targets:
            self._bind(target, None)

    def visit_With(self, node):
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, item.context_expr)
        for statement in node.body:
            self.visit(statement)

    visit_AsyncWith = visit_With


def _is_super(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super"


def _bound_by(statement):
    """Names that a statement of a class body defines in the class."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return [statement.target.id]
    return []


def _arguments(node):
    """[number of positional arguments, keywords]. The values are -1 and "**" if they are known only at run time."""
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    keywords = sorted(word.arg or "**" for word in node.keywords)
    return [-1 if starred else len(node.args), keywords]


def read_file(path, entries):
    """Adds the uses of one file. Returns a sentence if the file cannot be read, else None."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError) as problem:
        return f"{path}: cannot be read as Python: {type(problem).__name__}"

    def add(way, id, line, flags=(), arguments=None):
        entries.add(way, id, "python", str(path), line, flags, arguments)

    try:
        Reader(add, str(path)).visit(tree)
    except RecursionError:
        return f"{path}: too deeply nested to be read"
    for number, line in enumerate(text.splitlines(), 1):
        copied = COPIED.search(line)
        if copied:
            name = re.sub(r"\.py$", "", copied[1]).replace("/", ".").rstrip(".")
            add("copy", f"py:{name}", number)
    return None
