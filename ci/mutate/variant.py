# SPDX-License-Identifier: BSD-3-Clause
"""Builds the fake device with mutations: copies the sources below the build folder, writes all mutations of a draw
into them and compiles once. Mutations that do not compile are found by the compiler's messages and removed."""

import collections
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import c_schemata
import python_schemata
from assess import GROUPS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DEVICE = {
    "assay_mutant.h": "fake_device/driver/include/assay_mutant.h",
    "assay_mutant.c": "fake_device/driver/assay_mutant.c",
    "mutant_switches.c": "fake_device/adapter/fakedev_switches.c",
    "mutant_python.py": "fake_device/torch_fakedev/_assay_mutant.py",
}
TARGETS = ("fakedev", "torch_fakedev_package", "fakedev_adapter")
DRIVER = "fake_device/driver/"
# Low optimisation compiles quickly. Warnings about mutated code are off, but an integer instead of a pointer is an
# error, as in C++, because nobody makes this mistake.
C_FLAGS = "-O1 -g0 -Werror=int-conversion -Werror=incompatible-pointer-types"
CXX_FLAGS = "-O0 -w -g0"
PROFILE = """\
name: fakedev
env: {{FAKEDEV_DEVICES: "2", ASSAY_ABSENT: "FAKEDEV_DEVICES=0", ASSAY_CACHE: FAKEDEV_KERNELS, ASSAY_MUTANT_GROUPS: "{groups}", PYTHONPATH: "{python}"}}
load:
  - import: torch_fakedev
adapter: {adapter}
timeouts: {{load: 30, check: 15}}
"""
# A message names a line. For a header or a template, its context lines name further lines.
MESSAGE = re.compile(r"^(?:In file included from |\s+from )?([^\s:]+):(\d+)(?::\d+)?[:,](.*)$", re.MULTILINE)
ROUNDS = 12


class CannotBuild(Exception):
    pass


class Variant:
    """`made` is the build of the original. The driver compiles quickly. If all mutations are in the driver, the other
    libraries are copied from `made`."""

    def __init__(self, folder, made, root=ROOT, interpreter=sys.executable):
        self.folder, self.made, self.root, self.interpreter = Path(folder), made, root, interpreter
        self.tree = self.folder / "tree"
        self.build = self.tree / "build"
        self.dropped = []

    def profile(self):
        path = self.folder / "mutants.yaml"
        path.write_text(PROFILE.format(groups=self.folder / GROUPS, python=self.build / "python", adapter=self.build / "lib" / "fakedev_adapter.so"))
        return path

    # ---- the copy

    def copy(self):
        """Copies the tracked files, with assay's replacements for some. Unchanged files keep their modification time."""
        names = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        for name in filter(None, names.split("\0")):
            if (self.root / name).is_file():
                put(self.tree / name, (self.root / name).read_bytes())
        for name, place in DEVICE.items():
            put(self.tree / place, (HERE / "device" / name).read_bytes())

    def write(self, mutations):
        by_file = collections.defaultdict(list)
        for one in mutations:
            by_file[one.file].append(one)
        for name in {one.file for one in [*mutations, *self.dropped]}:
            put(self.tree / name, written(name, (self.root / name).read_bytes(), by_file[name]))

    # ---- the build

    def configure(self):
        if (self.build / "build.ninja").exists():
            return
        run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DASSAY_WERROR=OFF",
             f"-DASSAY_PYTHON={self.interpreter}", f"-DCMAKE_C_FLAGS={C_FLAGS}",
             f"-DCMAKE_CXX_FLAGS={CXX_FLAGS}"])  # fmt: skip

    def compile(self, targets):
        """Returns None, or the output of the compiler."""
        said = subprocess.run(
            ["cmake", "--build", self.build, "--target", *targets, "--", "-k", "0", "-j", str(os.cpu_count() or 1)],
            capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
        return said.stdout + said.stderr if said.returncode else None

    def make(self, mutations, tell=print):
        """Writes and builds the mutations. Returns those that compile."""
        self.copy()
        is_driver = all(one.file.startswith(DRIVER) for one in mutations)
        for number in range(ROUNDS):
            self.write(mutations)
            self.configure()
            said = self.compile([name for name in TARGETS if not (is_driver and name.startswith("torch"))])
            if said is None:
                if is_driver:
                    self.take_package()
                return mutations
            refused = self.refused(said, mutations)
            if not refused:
                raise CannotBuild(said[-4000:])
            self.dropped += [one for one in mutations if one.number in refused]
            mutations = [one for one in mutations if one.number not in refused]
            tell(f"round {number + 1} of compiling: {len(refused)} refused, {len(mutations)} left")
        raise CannotBuild(f"not built after {ROUNDS} rounds")

    def take_package(self):
        """Copies the package of the original build next to the mutated driver."""
        python = self.build / "python"
        shutil.rmtree(python, ignore_errors=True)
        for part in (self.made / "python").glob("torch_fakedev[.-]*"):
            shutil.copytree(part, python / part.name)
        # Copies the linked files instead of the links.
        shutil.copytree(self.made / "python" / "torch_fakedev", python / "torch_fakedev")
        shutil.copy(self.build / "lib" / "libfakedev.so", python / "torch_fakedev")

    def refused(self, said, mutations):
        """Numbers of the mutations on lines with errors. If an error names no line, returns all mutations of the
        failing file."""
        refused, files = set(), {one.file for one in mutations}
        for block in failures(said):
            here = set()
            places = [(self.name_of(path), int(line), words) for path, line, words in MESSAGE.findall(block)]
            errors = [place for place in places if "error:" in place[2]]
            for chosen in (errors, places):
                for name, line, _ in chosen:
                    if name in files and not here:
                        here |= set(self.numbers_at(name, line))
                refused |= {number for name, line, _ in chosen if name in files for number in self.numbers_at(name, line)}
                if here:
                    break
            if not here:
                own = next((name for name, _, _ in places if name in files), None)
                refused |= {one.number for one in mutations if one.file == own}
        return refused

    def name_of(self, path):
        """The name of a file in a message, which may be relative to the build folder; "" for files outside the copy."""
        path = Path(os.path.normpath(self.build / path))
        return str(path.relative_to(self.tree)) if path.is_relative_to(self.tree) else ""

    def numbers_at(self, name, line):
        return c_schemata.numbers_by_line((self.tree / name).read_bytes()).get(line, ())


def failures(said):
    """The messages of each file that failed to compile."""
    blocks = re.split(r"^FAILED: ", said, flags=re.MULTILINE)[1:]
    return [re.split(r"^\[\d+/\d+\]", block, flags=re.MULTILINE)[0] for block in blocks]


def written(name, text, mutations):
    if not mutations:
        return text
    if name.endswith(".py"):
        return python_schemata.write(text.decode(), mutations).encode()
    return c_schemata.write(text, mutations)


def put(path, content):
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def run(command):
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode:
        raise CannotBuild((said.stdout + said.stderr)[-4000:])
