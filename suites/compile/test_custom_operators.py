# SPDX-License-Identifier: BSD-3-Clause
"""torch.library.opcheck on operators of the backend, and on an operator that a program defines for the device."""

import torch
from suites.autograd.test_own_formulas import arguments_for
from suites.compile.compiled import BACKENDS, PRELOAD, CompileCase

# Namespaces of PyTorch and its libraries. A backend may register kernels for their operators.
NOT_OWN = {
    "_c10d_functional", "_quantized", "_test", "aten", "c10d", "debugprims", "fsdp", "inductor", "mkldnn", "prim", "prims",
    "profiler", "quantized", "rngprims", "sparse", "streams", "symm_mem", "torchaudio", "torchvision",
    "assay_compiled", "assay_probe", "assay_registered",
}
WITH_META = ("Meta", "CompositeExplicitAutograd", "CompositeImplicitAutograd")


def own_operators():
    """Operators that this backend alone defines, and that have a meta kernel."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    for name in sorted(torch._C._dispatch_get_registrations_for_dispatch_key("PrivateUse1")):
        namespace, _, rest = name.partition("::")
        if namespace not in NOT_OWN and not has(name, "CPU") and any(has(name, key) for key in WITH_META):
            operator, _, overload = rest.partition(".")
            yield name, getattr(getattr(getattr(torch.ops, namespace), operator), overload or "default")


class CustomOperators(CompileCase):
    def expect_opcheck(self, operator, arguments, what):
        seen = torch.library.opcheck(operator, arguments, raise_exception=False)
        for test, outcome in seen.items():
            if isinstance(outcome, NotImplementedError) and "NYI devices" in str(outcome):
                self.note(f"{test} of opcheck", f"PyTorch does not offer it for this device: {outcome}")
                continue
            words = "SUCCESS" if outcome == "SUCCESS" else f"{type(outcome).__name__}: {str(outcome)[:300]}"
            self.expect_equal(words, "SUCCESS", f"{test} of torch.library.opcheck holds for {what}")

    def calls_of(self, operator):
        """Arguments with which the operator gives the same result twice."""
        x = self.on_device(torch.linspace(0.5, 1.5, 8))
        values = arguments_for(operator._schema, x)
        try:
            first, second = values and operator(*values), values and operator(*values)
            is_usable = isinstance(first, torch.Tensor) and torch.equal(self.on_cpu(first), self.on_cpu(second))
        except Exception as error:
            self.note(f"{operator} was not tested", str(error).split("\n")[0])
            return
        if is_usable:
            yield tuple(values)
            if first.dtype.is_floating_point:
                yield (x.detach().clone().requires_grad_(), *values[1:])

    def test_own(self):
        """compile.operators_of_the_backend_pass_opcheck"""
        tried = []
        for name, operator in own_operators():
            for arguments in self.calls_of(operator):
                tried.append(name)
                with self.asks_a_special_case():
                    grad = ", with a gradient" if arguments[0].requires_grad else ""
                    self.expect_opcheck(operator, arguments, f"{name}{grad}")
        self.note("operators of the backend that were tested", ", ".join(dict.fromkeys(tried)) or "none")
        if not tried:
            self.lacks("custom_ops", "no operator of the backend with a meta kernel could be called")

    def defined(self):
        """An operator of a program: it doubles its argument, and has a gradient."""

        @torch.library.custom_op("assay_compiled::twice", mutates_args=(), device_types=self.device_name)
        def twice(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        twice.register_fake(torch.empty_like)
        twice.register_autograd(lambda context, gradient: gradient * 2)
        return twice

    def test_defined(self):
        """compile.operator_of_a_program_is_captured"""
        x = self.matrix()
        if torch._C._dispatch_keys(x).has(torch._C.DispatchKey.Python):
            self.lacks("custom_ops", f"{type(x).__name__}.__torch_dispatch__ handles each operator before the dispatcher looks for PrivateUse1")
        twice = self.defined()
        wanted = twice(x) + x
        with self.asks_a_special_case():
            self.expect_opcheck(twice, (self.matrix().requires_grad_(),), "an operator that a program defines for the device")
            for backend in BACKENDS:
                compiled, recorder = self.compile(lambda x: twice(x) + x, backend, fullgraph=True)
                self.expect_same(compiled(x), wanted, f"a function that calls it, backend {backend}")
                self.expect_equal(len(recorder.graphs), 1, f"a function that calls it, backend {backend}: number of graphs")
