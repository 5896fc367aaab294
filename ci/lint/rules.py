# SPDX-License-Identifier: BSD-3-Clause
"""Rules of the project that a program can verify, one function per rule. Run by ci/lint/lint_test.py.

Each rule takes the list of tracked files and yields sentences "path:line: message".
"""

import os
import re
import subprocess
from pathlib import Path

import circles
import declarations
import documents
import layers
import private_names

ROOT = Path(__file__).resolve().parents[2]
C_SUFFIXES = {".c", ".h", ".cc"}

# Maps an external header to the places that may include it. All other files use the wrappers in these places.
HEADER_HOMES = {
    r"yaml\.h": ("harness/base/",),
    r"jansson\.h": ("harness/base/",),
    r"uv\.h": ("harness/run/",),
    r"(lib|g)elf\.h": ("harness/",),
    r"(torch|ATen|c10|caffe2)/.*": ("harness/bridge/", "fake_device/integration/", "fake_device/fleet/",
                                  "fake_device/faults/", "fake_device/torch_fakedev/", "guide/scaffold/",
                                  "suites/stable_abi/"),
}
BANNED = re.compile(
    r"(?<![\w.>])(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atof|system|popen|gets|alloca|setjmp|longjmp)\s*\("
)
LEANING = re.compile(r'expect_\w+\(.*, "(?:and|also|but|so|by|as|which) [a-z]')
FREE_RELATIVE = re.compile(r'(?:/\*+|//|(?<![\w"\'])#|""")\s*(What|Who|Whoever)\b')
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SLEEP = re.compile(r"(?<![\w.])(sleep|usleep|nanosleep|sleep_for)\s*\(")
# Files that break rules on purpose, because they test that the harness survives them.
MISBEHAVING = ("testplugins/", "torture")


def tracked():
    return [path for path in (known_to_git() or unpacked()) if path.is_file() and not is_sample(path)]


def known_to_git():
    """Tracked files, or an empty list in an archive without history. Works for a checkout of any owner."""
    asked = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True
    )
    inside = (ROOT / ".git").exists() and asked.returncode == 0
    return [ROOT / name for name in asked.stdout.split("\0") if name] if inside else []


def unpacked():
    """All files except those that set-up and builds create, according to .gitignore."""
    made = re.compile(r"/(build|build-[^/]*|\.venv|runs|\.git)$|.*/__pycache__$")
    for folder, folders, names in os.walk(ROOT):
        inside = folder.removeprefix(str(ROOT))
        folders[:] = [name for name in folders if not made.match(f"{inside}/{name}")]
        yield from (Path(folder) / name for name in names)


def is_sample(path):
    """True for sources in golden folders. Tests read them, but they are not built."""
    return "testdata" in path.parts and path.suffix in C_SUFFIXES | {".py"}


def lines(path):
    return enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)


def code_lines(path):
    """Lines without comments, approximately."""
    inside = False
    for number, line in lines(path):
        line = re.sub(r"/\*.*?\*/", "", line)
        if inside:
            inside = "*/" not in line
            continue
        if "/*" in line:
            inside = "*/" not in line
            line = line.split("/*")[0]
        yield number, line.split("//")[0]


def statements(path):
    """Like code_lines, but also without the comments of Python files."""
    for number, line in code_lines(path):
        yield number, line.split("#")[0] if path.suffix == ".py" else line


def place(path):
    return path.relative_to(ROOT).as_posix()


def c_files(files):
    return [path for path in files if path.suffix in C_SUFFIXES]


def sources(files, *beside):
    """C and Python files, except those in these folders."""
    return [path for path in files if path.suffix in C_SUFFIXES | {".py"} and not place(path).startswith(beside)]


def behaving(paths):
    return [path for path in paths if not any(word in place(path) for word in MISBEHAVING)]


def found(pattern, paths, reader=lines):
    """Yields ("path:line", match) for each line that matches."""
    for path in paths:
        for number, line in reader(path):
            match = pattern.search(line)
            if match:
                yield f"{place(path)}:{number}", match


POINTER = r"[\w.>*\[\]-]+"
TESTED_AGAINST_NULL = re.compile(
    rf"== NULL\b|\b(?:if|while) \({POINTER} != NULL|(?:&&|\|\|) {POINTER} != NULL|{POINTER} != NULL (?:\?|&&|\|\|)"
)


