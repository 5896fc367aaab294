# SPDX-License-Identifier: BSD-3-Clause
"""Reads the text that an anchor names from an installed torch: a declaration or a file, normalised.

Comments, docstrings, Python type annotations and layout are removed. Function bodies stay, because a clause describes
their behaviour. The module needs no torch and no compiler, so it works on a user's machine and gives the same text with
every Python.
"""

import ast
import re
from functools import lru_cache
from pathlib import Path

from assay.anchors.cxx_text import declaration, tokens_of

HEADERS = (".h", ".hpp")
SCHEMAS = "torchgen/packaged/ATen/native/native_functions.yaml"
FOREIGN = re.compile(r"(?m)^\s*#.*\n?|^    (?!Composite)[\w, ]+:.*\n?")  # comments and lines under `dispatch:`
PY_TOKEN = re.compile(
    r"""\#[^\n]*|[rbfuRBFU]{0,2}(?:\"{3}.*?(?<!\\)\"{3}|'{3}.*?(?<!\\)'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\w+|\n[ \t]*|[^\w\s]""",
    re.DOTALL | re.VERBOSE,
)


def file_of(packages, name):
    """Path of a file of the installed torch. `name` is a header as in an #include, or a path below site-packages."""
    if name == Path(SCHEMAS).name:
        return packages / SCHEMAS
    below = name.startswith(("torch/", "torchgen/")) and not name.endswith(HEADERS)
    return packages / name if below else packages / "torch/include" / name


def text_of(packages, file, name):
    """The normalised text, or None if torch does not have it."""
    if not file:
        return free_name(packages, name)
    path = file_of(packages, file)
    if path.is_dir():
        return "\n".join(filter(None, (python_text(each, "") for each in sorted(path.glob("*.py")))))
    if not path.is_file() or path.suffix == ".so":
        return None
    if path.suffix in HEADERS:
        return header_text(path, name)
    return schema_text(path, name) if path.suffix == ".yaml" else python_text(path, name)


def header_text(path, name):
    text = path.read_text(encoding="utf-8")
    if path.name == "version.h":  # the version numbers change in every release
        text = re.sub(r"(?m)^(#define TORCH_VERSION\w* )(?:\\\n\s*)?[\d\"].*", r"\1", text)
    return " ".join(declaration(text, name) if name else tokens_of(text)) or None


def schema_text(path, name):
    """The entries of all overloads of an operator, or of one overload if the name contains it. Entries for kernels of
    PyTorch's own devices are left out."""
    if not path.is_file():
        return None
    overload = "" if "." in name else r"(?:\.\w+)?"
    wanted = re.compile(rf"^- func: {re.escape(name)}{overload}\(")
    entries = re.split(r"(?m)^(?=- func:)", path.read_text(encoding="utf-8"))
    found = (FOREIGN.sub("", entry) for entry in entries)
    return "\n".join(entry for entry in map(str.strip, found) if wanted.match(entry)) or None


def free_name(packages, name):
    """Text of a name that is given without a file: an entry in the stubs of torch._C, or an operator."""
    last = name.removeprefix("torch.").removeprefix("_C").removeprefix(".")
    stub = packages / "torch/_C/__init__.pyi"
    text = python_text(stub, last) or python_text(stub, last.replace("Tensor.", "TensorBase."))
    return text or schema_text(packages / SCHEMAS, last.rpartition(".")[2])


def python_text(path, name):
    if not path.is_file():
        return None
    lines, module = parsed(path)
    nodes = [module]
    for part in filter(None, name.split(".")):
        nodes = [child for node in nodes for child in bodies(node) if part in names_of(child)]
    return "\n".join(python_tokens(lines, node) for node in nodes) or None


@lru_cache(maxsize=4)
def parsed(path):
    text = path.read_text(encoding="utf-8")
    return text.splitlines(), ast.parse(text)


def bodies(node):
    """The lists of statements in a scope, including those under `if` and `try`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.If, ast.Try, ast.With)):
            yield from bodies(child)
        elif isinstance(child, ast.stmt):
            yield child


def names_of(node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def python_tokens(lines, node):
    """Tokens of a statement or module, with the indentation of each line that begins a statement."""
    kept = list(lines)
    for inner in ast.walk(node):
        for statement in docstrings(inner):
            blank(kept, (statement.lineno, 0), (statement.end_lineno, len(lines[statement.end_lineno - 1])))
    found = (place for inner in ast.walk(node) for place in annotations(lines, inner))
    for begin, end in sorted(found, reverse=True):  # deletes from the end, so that earlier positions stay valid
        blank(kept, begin, end)
    decorators = getattr(node, "decorator_list", None)
    first = (decorators[0].lineno if decorators else getattr(node, "lineno", 1)) - 1
    text = "\n".join(kept[first : getattr(node, "end_lineno", len(kept))])
    found, depth = [], 0
    for token in PY_TOKEN.findall(text):
        depth += (token in "([{") - (token in ")]}")
        if token.startswith("\n"):
            if not depth:
                if found and found[-1].startswith("\n"):
                    found.pop()
                found.append(f"\n{len(token) - 1}")
        elif not token.startswith("#"):
            found.append(token)
    return " ".join(found)


def blank(lines, begin, end):
    """Deletes the text between two (line, column) positions in place. Later text moves up."""
    head, rest = lines[begin[0] - 1][: begin[1]], lines[end[0] - 1][end[1] :]
    for at in range(begin[0], end[0] + 1):
        lines[at - 1] = ""
    lines[begin[0] - 1] = head + rest


def annotations(lines, node):
    """Positions of the type annotations in the head of a function. Annotations do not restrict callers or backends."""
    if isinstance(node, ast.arg) and node.annotation and lines[node.lineno - 1].isascii():
        yield (node.lineno, node.col_offset + len(node.arg)), end_of(node.annotation)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns:
        line, column = node.returns.lineno, node.returns.col_offset
        while (arrow := lines[line - 1].rfind("->", 0, column)) < 0:
            line, column = line - 1, len(lines[line - 2])
        yield (line, arrow), end_of(node.returns)


def end_of(node):
    return node.end_lineno, node.end_col_offset


def docstrings(node):
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        for statement in node.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str):
                yield statement
