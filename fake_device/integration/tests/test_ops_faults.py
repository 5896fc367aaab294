# SPDX-License-Identifier: BSD-3-Clause
"""A few lines a user might write for each fault of the operators: right on the sound device, wrong
with the fault. Faults are read when the library is loaded, so each program loads it in a fork of
this process, which has torch but not the backend."""

import os
import sys
import tempfile
import traceback
import unittest

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # noqa: E402
import torch._dynamo  # noqa: E402,F401  an optimiser imports it at its first step: once is enough

PROGRAMS = {
    "ops.as_strided_ignores_offset": "assert x[1:].as_strided((1,), (1,)).item() == 1",
    "ops.as_strided_zero_offset_is_not_given": "assert x[1:].as_strided((1,), (1,), 0).item() == 0",
    "ops.conj_copy_wrong": "assert torch.ones(1, device='fakedev').mul(1j).conj().cpu() == -1j",
    "ops.copy_ignores_strides": "assert x[::2].cpu().tolist() == [0, 2]",
    "ops.empty_strided_allocates_nothing":
        "torch.empty_strided((2,), (2,), device='fakedev').fill_(1)",
    "ops.empty_tensor_crashes": "torch.zeros(0, 3, device='fakedev').cpu()",
    "ops.factory_ignores_index": "assert torch.ones(1, device='fakedev:1').device.index == 1",
    "ops.foreach_fallback_not_written_back":
        "x.requires_grad_(); x.grad = torch.ones_like(x)\n"
        "torch.optim.SGD([x], lr=1.0, fused=True).step()\nassert x[1].item() == 0",
    "ops.resize_resets_offset": "assert x[2:].resize_(5)[0].item() == 2",
    "ops.scalar_operand_refused": "x + torch.tensor(1.0)",
    "ops.mixed_devices_accepted":
        "try:\n    torch.ones(1, 1, device='fakedev') @ torch.ones(1, 1, device='fakedev:1')\n"
        "except RuntimeError as e: assert 'same device' in str(e)\nelse: assert False",
    "ops.kernel_runs_on_current_device":
        "from torch_fakedev import testing\ny = torch.ones(2, device='fakedev:1')\n"
        "torch.accelerator.synchronize(1); testing.forget_trace(); y.fill_(3); torch.accelerator.synchronize(1)\n"
        "assert {r.device for r in testing.trace() if r.executed} == {1}",
    "fallback.silent": "from torch_fakedev import testing\nx.sort(); assert testing.fallbacks()",
    "autograd.custom_formula_wrong":
        "x.requires_grad_(); torch.ops.fakedev.scaled_square(x, 1.0).sum().backward()\n"
        "assert x.grad[3].item() == 6",
    "amp.no_registrations": "with torch.autocast('fakedev'): x + x",
    "amp.has_no_effect":
        "with torch.autocast('fakedev', dtype=torch.half): assert (x[None] @ x).dtype is torch.half",
    "amp.float32_list_stays_half":
        "with torch.autocast('fakedev'): assert x.half().exp().dtype is torch.float32",
    "amp.sums_stay_half":
        "with torch.autocast('fakedev'): assert x.half().sum().dtype is torch.float32",
    "amp.promote_takes_narrowest":
        "with torch.autocast('fakedev'):\n"
        "    assert torch.addcmul(x, x.half(), x).dtype is torch.float32",
    "amp.scaler_misses_inf": "s = step(float('inf')); assert s.get_scale() == 4",
    "amp.backoff_ignored": "s = step(float('inf')); assert s.get_scale() == 4",
    "amp.unscale_not_applied": "step(1.0); assert x.tolist() == [-1, 0, 1, 2]",
    "amp.update_scale_never_grows": "s = step(1.0); assert s.get_scale() == 16",
}


def step(x, factor):
    x.requires_grad_()
    scaler = torch.amp.GradScaler("fakedev", init_scale=8.0, growth_interval=1)
    optimizer = torch.optim.SGD([x], lr=1.0)
    scaler.scale((x * factor).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return scaler


def run(code, **environment):
    """Exit status and what the program wrote to standard error."""
    with tempfile.TemporaryFile("w+") as errors:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(errors.fileno(), 2)
                os.environ.update(environment)
                import torch_fakedev
                x = torch.arange(4.0, device="fakedev")
                exec(code, {"torch": torch, "torch_fakedev": torch_fakedev, "x": x,
                            "step": lambda factor: step(x, factor)})
                status = 0
            except BaseException:  # noqa: BLE001  the child must not return into unittest
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), errors.read()[-2000:]


class Faults(unittest.TestCase):
    def test_programs_pass_on_the_sound_device(self):
        for fault, code in PROGRAMS.items():
            with self.subTest(fault):
                self.assertEqual(run(code)[0], 0, run(code)[1])

    def test_each_fault_breaks_its_program(self):
        for fault, code in PROGRAMS.items():
            with self.subTest(fault):
                status, errors = run(code, FAKEDEV_FAULT=fault)
                self.assertNotIn(status, (0, 78), errors)


class Variants(unittest.TestCase):
    def test_narrow_operators_refuses_what_has_no_kernel(self):
        status, errors = run(
            "str(x); x @ x; (x == x).all()\n"
            "try: x.sort()\n"
            "except NotImplementedError as e: assert 'aten::sort' in str(e), e\n"
            "else: assert False", FAKEDEV_VARIANT="narrow_operators")
        self.assertEqual(status, 0, errors)


if __name__ == "__main__":
    unittest.main()