def pointers_are_tested_bare(files):
    """Pointers are tested as `p` and `!p`. `!= NULL` is allowed if a value is needed and after an assignment."""
    paths = [path for path in c_files(files) if path.suffix != ".cc"]
    for where, _ in found(TESTED_AGAINST_NULL, paths, code_lines):
        yield f"{where}: test a pointer as p or !p, not with NULL"


def no_blank_line_follows_the_declarations(files):
    for path in c_files(files):
        for index in declarations.blanks(path.read_text(encoding="utf-8", errors="replace")):
            yield f"{place(path)}:{index + 1}: no blank line after the leading declarations of a function"


def every_source_names_its_licence(files):
    for path in sources(files):
        head = path.read_text(encoding="utf-8", errors="replace")[:200]
        if head and "SPDX-License-Identifier: BSD-3-Clause" not in head:
            yield f"{place(path)}:1: the SPDX line is missing"


def outside_headers_stay_home(files):
    for where, match in found(INCLUDE, c_files(files), code_lines):
        for header, homes in HEADER_HOMES.items():
            if re.fullmatch(header, match[1]) and not where.startswith(homes):
                yield f"{where}: {match[1]} may only be included in {', '.join(homes)}"


def folders_know_what_is_below_them(files):
    """The table of harness/README.md defines which folder may include which."""
    rows = layers.table(layers.TABLE.read_text(encoding="utf-8"))
    yield from (f"harness/README.md:1: {said}" for said in layers.circles(rows))
    texts = {place(path): path.read_text(encoding="utf-8", errors="replace") for path in c_files(files)}
    for where, header, home in layers.violations(texts, rows):
        yield f"{where}:1: {header} belongs to {home}, which this folder may not know (harness/README.md)"


def no_files_call_in_a_circle(files):
    """Applies to the C files of one target's folder and the folders below it. Tests and programs are excluded,
    because they may use all other files."""
    folders = {}
    targets = {path.parent for path in files if path.name == "CMakeLists.txt"}
    for path in files:
        if path.suffix == ".c" and not path.stem.endswith(("_test", "_main", "_fuzz")):
            home = next((parent for parent in path.parents if parent in targets), path.parent)
            folders.setdefault(home, {})[path.stem] = path.read_text(encoding="utf-8", errors="replace")
    for folder, texts in folders.items():
        for circle in circles.circles(texts):
            yield f"{place(folder)}:1: a circle of calls: {', '.join(circle)}"


# Folders whose files are compiled together, by assay_several_at_once() in cmake/ and by assay.builds. Their subfolders are
# included. Tests are excluded, because each test is a separate program.
TOGETHER = ("fake_device/integration/binding", "fake_device/integration", "fake_device/faults", "harness/bridge",
            *(place(path) for path in sorted(ROOT.glob("fake_device/fleet/*/"))))
UNNAMED = re.compile(r"^namespace\n\{\n(.*?)^\} // namespace\n", re.M | re.S)
OF_A_FILE = re.compile(
    r"^[A-Za-z_][\w:<>,&* \t]*?\b(?P<function>\w+)\([^;{}]*\)(?: const| noexcept)*\n\{|"
    r"^(?:struct|class|enum(?: class)?) (?P<kind>\w+)\n\{|"
    r"^(?:static |constexpr |const |thread_local |std::)[\w:<>,&* ]*?\b(?P<value>\w+)(?:\[[^\]]*\])*(?: = |\{|;)", re.M)


def files_that_are_compiled_together_share_no_name(files):
    """Applies to names with internal linkage. In one unit, equal names are an error or overload each other."""
    seen = {}
    for path in files:
        together = next((folder for folder in TOGETHER if place(path).startswith(folder + "/")), None)
        if path.suffix != ".cc" or not together or path.name == "register.cc" or path.parent.name == "tests":
            continue
        for own in UNNAMED.findall(path.read_text(encoding="utf-8")):
            for name in {match[match.lastgroup] for match in OF_A_FILE.finditer(own)}:
                first = seen.setdefault((together, name), path)
                if first != path:
                    yield f"{place(path)}:1: {first.name} has a {name} of its own, too, and both are compiled as one file"


