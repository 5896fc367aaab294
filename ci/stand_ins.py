#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes empty libraries in place of the libraries that torch's wheel expects from other packages.

    python3 ci/stand_ins.py site-packages/torch/lib

The wheel of the default index is built with CUDA. It cannot be loaded without gigabytes of NVIDIA's libraries, although
none of their functions is called on a machine without such a device. Each stand-in has the name, the versions and the
functions that torch's libraries require; every function returns that there is no device. They are placed in the folder
of torch's libraries, which the loader searches first.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so(\.\d+)*$")
# cudaErrorNoDevice and CUDA_ERROR_NO_DEVICE are both 100. For the other libraries, any number other than 0 is an
# error.
HEAD = """static const char words[] = "there is no CUDA here: this library is a stand-in";
#define ANSWERS(name) __attribute__((visibility("default"))) long name(void) { return 100; }
#define FILLS(name) __attribute__((visibility("default"))) long name(long code, const char **text) { *text = words; return 100; }
#define TELLS(name) __attribute__((visibility("default"))) const char *name(void) { return words; }
"""


def readelf(option, path):
    return subprocess.run(["readelf", "--wide", option, path], capture_output=True, text=True, check=True).stdout


def symbols(path):
    """Returns (defined, undefined) names. An undefined name has the version that it requires, or ""."""
    defined, undefined = set(), {}
    for line in readelf("--dyn-syms", path).splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].endswith(":") or words[4] == "LOCAL":
            continue
        name, _, version = words[7].partition("@")
        if words[6] == "UND" and (words[4] == "WEAK" or re.match("_?Py", name)):
            continue  # weak, or provided by Python
        if words[6] == "UND":
            undefined[name] = version.lstrip("@")
        else:
            defined.add(name)
    return defined, undefined


def wanted_versions(path):
    """Returns {library: the versions that this library requires}."""
    wanted, library = defaultdict(set), None
    for line in readelf("--version-info", path).splitlines():
        if found := re.search(r"File: (\S+)", line):
            library = found[1]
        elif library and (found := re.search(r"\bName: (\S+)\s+Flags", line)):
            wanted[library].add(found[1])
    return wanted


def answer_of(name):
    """A function that returns the text of an error must return a text."""
    if re.match(r"cu(pti)?Get\w+(String|Name|Message)$", name):
        return f"FILLS({name})\n"
    return f"TELLS({name})\n" if name.endswith(("String", "Name")) else f"ANSWERS({name})\n"


def make(folder, library, version, names):
    code = HEAD + "".join(answer_of(name) for name in sorted(names))
    script = folder / f".{library}.map"
    script.write_text(f"{version} {{ global: *; }};\n", encoding="ascii")
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", folder / library, f"-Wl,-soname,{library}",
                    f"-Wl,--version-script,{script}"], input=code, text=True, check=True)
    script.unlink()


class Wanted:
    """The symbols that the libraries of a folder require but do not define."""

    def __init__(self, folder):
        self.libraries, self.versions = set(), defaultdict(set)
        self.defined, self.undefined = set(), {}
        for path in sorted(path for path in folder.iterdir() if ".so" in path.name):
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", path))
            self.libraries.update(name for name in needed if not SYSTEM.match(name) and not (folder / name).exists())
            for library, names in wanted_versions(path).items():
                self.versions[library] |= names
            defined, undefined = symbols(path)
            self.defined |= defined
            self.undefined |= undefined

    def functions(self):
        """Returns {library: names}. If a function is required without a version, the first library gets it."""
        owner = {version: library for library in self.libraries for version in self.versions[library]}
        any_of_them = min(self.libraries, default="")
        names = defaultdict(set)
        for name, version in self.undefined.items():
            if version in owner:
                names[owner[version]].add(name)
            elif not version and name not in self.defined:
                names[any_of_them].add(name)
        return names


def main():
    folder = Path(sys.argv[1])
    wanted = Wanted(folder)
    names = wanted.functions()
    for library in sorted(wanted.libraries):
        versions = sorted(wanted.versions[library])
        if len(versions) > 1:
            sys.exit(f"{library} is wanted in several versions, and a stand-in has one: {', '.join(versions)}")
        make(folder, library, versions[0] if versions else library, names[library])
    print(f"{len(wanted.libraries)} libraries with {sum(map(len, names.values()))} functions stand in for what torch does not bring")


if __name__ == "__main__":
    main()
