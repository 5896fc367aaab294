# SPDX-License-Identifier: BSD-3-Clause
"""Builds the guide as HTML: inserts code, clauses and error texts into pages/ and runs Sphinx, which must not warn.

    python make_guide.py FOLDER      writes FOLDER/source and FOLDER/html; begin at html/index.html

Pages contain no code of their own: they include files that `assay new` writes. Each step of steps.ini gets its patch.
If step_runs.py has left its runs in FOLDER/steps, the step also gets the checks that pass since that step.
"""

import collections
import re
import shutil
import subprocess
import sys
from pathlib import Path

import new_backend
import yaml
from guide_steps import patch_of, read_steps
from step_runs import green_since, is_whole, read_verdicts
from troubleshooting.explain_error import read_entries

GUIDE = Path(__file__).resolve().parent
ROOT = GUIDE.parent

# Repairs accessibility errors of the theme's pages that axe reports.
REPAIRS = (
    (' role="heading">', ' role="heading" aria-level="2">'),
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="Pages">'),
    ('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer'),
    ("<pre>", '<pre tabindex="0">'),
)


class CannotBuild(Exception):
    """The guide cannot be built. The message is one sentence for the author of the guide."""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def fence(body):
    return f"````text\n{body.rstrip()}\n````\n"


def escaped(text):
    """Escapes text for Markdown, except in `backticks`."""
    parts = " ".join(str(text).split()).split("`")
    for number in range(0, len(parts), 2):
        parts[number] = re.sub(r"([*_\[\]])", r"\\\1", parts[number]).replace("<", "&lt;")
    return "`".join(parts)


def write_code(source):
    """Writes the backend that `assay new` makes with every feature: pages include its files."""
    new_backend.write(source / "code", "foo", set(new_backend.FEATURES), "the foo authors")


def checks_that_pass(runs, steps):
    """For each step, the checks that pass since this step. Empty if step_runs.py has not made all runs."""
    if not all(is_whole(runs / step.name) for step in steps):
        return [[] for _ in steps]
    verdicts = [{}, *(read_verdicts(runs / step.name) for step in steps)]
    return [green_since(before, after) for before, after in zip(verdicts, verdicts[1:])]


def list_of(checks):
    """A folded list of the checks by module, because the first steps have hundreds."""
    if not checks:
        return ""
    modules = collections.defaultdict(list)
    for check in checks:
        modules[check.partition(".")[0]].append(f"`{check}`")
    listed = "\n".join(f"- {name}: {', '.join(names)}" for name, names in sorted(modules.items()))
    return f"<details><summary>{len(checks)} checks pass that did not pass a step before</summary>\n\n{listed}\n\n</details>\n\n"


def write_steps(source):
    """Adds the patch and the checks to the page of a step, above its code."""
    steps = read_steps()
    for number, (step, checks) in enumerate(zip(steps, checks_that_pass(source.parent / "steps", steps)), 1):
        page = source / f"steps/{step.name}.md"
        patch = patch_of(steps[:number])
        write(page.with_suffix(".patch"), patch)
        text, head, code = page.read_text(encoding="utf-8").partition("## The code")
        lines = patch.count("\n")
        write(page, f"{text}{list_of(checks)}{head}\nThe step is {{download}}`a patch of {lines} lines <{step.name}.patch>`.\n{code}")


def write_troubleshooting(source):
    pages = {path.relative_to(source).with_suffix("").as_posix() for path in source.rglob("*.md")}
    rows = ["# Texts of PyTorch, and what to do\n"
            "Each of these was said by PyTorch to a program that lacks one thing. `assay explain --error \"TEXT\"`\n"
            "finds the entry of a text; `<words>` stand for what differs.\n"]
    for entry in read_entries():
        if entry.page not in pages:
            raise CannotBuild(f"guide/troubleshooting: [{entry.name}] names the page {entry.page}, which is not there")
        rows.append(f"## {entry.name.replace('-', ' ')}\n{fence(entry.text)}\n{escaped(entry.cause)}\n\n"
                    f"**Repair.** {escaped(entry.repair)}\n\nMore in [](/{entry.page}.md).\n")
    write(source / "troubleshooting.md", "\n".join(rows))


def words_of(readme):
    """The text of a suite's README, without the heading."""
    if not readme.is_file():
        return ""
    _, _, text = readme.read_text(encoding="utf-8").partition("\n")
    return text.strip() + "\n"


def page_of_module(name, module, requirements):
    """Writes the clauses of a module and the text of its README."""
    rows = [f"# {module['title']}\n", f"What PyTorch asks of a backend in {', '.join(f'`{a}`' for a in module['anchors'])}.\n"]
    rows.append(words_of(ROOT / "suites" / name / "README.md"))
    rows.append("## Clauses\n")
    for clause in requirements:
        why = f"**Why.** {escaped(clause['why'])}\n\n" if clause.get("why") else ""
        anchor = f"; `{clause['anchor']}`" if clause.get("anchor") else ""
        rows.append(f"### {clause['id']}\n{escaped(clause['text'])}\n\n{why}"
                    f"{clause['level']}, since {clause.get('since', 'ever')}{anchor}\n")
    return "\n".join(rows)


def write_modules(source):
    modules = yaml.safe_load((ROOT / "conformance.yaml").read_text(encoding="utf-8"))["modules"]
    names = []
    for name, module in modules.items():
        contract = ROOT / "suites" / name / "contract.yaml"
        if not contract.is_file():
            continue
        requirements = yaml.safe_load(contract.read_text(encoding="utf-8"))["requirements"] or []
        write(source / f"modules/{name}.md", page_of_module(name, module, requirements))
        names.append(name)
    listed = "\n".join(names)
    write(source / "modules/index.md", f"# Modules of the contract\n```{{toctree}}\n{listed}\n```\n")


def repair(html):
    for page in html.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for wrong, right in REPAIRS:
            text = text.replace(wrong, right)
        page.write_text(text, encoding="utf-8")


def build(folder):
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(GUIDE / "pages", source)
    write_code(source)
    write_steps(source)
    write_troubleshooting(source)
    write_modules(source)
    told = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html", source,
                           folder / "html"])
    if told.returncode != 0:
        raise CannotBuild("Sphinx is not satisfied with the pages: see above")
    repair(folder / "html")
    return folder / "html"


def main(words):
    if len(words) != 1:
        print("make_guide: give one folder to write", file=sys.stderr)
        return 64
    try:
        print(build(Path(words[0]).resolve()) / "index.html")
    except CannotBuild as cannot:
        print(f"make_guide: {cannot}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