def no_banned_function(files):
    for where, match in found(BANNED, behaving(c_files(files)), code_lines):
        yield f"{where}: {match[1]} is banned (see ci/lint/README.md)"


def nothing_waits_by_sleeping(files):
    for where, _ in found(SLEEP, behaving(sources(files, "ci/lint/")), statements):
        yield f"{where}: wait for a condition with a deadline, do not sleep"


def comments_begin_with_a_noun_or_a_verb(files):
    """A sentence that begins with What or Who has a clause as its subject and is hard to read."""
    for where, match in found(FREE_RELATIVE, sources(files, "ci/lint/lint_test")):
        yield f"{where}: a comment begins with a noun or a verb, not with {match[1]}"


def expectations_stand_alone(files):
    """A report prints the text of an expectation alone, without the sentence before it."""
    for where, _ in found(LEANING, sources(files, "ci/lint/lint_test", "harness/command/")):
        yield f"{where}: the text of an expectation must be understood alone: name its subject"


NAMES_OF_MANY = ("__init__.py", "__main__.py", "list_checks.py")


def source_names_are_unique(files):
    """Exceptions: public headers are included with their folder (assay/status.h), list_checks.py marks a suite with
    listed checks, modules of the package assay are imported with their package, and the scaffold becomes a tree of
    its own."""
    seen = {}
    for path in sources(files):
        if "/include/assay/" in path.as_posix() or place(path).startswith(("guide/scaffold/", "harness/python/assay/")):
            continue
        if path.name not in NAMES_OF_MANY:
            if path.name in seen:
                yield f"{place(path)}:1: {place(seen[path.name])} has the same file name"
            seen.setdefault(path.name, path)


def every_folder_has_a_readme(files):
    folders = {path.parent for path in sources(files)}
    folders = {folder.parent if folder.name == "include" else folder for folder in folders}
    for folder in sorted(folders):
        nearest = (parent for parent in [folder, *folder.parents] if (parent / "README.md").is_file())
        # the parent may describe a folder of fixtures, but not a layer
        home = next(nearest)
        if len(folder.relative_to(home).parts) > 1:
            yield f"{place(folder)}:1: no README.md here or in the folder above"


def project_speaks_of_itself(files):
    words = re.compile(r"(?<![\w.])/(work|farm|opt/wheels|opt/pypi)/")
    for where, _ in found(words, [path for path in files if path.suffix != ".png"]):
        if "ci/lint/" not in where:
            yield f"{where}: a path of one machine"


def files_are_small_and_have_plain_names(files):
    """Output of programs is not committed. A name like --help is a mistake."""
    for path in files:
        if path.stat().st_size > 1 << 20:
            yield f"{place(path)}:1: larger than 1 MiB"
        if place(path).startswith("-"):
            yield f"{place(path)}:1: begins with a hyphen"


def worked_example_is_clean(files):
    """Vendors copy these folders, so faults belong to fake_device/faults/."""
    folders = ("fake_device/integration/", "fake_device/torch_fakedev/")
    trace = re.compile(r"(?<!de)fault|\barmed\b", re.I)
    for where, _ in found(trace, [path for path in files if place(path).startswith(folders)]):
        yield f"{where}: the worked example must not mention faults"


def harness_knows_no_backend(files):
    """ci/targets/defaults alone names the default targets."""
    test = re.compile(r"_test\.c$|/(torture|fixtures|testplugins)/")
    paths = [path for path in c_files(files) if place(path).startswith("harness/") and not test.search(place(path))]
    for where, _ in found(re.compile("fakedev"), paths, code_lines):
        yield f"{where}: a backend's name; see ci/targets/defaults"


RELEASE = re.compile(r"(?<![\w.-])(?:torch[-= ]*)?2\.(?:[6-9]|1\d)(?:\.\d+)?(?![\w.])")
PROGRAMS = re.compile(r"(^|/)(CMakeLists\.txt|[^/]+\.(c|h|cc|py|cmake|ya?ml|toml|in))$")
# Files that belong to one release or document it.
MAY_NAME_RELEASES = re.compile(r"(_test\.|/test_|(^|/)(tests?|testdata|abi_test|fuzz|lint|expectations|replay|bench)/|contract\.yaml$|^ci/clients/|^ci/gate/fixtures/)")


