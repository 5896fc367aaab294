# SPDX-License-Identifier: BSD-3-Clause
"""Builds libraries against the torch of this interpreter and caches them.

    python -m assay.builds.torch_builds facts DATA LIBRARIES
    python -m assay.builds.torch_builds build DATA LIBRARIES bridge|fake-device VERSION [--force]

The bridge and the fake device are C++ that includes torch's headers, so each torch needs its own build. Both are
compiled at first use. The key in the user's cache covers torch's headers, the build ids of its libraries, the compiler,
its flags and all sources (torch_identity.py). The `assay` command starts this module, which imports no torch. The
module also prints whether the contract is verified for this torch (assay/anchors/readings.py).
"""

import concurrent.futures
import errno
import fcntl
import hashlib
import importlib.util
import os
import platform
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from assay.anchors import readings
from assay.builds import torch_identity
from assay.builds.progress import Progress
from assay.places import cache_folder, wanted_cache

WAIT_S = 1800  # to wait for another process that builds the same library; after that, the error names its compiler
# NDEBUG is defined as in torch's own wheels: assertions and class members in its headers depend on it.
FLAGS = ["-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-D_GNU_SOURCE",
         "-DHAVE_AVX2_CPU_DEFINITION", "-DHAVE_AVX512_CPU_DEFINITION"]

MOST_FILES_OF_A_UNIT = 8


class BuildError(Exception):
    """One sentence for the user. The compiler's own output was printed before it."""


@dataclass(frozen=True)
class Torch:
    """The torch that this interpreter would import. If there is none, the texts are empty."""

    version: str = ""
    git: str = ""
    folder: str = ""

    @property
    def includes(self):
        include = Path(self.folder, "include")
        return [str(include), str(include / "torch/csrc/api/include"), str(include / "kineto")]

    @property
    def abi(self):
        """1 if torch's libraries use the C++11 ABI of the standard library."""
        with open(Path(self.folder, "lib", "libc10.so"), "rb") as file:
            return int(b"__cxx11" in file.read())


@dataclass(frozen=True)
class Library:
    """One shared object: its source folders and the header to precompile, relative to the data folder."""

    name: str
    folders: tuple[str, ...]
    prefix: str
    includes: tuple[str, ...]
    links: tuple[str, ...] = ()
    python: bool = False

    def sources(self, data):
        return sorted(path for folder in self.folders for path in (data / folder).glob("*.cc"))


BRIDGE = (
    Library("libassay_bridge.so", ("harness/bridge",), "harness/bridge/bridge_pch.h",
            ("harness/bridge", "harness/include")),
)
_INTEGRATION = ("fake_device/integration", *(f"fake_device/integration/{subject}" for subject in (
    "autocast", "collectives", "memory", "operators", "random", "streams")))  # the same list as in its CMakeLists.txt
_FAKE = (*_INTEGRATION, "fake_device/driver/include")
FAKE_DEVICE = (
    Library("libtorch_fakedev.so", _INTEGRATION,
            "fake_device/integration/torch_headers.h", _FAKE, ("libfakedev.so",)),
    Library("_C", ("fake_device/integration/binding",), "fake_device/integration/torch_headers.h",
            _FAKE, ("libfakedev.so", "libtorch_fakedev.so", "libtorch_python.so"), python=True),
)
PRODUCTS = {"bridge": BRIDGE, "fake-device": FAKE_DEVICE}
PACKAGE = "fake_device/torch_fakedev"


def find_torch():
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return Torch()
    folder = spec.submodule_search_locations[0]
    facts = runpy.run_path(os.path.join(folder, "version.py"))
    return Torch(facts["__version__"], facts.get("git_version") or "-", folder)


def find_libpython():
    """Path of libpython, or "". Needed by a shared object that uses Python's symbols but is not linked to libpython."""
    name = sysconfig.get_config_var("INSTSONAME") or ""
    if ".so" not in name:  # the interpreter is linked statically; a shared libpython may exist beside it
        name = f"libpython{sys.version_info[0]}.{sys.version_info[1]}.so.1.0"
    for variable in ("LIBDIR", "LIBPL"):
        place = Path(sysconfig.get_config_var(variable) or "/nowhere", name)
        if place.is_file():
            return str(place)
    found = sysconfig.get_config_var("MULTIARCH")
    place = Path("/usr/lib", found or "", name)
    return str(place) if place.is_file() else ""


# ---- keys and folders ----------------------------------------------------------------------------


def _sources(product, data):
    """Every source file of the product, sorted."""
    files = set()
    for library in PRODUCTS[product]:
        files.update(library.sources(data))
        for folder in library.includes:
            files.update(path for path in (data / folder).rglob("*.h") if path.is_file())
    if product == "fake-device":
        files.update(path for path in (data / PACKAGE).glob("*") if path.is_file())
    return sorted(files)


