# SPDX-License-Identifier: BSD-3-Clause
"""The code generator for torch.compile: Inductor's own C++ kernels, launched by the driver.

Only Inductor imports this file, through the attributes `Scheduling` and `PythonWrapperCodegen` of torch.fakedev. Each
kernel becomes a module of the driver (fakedev_kernels.h): the C++ compiler makes a shared object, and the driver loads
this object. The driver runs the kernel's function on the current stream of the output's device. The host never reads
device memory. If an attribute of Inductor that this file overrides does not exist, the import raises, and _compile.py
refuses in one sentence. Inductor's cache of generated Python code does not know this file: after a change, clear the
cache.
Serves: COMP-022 to COMP-024.
"""

import functools

from torch._inductor import config
from torch._inductor.async_compile import get_compile_threads
from torch._inductor.codecache import CppCodeCache, LambdaFuture
from torch._inductor.codegen import common, cpp, wrapper
from torch._inductor.cpp_builder import get_cpp_compiler
from torch._inductor.virtualized import V

from . import _C, _streams

DEVICE = "fakedev"
# Reading these attributes shows at once if this release of Inductor has another interface.
_OVERRIDDEN = (
    cpp.CppScheduling._get_scheduled_num_args,
    cpp.CppScheduling._set_flush_status,
    cpp.CppScheduling.can_fuse_horizontal,
    cpp.CppScheduling.can_fuse_vertical,
    cpp.CppScheduling.codegen_node,
    cpp.CppScheduling.define_kernel,
    cpp.CppScheduling.flush,
    wrapper.PythonWrapperCodegen._generate_kernel_call_helper,
    wrapper.PythonWrapperCodegen.create,
    wrapper.PythonWrapperCodegen.define_kernel,
    wrapper.PythonWrapperCodegen.make_allocation,
    wrapper.PythonWrapperCodegen.write_header,
    wrapper.SubgraphPythonWrapperCodegen,
)

# The module of one kernel. An exception must not leave `run`, because its caller is C.
_MODULE = """
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
extern "C" void kernel({parameters});
static int run(void *const *arguments, char *text, std::size_t size)
{{
    try {{
        kernel({arguments});
        return 0;
    }} catch (const std::exception &error) {{
        std::snprintf(text, size, "%.*s", (int)std::strcspn(error.what(), "\\n"), error.what());
        return 1;
    }}
}}
struct fd_module {{
    const char *name;
    int (*run)(void *const *, char *, std::size_t);
}};
extern "C" __attribute__((visibility("default"))) const fd_module fakedev_module = {{"{name}", run}};
"""


def _module(name, types):
    """The C++ source of the module of a kernel with arguments of these types. All pointers are passed as void *."""
    parameters = ["void *" if t.endswith("*") else t for t in types]
    arguments = [f"arguments[{i}]" if t.endswith("*") else f"*({t} *)arguments[{i}]" for i, t in enumerate(types)]
    return _MODULE.format(parameters=", ".join(parameters), arguments=", ".join(arguments), name=name)


@functools.cache
def _require_compiler():
    try:
        get_cpp_compiler()
    except Exception as error:
        raise NotImplementedError(
            "fakedev generates C++ code for Inductor and found no C++ compiler; install one, set CXX, or compile with "
            "backend='aot_eager'") from error


# A kernel runs on one thread, the worker of its stream, because an exception must not leave a parallel region.
# For a device that it does not know, Inductor reads the language of the kernels from cuda_backend.
_SETTINGS = {"cpp.threads": 1, "cuda_backend": "cpp"}

# Inductor's scheduler does not reorder loops for the CPU, because the C++ kernels do not support it. The scheduler
# tests only for the device type "cpu", so these methods must return the same values for this device.
_NO_REORDERING = {
    "shared_data_after_inverting_indexing": -1,
    "shared_data_after_reordering_loop": -1,
    "_try_reindex_pointwise_for_reduction": False,
}

# Inductor adds nodes to a kernel until the kernel has this many arguments. The limit leaves room for sizes, so that a
# kernel has fewer than FD_MODULE_ARGUMENTS.
_KERNEL_FULL, _NODE_FULL = 150, 250


def _fits(node1, node2):
    return len(node1.read_writes.buffer_names() | node2.read_writes.buffer_names()) <= _NODE_FULL


