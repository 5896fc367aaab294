# SPDX-License-Identifier: BSD-3-Clause
"""Inductor must generate code for the device, or refuse the device with a reason before anything runs."""

import contextlib
import ctypes
import pathlib
import tempfile

import torch
from assay.checks import Case, stand_in
from suites.compile.compiled import PRELOAD, GeneratedCodeCase, common

PRIVATEUSE1 = 20  # c10::DeviceType::PrivateUse1


def several(x, y):
    """One function with the patterns of code, because each compilation by Inductor takes seconds."""
    z = torch.relu(x * 2 - y)
    w = z.t()[1:] + 1
    z.add_(x)
    y.mul_(2)
    return z, w, (x + y).sum(0), torch.mm(z, y) + x[0], torch.cat([x, y]), torch.ones(3, device=x.device) + x.sum()


def times(factor):
    """Inductor gives the kernels of all factors one name."""
    return lambda x: x * factor + 1


CACHED = """
import torch
from torch._dynamo.utils import counters

def several(x):
    return torch.relu(x * 2 - 3).sum(0) + x[0]

name, answer = torch._C._get_privateuse1_backend_name(), {"seen": [], "wanted": []}
for index in DEVICES:
    x = torch.arange(16.).reshape(4, 4).to(f"{name}:{index}")
    torch._dynamo.reset()
    for key, result in (("seen", torch.compile(several)(x)), ("wanted", several(x))):
        answer[key].append([str(result.device), result.cpu().tolist()])
answer["hits"] = counters["inductor"]["fxgraph_cache_hit"]
"""


def raises_a_number(x):
    """Changes its argument, so that a refusal that comes too late can be seen."""
    x.add_(1)
    return x * 2


def scaled(x):
    return (torch.relu(x * 2 - 3) + x.sum(0),)


class Scaled(torch.nn.Module):
    def forward(self, x):
        return scaled(x)


class CodeGeneration(GeneratedCodeCase):
    def test_equals_eager(self):
        """compile.inductor_equals_eager_mode"""
        self.require_registration()
        wanted = self.called(several)
        compiled = torch.compile(several)
        try:
            seen = self.called(compiled)
        except torch._dynamo.exc.InternalTorchDynamoError:
            raise
        except Exception as error:
            self.lacks("inductor", error)
        with self.asks_a_special_case():
            self.expect_same(seen, wanted, "a function that Inductor compiled")
            for number, device in enumerate(self.devices[:2]):
                self.expect_same(self.called(compiled, number), self.called(several, number), f"the same function on {device}")
            for factor in 3, 5:
                x = self.matrix()
                self.expect_same(torch.compile(times(factor))(x), times(factor)(x), f"a compiled function that multiplies by {factor}")

    def called(self, function, number=0):
        """Returns the results of the function, and its arguments, because it changes one of them."""
        arguments = self.matrix(number), self.matrix(number, start=20.0).t()
        return function(*arguments), arguments

    def test_refusal(self):
        """compile.refused_code_generation_changes_nothing"""
        x, before = self.matrix(), raises_a_number(self.matrix())
        untouched = self.on_cpu(x)
        torch._dynamo.reset()
        try:
            torch.compile(raises_a_number)(x)
        except Exception as error:
            self.expect_clean_refusal(error)
            self.expect_tensor(x, untouched, "after the refusal, the argument is unchanged")
            torch._dynamo.reset()
            self.expect_tensor(raises_a_number(x), before, "after the refusal, the function works in eager mode")
            return
        self.has_all_the_same("inductor", "Inductor compiles a function of the device")

    def test_package(self):
        """compile.package_compiled_ahead_of_time_equals_eager_mode"""
        (wanted,), _ = self.eager(scaled, lambda: (self.matrix(),))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.pt2")
            try:
                program = torch.export.export(Scaled(), (self.matrix(),))
                torch._inductor.aoti_compile_and_package(program, package_path=str(path))
            except Exception as error:
                self.expect_true(not path.exists(), "a refused compilation leaves no package", str(path))
                self.require(self.expect_clean_refusal(error))
                return
            with self.asks_a_special_case():
                (seen,) = torch._inductor.aoti_load_package(str(path))(self.matrix())
                self.expect_same(seen, wanted, "a module that AOTInductor compiled, after it was loaded")

    def expect_clean_refusal(self, error):
        words = str(error)
        is_clear = isinstance(error, RuntimeError) and self.device_name in words
        self.note("refused with", f"{type(error).__name__}: {' '.join(words.split())[:200]}")
        what = f"Inductor raises a RuntimeError that names {self.device_name}"
        return self.expect_true(is_clear, what, f"{type(error).__name__}: {words[:300]}")

    def test_cache(self):
        """compile.cached_code_of_another_process_gives_equal_results"""
        self.require_registration()
        indices = [device.index for device in self.devices[:2]]
        with tempfile.TemporaryDirectory() as folder:
            for process, order in (("first", indices), ("second", indices[::-1])):
                code = CACHED.replace("DEVICES", str(order))
                what = f"the {process} process that uses a cache folder compiles a function"
                seen = self.fresh(code, what, TORCHINDUCTOR_CACHE_DIR=folder)
                self.expect_equal(seen["seen"], seen["wanted"], f"results of the {process} process")
                self.note(f"hits in the cache, {process} process", seen["hits"])

    def test_snippets(self):
        """compile.device_operations_are_python_code"""
        self.require_registration()  # reads the classes of the package, which register its DeviceOpOverrides
        try:
            overrides = common().get_device_op_overrides(self.device_name)
        except Exception as error:
            self.does_not_apply(f"the code generator registers no DeviceOpOverrides: {type(error).__name__}: {error}")
        snippets = {
            "import_get_raw_stream_as": overrides.import_get_raw_stream_as("get_raw_stream"),
            "set_device": overrides.set_device(0),
            "synchronize": overrides.synchronize(),
            "device_guard": overrides.device_guard(0),
        }
        for name, text in snippets.items():
            self.expect_true(_is_python(text), f"{name} returns a statement of Python", repr(text))
        with contextlib.suppress(NotImplementedError):  # a backend without a C++ wrapper does not override the method
            self.expect_true(isinstance(overrides.cpp_device_guard(), str), "cpp_device_guard() returns a name of C++", "another object")


