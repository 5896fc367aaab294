# SPDX-License-Identifier: BSD-3-Clause
"""Values of operators that index, write by index, concatenate, split and normalize: every form of an index, every dim,
every dtype."""

import functools

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.checks.value_cases import ask_values, numbers, written_to
from assay.values import closeness

DTYPES = (
    torch.float32,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.uint8,
    torch.bool,
    torch.complex64,
    torch.float16,
)
PLAIN = {"": lambda one: one}


def whole(*values, dtype=torch.int64):
    return torch.tensor(values, dtype=dtype)


# Forms of an index into a tensor of shape (4, 3, 5).
INDICES = {
    "one list": lambda x, i, j: x[i],
    "one list in the last dim": lambda x, i, j: x[:, :, i],
    "one list in the middle dim": lambda x, i, j: x[:, j],
    "two lists in adjacent dims": lambda x, i, j: x[i, j],
    "two lists in separate dims": lambda x, i, j: x[i, :, j],
    "two lists that broadcast": lambda x, i, j: x[i[:, None], j],
    "a list of lists": lambda x, i, j: x[torch.stack([i, i])],
    "lists and a slice": lambda x, i, j: x[1:, j, ::2],
    "a list and a number": lambda x, i, j: x[i, 1],
    "a list and a new dim": lambda x, i, j: x[None, i, ..., j],
    "negative numbers": lambda x, i, j: x[-i - 1, j - 3],
    "int32": lambda x, i, j: x[i.int()],
    "a zero-dimensional index": lambda x, i, j: x[i[1]],
    "a list with None before it": lambda x, i, j: torch.ops.aten.index.Tensor(x, [None, j, None]),
    "no elements": lambda x, i, j: x[i[:0]],
    "a mask": lambda x, i, j: x[x.real > 0] if x.is_complex() else x[x > 0],
    "a mask of rows": lambda x, i, j: x[i == 2] if len(i) == 4 else x[torch.ones(4, dtype=torch.bool, device=x.device)],
    "lists of the host": lambda x, i, j: x[i.cpu(), j],
    "two lists in the middle dims": lambda x, i, j: x[None, :, j[:3], i[:3]] if x.shape[2] > 3 else x[:, j],
    "two-dimensional lists in separate dims": lambda x, i, j: x[torch.stack([i, i]), :, j],
    "bytes": lambda x, i, j: x[(i == 2).byte()] if len(i) == 4 else x[i],
    "a mask of two dims": lambda x, i, j: x[numbers(4, 3, dtype=torch.bool).to(x.device)],
    "a mask of the host": lambda x, i, j: x[torch.tensor([True, False, True, True])],
    "a mask and a list": lambda x, i, j: x[torch.arange(4, device=x.device) > 0, j[:3]],
}
WRITES = {
    "one list": lambda x, i, j, v: x.index_put_((i,), v[0]),
    "two lists": lambda x, i, j, v: x.index_put_((i, j), v),
    "a list in the last dim": lambda x, i, j, v: x.__setitem__((slice(None), j), v[0]),
    "two lists in separate dims": lambda x, i, j, v: x.__setitem__((i, slice(None), j), v[0, 0]),
    "two lists, accumulated": lambda x, i, j, v: x.index_put_((i, j), v, accumulate=True),
    "one list, accumulated": lambda x, i, j, v: x.index_put_((i,), v[:1], accumulate=True),
    "a number": lambda x, i, j, v: x.__setitem__(i, 2),
    "negative numbers": lambda x, i, j, v: x.index_put_((-i - 1,), v[0]),
    "a mask": lambda x, i, j, v: x.__setitem__(torch.arange(4, device=x.device) > 1, v[0]),
    "a zero-dimensional mask": lambda x, i, j, v: x.index_put_((i.sum() > 0,), v.flatten()[0]),
    "a number of the host": lambda x, i, j, v: x.index_put_((i, j), v[0, 0].cpu()),
    "lists of the host": lambda x, i, j, v: x.index_put_((i.cpu(), j), v),
    "one list of int32": lambda x, i, j, v: x.index_put_((i.int(),), v[0]),
    "lists that broadcast": lambda x, i, j, v: x.index_put_((i[:, None], j[:1]), v[0, 0]),
    "no elements": lambda x, i, j, v: x.index_put_((i[:0],), v[0]),
    "a slice": lambda x, i, j, v: x.__setitem__((slice(1, 3), Ellipsis, slice(None, None, 2)), v[0, 0]),
}