class Scheduling(cpp.CppScheduling):
    def __init__(self, scheduler):
        _require_compiler()
        super().__init__(scheduler)
        for name, answer in _NO_REORDERING.items():
            if hasattr(scheduler, name):
                setattr(scheduler, name, lambda *_, answer=answer: answer)

    def can_fuse_horizontal(self, node1, node2):
        return _fits(node1, node2) and super().can_fuse_horizontal(node1, node2)

    def can_fuse_vertical(self, node1, node2):
        return _fits(node1, node2) and super().can_fuse_vertical(node1, node2)

    def codegen_node(self, node):
        with config.patch(_SETTINGS):
            super().codegen_node(node)
        if self._get_scheduled_num_args() > _KERNEL_FULL:
            self._set_flush_status(True)

    def flush(self):
        with config.patch(_SETTINGS):
            return super().flush()

    def define_kernel(self, src_code, nodes, kernel_args=None):
        # Without the comment, an equal kernel for the CPU in the same graph would be taken for this kernel.
        return super().define_kernel(f"{src_code}// for {DEVICE}\n", nodes, kernel_args)


class _Calls:
    """Defines and calls kernels of this device in the generated Python code."""

    def define_kernel(self, kernel_name, kernel_body, *arguments, **named):
        if _is_ours(V.graph.get_current_device_or_throw()):
            ours = f"fakedev_compiled(async_compile, {kernel_name!r}, "
            kernel_body = kernel_body.replace("async_compile.cpp_pybinding(", ours, 1)
        super().define_kernel(kernel_name, kernel_body, *arguments, **named)

    def _generate_kernel_call_helper(self, kernel_name, call_args, *, device=None, **named):
        if _is_ours(device or V.graph.get_current_device_or_throw()):
            self.writeline(self.wrap_kernel_call(kernel_name, call_args))
        else:
            super()._generate_kernel_call_helper(kernel_name, call_args, device=device, **named)

    def codegen_cuda_stream_enter(self, *_, **__):
        raise NotImplementedError(
            "fakedev generates no code for a stream inside a compiled function; choose the stream outside of it, or "
            "compile with backend='aot_eager'")

    def make_allocation(self, name, device, *arguments, **named):
        """Inductor makes the device current only for device types that it knows, so the code must name the index."""
        line = super().make_allocation(name, device, *arguments, **named)
        return line.replace(f"device='{DEVICE}'", f"device='{device}'")


class PythonWrapperCodegen(_Calls, wrapper.PythonWrapperCodegen):
    @staticmethod
    def create(is_subgraph, *arguments, **named):
        return _Subgraph(*arguments, **named) if is_subgraph else PythonWrapperCodegen()

    def write_header(self):
        super().write_header()
        self.imports.writeline(f"from {__name__} import compiled as fakedev_compiled")


class _Subgraph(_Calls, wrapper.SubgraphPythonWrapperCodegen):
    """The body of a branch or a loop, in the file of its PythonWrapperCodegen."""


def _is_ours(device):
    return device.type == DEVICE


class _Operations(common.DeviceOpOverrides):
    """Pieces of the generated Python code."""

    def import_get_raw_stream_as(self, name):
        return f"from {__name__} import get_raw_stream as {name}"

    def set_device(self, device_idx):
        return f"torch.{DEVICE}.set_device({device_idx})"

    def synchronize(self):
        return f"torch.{DEVICE}.synchronize()"

    def device_guard(self, device_idx):
        return f"torch.{DEVICE}.device({device_idx})"

    def current_stream(self):
        return f"torch.{DEVICE}.current_stream()"


common.register_device_op_overrides(DEVICE, _Operations())


# ---- called by the generated code ----------------------------------------------------------------


def get_raw_stream(device):
    return _streams.current_stream(device).native_handle


def compiled(async_compile, name, types, source):
    """Compiles a kernel, and returns the function that launches it, or the future of this function."""
    written = [t.endswith("*") and not t.startswith("const ") for t in types]
    # With one compile thread, `submit` would compile immediately and wait for the lock that load_async holds. Inductor
    # would not wait for the future either.
    parallel = get_compile_threads() > 1
    submit = async_compile.submit if parallel else None
    library = CppCodeCache.load_async(_module(name, types), optimized_code=source, submit_fn=submit)

    def launcher():
        return functools.partial(_C.launch_compiled, library()._name, written)

    return LambdaFuture(launcher) if parallel else launcher()
