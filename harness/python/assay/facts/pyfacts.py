# SPDX-License-Identifier: BSD-3-Clause
"""Reads Python facts from syntax only: modules, classes with bases, signatures, attributes, imports. Does not import
torch."""

import ast
import gc
import os
import re
from pathlib import Path

# Files and folders that no backend uses. These files would make a dump much larger.
LEFT_OUT = re.compile(
    r"(torch/(_vendor|_numpy|_refs|_strobelight|_C/_VariableFunctions|_C/_nn|_dynamo/polyfills|_export/serde|ao|bin|contrib|distributed/elastic"
    r"|distributions|fx/experimental/(migrate_gradual_types|unification)|fx/passes|include|lib|masked|onnx|package|quantization|share|test"
    r"|_inductor/(analysis|autoheuristic|compile_worker|fx_passes|kernel|template_heuristics|codegen/(cuda|cutedsl|cutlass|mtia|nv_universal_gemm|rocm|xpu))"
    r"|testing/_internal/(?!common_(device_type|dtype|utils)\.)\w+|utils/(benchmark|data/datapipes/dataframe|hipify|model_dump))"
    r"|functorch|torchgen/(_autoheuristic|executorch|packaged|static_runtime))(?=[/.])"
)
# The compiler stack. Backends replace some of its functions, but its private names change every week.
COMPILER = re.compile(r"torch/(_inductor|_dynamo|_functorch|_export|_higher_order_ops|_decomp|_prims|_subclasses|fx|export|jit)/")
OF_EVERY_CLASS = frozenset(dir(object)) - {"__init__", "__new__", "__init_subclass__", "__class__"}
SHORT = 60  # characters of a stored literal or default


def python_facts(folders):
    """Facts of every Python file below the folders. If several folders have a file, the first one counts."""
    files = {}
    for folder in folders:
        for package in ("torch", "torchgen", "functorch"):
            for path in python_files(folder / package):
                name = path.relative_to(folder).as_posix()
                if not LEFT_OUT.match(name):
                    files.setdefault(name, path)
    jobs = [(name, path) for name, path in files.items() if not (name.endswith(".pyi") and name[:-1] in files)]
    gc.disable()  # syntax trees have no cycles, and garbage collection would take a quarter of the time
    try:
        for name, path in jobs:
            yield from file_facts(name, path)
    finally:
        gc.enable()


def python_files(package):
    """All Python files of a package. Symbolic links are followed, as in Python's import."""
    walked = ((Path(place), names) for place, _, names in os.walk(package, followlinks=True))
    return sorted(place / name for place, names in walked for name in names if name.endswith((".py", ".pyi")))


def module_name(name):
    return re.sub(r"(/__init__)?\.pyi?$", "", name).replace("/", ".")


def file_facts(name, path):
    module = module_name(name)
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return [{"id": f"py:{module}", "kind": "module", "module": name, "line": 1, "alone": "does not parse"}]
    reader = Reader(name, module)
    reader.body(tree.body, module)
    stars = {"stars": sorted(reader.stars)} if reader.stars else {}
    return [{"id": f"py:{module}", "kind": "module", "module": name, "line": 1, **stars}, *reader.facts.values()]


