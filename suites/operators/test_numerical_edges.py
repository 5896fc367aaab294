# SPDX-License-Identifier: BSD-3-Clause
"""Numbers at the ends of their range, and small differences of large numbers, where a textbook formula fails."""

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.checks.value_cases import ask_values, numbers

LARGE = torch.tensor([[1000.0, 1001.0, 999.0], [-1000.0, -1001.0, -5.0], [1e4, 0.0, -1e4]])
TINY = torch.tensor([1e-10, -1e-10, 3e-7, -2e-20, 0.0])
FAR = torch.tensor([-300.0, -95.0, -20.0, 20.0, 95.0, 300.0])
HIDDEN = torch.tensor([[-torch.inf] * 3, [-torch.inf, 2.0, -torch.inf], [0.0, -torch.inf, 90.0]])
# a variance that is lost if numbers of this size are squared; not for float64, because the CPU has no wider reference
CLOSE = numbers(40, 3) / 8 + 4096


def of(*tensors):
    """The call with a sample in float32 and with a sample in float64."""
    return [tuple(one.to(dtype) for one in tensors) for dtype in (torch.float32, torch.float64)]


class NumericalEdges(Case):
    def test_edges(self):
        """operators.numerical_edge_cases_match_the_cpu"""
        calls = {name: (getattr(torch, name), of(TINY)) for name in ("log1p", "expm1", "sinh", "tanh", "sin", "erf")}
        calls |= {name: (lambda x, f=getattr(torch, name): f(x, 1), of(LARGE) + of(HIDDEN))
                  for name in ("softmax", "log_softmax", "logsumexp", "logcumsumexp")}  # fmt: skip
        calls |= {name: (getattr(torch, name), of(FAR)) for name in ("sigmoid", "tanh")}
        calls |= {name: (getattr(F, name), of(FAR)) for name in ("logsigmoid", "softplus", "silu", "gelu", "elu", "mish")}
        calls |= {
            "cross_entropy": (lambda x: F.cross_entropy(x, torch.arange(3).to(x.device)), of(LARGE)),
            "with logits": (lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).to(x.dtype) / 4), of(FAR)),
            "logaddexp": (lambda x: torch.logaddexp(x, x.flip(1)), of(LARGE) + of(HIDDEN)),
            "hypot": (lambda x: torch.hypot(x * 1e30, x * 2e30), of(FAR)),
            "var": (lambda x: (x.var(0), x.std(0), x.var(), torch.var_mean(x, 1)), [(CLOSE,)]),
            "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), [(CLOSE,)]),
            "layer_norm": (lambda x: F.layer_norm(x.t(), (40,)), [(CLOSE,)]),
            # not over the last dim, because there the CPU's own sum is infinite
            "log_softmax of many float16": (lambda x: x.log_softmax(0), [(torch.zeros(70000, 2, dtype=torch.float16),)]),
            "mean of float16": (lambda x: (x.mean(), x.mean(0)), [(torch.full((4096, 2), 60.0, dtype=torch.float16),)]),
            "sum of many small ones": (lambda x: x.sum(), [(torch.full((1 << 16,), 0.1),)]),
            "remainder of a small negative number": (lambda x: torch.remainder(x, 3.0), of(TINY)),
        }  # fmt: skip
        ask_values(self, calls, layouts={"": lambda one: one}, places=self.devices[:1])