def key_of(product, data, torch):
    """A key that changes with every input of the build."""
    digest = hashlib.sha256()
    words = [torch.version, torch.git, torch.abi, platform.machine(), *FLAGS, torch_identity.of(torch.folder, cache_folder())]
    if product == "fake-device":
        words.append(sysconfig.get_config_var("EXT_SUFFIX"))
    digest.update("\0".join(str(word) for word in words).encode())
    for path in _sources(product, data):
        digest.update(b"\0" + str(path.relative_to(data)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def place_of(product, data, torch):
    """The cache folder for this key. If there is no compiler, any existing build for this torch is used, even from a
    read-only cache."""
    key = f"{product}-{torch.version}-{key_of(product, data, torch)}"
    made_by = torch_identity.of_program(compiler_words()[0])
    folders = [wanted_cache(), cache_folder() or wanted_cache()]
    made = (path for folder in folders for path in sorted(folder.glob(f"{key}-{made_by or '*'}")) if path.is_dir())
    return next(made, folders[1] / f"{key}-{made_by or 'none'}")


def built_for(libraries, torch):
    """True if the library in the build folder was built for this torch."""
    try:
        with open(Path(libraries, "assay_bridge.torch"), encoding="utf-8") as file:
            return file.read().split() == [torch.version, torch.git]
    except OSError:
        return False


def facts(data, libraries):
    """Lines for the `assay` command, read by interpreter.c."""
    torch = find_torch()
    lines = [torch.version, torch.git, torch.folder, find_libpython(), remark(data, torch)]
    for product in PRODUCTS:
        if not torch.version:
            lines += ["", "absent"]
        elif product == "bridge" and built_for(libraries, torch):
            lines += [str(Path(libraries, BRIDGE[0].name)), "built"]
        else:
            place = place_of(product, data, torch)
            here = place / BRIDGE[0].name if product == "bridge" else place
            lines += [str(here), "cached" if place.is_dir() else "missing"]
    return lines


def remark(data, torch):
    """The sentence about a torch that is newer than the contract. The sentence is cached, because its computation takes
    seconds."""
    suites, packages = data / "suites", Path(torch.folder).parent
    if not torch.version or not (suites / "anchors.tsv").is_file():
        return ""
    if not readings.is_newer(torch.version, readings.read_table(suites)[1]):
        return ""
    if cache_folder() is None:
        return readings.sentence(packages, suites)
    kept = cache_folder() / f"anchors-{torch.version}-{readings.stamp(packages, suites)}"
    if not kept.is_file():
        with tempfile.NamedTemporaryFile("w", dir=kept.parent, delete=False, encoding="utf-8") as file:
            file.write(readings.sentence(packages, suites))
        os.rename(file.name, kept)
    return kept.read_text(encoding="utf-8")


# ---- building ------------------------------------------------------------------------------------


class Lock:
    """Lets one process at a time build a key. The kernel releases the lock when its holder dies."""

    def __init__(self, path, wait_s=WAIT_S):
        self.path, self.wait_s, self.file = path, wait_s, None

    def __enter__(self):
        self.file = open(self.path, "a+", encoding="utf-8")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait()
        self.file.truncate(0)
        self.file.write(f"process {os.getpid()} since {time.strftime('%Y-%m-%d %H:%M:%S')}")
        self.file.flush()
        return self

    def __exit__(self, *_):
        self.file.truncate(0)
        self.file.close()

    def _wait(self):
        def give_up(*_):
            raise TimeoutError

        tell(f"waiting for {self._holder()}, which is building the same")
        previous = signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, self.wait_s)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX)
        except TimeoutError:
            holder = self._holder()
            self.file.close()
            raise BuildError(
                f"the build lock {self.path} is still held by {holder}: "
                f"if that process hangs, end it and try again"
            ) from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)

    def _holder(self):
        self.file.seek(0)
        return self.file.read() or "a process that did not give its name"


def tell(text):
    print(f"assay: {text}", file=sys.stderr, flush=True)


def compiler_words():
    return shlex.split(os.environ.get("CXX") or "c++") or ["c++"]


def compiler():
    words = compiler_words()
    if shutil.which(words[0]) is None:
        raise BuildError(
            f"there is no C++ compiler {words[0]}: install g++ 10 or newer, or set CXX"
        )
    return words


