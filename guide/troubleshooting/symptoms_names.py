# SPDX-License-Identifier: BSD-3-Clause
"""Symptoms of a name, a device module or generated methods that are missing, duplicate or too early."""

import io
import types

import torch
from breaking import alone, load_backend, load_library, make_module, with_backend

rename = torch.utils.rename_privateuse1_backend
generate = torch.utils.generate_methods_for_privateuse1_backend


def module(**members):
    made = types.ModuleType("torch.foo")
    vars(made).update(members)
    return made


def register(**members):
    rename("foo")
    torch._register_device_module("foo", module(**members))


@alone
def name_unknown(whole):
    if whole:
        rename("foo")
    torch.device("foo")


@alone
def name_taken(whole):
    rename("foo")
    rename("foo" if whole else "bar")


@alone
def name_of_core(whole):
    rename("foo" if whole else "cuda")


@alone
def module_twice(whole):
    register()
    if not whole:
        torch._register_device_module("foo", module())


@alone
def module_before_name(whole):
    if whole:
        rename("foo")
    torch._register_device_module("foo", module())


@alone
def module_missing(whole):
    rename("foo")
    if whole:
        torch._register_device_module("foo", module())
    torch.get_device_module("foo")


@alone
def module_not_imported(whole):
    if whole:
        register()
    import torch.foo  # noqa: F401


@alone
def module_no_attribute(whole):
    rename("foo")
    if whole:
        torch._register_device_module("foo", module())
    torch.foo  # noqa: B018  the attribute alone is asked for


@with_backend
def module_for_first_tensor(whole):
    load_backend(module=whole)
    torch.empty(2, device="foo")


@alone
def methods_missing(whole):
    rename("foo")
    if whole:
        generate()
    torch.ones(1).is_foo  # noqa: B018


@with_backend
def methods_missing_to(whole):
    torch._register_device_module("foo", make_module(load_library()))
    if whole:
        generate()
    torch.ones(1).foo()


@alone
def methods_twice(whole):
    rename("foo")
    generate()
    if not whole:
        generate()


@alone
def methods_of_modules_need_tensors(whole):
    rename("foo")
    generate(for_tensor=whole, for_module=True)


@alone
def methods_of_sequences_need_tensors(whole):
    rename("foo")
    generate(for_tensor=whole, for_module=False, for_packed_sequence=True)


@with_backend
def methods_of_storage(whole):
    torch._register_device_module("foo", make_module(load_library()))
    generate(for_storage=whole)
    torch.ones(1).untyped_storage().foo()


@with_backend
def storage_dtype(whole):
    torch._register_device_module("foo", make_module(load_library()))
    generate(for_storage=True, unsupported_dtype=None if whole else [torch.int8])
    torch.TypedStorage([1], dtype=torch.int8).foo()


@alone
def seed_has_no_effect(whole):
    seeds = {"_is_in_bad_fork": lambda: False, "manual_seed_all": lambda seed: None}
    register(**(seeds if whole else {}))
    torch.manual_seed(1)


@alone
def fork_rng_module(whole):
    rename("foo")
    if whole:
        torch._register_device_module("foo", module(device_count=lambda: 0))
    with torch.random.fork_rng(device_type="foo"):
        pass


@with_backend
def fork_rng_state(whole):
    library = load_library()
    made = make_module(library)
    if not whole:
        del made.get_rng_state
    torch._register_device_module("foo", made)
    with torch.random.fork_rng(devices=[0], device_type="foo"):
        pass


@with_backend
def checkpoint_device(whole):
    made = make_module(load_library())
    if not whole:
        del made.device
    torch._register_device_module("foo", made)
    x = torch.ones(2, device="foo", requires_grad=True)
    torch.utils.checkpoint.checkpoint(torch.dropout, x, 0.5, True, use_reentrant=True).sum().backward()


@alone
def amp_module(whole):
    rename("foo")
    if whole:
        torch._register_device_module("foo", module(get_amp_supported_dtype=lambda: [torch.float16]))
    torch.autocast("foo", dtype=torch.float16)


@alone
def amp_dtypes(whole):
    register(**({"get_amp_supported_dtype": lambda: [torch.float16]} if whole else {}))
    torch.autocast("foo", dtype=torch.float16)


@alone
def amp_dtype_unsupported(whole):
    register(get_amp_supported_dtype=lambda: [torch.bfloat16, *([torch.float16] if whole else [])])
    torch.autocast("foo", dtype=torch.float16)


def saved_elsewhere():
    """Writes a file with a tensor of foo, as if saved on another machine."""
    written = io.BytesIO()
    torch.serialization.register_package(0, lambda storage: "foo", lambda storage, place: None)
    torch.save(torch.ones(2), written)
    torch.serialization._package_registry.pop(0)
    written.seek(0)
    return written


@alone
def load_without_backend(whole):
    torch.load(saved_elsewhere(), map_location="cpu" if whole else None)


@alone
def load_without_module(whole):
    written = saved_elsewhere()
    rename("foo")
    torch.load(written, map_location="cpu" if whole else None)


@with_backend
def load_device_count(whole):
    made = make_module(load_library())
    if not whole:
        del made.device_count
    torch._register_device_module("foo", made)
    torch.load(saved_elsewhere())


@with_backend
def load_available(whole):
    made = make_module(load_library())
    made.is_available = lambda: whole
    torch._register_device_module("foo", made)
    torch.load(saved_elsewhere())


@with_backend
def load_index(whole):
    load_backend()
    torch.load(saved_elsewhere(), map_location="foo:1" if whole else "foo:7")
