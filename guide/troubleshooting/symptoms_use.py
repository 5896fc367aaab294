# SPDX-License-Identifier: BSD-3-Clause
"""Symptoms in use: tensors across devices, processes and formats, duplicate kernels, tools without the device's
name."""

import os
from multiprocessing.reduction import ForkingPickler

import numpy
import torch
from breaking import alone, load_backend, with_backend


@with_backend
def numpy_of_device(whole):
    load_backend()
    x = torch.ones(1, device="foo")
    numpy.asarray(x.cpu() if whole else x)


@with_backend
def mixed_devices(whole):
    load_backend()
    torch.ones(2, device="foo") + torch.ones(2, device="foo:0" if whole else "cpu")


@with_backend
def mixed_indices(whole):
    load_backend()
    torch.ones(2, device="foo:0") + torch.ones(2, device="foo:0" if whole else "foo:1")


@with_backend
def generator_of_cpu(whole):
    load_backend()
    torch.rand(2, device="foo", generator=torch.Generator("foo" if whole else "cpu"))


@with_backend
def sent_to_process(whole):
    load_backend()
    x = torch.ones(2, device="foo")
    ForkingPickler.dumps(x.cpu() if whole else x)


@with_backend
def forked_after_start(whole):
    load_backend()
    if not whole:
        torch.foo.init()
        torch.ones(2, device="foo")
    child = os.fork()
    if child == 0:
        torch.foo.init()
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        raise ChildProcessError("the child failed")


@with_backend
def compiled(whole):
    load_backend()
    torch.compile(torch.sin, backend="eager" if whole else "inductor")(torch.ones(2, device="foo"))


@alone
def compile_interface(whole):
    from torch._dynamo import device_interface

    torch.utils.rename_privateuse1_backend("foo")
    if whole:
        device_interface.register_interface_for_device("foo", device_interface.CpuInterface)
    device_interface.get_interface_for_device("foo")


def group(backend):
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group(backend, store=store, rank=0, world_size=1)


@alone
def distributed_unknown(whole):
    group("gloo" if whole else "fooccl")


@with_backend
def distributed_device(whole):
    load_backend()
    group("gloo")
    torch.distributed.all_reduce(torch.ones(2, device="cpu" if whole else "foo"))


@with_backend
def distributed_ddp(whole):
    load_backend()
    group("gloo")
    torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).to("cpu" if whole else "foo"))


@alone
def pinned_without_accelerator(whole):
    x = torch.ones(2)
    if not whole:
        x.pin_memory()


@alone
def loader_without_accelerator(whole):
    list(torch.utils.data.DataLoader([torch.ones(1)], pin_memory=not whole))


@alone
def accelerator_none(whole):
    if whole:
        torch.accelerator.is_available()
    else:
        torch.accelerator.current_stream()


@with_backend
def dlpack(whole):
    load_backend()
    x = torch.ones(2, device="foo")
    torch.from_dlpack(torch.utils.dlpack.to_dlpack(x) if whole else x)


@alone
def library_twice(whole):
    first = torch.library.Library("foo", "DEF")
    second = torch.library.Library("foo", "FRAGMENT" if whole else "DEF")
    del first, second


@alone
def operator_twice(whole):
    made = torch.library.Library("foo", "DEF")
    made.define("twice(Tensor x) -> Tensor")
    made.define("other(Tensor x) -> Tensor" if whole else "twice(Tensor x) -> Tensor")


@alone
def operator_unknown(whole):
    made = torch.library.Library("aten", "IMPL", "PrivateUse1")
    made.impl("relu" if whole else "reluu", lambda x: x)
    torch.ops.aten.relu if whole else torch.ops.aten.reluu  # noqa: B018


@alone
def kernel_twice(whole):
    made = torch.library.Library("aten", "IMPL", "PrivateUse1")
    made.impl("relu", lambda x: x)
    made.impl("sigmoid" if whole else "relu", lambda x: x)


@alone
def kernel_twice_in_two_libraries(whole):
    first = torch.library.Library("aten", "IMPL", "PrivateUse1")
    first.impl("relu", lambda x: x)
    second = torch.library.Library("aten", "IMPL", "PrivateUse1")
    second.impl("sigmoid" if whole else "relu", lambda x: x)


@alone
def autograd_not_registered(whole):
    made = torch.library.Library("foo", "DEF")
    made.define("double(Tensor x) -> Tensor")
    made.impl("double", lambda x: torch.from_numpy(x.detach().numpy() * 2), "CPU")
    if whole:
        torch.library.register_autograd("foo::double", lambda ctx, gradient: gradient * 2, lib=made)
    torch.ops.foo.double(torch.ones(2, requires_grad=True)).sum().backward()


@alone
def meta_not_registered(whole):
    made = torch.library.Library("foo", "DEF")
    made.define("double(Tensor x) -> Tensor")
    made.impl("double", lambda x: x * 2, "CPU")
    if whole:
        torch.library.register_fake("foo::double", torch.empty_like, lib=made)
    with torch._subclasses.FakeTensorMode():
        torch.ops.foo.double(torch.ones(2))
