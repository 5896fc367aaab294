# SPDX-License-Identifier: BSD-3-Clause
"""Defects of PyTorch itself, or of a library that replaces its functions."""

import ctypes
import os
import threading

import torch

from demonstrate import ERROR, demonstrates


def enabled():
    return torch.is_autocast_enabled("fakedev")


def raises(function, *arguments):
    try:
        function(*arguments)
    except Exception:
        return True
    return False


@demonstrates("core.autocast_checks_nothing")
def mistyped_device_is_taken():
    assert raises(torch.autocast, "fakedve")


@demonstrates("core.autocast_decorates_anything")
def number_is_decorated():
    assert raises(torch.autocast("fakedev"), 3)


@demonstrates("core.autocast_shared_by_threads")
def thread_inherits_the_region():
    seen = []
    with torch.autocast("fakedev"):
        thread = threading.Thread(target=lambda: seen.append(enabled()))
        thread.start()
        thread.join()
    assert seen == [False]


@demonstrates("core.autocast_state_not_restored")
def region_never_ends():
    with torch.autocast("fakedev"):
        pass
    assert not enabled()


@demonstrates("core.autocast_takes_no_index", shows=ERROR)
def device_text_is_refused():
    torch.autocast(str(torch.device("fakedev:0")), dtype=torch.float16)


@demonstrates("core.autocast_unavailable")
def autocast_is_said_to_be_missing():
    assert torch.amp.is_autocast_available("fakedev")


@demonstrates("core.backward_after_fork_is_silent")
def child_trains_without_gradients():
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    child = os.fork()
    if child == 0:
        loss = (x * 2).sum()
        os._exit(0 if raises(loss.backward) or x.grad.tolist() == [4, 4] else 1)
    assert os.waitpid(child, 0)[1] == 0


@demonstrates("core.capturable_refused")
def optimizer_for_graphs_is_refused():
    parameter = torch.ones(2, device="fakedev", requires_grad=True)
    parameter.sum().backward()
    assert not raises(torch.optim.Adam([parameter], capturable=True).step)


@demonstrates("core.compiled_region_stays_off")
def compiled_model_runs_in_full_precision():
    def step(x):
        with torch.autocast("fakedev"):
            return torch.mm(x, x)

    x = torch.ones(2, 2, device="fakedev")
    assert torch.compile(step, backend="eager")(x).dtype == step(x).dtype


@demonstrates("core.registered_function_ignored")
def formula_of_an_own_operator_is_not_used():
    class Marked(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            with torch._C._AutoDispatchBelowAutograd():
                return torch.ops.demonstration.same(x)

        @staticmethod
        def backward(context, gradient):
            return gradient * 3

    library = torch.library.Library("demonstration", "DEF")
    library.define("same(Tensor(a) x) -> Tensor(a)")
    library.impl("same", lambda x: x.view_as(x), "PrivateUse1")
    library.impl("same", Marked.apply, "AutogradPrivateUse1")
    x = torch.ones(2, device="fakedev", requires_grad=True)
    torch.ops.demonstration.same(x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [3, 3]


@demonstrates("core.custom_forward_ignored")
def loss_is_computed_in_half():
    seen = []

    @torch.amp.custom_fwd(device_type="fakedev", cast_inputs=torch.float32)
    def forward(context, x):
        seen.append(x.dtype)

    with torch.autocast("fakedev"):
        forward(type("Context", (), {})(), torch.ones(1, dtype=torch.float16, device="fakedev"))
    assert seen == [torch.float32]


@demonstrates("core.data_takes_any_device")
def data_stays_on_the_cpu():
    x = torch.zeros(2)
    x.data = torch.ones(2, device="fakedev")
    assert x.is_fakedev


@demonstrates("core.scaler_checks_nothing")
def gradients_are_unscaled_twice():
    parameter = torch.ones(1, device="fakedev", requires_grad=True)
    scaler, optimizer = torch.amp.GradScaler("fakedev"), torch.optim.SGD([parameter], lr=1)
    scaler.scale(parameter.sum()).backward()
    scaler.unscale_(optimizer)
    assert raises(scaler.unscale_, optimizer)


@demonstrates("core.vector_takes_two_devices")
def only_the_first_device_is_looked_at():
    parameters = [torch.ones(2, device="fakedev:0"), torch.ones(0, device="cpu")]
    try:
        torch.nn.utils.parameters_to_vector(parameters)
    except TypeError:
        return
    except RuntimeError:
        pass
    raise AssertionError("no word of two devices")


@demonstrates("core.c_abi_changes_nothing")
def extension_cannot_switch_recording_off():
    library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
    library.aoti_torch_grad_mode_set_enabled(ctypes.c_bool(False))
    assert not torch.is_grad_enabled()
