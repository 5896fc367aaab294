# SPDX-License-Identifier: BSD-3-Clause
"""What isolation costs, as one table of milliseconds per check and ratios to the floor measured beside
it. Prints and judges nothing. Usage: ci/bench/isolation_bench.py [--checks N] [--torch]

--torch loads libtorch into the hosts and the floor (the torch of this interpreter)."""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
TORTURE = ROOT / "harness" / "host" / "torture"

NATIVE = f"--host={BUILD / 'tests' / 'torture_host'}"
PYTHON = f"--python={sys.executable} -m assay_host"


def environment(torch_library):
    settings = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join([str(ROOT / "harness" / "host"), str(TORTURE)]),
        ASSAY_LIBRARIES=str(BUILD / "lib"),
        ASSAY_HOST_TARGET="torture_target",
        ASSAY_TORTURE_LIBRARY=str(BUILD / "tests" / "torture_checks.so"),
        OMP_NUM_THREADS="1",
    )
    if torch_library:
        settings["LD_PRELOAD"] = torch_library
    return settings


def timed(command, settings):
    """Wall seconds, and the processor seconds of that process and those it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    out = subprocess.run(command, env=settings, check=True, capture_output=True, text=True).stdout
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, out, after.ru_maxrss - before.ru_maxrss


def run(program, mode, checks, settings, *more):
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        words = [str(BUILD / "tests" / "torture_run"), f"--out={folder}/run", f"--mode={mode}"]
        return timed([*words, program, f"--bench={checks}", *more], settings)[0]


def per_check(program, mode, checks, settings, *more):
    """Milliseconds per check without the start of the hosts: the difference of two lengths."""
    short, long = checks // 10, checks
    first = run(program, mode, short, settings, *more)
    second = run(program, mode, long, settings, *more)
    return (second - first) * 1000 / (long - short)


def fork_floor(checks, settings):
    clean = {key: value for key, value in settings.items() if key != "LD_PRELOAD"}
    command = [str(BUILD / "tests" / "fork_floor"), str(checks)]
    if "LD_PRELOAD" in settings:
        command.append(settings["LD_PRELOAD"])
    return float(timed(command, clean)[1]) / 1000


PYTHON_FLOOR = """
import os, sys, time
if sys.argv[2] == "torch":
    import torch
n = int(sys.argv[1]); start = time.monotonic()
for _ in range(n):
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
print((time.monotonic() - start) * 1000 / n)
"""


def python_floor(checks, with_torch, settings):
    word = "torch" if with_torch else "plain"
    return float(timed([sys.executable, "-c", PYTHON_FLOOR, str(checks), word], settings)[1])


def fresh_python(with_torch, settings):
    code = "import torch" if with_torch else "pass"
    return min(timed([sys.executable, "-c", code], settings)[0] for _ in range(3)) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checks", type=int, default=2000)
    parser.add_argument("--torch", action="store_true")
    options = parser.parse_args()
    library = None
    if options.torch:
        import importlib.util

        folder = importlib.util.find_spec("torch").submodule_search_locations[0]
        library = str(Path(folder) / "lib" / "libtorch_cpu.so")
    settings = environment(library)
    checks, few = options.checks, max(20, options.checks // 20)
    native = fork_floor(checks, settings)
    python = python_floor(few, options.torch, environment(None))
    rows = [
        ("bare fork, _exit, wait", native, native),
        ("native, fork-loaded", per_check(NATIVE, "fork-loaded", checks, settings), native),
        ("native, fork-clean", per_check(NATIVE, "fork-clean", checks, settings), native),
        ("native, fork-loaded, 2 jobs", per_check(NATIVE, "fork-loaded", checks, settings, "--jobs=2"), native),
        ("native, batch", per_check(NATIVE, "batch", checks, settings), native),
        ("native, exec", per_check(NATIVE, "exec", few, settings), native),
        ("Python: os.fork, _exit, wait", python, python),
        ("Python, fork-loaded", per_check(PYTHON, "fork-loaded", few * 4, settings), python),
        ("a fresh Python per check", fresh_python(options.torch, environment(None)), python),
    ]
    print(f"{'':32}{'ms per check':>14}{'ratio':>8}")
    for name, value, floor in rows:
        print(f"{name:32}{value:14.3f}{value / floor:8.2f}")


if __name__ == "__main__":
    main()
