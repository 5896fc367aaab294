# SPDX-License-Identifier: BSD-3-Clause
"""Loading, lazy start, fork, and a machine without devices: each in a process of its own."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import torch_fakedev

from in_child import output, run

# Prints the calls whose outcome (1: RuntimeError) is not the expected one.
EACH_IN_A_FORK = """
import os, torch
for call in {calls}:
    pid = os.fork()
    if pid == 0:
        try:
            eval(call)
        except RuntimeError as error:
            os._exit(1)
        os._exit(0)
    outcome = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if outcome != {expected}:
        print(call, outcome)
"""
PACKAGE = Path(torch_fakedev.__file__).parent


class Autoload(unittest.TestCase):
    def test_import_torch_is_enough(self):
        self.assertEqual("True", output("import torch; print(hasattr(torch, 'fakedev'))"))

    def test_any_other_value_than_one_disables(self):
        for value in ("0", "true"):
            self.assertEqual("False", output("import torch; print(hasattr(torch, 'fakedev'))",
                                             TORCH_DEVICE_BACKEND_AUTOLOAD=value))

    def test_package_first_and_twice(self):
        self.assertEqual("2", output("""
            import torch_fakedev, torch, importlib
            import torch_fakedev
            print(torch.fakedev.device_count())
        """))
        self.assertEqual("2", output("import torch_fakedev, torch; "
                                     "print(torch.fakedev.device_count())",
                                     TORCH_DEVICE_BACKEND_AUTOLOAD="0"))

    def test_import_starts_nothing(self):
        self.assertEqual("False False 0 0", output("""
            import os, torch, torch_fakedev.testing as t
            torch.accelerator.is_available(), torch.accelerator.device_count()
            torch.accelerator.current_accelerator(), torch.fakedev.current_device()
            threads = len(os.listdir("/proc/self/task"))
            torch.manual_seed(1)
            print(torch.fakedev.is_initialized(), torch.fakedev._initialized,
                  t.counters()["tasks_enqueued"], len(os.listdir("/proc/self/task")) - threads)
        """))

    def test_import_writes_nothing(self):
        done = run("import torch; torch.ones(2, device='fakedev').cpu()")
        self.assertEqual((0, ""), (done.returncode, done.stdout))

    def test_library_has_no_python_symbol(self):
        listing = subprocess.run(
            ["nm", "-D", "--undefined-only", PACKAGE / "libtorch_fakedev.so"],
            capture_output=True, text=True, check=True).stdout
        names = [line.split()[-1] for line in listing.splitlines()]
        self.assertGreater(len(names), 100)
        self.assertEqual([], [n for n in names if n.startswith(("Py", "_Py", "THP"))])

    def test_mistyped_variant_is_refused(self):
        done = run("import torch; print('on')", FAKEDEV_VARIANT="typo")
        self.assertEqual((78, ""), (done.returncode, done.stdout))
        self.assertIn("typo", done.stderr)

    def test_library_of_another_torch_is_refused(self):
        done = run("""
            import torch
            torch.__version__ = "2.99.0"
            import torch_fakedev
        """, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
        self.assertEqual(1, done.returncode)
        self.assertIn("but this is torch 2.99.0; rebuild it", done.stderr)

    def test_module_as_an_object(self):
        self.assertEqual("_DeviceObject True", output("""
            import torch
            torch.ones(2, device="fakedev")
            print(type(torch.fakedev).__name__, torch.fakedev._initialized)
        """, FAKEDEV_VARIANT="class_module"))


class KernelCache(unittest.TestCase):
    """A killed process leaves its lock file behind: who comes next is not stopped, and builds what is not there."""

    def test_kernels_are_built_once_for_all_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "kernels.lock").touch()
            kept = Path(folder, "kernels.txt")
            output("import torch; torch.ones(1, device='fakedev')", FAKEDEV_KERNELS=folder)
            self.assertIn("kernels of", kept.read_text(encoding="utf-8"))
            kept.write_text("built before", encoding="utf-8")
            output("import torch; torch.ones(1, device='fakedev')", FAKEDEV_KERNELS=folder)
            self.assertEqual("built before", kept.read_text(encoding="utf-8"))
            self.assertEqual(["kernels.lock", "kernels.txt"], sorted(os.listdir(folder)))


# Code that `import torch` runs beside us: a package of another backend, with an entry point of its own.
OTHER_PACKAGE = """
def load():
    import torch
    torch._other_was_loaded = (torch.accelerator.__name__, torch.library.__name__)

def fail():
    raise ValueError("no such card")

def leave():
    raise SystemExit(5)
"""
STATE = """
    import hashlib, sys, torch
    functions = sorted(f"{name} {getattr(value, '__module__', '')}"
                       for name, value in vars(torch).items() if callable(value))
    future = sorted((k, v) for k, v in vars(torch.__future__).items() if isinstance(v, bool))
    print(hashlib.sha256(repr(functions).encode()).hexdigest(), future, torch.get_default_dtype(),
          torch.get_num_threads(), torch.get_num_interop_threads(), torch.is_grad_enabled(),
          torch.autograd.is_multithreading_enabled(), torch.get_default_device(),
          sys.getrecursionlimit())