def family_of(case):
    """Returns a function that maps an index form to its family. Accumulation, slices, and masks on a device without
    nonzero are separate families. All other forms belong to the family "lists"."""
    served = closeness.works(lambda: torch.nonzero(torch.ones(3, dtype=torch.bool).to(case.device)).cpu())

    def family(name):
        return name if "mask" in name and not served or "accumulated" in name or "slice" in name else "lists"

    return family


MANY_PLACES = numbers(1030, dtype=torch.int64, low=0, high=6)
SELECTIONS = {
    "gather of many": (lambda x, i: torch.gather(x, 0, i), [(numbers(7), MANY_PLACES)]),
    "index_select of many": (lambda x, i: torch.index_select(x, 0, i), [(numbers(7, 3), MANY_PLACES)]),
    "scatter_add of many": (lambda x, i: torch.zeros(7, device=x.device).scatter_add_(0, i, x), [(numbers(1030), MANY_PLACES)]),
    "index_select of a number": (lambda x: torch.index_select(x, 0, torch.zeros(1, dtype=torch.int64, device=x.device)), [(numbers(),)]),
    "index_select of one number": (lambda x, i: torch.index_select(x, 0, i), [(numbers(7, 3), torch.tensor(4))]),
    "gather of a number": (lambda x: torch.gather(x, 0, torch.zeros((), dtype=torch.int64, device=x.device)), [(numbers(),)]),
    "gather with an empty index": (lambda x, i: torch.gather(x, 1, i), [(numbers(4, 3), torch.zeros(4, 0, dtype=torch.int64)), (numbers(4, 3), torch.zeros(0, dtype=torch.int64))]),
    "take": (torch.take, [(numbers(4, 3), whole(0, 11, 5, 5))]),
    "put": (lambda x, i: torch.put(x, i, x.reshape(-1)[:4] + 1, accumulate=True), [(numbers(4, 3), whole(0, 11, 5, 5))]),
    "nonzero": (torch.nonzero, [(numbers(4, 3, 5, dtype=dtype),) for dtype in DTYPES] + [(numbers(0, 3),), (numbers(),), (torch.zeros(4),), (numbers(1030),)]),
    "nonzero into an output": (lambda x: torch.nonzero(x, out=torch.empty(0, dtype=torch.int64, device=x.device)), [(numbers(4, 3, 5),), (numbers(1030),)]),
    "nonzero by dims": (lambda x: torch.nonzero(x, as_tuple=True), [(numbers(4, 3, dtype=torch.bool),)]),
    "argwhere": (torch.argwhere, [(numbers(4, 3, dtype=torch.bool),)]),
    "masked_select": (torch.masked_select, [(numbers(4, 3, 5, dtype=dtype), numbers(3, 5, dtype=torch.bool)) for dtype in DTYPES]
                      + [(numbers(5), numbers(4, 5, dtype=torch.bool)), (numbers(), numbers(3, dtype=torch.bool)), (numbers(1030), numbers(1030, dtype=torch.bool))]),
    "masked_select with a false mask": (lambda x: (torch.masked_select(x, x > 99), x[x > 99], torch.nonzero(x > 99)), [(numbers(4, 5),), (numbers(0, 5),), (numbers(4, 0),)]),
    "masked_scatter": (lambda x, m, v: x.masked_scatter(m, v), [(numbers(4, 5), numbers(4, 5, dtype=torch.bool), numbers(20, seed=2))]),
    "embedding": (F.embedding, [(numbers(2, 6, dtype=torch.int64, low=0, high=8), numbers(9, 4)), (numbers(dtype=torch.int64, low=0), numbers(9, 4))]),
    "one_hot": (lambda i: F.one_hot(i, 9), [(numbers(2, 6, dtype=torch.int64, low=0, high=8),)]),
    "gather into out=": (written_to(lambda x, i, **more: torch.gather(x, 0, i, **more)), [(numbers(4, 3), whole([2, 0, 1]))]),
    "index_select into out=": (written_to(lambda x, i, **more: torch.index_select(x, 0, i, **more)), [(numbers(4, 3), whole(2, 0, 1))]),
    "scatter into out=": (written_to(lambda x, i, **more: torch.scatter(x, 0, i, 2.5, **more)), [(numbers(4, 3), whole([2, 0, 1]))]),
}  # fmt: skip