def without_words(path):
    """Lines of a program without comments and, in Python, without triple-quoted strings."""
    if path.suffix in C_SUFFIXES:
        yield from code_lines(path)
        return
    inside = False
    for number, line in lines(path):
        for at, part in enumerate(line.split('"""')):
            inside = inside if at == 0 else not inside
            if not inside or path.suffix != ".py":
                yield number, re.sub(r"(^|\s)#.*", "", part)


def no_program_names_a_release_of_torch(files):
    """ci/torch-range lists the supported releases, and ci/torch-pin the installed one. Comments, `since`, `until`,
    tests and evidence may name any release."""
    for path in files:
        is_program = PROGRAMS.search(place(path)) or (path.suffix == "" and path.read_bytes()[:2] == b"#!")
        if is_program and not MAY_NAME_RELEASES.search(place(path)):
            for where, _ in found(RELEASE, [path], without_words):
                yield f"{where}: a release of torch; see ci/torch-range"


def markdown_names_what_exists(files):
    """Verifies links and names of sources. The guide's pages are built by Sphinx, and the scaffold's README belongs
    to another project."""
    texts = markdown(files)
    known = {place(path) for path in known_to_git() or unpacked()}
    known |= {parent.as_posix() for name in known for parent in Path(name).parents}
    for name, text in texts.items():
        if not name.startswith(("guide/pages/", "guide/scaffold/")):
            yield from documents.dead_links(name, text, texts, known)
            yield from documents.missing_files(name, text, known)


def markdown_stays_short(files):
    yield from documents.too_long(markdown(files))


def markdown(files):
    return {place(path): path.read_text(encoding="utf-8") for path in files if path.suffix == ".md"}


SET_PATH = re.compile(r"\bsys\.path(?:\.(?:insert|append|extend|remove)\(|\[.*?\] *=(?!=)| *\+?=(?!=))|\bdel sys\.path\b")
# Product files that change sys.path, with the reason. All other modules are imported by package name
# (harness/python/assay).
MAY_SET_PATH = {
    "fake_device/faults/python/torch_fakedev_faulty.py": "its torch_fakedev replaces an installed one of the same name",
    "harness/python/assay/__init__.py": "Python before 3.11 puts the current folder first, and no setting prevents it",
    "harness/python/assay/host/bare_child.py": "a forked child becomes another interpreter, with the path of that one",
    "suites/upstream/device_tests.py": "test files of PyTorch import modules that lie beside them",
}
TEST_FILE = re.compile(r"(_test\.py$|/test_[^/]*\.py$|/(tests|fixtures|torture)/)")


def path_is_set_by_whoever_starts_python(files):
    """The host, the commands, CMake or the wheel set the path; modules do not."""
    for path in files:
        if path.suffix == ".py" and not TEST_FILE.search(place(path)) and place(path) not in MAY_SET_PATH:
            for where, _ in found(SET_PATH, [path], statements):
                yield f"{where}: import by the package name, do not change sys.path"


def private_names_of_torch_are_listed(files):
    """Each use has a row with the reason, and each row has a use. Applies only to the whole tree, because rows have no
    use in a part of the tree."""
    found = private_names.used(files, ROOT, code_lines)
    yield from private_names.disagreements(found, {table: private_names.rows(table) for table in found})


RULES = (
    path_is_set_by_whoever_starts_python,
    private_names_of_torch_are_listed,
    every_source_names_its_licence,
    outside_headers_stay_home,
    folders_know_what_is_below_them,
    no_files_call_in_a_circle,
    files_that_are_compiled_together_share_no_name,
    worked_example_is_clean,
    harness_knows_no_backend,
    no_banned_function,
    pointers_are_tested_bare,
    no_blank_line_follows_the_declarations,
    nothing_waits_by_sleeping,
    expectations_stand_alone,
    comments_begin_with_a_noun_or_a_verb,
    source_names_are_unique,
    every_folder_has_a_readme,
    project_speaks_of_itself,
    files_are_small_and_have_plain_names,
    no_program_names_a_release_of_torch,
    markdown_names_what_exists,
    markdown_stays_short,
)
