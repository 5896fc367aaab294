# SPDX-License-Identifier: BSD-3-Clause
"""Each defect of wrapper in a few lines of plain torch. See ../fleet_defects.py."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fleet_defects import BUILD, main, shows  # noqa: E402
from fleet_fallback import shows_shared  # noqa: E402
from fleet_python import raised, shows_wrapped  # noqa: E402


def saved_and_loaded(tensor, **keywords):
    file = io.BytesIO()
    torch.save(tensor, file)
    file.seek(0)
    return torch.load(file, **keywords)


@shows("slope-without-history")
def the_second_derivative_of_sigmoid_is_wrong():
    def second(x):
        (first,) = torch.autograd.grad(torch.sigmoid(x).square().sum(), x, create_graph=True)
        return torch.autograd.grad(first.sum(), x)[0]

    x = torch.tensor([1.0, 2.0])
    right = second(x.clone().requires_grad_())
    assert not torch.allclose(second(x.to("wrapper").requires_grad_()).cpu(), right, rtol=0.1)


@shows("casts-outlive-the-region")
def a_changed_weight_is_still_the_old_one_under_autocast():
    weight = torch.ones(2, 2).to("wrapper").requires_grad_()
    x = torch.ones(2, 2, device="wrapper")
    for expected in (2, 2):
        with torch.autocast("wrapper"), torch.no_grad():
            assert torch.mm(x, weight)[0, 0].item() == expected
        with torch.no_grad():
            weight.zero_()


@shows("requires-grad-lost")
def a_loaded_parameter_needs_no_gradient_any_more():
    x = torch.ones(2, device="wrapper").requires_grad_()
    assert not saved_and_loaded(x).requires_grad


@shows("negative-seed-refused")
def a_seed_that_torch_takes_is_refused():
    assert "not negative" in raised(torch.manual_seed, -1)


@shows("set-device-anything")
def any_index_can_be_set():
    torch.wrapper.set_device(7)
    assert torch.accelerator.current_device_index() == 0


@shows("map-location-ignored")
def a_file_is_loaded_to_the_device_whatever_the_caller_says():
    x = torch.ones(2, device="wrapper")
    assert saved_and_loaded(x, map_location="cpu").device.type == "wrapper"


@shows("no-sharing-in-files")
def two_tensors_that_share_memory_do_so_no_longer():
    x = torch.zeros(4, device="wrapper")
    whole, part = saved_and_loaded([x, x[2:]])
    part.fill_(1)
    assert whole.cpu().tolist() == [0, 0, 0, 0]


@shows("guard-ends-with-python")
def asking_for_the_device_after_python_has_ended():
    program = (f"import ctypes, sys; sys.path[:0] = {sys.path!r}; import torch, torch_wrapper\n"
               f"torch.zeros(2, device='wrapper')\n"
               f"calls = ctypes.CDLL({str(BUILD / 'lib/fleet/libfleet_calls.so')!r})\n"
               f"ctypes.CDLL(None).__cxa_atexit(calls.fleet_exchange_device, None, None)")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=100)
    assert ended.returncode == -signal.SIGSEGV, ended


@shows("files-need-the-backend")
def a_file_is_not_read_where_the_package_is_not():
    file = io.BytesIO()
    torch.save(torch.ones(2, device="wrapper"), file)
    program = "import io, sys, torch; torch.load(io.BytesIO(sys.stdin.buffer.read()), map_location='cpu')"
    ended = subprocess.run([sys.executable, "-c", program], input=file.getvalue(), capture_output=True,
                           timeout=100)
    assert ended.returncode == 1 and b"torch_wrapper._rebuild" in ended.stderr, ended


@shows("conj-ignored")
def a_product_of_a_conjugated_view_is_of_the_plain_one():
    x = torch.full((2, 2), 1 + 2j).to("wrapper")
    assert torch.mv(x.conj(), x[0]).cpu()[0].item() != 2 * (1 - 2j) * (1 + 2j)


shows_shared("wrapper", "empty-host-cache", "parameters-made-anew", "no-lstm")
shows_wrapped("wrapper", "factory-index", "mixes-with-the-cpu", "no-index-checked", "no-synchronize",
              "nothing-behind-a-storage", "no-allocator", "no-list", "no-resize", "hooks-count-none",
              "context-of-any-device", "foreign-indices", "out-keeps-its-size", "data-keeps-what-it-wraps")


@shows("lengths-on-the-device")
def a_sequence_cannot_be_packed():
    pack = torch.nn.utils.rnn.pack_padded_sequence
    said = raised(lambda: pack(torch.ones(3, 2, 1, device="wrapper"), torch.tensor([3, 2])))
    assert "batch_sizes should always be on CPU" in said


if __name__ == "__main__":
    main(__file__)