GRADIENTS = {
    "gather": (lambda x: torch.gather(x, 0, numbers(5, 3, dtype=torch.int64, low=0, high=3).to(x.device)), [(numbers(4, 3),)]),
    "index_select": (lambda x: torch.index_select(x, 1, whole(2, 0, 2).to(x.device)), [(numbers(4, 3),)]),
    "scatter_add": (lambda x, v: torch.scatter_add(x, 0, numbers(5, 3, dtype=torch.int64, low=0).to(x.device), v), [(numbers(4, 3), numbers(5, 3))]),
    "scatter": (lambda x, v: torch.scatter(x, 0, whole([2, 0, 1]).to(x.device), v), [(numbers(4, 3), numbers(1, 3))]),
    "masked_fill": (lambda x: x.masked_fill(x > 0, 3), [(numbers(4, 3),)]),
    "masked_select": (lambda x: x.masked_select(x > 0), [(numbers(4, 3),)]),
    "where": (lambda x, y: torch.where(x > y, x, y * 2), [(numbers(4, 3), numbers(3, seed=1))]),
    "index_put": (lambda x, v: x.index_put((whole(2, 0).to(x.device),), v), [(numbers(4, 3), numbers(2, 3))]),
    "embedding": (lambda w: F.embedding(numbers(2, 6, dtype=torch.int64, low=0, high=8).to(w.device), w, padding_idx=3), [(numbers(9, 4),)]),
    "cat": (lambda x, y: torch.cat([x, y, x], 1), [(numbers(4, 3), numbers(4, 2))]),
    "stack": (lambda x, y: torch.stack([x, y], 1), [(numbers(4, 3), numbers(4, 3, seed=1))]),
    "unfold": (lambda x: x.unfold(1, 3, 2), [(numbers(4, 9),)]),
    "clamp": (lambda x: x.clamp(-1, 1), [(numbers(4, 3),)]),
    "relu": (F.relu, [(numbers(4, 3),)]),
    "repeat": (lambda x: x.repeat(2, 3), [(numbers(4, 3),)]),
    "as_strided": (lambda x: x.as_strided((3, 3), (1, 2), 1), [(numbers(4, 3),)]),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2, 1), [(numbers(2, 3, 5, 6),)]),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, 1, 1, count_include_pad=False), [(numbers(2, 3, 5, 6),)]),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), [(numbers(2, 3, 4, 5),)]),
    "to float64": (lambda x: x.to(torch.float64) * 3, [(numbers(4, 3),)]),
    **{name: (getattr(torch, name), [(numbers(4, 3, low=0.5),)]) for name in "exp log sqrt tanh sigmoid sin cos abs rsqrt reciprocal erf square sign neg".split()},
    **{
        name: (getattr(torch, name), [(numbers(4, 3, low=0.5), numbers(3, low=0.5, seed=1)), (numbers(4, 3, low=0.5), numbers(low=0.5, seed=1))])
        for name in "add sub mul div pow atan2 maximum minimum fmod remainder".split()
    },
    "addcmul": (lambda *g: torch.addcmul(*g, value=2), [(numbers(4, 3), numbers(4, 3, seed=1), numbers(4, 3, seed=2, low=1))]),
    "addcdiv": (lambda *g: torch.addcdiv(*g, value=2), [(numbers(4, 3), numbers(4, 3, seed=1), numbers(4, 3, seed=2, low=1))]),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), [(numbers(4, 3), numbers(4, 3, seed=1))]),
}  # fmt: skip

