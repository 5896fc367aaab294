# SPDX-License-Identifier: BSD-3-Clause
"""The subject of each mutated file and the part of the score in which it counts. A new file without a row fails the
test, so that no file is left out by mistake."""

import fnmatch
import re

INTEGRATION, KERNELS, DRIVER, APART = "integration", "kernels", "driver", "apart"
JUDGED = (INTEGRATION, KERNELS)
PARTS = {
    INTEGRATION: "integration and package",
    KERNELS: "kernels of the driver",
    DRIVER: "the driver's scheduling, caches and tracing (reported, not judged)",
    APART: "profiler, distributed, compile (reported, not judged)",
}

# The first matching pattern decides. Paths begin below fake_device/ and omit the folder of the subject:
# driver/streams/event.c is written driver/event.c. None means that the file is not mutated; the third column is the reason.
SUBJECT = re.compile(r"^(driver|integration)/(?!binding/|include/|tests/|tool/)\w+/")
ROWS = (
    # instruments, which are inactive in a run, and tests with their helpers
    ("driver/*_test.c", None, None), ("driver/*_test_support.h", None, None), ("driver/driver_test.h", None, None),
    ("driver/fault*", None, None), ("driver/variant*", None, None), ("driver/refusal_table.c", None, None),
    ("driver/*.py", None, None), ("driver/names.*", None, None), ("driver/tool/*", None, None), ("driver/include/*", None, None),
    ("driver/test_module*", None, None),
    ("integration/tests/*", None, None), ("torch_fakedev/testing.py", None, None),
    ("torch_fakedev/_driver.py", None, None),  # activates a mutant
    # this part is counted separately
    ("integration/*profiler*", APART, "profiler"), ("integration/coll*", APART, "distributed"),
    ("integration/binding/bind_collectives.cc", APART, "distributed"),
    ("torch_fakedev/_distributed.py", APART, "distributed"),
    ("torch_fakedev/_code_generator.py", APART, "compile"), ("integration/compiled_kernel.*", APART, "compile"),
    ("integration/binding/bind_modules.cc", APART, "compile"), ("torch_fakedev/_compile.py", APART, "compile"), ("torch_fakedev/_device_interface.py", APART, "compile"),
    # kernels
    ("driver/kernel_random.c", KERNELS, "random numbers"), ("driver/philox.*", KERNELS, "random numbers"),
    ("driver/kernel_copy.c", KERNELS, "copies and casts"), ("driver/copy.c", KERNELS, "copies and casts"),
    ("driver/dtype.*", KERNELS, "copies and casts"),
    ("driver/kernel*", KERNELS, "values"), ("driver/arith*", KERNELS, "values"),
    ("driver/tensor_walk.*", KERNELS, "values"),
    # the rest of the driver
    ("driver/stream*", DRIVER, "streams and events"), ("driver/event.c", DRIVER, "streams and events"),
    ("driver/current_*", DRIVER, "streams and events"), ("driver/gate.c", DRIVER, "streams and events"),
    ("driver/graph.c", DRIVER, "graphs"),
    ("driver/scheduler.*", DRIVER, "scheduling"), ("driver/worker.*", DRIVER, "scheduling"),
    ("driver/task_queue.*", DRIVER, "scheduling"),
    ("driver/allocator.*", DRIVER, "memory"), ("driver/memory*", DRIVER, "memory"),
    ("driver/address_space.*", DRIVER, "memory"), ("driver/pinned.*", DRIVER, "memory"),
    ("driver/ipc.*", DRIVER, "sharing"), ("driver/device*", DRIVER, "devices"),
    ("driver/error.*", DRIVER, "errors"), ("driver/status.c", DRIVER, "errors"),
    ("driver/random.c", DRIVER, "random numbers"), ("driver/settings.*", DRIVER, "devices"),
    ("driver/trace.*", DRIVER, "tracing"), ("driver/counters.*", DRIVER, "tracing"),
    ("driver/milestone.*", DRIVER, "tracing"), ("driver/handle.*", DRIVER, "handles"),
    # integration and package
    ("integration/random_*", INTEGRATION, "random numbers"), ("integration/generator.*", INTEGRATION, "random numbers"),
    ("integration/sampling_ops.cc", INTEGRATION, "random numbers"),
    ("integration/multinomial.cc", INTEGRATION, "random numbers"),
    ("integration/binding/bind_random.cc", INTEGRATION, "random numbers"),
    ("torch_fakedev/_random.py", INTEGRATION, "random numbers"),
    ("integration/*_ops.cc", INTEGRATION, "values of operators"), ("integration/attention.cc", INTEGRATION, "values of operators"),
    ("integration/convolution.cc", INTEGRATION, "values of operators"), ("integration/rnn_cells.cc", INTEGRATION, "values of operators"),
    ("integration/elementwise.*", INTEGRATION, "values of operators"), ("integration/structured.h", INTEGRATION, "values of operators"),
    ("integration/fill.*", INTEGRATION, "values of operators"), ("integration/dispatch_stubs.cc", INTEGRATION, "values of operators"),
    ("integration/tensor_descriptor.*", INTEGRATION, "values of operators"), ("integration/views.cc", INTEGRATION, "values of operators"),
    ("integration/factories.*", INTEGRATION, "values of operators"), ("integration/local_scalar.*", INTEGRATION, "values of operators"),
    ("integration/nested.cc", INTEGRATION, "values of operators"), ("integration/quantized.cc", INTEGRATION, "values of operators"),
    ("integration/custom_op.cc", INTEGRATION, "values of operators"), ("integration/histogram.cc", INTEGRATION, "values of operators"),
    ("integration/sparse.cc", INTEGRATION, "values of operators"),
    ("integration/cpu_fallback.*", INTEGRATION, "fallback"), ("integration/parameters.*", INTEGRATION, "fallback"),
    ("integration/copy_*", INTEGRATION, "copies"),
    ("integration/am*", INTEGRATION, "autocast"), ("integration/autocast.cc", INTEGRATION, "autocast"),
    ("torch_fakedev/amp.py", INTEGRATION, "autocast"),
    ("integration/*allocator*", INTEGRATION, "memory"), ("integration/storage.*", INTEGRATION, "memory"),
    ("integration/resize.*", INTEGRATION, "memory"), ("integration/record_stream.cc", INTEGRATION, "memory"),
    ("integration/streams.*", INTEGRATION, "streams and events"), ("integration/events.*", INTEGRATION, "streams and events"),
    ("torch_fakedev/_streams.py", INTEGRATION, "streams and events"),
    ("integration/graphs.*", INTEGRATION, "graphs"),
    ("integration/device_*", INTEGRATION, "devices"), ("integration/binding/bind_device.cc", INTEGRATION, "devices"),
    ("torch_fakedev/_devices.py", INTEGRATION, "devices"), ("torch_fakedev/_indices.py", INTEGRATION, "devices"),
    ("integration/status.*", INTEGRATION, "errors"),
    ("integration/hooks.*", INTEGRATION, "loading and registration"), ("integration/register.*", INTEGRATION, "loading and registration"),
    ("integration/backend_name.*", INTEGRATION, "loading and registration"),
    ("integration/torch_headers.h", None, None), ("integration/which_torch.h", None, None),
    ("integration/binding/module.*", INTEGRATION, "loading and registration"),
    ("integration/backend_meta.*", INTEGRATION, "sharing and saving"), ("integration/binding/bind_sharing.cc", INTEGRATION, "sharing and saving"),
    ("torch_fakedev/_sharing.py", INTEGRATION, "sharing and saving"),
    ("torch_fakedev/*.py", INTEGRATION, "loading and registration"),
)  # fmt: skip


def row_of(path):
    """Returns (part, theme) of a file, or None if it is not mutated. Raises LookupError if no row matches."""
    below = SUBJECT.sub(r"\1/", path.removeprefix("fake_device/"))
    for pattern, part, theme in ROWS:
        if fnmatch.fnmatchcase(below, pattern):
            return (part, theme) if part else None
    raise LookupError(f"no row of themes.py says what {path} is about")