"""


class Neighbours(unittest.TestCase):
    """The entry point is one of several, and changes nothing but what it registers."""

    def beside(self, function):
        with tempfile.TemporaryDirectory() as folder:
            facts = Path(folder, "other-1.0.dist-info")
            facts.mkdir()
            Path(folder, "other_package.py").write_text(OTHER_PACKAGE, encoding="utf-8")
            facts.joinpath("METADATA").write_text(
                "Metadata-Version: 2.1\nName: other\nVersion: 1.0\n", encoding="utf-8")
            facts.joinpath("entry_points.txt").write_text(
                f"[torch.backends]\nother = other_package:{function}\n", encoding="utf-8")
            return run("import torch; print(torch._other_was_loaded, hasattr(torch, 'fakedev'))",
                       PYTHONPATH=os.pathsep.join((folder, os.environ.get("PYTHONPATH", ""))))

    def test_each_entry_point_is_called(self):
        self.assertEqual("('torch.accelerator', 'torch.library') True\n",
                         self.beside("load").stdout)

    def test_failure_of_a_neighbour_is_named(self):
        self.assertIn("Failed to load the backend extension: other", self.beside("fail").stderr)

    def test_exit_of_a_neighbour_is_an_exit(self):
        self.assertEqual(5, self.beside("leave").returncode)

    def test_state_of_the_process_is_that_without_us(self):
        self.assertEqual(output(STATE, TORCH_DEVICE_BACKEND_AUTOLOAD="0"), output(STATE))
        self.assertEqual("True", output("""
            import torch
            before = torch.get_rng_state()
            import torch_fakedev
            print(torch.equal(before, torch.get_rng_state()))
        """, TORCH_DEVICE_BACKEND_AUTOLOAD="0"))


class LazyStart(unittest.TestCase):
    def test_first_call_of_each_kind_works(self):
        """One fork per call: after importing, before first use, is exactly where that is safe."""
        calls = [
            "torch.Stream('fakedev')", "torch.Event('fakedev').record()",
            "torch.Generator('fakedev')", "torch.ones(2).pin_memory()",
            "torch.accelerator.memory_stats()", "torch.accelerator.empty_cache()",
            "torch.accelerator.empty_host_cache()", "torch.ones(2, device='fakedev:1')",
            "torch.UntypedStorage(4, device='fakedev')", "torch.accelerator.current_stream()",
            "torch.accelerator.synchronize()", "torch.fakedev.synchronize(1)",
            "torch.accelerator.get_memory_info()",
        ]
        self.assertEqual("", output(EACH_IN_A_FORK.format(calls=calls, expected=0)))

    def test_lazy_init_runs_once_and_queued_calls_in_order(self):
        self.assertEqual("[1, 2] [1, 2, 3]", output("""
            import torch
            calls = []
            torch.fakedev._lazy_call(lambda: calls.append(1))
            torch.fakedev._lazy_call(lambda: calls.append(2))
            assert calls == []
            torch.ones(2, device="fakedev")
            before = list(calls)
            torch.fakedev._lazy_call(lambda: calls.append(3))
            torch.ones(2, device="fakedev")
            print(before, calls)
        """))


class Fork(unittest.TestCase):
    def test_before_first_use_the_child_has_its_own_device(self):
        self.assertEqual("child 3.0\n1.0", output("""
            import os, torch
            torch.accelerator.is_available(), torch.accelerator.device_count()
            if os.fork() == 0:
                x = torch.full((1,), 3.0, device="fakedev")
                print("child", x.item(), flush=True)
                os._exit(0)
            os.wait()
            print(torch.ones(1, device="fakedev").item())
        """))

    def test_after_first_use_the_child_gets_an_error(self):
        self.assertEqual("RuntimeError True\n0 3.0", output("""
            import os, torch
            x = torch.full((1,), 3.0, device="fakedev")
            x.item()
            pid = os.fork()
            if pid == 0:
                try:
                    torch.ones(1, device="fakedev")
                except RuntimeError as error:
                    print(type(error).__name__, "forked subprocess" in str(error), flush=True)
                assert torch.fakedev._is_in_bad_fork()
                assert torch.accelerator.is_available()
                torch.manual_seed(1)
                os._exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), x.item())
        """))

    def test_inherited_tensor_fails_in_words_too(self):
        self.assertEqual("RuntimeError", output("""
            import os, torch
            x = torch.ones(3, device="fakedev")
            torch.accelerator.synchronize()
            if os.fork() == 0:
                try:
                    (x + x).cpu()
                except RuntimeError as error:
                    print(type(error).__name__, flush=True)
                os._exit(0)
            os.wait()
        """))

    def test_child_that_touches_nothing_ends_well(self):
        self.assertEqual("0", output("""
            import os, sys, torch
            x = torch.ones(3, device="fakedev")
            pid = os.fork()
            if pid == 0:
                sys.exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """))


class NoDevice(unittest.TestCase):
    def test_everything_answers(self):
        self.assertEqual("False 0 None tensor([2., 2.])", output("""
            import torch
            torch.manual_seed(-1)
            x = torch.ones(2, requires_grad=True)
            (2 * x).sum().backward()
            print(torch.accelerator.is_available(), torch.fakedev.device_count(),
                  torch.accelerator.current_accelerator(check_available=True), x.grad)
        """, FAKEDEV_DEVICES="0"))

    def test_use_raises(self):
        calls = [
            "torch.ones(2, device='fakedev')", "torch.Stream('fakedev')",
            "torch.Generator('fakedev')", "torch.accelerator.current_stream()",
            "torch.accelerator.set_device_index(0)", "torch.fakedev.init()",
        ]
        self.assertEqual("", output(EACH_IN_A_FORK.format(calls=calls, expected=1),
                                    FAKEDEV_DEVICES="0"))


class Exit(unittest.TestCase):
    def test_live_objects_at_exit(self):
        done = run("""
            import torch
            keep = [torch.ones(3, device="fakedev:1"), torch.Stream("fakedev:1"),
                    torch.Generator("fakedev:1"), torch.ones(2).pin_memory()]
            event = torch.Event("fakedev")
            event.record()
            (keep[0] + keep[0]).sum()
        """)
        self.assertEqual((0, ""), (done.returncode, done.stderr))


if __name__ == "__main__":
    unittest.main()