JOINED = {
    "cat of two dtypes": (lambda *g: torch.cat(g), [(numbers(4, 3), numbers(2, 3, dtype=torch.int64)), (numbers(4, 3, dtype=torch.int32), numbers(2, 3, dtype=torch.float64))]),
    "cat with an empty tensor": (lambda *g: torch.cat(g, 1), [(numbers(4, 3), numbers(4, 0), numbers(4, 2)), (numbers(0), numbers(4, 3))]),
    "cat of many": (lambda x: torch.cat([x] * 40, 1), [(numbers(4, 3),)]),
    "cat into out=": (written_to(lambda *g, **more: torch.cat(g, 1, **more)), [(numbers(4, 3), numbers(4, 2))]),
    "cat of channels_last": (lambda x: torch.cat([x, x], 1), [(numbers(2, 3, 4, 5).contiguous(memory_format=torch.channels_last),)]),
    "unfold": (lambda x: x.unfold(1, 3, 2), [(numbers(4, 9),)]),
    "repeat_interleave": (lambda x: x.repeat_interleave(2, 1), [(numbers(4, 3),)]),
    "tile": (lambda x: x.tile(2, 3), [(numbers(4, 3),)]),
    "pad": (lambda x: F.pad(x, (1, 2, 3, 0), value=2.5), [(numbers(4, 3),)]),
    "reflected pad": (lambda x: F.pad(x, (1, 2), mode="reflect"), [(numbers(2, 3, 5),)]),
    "split": (lambda x: [one * 2 for one in x.split([1, 3], 0)], [(numbers(4, 3),)]),
    "view_as_real": (lambda x: torch.view_as_real(x) * 2, [(numbers(4, 3, dtype=torch.complex64),)]),
    "view_as_complex": (lambda x: torch.view_as_complex(x) * 2j, [(numbers(4, 2),)]),
    "view of another dtype": (lambda x: x.view(torch.int32), [(numbers(4, 2),)]),
    "permute": (lambda x: x.permute(2, 0, 1).contiguous(), [(numbers(4, 3, 5, dtype=t),) for t in DTYPES]),
    "reshape": (lambda x: x.transpose(0, 1).reshape(-1), [(numbers(4, 3, 5),)]),
    "clone": (lambda x: x.transpose(0, 1).clone(), [(numbers(4, 3, 5),)]),
    "movedim": (lambda x: x.movedim(0, -1) + 1, [(numbers(4, 3, 5),)]),
    "meshgrid": (lambda x, y: [one + 1 for one in torch.meshgrid(x, y, indexing="ij")], [(numbers(3), numbers(4))]),
    "resize_": (lambda x: x.resize_(2, 3), [(numbers(4, 3, 5),)]),
    "item": (lambda x: (x.item(), bool(x), int(x.real)), [(numbers(dtype=t),) for t in DTYPES] + [(numbers(1, 1),)]),
    "tolist": (lambda x: x.tolist(), [(numbers(3, 2, dtype=t),) for t in DTYPES]),
}  # fmt: skip

# Each loss is called with each reduction.
REAL_PAIRS = [
    (numbers(4, 3), numbers(4, 3, seed=1)),
    (numbers(4, 3, dtype=torch.float64), numbers(4, 3, seed=1, dtype=torch.float64)),
]
LIKELY = [(numbers(4, 3, low=0.1, high=0.9), numbers(4, 3, low=0.1, high=0.9, seed=1))]


def classes(x):
    return whole(0, 2, 1, 0).to(x.device)


