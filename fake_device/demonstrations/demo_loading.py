# SPDX-License-Identifier: BSD-3-Clause
"""Loading by the entry point: each in a program of its own, which imports torch or the package first."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from demonstrate import HANG, demonstrates

USE = "torch.ones(1, device='fakedev').cpu()"


def program(*lines, **environment):
    environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "1", **environment}
    command = [sys.executable, "-c", "\n".join(lines)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@demonstrates("python.entry_point_wants_an_argument")
def torch_cannot_be_imported():
    assert program("import torch", USE).returncode == 0


@demonstrates("python.entry_point_works_once")
def package_that_is_installed_twice_breaks_torch():
    with tempfile.TemporaryDirectory() as folder:
        facts = Path(folder, "old_fakedev-0.0.1.dist-info")
        facts.mkdir()
        facts.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: old-fakedev\nVersion: 0.0.1\n")
        facts.joinpath("entry_points.txt").write_text("[torch.backends]\nold = torch_fakedev:_autoload\n")
        lines = "import sys", f"sys.path.insert(0, {folder!r})", "import torch", USE
        assert program(*lines).returncode == 0


@demonstrates("python.entry_point_hides_the_package")
def later_import_fails():
    assert program("import torch", "import torch_fakedev", USE).returncode == 0


@demonstrates("python.entry_point_defined_last")
def package_cannot_be_imported_first():
    assert program("import torch_fakedev").returncode == 0


@demonstrates("python.import_starts_a_thread")
def process_has_a_thread_before_it_forks():
    lines = "import os, sys, torch", "sys.exit(len(os.listdir('/proc/self/task')))"
    plain = program(*lines, TORCH_DEVICE_BACKEND_AUTOLOAD="0").returncode
    assert program(*lines).returncode == plain


@demonstrates("python.first_use_prints")
def output_of_a_pipe_has_a_line_too_many():
    assert program("import torch", USE).stdout == ""


@demonstrates("python.build_lock_outlives_owner", shows=HANG)
def killed_program_stops_the_next():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "1", "FAKEDEV_KERNELS": folder}
        first = subprocess.Popen([sys.executable, "-c", f"import torch; {USE}"], env=environment)
        while first.poll() is None and not os.listdir(folder):
            pass
        first.kill()
        first.wait()
        os.environ["FAKEDEV_KERNELS"] = folder
        torch.ones(1, device="fakedev")


@demonstrates("python.loaded_at_each_start")
def nobody_can_switch_it_off():
    lines = "import torch", "assert torch._C._get_privateuse1_backend_name() == 'privateuseone'"
    assert program(*lines, TORCH_DEVICE_BACKEND_AUTOLOAD="0").returncode == 0