def _run(words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        if os.strerror(errno.ENOSPC) in done.stderr:
            raise BuildError(no_space([Path(words[words.index("-o") + 1]).parent, Path(tempfile.gettempdir())]))
        sys.stderr.write(done.stderr[-8000:])
        raise BuildError(f"the compiler refused: {shlex.join(words)}")


def no_space(folders):
    """The compiler does not report which folder is full, so the folder with the least free space is assumed."""
    def room(folder):
        facts = os.statvfs(folder)
        return facts.f_bavail * facts.f_frsize

    return f"no space left on {min(folders, key=room)}: free some space, or set XDG_CACHE_HOME and TMPDIR to folders with 2 GB"


def _parse(library, data, flags, work):
    """Parsing torch's headers takes half a minute, so all sources of a product share a precompiled header."""
    prefix = work / f"{Path(library.prefix).stem}.prefix.h"
    if not prefix.exists():
        prefix.write_text(f'#include "{data / library.prefix}"\n', encoding="utf-8")
        _run([*flags, "-x", "c++-header", str(prefix), "-o", f"{prefix}.gch"])
    return prefix


def units(sources, processors):
    """Groups of files. The files of a group are compiled as one, so that templates of torch are parsed once for all of
    them. There is one group per processor, or more groups if a group would have more than eight files."""
    groups = max(min(processors, len(sources)), -(-len(sources) // MOST_FILES_OF_A_UNIT))
    return [sources[at::groups] for at in range(groups)]


def _compile(library, data, torch, folder, work, progress):
    """Compiles and links one library in `folder`."""
    sources = library.sources(data)
    if not sources:
        raise BuildError(f"this installation lacks the sources {data / library.folders[0]}/*.cc")
    flags = [*compiler(), *FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={torch.abi}"]
    flags += [f"-I{data / include}" for include in library.includes]
    for include in (*torch.includes, sysconfig.get_path("include")):
        flags += ["-isystem", include]
    prefix = _parse(library, data, flags, work)
    progress.done()

    def compile_one(number, files):
        unit = work / f"{library.name}-{number}.cc"
        unit.write_text("".join(f'#include "{file}"\n' for file in files), encoding="utf-8")
        _run([*flags, "-include", str(prefix), "-c", str(unit), "-o", f"{unit}.o"])
        progress.done(len(files))
        return f"{unit}.o"

    processors = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(processors) as pool:
        objects = list(pool.map(compile_one, *zip(*enumerate(units(sources, processors)))))
    name = library.name + (sysconfig.get_config_var("EXT_SUFFIX") if library.python else "")
    links = [str(folder / link if (folder / link).exists() else Path(torch.folder, "lib", link))
             for link in (*library.links, "libc10.so", "libtorch_cpu.so")]
    _run([*compiler(), "-shared", "-o", str(folder / name), f"-Wl,-soname,{name}",
          "-Wl,-rpath,$ORIGIN", *objects, *links])


def _lay_out_package(data, libraries, version, torch, root):
    """Lays out the torch_fakedev package and its metadata around the libraries, as an installer does."""
    package = root / "torch_fakedev"
    package.mkdir()
    for path in (data / PACKAGE).glob("*.py"):
        shutil.copy(path, package)
    shutil.copy(libraries / "libfakedev.so", package)
    info = root / f"torch_fakedev-{version}.dist-info"
    info.mkdir()
    shutil.copy(data / PACKAGE / "entry_points.txt", info)
    for source, made in (("build_facts.py.in", package / "build_facts.py"),
                         ("METADATA.in", info / "METADATA")):
        text = (data / PACKAGE / source).read_text(encoding="utf-8")
        text = text.replace("@PROJECT_VERSION@", version).replace("@torch_version@", torch.version)
        made.write_text(text, encoding="utf-8")
    return package


def build(product, data, libraries, version, force=False):
    """Returns the product's folder in the cache. Builds the product if the folder is missing or if `force` is set."""
    torch = find_torch()
    if not torch.version:
        raise BuildError(f"{sys.executable} has no torch: install one, or name another interpreter")
    compiler()
    place = place_of(product, data, torch)
    if cache_folder() is None:
        raise BuildError(f"there is no folder for the {product} of this torch; the reason is given above")
    with Lock(place.with_name(f"{place.name}.lock")):
        if place.is_dir() and not force:
            return place
        begun = time.monotonic()
        files = sum(1 + len(library.sources(data)) for library in PRODUCTS[product])
        tell(f"building the {product} for torch {torch.version}, {files} files, which takes some minutes; cached in {place}")
        _remove_leftovers(place)
        with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as temporary:
            made, work = Path(temporary, "made"), Path(temporary, "work")
            made.mkdir()
            folder = made
            if product == "fake-device":
                folder = _lay_out_package(data, libraries, version, torch, made)
            work.mkdir()
            with Progress(product, files, tell) as progress:
                for library in PRODUCTS[product]:
                    _compile(library, data, torch, folder, work, progress)
            if place.is_dir():
                os.rename(place, Path(temporary, "old"))
            os.rename(made, place)  # the rename publishes the whole folder in one step
        tell(f"built in {time.monotonic() - begun:.0f} s")
    return place


def _remove_leftovers(place):
    """Removes the folders of killed builds. The caller holds the lock, so no other process uses them."""
    for path in place.parent.glob(f".{place.name}-*"):
        shutil.rmtree(path, ignore_errors=True)


def main(words):
    command, data, libraries = words[1], Path(words[2]).resolve(), Path(words[3])
    if command == "facts":
        print("\n".join(facts(data, libraries)))
        return 0
    try:
        print(build(words[4], data, libraries, words[5], force="--force" in words))
    except BuildError as error:
        tell(str(error))
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        tell(no_space([cache_folder(), Path(tempfile.gettempdir())]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