LOSSES = {
    **{name: (getattr(F, name), REAL_PAIRS) for name in ("mse_loss", "l1_loss", "huber_loss", "soft_margin_loss", "poisson_nll_loss")},
    **{f"smooth_l1_loss with beta {beta}": (functools.partial(F.smooth_l1_loss, beta=beta), REAL_PAIRS) for beta in (1.0, 0.3, 0.0)},
    "binary_cross_entropy": (F.binary_cross_entropy, LIKELY),
    "weighted binary_cross_entropy": (lambda x, y, **r: F.binary_cross_entropy(x, y, x.detach() + 1, **r), LIKELY),
    "with logits": (lambda x, y, **r: F.binary_cross_entropy_with_logits(x, y.sigmoid(), **r), REAL_PAIRS),
    "kl_div": (lambda x, y, **r: F.kl_div(x.log_softmax(1), y.softmax(1), **r), REAL_PAIRS),
    **{
        f"cross_entropy with {options}": (lambda x, o=options, **r: F.cross_entropy(x, classes(x), **o, **r), [one[:1] for one in REAL_PAIRS])
        for options in ({}, {"ignore_index": 1}, {"label_smoothing": 0.2})
    },
    "weighted nll_loss": (lambda x, **r: F.nll_loss(x.log_softmax(1), classes(x), x[0].detach().abs(), **r), [REAL_PAIRS[0][:1]]),
}  # fmt: skip

IMAGE, ROW = (numbers(3, 4, 5, 6),), (numbers(8, 4),)
ONES = (numbers(4, seed=1), numbers(4, seed=2))
STATE = (numbers(4, seed=3), numbers(4, seed=4, low=0.5))
NORMALISATIONS = {
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), [(*IMAGE, *ONES), (*ROW, *ONES)]),
    "batch_norm with momentum 0": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True, momentum=0.0), [(*IMAGE, *ONES), (*ROW, *ONES)]),
    "batch_norm with running statistics": (lambda x, w, b, m, v: F.batch_norm(x, m.detach().clone(), v.detach().clone(), w, b, training=True, momentum=0.3, eps=1e-2), [(*IMAGE, *ONES, *STATE)]),
    "batch_norm in evaluation": (lambda x, w, b, m, v: F.batch_norm(x, m.detach().clone(), v.detach().clone(), w, b, eps=1e-2), [(*IMAGE, *ONES, *STATE), (*ROW, *ONES, *STATE)]),
    "batch_norm without weight and bias": (lambda x, m, v: F.batch_norm(x, m.detach().clone(), v.detach().clone(), training=True), [(*IMAGE, *STATE)]),
    "instance_norm": (lambda x, w, b: F.instance_norm(x, weight=w, bias=b, eps=1e-2), [(*IMAGE, *ONES)]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b, eps=1e-2), [(*ROW, *ONES)]),
    "layer_norm of two dims": (lambda x: F.layer_norm(x, (5, 6)), [IMAGE]),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b, eps=1e-2), [(*IMAGE, *ONES)]),
    "rms_norm": (lambda x, w: F.rms_norm(x, (4,), w, eps=1e-2), [(*ROW, ONES[0])]),
    "local_response_norm": (lambda x: F.local_response_norm(x, 2), [IMAGE]),
    "normalize": (lambda x: F.normalize(x, dim=1), [ROW]),
    "cosine_similarity": (lambda x, y: F.cosine_similarity(x, y), REAL_PAIRS),
    "cdist": (torch.cdist, REAL_PAIRS[:1]),
    "max_pool1d": (lambda x: F.max_pool1d(x, 2, 1), [(numbers(2, 3, 7),)]),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), [IMAGE]),
    "glu": (lambda x: F.glu(x, 1), [ROW]), "elu": (lambda x: F.elu(x, 0.5), [ROW]), "prelu": (F.prelu, [(*ROW, ONES[0])]),
}  # fmt: skip


def beyond_float32():
    """Calls with positions that float32 cannot represent: 2**24 + 1 would become 2**24."""
    count, far = 2**24 + 64, 2**24 + torch.tensor([1, -1, 3, 0])
    given = [(torch.arange(count, dtype=torch.int32).remainder_(251).to(torch.uint8), far)]
    return {
        "index_select of distant elements": (lambda x, i: torch.index_select(x, 0, i), given),
        "gather of distant elements": (lambda x, i: torch.gather(x, 0, i), given),
        "indices of distant elements": (lambda x, i: x[i], given),
        "argmax of a distant element": (lambda x, i: x.index_fill(0, i[:1], 255).argmax(), given),
    }