class Reader:
    """Visits the statements that bind names at import, including those in `if`, `try` and `with`."""

    def __init__(self, file, module):
        self.file, self.module = file, module
        self.facts = {}
        self.stars = set()  # modules imported by `from module import *`

    def add(self, kind, path, node, **more):
        identity = f"py:{path}"
        fact = {"id": identity, "kind": kind, "module": self.file, "line": node.lineno}
        fact.update((key, value) for key, value in more.items() if value)
        if "overload" in more.get("decorators", ()) or self.is_own_business(kind, path):
            return
        self.facts.setdefault(identity, fact)

    def is_own_business(self, kind, path):
        """True for methods that every class has and for private helpers of the compiler stack."""
        name = path.rpartition(".")[2]
        if name.startswith("__"):
            return kind == "pymethod" and name in OF_EVERY_CLASS
        return name.startswith("_") and COMPILER.match(self.file) is not None

    def body(self, statements, scope, in_class=False):
        for node in statements:
            self.statement(node, scope, in_class)

    def statement(self, node, scope, in_class):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node, scope, in_class)
        elif isinstance(node, ast.ClassDef):
            path = f"{scope}.{node.name}"
            self.add("pyclass", path, node, bases=[short(b) for b in node.bases], **decorated(node))
            self.body(node.body, path, True)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.imports(node, scope)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self.assignment(node, scope)
        elif isinstance(node, ast.If) and short(node.test).endswith("TYPE_CHECKING"):
            self.body(node.body if isinstance(node.test, ast.UnaryOp) else node.orelse, scope, in_class)
        else:
            for part in ("body", "orelse", "handlers", "finalbody"):
                for child in getattr(node, part, ()):
                    if isinstance(child, ast.stmt):
                        self.statement(child, scope, in_class)
                    elif isinstance(child, ast.ExceptHandler):
                        self.body(child.body, scope, in_class)

    def function(self, node, scope, in_class):
        kind = "pymethod" if in_class else "pyfunction"
        marks = decorated(node)
        self.add(kind, f"{scope}.{node.name}", node, signature=signature(node.args), **marks)

    def imports(self, node, scope):
        base = self.absolute(node) if isinstance(node, ast.ImportFrom) else ""
        for name in node.names:
            bound = name.asname or (name.name if base else name.name.split(".")[0])
            target = f"{base}.{name.name}" if base else (name.name if name.asname else bound)
            # Imports of modules outside torch are left out, because backends do not use them through torch.
            if name.name != "*" and target.split(".")[0] in ("torch", "torchgen", "functorch"):
                self.add("pyimport", f"{scope}.{bound}", node, target=f"py:{target}")
            elif name.name == "*" and base.split(".")[0] in ("torch", "torchgen", "functorch"):
                self.stars.add(f"py:{base}")

    def absolute(self, node):
        if not node.level:
            return node.module or ""
        is_package = self.file.endswith(("__init__.py", "__init__.pyi"))
        parts = self.module.split(".")
        parts = parts[: len(parts) - node.level + is_package]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def assignment(self, node, scope):
        for target in targets_of(node):
            if isinstance(target, ast.Name) and target.id != "__all__":
                value = node.value if isinstance(node.value, ast.Constant) else None
                self.add("pyattribute", f"{scope}.{target.id}", node, value=short(value) if value else "")


def targets_of(node):
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    elif isinstance(node, ast.AnnAssign):
        yield node.target


def decorated(node):
    names = [short(d.func if isinstance(d, ast.Call) else d).split(".")[-1].lstrip("_") for d in node.decorator_list]
    marks = {"decorators": [name for name in names if name in KEPT_DECORATORS]}
    for decorator, name in zip(node.decorator_list, names):
        if name == "deprecated":
            words = getattr(decorator, "args", [])
            marks["deprecated"] = short(words[0]).strip("'\"") if words else "deprecated"
    return marks


KEPT_DECORATORS = {"staticmethod", "classmethod", "property", "overload", "dataclass", "setter", "abstractmethod", "contextmanager"}


def signature(arguments):
    """A signature without annotations. Long defaults are cut off."""
    words = []
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    for index, (argument, default) in enumerate(zip(plain, defaults)):
        words.append(one_argument(argument, default))
        if arguments.posonlyargs and index + 1 == len(arguments.posonlyargs):
            words.append("/")
    if arguments.vararg:
        words.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        words.append("*")
    words += [one_argument(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        words.append(f"**{arguments.kwarg.arg}")
    return f"({', '.join(words)})"


def one_argument(argument, default):
    if default is None:
        return argument.arg
    text = short(default)
    return f"{argument.arg}={text if len(text) < SHORT else '...'}"


def short(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant):
        return repr(node.value)[:SHORT]
    return ast.unparse(node)[:SHORT]
