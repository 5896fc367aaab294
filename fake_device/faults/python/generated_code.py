# SPDX-License-Identifier: BSD-3-Clause
"""Faults of the code generator for Inductor and of the kernels that it generates.

The code generator is imported when Inductor first needs it, and its faults are installed then. A fault becomes part of
the code generator's identity, so code that it generated is not found in the cache of a program without the fault.
"""

import re
import sys
import threading
import types

import torch

from .. import _C, _compile, _streams

_GENERATOR = f"{_compile.__package__}._code_generator"
_SUM_BLOCK = 1024
_process_kernels = {}


def _in_generator(change):
    """Returns a function that installs a fault: calls change(module of the code generator) after its import."""

    def install():
        module = sys.modules[_GENERATOR]
        known = module._Identity.uuid
        module._Identity.uuid = lambda self: (known(self), change.__qualname__)
        change(module)

    def place():
        if _GENERATOR in sys.modules:
            return install()
        clean = _compile.code_generator

        def code_generator(name):
            found = clean(name)
            if _compile.code_generator is code_generator and _GENERATOR in sys.modules:
                _compile.code_generator = clean
                install()
            return found

        _compile.code_generator = code_generator

    return place


# ---- launches ------------------------------------------------------------------------------------


def _launching(make):
    """Returns a fault: each generated kernel is launched by make(launch)(path, written, values). `launch` takes the
    same arguments; written[i] says that the kernel writes to values[i]."""

    def change(module):
        run = make(lambda path, written, values: _C.launch_compiled(path, written, *values))
        module._C = types.SimpleNamespace(launch_compiled=lambda path, written, *values: run(path, written, values))

    change.__qualname__ = make.__qualname__
    return _in_generator(change)


def _device_of(written, values):
    return next(value.device for value, is_output in zip(values, written) if is_output)


def _launch_on(stream, launch, path, written, values):
    """Launches on this stream, which may belong to another device. A launch takes the device of its first output, and
    the kernel ignores a value more than it has parameters."""
    with _streams.stream(stream):
        launch(path, [False] * len(values) + [True], (*values, torch.empty(1, device=stream.device)))


def _on_the_default_stream(launch):
    return lambda path, written, values: _launch_on(
        _streams.default_stream(_device_of(written, values)), launch, path, written, values
    )


def _on_device_0(launch):
    return lambda path, written, values: _launch_on(_streams.current_stream(0), launch, path, written, values)


def _on_the_first_stream(launch):
    first = {}

    def run(path, written, values):
        stream = first.setdefault(path, _streams.current_stream(_device_of(written, values)))
        _launch_on(stream, launch, path, written, values)

    return run


def _in_the_first_thread(launch):
    first = threading.get_ident()
    return lambda *launched: launch(*launched) if threading.get_ident() == first else None


def _with_the_first_sizes(launch):
    first = {}

    def run(path, written, values):
        sizes = first.setdefault(path, [value for value in values if isinstance(value, int)])
        rest = iter(sizes)
        launch(path, written, [next(rest) if isinstance(value, int) else value for value in values])

    return run


def _with_contiguous_inputs(launch):
    def run(path, written, values):
        pairs = zip(values, written)
        is_input = lambda value, is_output: isinstance(value, torch.Tensor) and not is_output
        launch(path, written, [value.contiguous() if is_input(value, out) else value for value, out in pairs])

    return run


# ---- kernels -------------------------------------------------------------------------------------


def _compiling(make):
    """Returns a fault: the code generator compiles the text make(text) for a kernel and for the types of its
    parameters."""

    def change(module):
        clean = module.compiled
        module.compiled = lambda async_compile, name, types, source: clean(
            async_compile, name, [make(one) for one in types], make(source)
        )

    change.__qualname__ = make.__qualname__
    return _in_generator(change)


def _bfloat16_as_float16(text):
    return text.replace("at::BFloat16", "at::Half")


def _with_a_constant_seed(text):
    return re.sub(r"normalized_rand_cpu\(\w+,", "normalized_rand_cpu(3,", text)


def _stopping_early(text):
    """Loops of a kernel with an accumulator end after a block."""
    if "tmp_acc" not in text:
        return text
    return re.sub(r"(; *\w+<)(static_cast<int64_t>\([^;]*\));", rf"\1std::min<int64_t>({_SUM_BLOCK}L, \2);", text)


def _kept_without_dtype(module):
    clean, kept = module.compiled, {}
    dtypes = re.compile(r"float|int32_t|at::BFloat16|at::Half")

    def compiled(async_compile, name, types, source):
        key = tuple(types and [dtypes.sub("T", one) for one in types])
        if key not in kept:
            kept[key] = clean(async_compile, name, types, source)
        return kept[key]

    module.compiled = compiled


# ---- the generated Python code -------------------------------------------------------------------


def _on_the_current_device(module):
    del module._Calls.make_allocation


def _with_copies_of_arguments(module):
    clean = module._Calls._generate_kernel_call_helper

    def call(self, kernel_name, call_args, **named):
        copied = [f"{one}.clone()" if re.fullmatch(r"(arg|primals_)\d+(_\d+)?", one) else one for one in call_args]
        clean(self, kernel_name, copied, **named)

    module._Calls._generate_kernel_call_helper = call


def _with_objects_of_the_process(module):
    """Generated code has a number for each kernel, which only the process that generated the code knows."""
    clean_define, clean_compiled = module._Calls.define_kernel, module.compiled

    def define_kernel(self, kernel_name, kernel_body, *arguments, **named):
        number = str(len(_process_kernels))
        _process_kernels[number] = kernel_body.partition("'''")[2].rpartition("'''")[0]
        clean_define(self, kernel_name, kernel_body.replace(_process_kernels[number], number), *arguments, **named)

    def compiled(async_compile, name, types, source):
        return clean_compiled(async_compile, name, types, _process_kernels[source])

    module._Calls.define_kernel, module.compiled = define_kernel, compiled


def _with_a_wrong_guard(module):
    module._Operations.device_guard = lambda self, device_idx: f"with torch.{module.DEVICE}.device({device_idx})"


PLACES = {
    "python.device_operations_are_no_code": _in_generator(_with_a_wrong_guard),
    "python.generated_code_allocates_on_the_current_device": _in_generator(_on_the_current_device),
    "python.generated_code_has_a_constant_seed": _compiling(_with_a_constant_seed),
    "python.generated_code_needs_its_process": _in_generator(_with_objects_of_the_process),
    "python.generated_code_takes_bfloat16_for_float16": _compiling(_bfloat16_as_float16),
    "python.generated_code_takes_copies": _in_generator(_with_copies_of_arguments),
    "python.generated_kernels_are_kept_without_dtype": _in_generator(_kept_without_dtype),
    "python.generated_kernels_keep_the_first_size": _launching(_with_the_first_sizes),
    "python.generated_kernels_keep_the_first_stream": _launching(_on_the_first_stream),
    "python.generated_kernels_need_the_first_thread": _launching(_in_the_first_thread),
    "python.generated_kernels_run_on_device_0": _launching(_on_device_0),
    "python.generated_kernels_run_on_the_default_stream": _launching(_on_the_default_stream),
    "python.generated_kernels_take_contiguous_inputs": _launching(_with_contiguous_inputs),
    "python.generated_sums_stop_early": _compiling(_stopping_early),
}