class IndexingValues(Case):
    def test_read(self):
        """operators.indexed_reads_match_the_cpu"""
        lists = whole(2, 0, 3, 1), whole(1, 2, 0, 2)
        calls = {
            name: (call, [(numbers(4, 3, 5, dtype=dtype), *lists) for dtype in DTYPES])
            for name, call in INDICES.items()
        }
        ask_values(self, calls, family=family_of(self))
        floats = {
            name: (lambda x, i, j, c=call: c(x, i, j), [(numbers(4, 3, 5), whole(2, 0, 2, 1), lists[1])])
            for name, call in INDICES.items()
        }
        ask_values(self, floats, layouts=PLAIN, gradients=True)

    def test_written(self):
        """operators.indexed_writes_match_the_cpu"""
        calls = {}
        for name, call in WRITES.items():
            apart, again = (whole(2, 0, 3, 1), whole(1, 2, 0, 2)), (whole(2, 0, 2, 1), whole(1, 2, 1, 2))
            lists = again if "accumulated" in name else apart
            if name == "a list in the last dim" or name == "two lists in separate dims":
                lists = whole(2, 0, 3), whole(1, 2, 0)
            calls[name] = (
                lambda *given, c=call: (c(*given), given[0])[1:],
                [(numbers(4, 3, 5, dtype=dtype), *lists, numbers(len(lists[0]), 3 if name == "one list" else 1, 5, dtype=dtype, seed=2).squeeze(1)
                  if name != "one list" else numbers(4, 3, 5, dtype=dtype, seed=2)) for dtype in DTYPES],
            )  # fmt: skip
        ask_values(self, calls)

    def test_along(self):
        """operators.gather_and_scatter_along_a_dim_match_the_cpu"""
        calls = {}
        for dim in (0, 1, 2, -1):
            size = (4, 3, 5)[dim]
            shape = [2, 2, 2]
            shape[dim] = size
            index = numbers(*shape, dtype=torch.int64, low=0, high=size - 1)
            line = torch.arange(size).flip(0).view([-1 if at == dim % 3 else 1 for at in range(3)])
            apart = line.expand(shape).contiguous()
            few = whole(*([size - 1, 0, size - 1][:size]))
            rows = [3 if at == dim % 3 else n for at, n in enumerate((4, 3, 5))]
            given = [(numbers(4, 3, 5, dtype=dtype), index) for dtype in DTYPES]
            put = [(numbers(4, 3, 5, dtype=dtype), apart, numbers(4, 3, 5, dtype=dtype, seed=1)) for dtype in DTYPES]
            added = [(x, index, v) for x, _, v in put]
            picked = [(x, few) for x, _ in given]
            joined = [(x, few, numbers(*rows, dtype=x.dtype, seed=1)) for x, _ in given]
            calls |= {
                f"gather along {dim}": (lambda x, i, d=dim: torch.gather(x, d, i), given),
                f"take_along_dim along {dim}": (lambda x, i, d=dim: torch.take_along_dim(x, i, d), [(x, line) for x, _ in given]),
                f"scatter along {dim}": (lambda x, i, v, d=dim: torch.scatter(x, d, i, v), put),
                f"scatter_ of a number along {dim}": (lambda x, i, d=dim: x.scatter_(d, i, 2), given),
                f"scatter_add along {dim}": (lambda x, i, v, d=dim: torch.scatter_add(x, d, i, v), added),
                f"scatter_reduce along {dim}": (lambda x, i, v, d=dim: torch.scatter_reduce(x, d, i, v, "amax"), added[:2]),
                f"index_select along {dim}": (lambda x, i, d=dim: torch.index_select(x, d, i), picked),
                f"index_select of int32 along {dim}": (lambda x, i, d=dim: torch.index_select(x, d, i.int()), picked[:1]),
                f"index_add along {dim}": (lambda x, i, v, d=dim: torch.index_add(x, d, i, v, alpha=2), joined),
                f"index_copy along {dim}": (lambda x, i, v, d=dim: torch.index_copy(x, d, i[:2].contiguous(), v.narrow(d, 0, 2)), joined),
                f"index_fill along {dim}": (lambda x, i, d=dim: torch.index_fill(x, d, i, 2), picked),
            }  # fmt: skip
        ask_values(self, calls | SELECTIONS)
        ask_values(self, beyond_float32(), layouts=PLAIN, places=self.devices[:1])

    def test_gradients(self):
        """operators.gradients_of_indexing_match_the_cpu"""
        ask_values(self, GRADIENTS, gradients=True)

    def test_joined(self):
        """operators.concatenation_and_splitting_match_the_cpu"""
        calls = {}
        for dim in (0, 1, 2, -1):
            calls[f"cat along {dim}"] = (
                (lambda *g, d=dim: torch.cat(g, d)),
                [
                    (numbers(4, 3, 5, dtype=t), numbers(4, 3, 5, dtype=t, seed=1), numbers(4, 3, 5, dtype=t, seed=2))
                    for t in DTYPES
                ],
            )
            calls[f"stack along {dim}"] = (lambda *g, d=dim: torch.stack(g, d)), calls[f"cat along {dim}"][1][:2]
        calls |= JOINED
        for one in DTYPES:
            calls[f"to {one}"] = (
                (lambda x, t=one: x.to(t)),
                [(numbers(5, 7, dtype=t, low=0),) for t in DTYPES] + [(numbers(1030, low=0),)],
            )
        ask_values(self, calls)

    def test_losses(self):
        """operators.losses_and_normalisations_match_the_cpu"""
        calls = {f"{name} of {reduction}": (functools.partial(call, reduction=reduction), samples)
                 for reduction in ("mean", "sum", "none") for name, (call, samples) in LOSSES.items()}  # fmt: skip
        calls |= NORMALISATIONS
        ask_values(self, calls)
        ask_values(self, {f"gradients of {name}": row for name, row in calls.items()}, layouts=PLAIN, gradients=True)

    def test_statistics(self):
        """operators.running_statistics_match_the_cpu"""

        def train(x, mean, deviation):
            F.batch_norm(x, mean, deviation, training=True, momentum=0.3)
            return mean, deviation

        def update(x, mean, deviation):
            return torch.batch_norm_update_stats(x, mean, deviation, 0.3), mean, deviation

        def written(x, mean, deviation):
            made = [torch.full_like(part, 9) for part in torch.native_batch_norm(x, None, None, mean.clone(), deviation.clone(), True, 0.2, 1e-2)]
            torch.native_batch_norm(x, None, None, mean, deviation, True, 0.2, 1e-2, out=made)
            return *made, mean, deviation

        def written_without(x, weight, bias, momentum=0.2):
            made = [torch.full_like(part, 9) for part in torch.native_batch_norm(x, weight, bias, None, None, True, momentum, 1e-2)]
            torch.native_batch_norm(x, weight, bias, None, None, True, momentum, 1e-2, out=made)
            return made

        given = [
            (numbers(3, 4, 5, 6), numbers(4, seed=3), numbers(4, seed=4, low=0.5)),
            (numbers(8, 4), numbers(4, seed=3), numbers(4, seed=4, low=0.5)),
        ]
        ask_values(self, {"batch_norm": (train, given), "batch_norm_update_stats": (update, given),
                          "native_batch_norm": (lambda x, m, d: (torch.native_batch_norm(x, None, None, m, d, True, 0.2, 1e-2), m, d), given),
                          "native_batch_norm into out=": (written, given),
                          "native_batch_norm into out= without statistics": (written_without, given),
                          "native_batch_norm into out= without statistics or momentum": (lambda x, w, b: written_without(x, w, b, 0.0), given),
                          "batch_norm_update_stats without statistics": (lambda x, m, d: torch.batch_norm_update_stats(x, None, None, 0.3), given)})  # fmt: skip