def _is_python(text):
    try:
        compile(text, "<snippet>", "exec")
    except (SyntaxError, TypeError, ValueError):
        return False
    return True


class Registration(Case):
    """PyTorch's own table of code generators, tested with classes of the check."""

    def setUp(self):
        super().setUp()
        self.addCleanup(common().device_codegens.update, dict(common().device_codegens))
        self.addCleanup(common().device_codegens.clear)

    def found(self):
        common().init_backend_registration.cache_clear()
        common().init_backend_registration()
        return common().get_scheduling_for_device(self.device_name)

    def test_registration(self):
        """compile.code_generator_is_found_by_its_device"""
        names = ("Scheduling", "PythonWrapperCodegen", "CppWrapperCodegen", "WrapperFxCodegen")
        classes = {name: type(name, (), {}) for name in names}
        common().device_codegens.pop(self.device_name, None)
        with stand_in.stand_in(self.device_name, **{name: classes[name] for name in names[:3]}):
            self.note("a device module without WrapperFxCodegen is used", self.found() is not None)
        common().device_codegens.pop(self.device_name, None)
        with stand_in.stand_in(self.device_name, **classes):
            self.expect_equal(self.found(), classes["Scheduling"], "Inductor takes the classes of the device module")
        own = [type("Own", (), {}) for _ in range(3)]
        common().register_backend_for_device(self.device_name, *own)
        self.expect_equal(self.found(), own[0], "a registered scheduling class is found")
        find = common().get_wrapper_codegen_for_device
        self.expect_equal(find(self.device_name), own[1], "a registered wrapper class is found")
        self.expect_equal(find(self.device_name, cpp_wrapper=True), own[2], "a registered class of C++ wrappers is found")

    def test_device_code(self):
        """compile.device_type_in_compiled_packages_is_privateuse1"""
        library = ctypes.CDLL(str(pathlib.Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
        seen = library.aoti_torch_device_type_privateuse1()
        self.expect_equal(seen, PRIVATEUSE1, "aoti_torch_device_type_privateuse1() returns the code of the device type")
