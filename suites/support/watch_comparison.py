# SPDX-License-Identifier: BSD-3-Clause
"""One call of a watched program: its inputs before it, the same call on the CPU, and what differs.

Called by the watcher inside the program (assay_host/watch_mode.py), and by reproducers. The verdict is judge.py's.
"""

import torch
from judge import Reference, compare, terms_of, widened
from torch.utils._pytree import tree_leaves, tree_map


def on_cpu(tensor):
    """A copy with the same strides; what overlaps in memory does so no longer."""
    plain = tensor.detach().contiguous().cpu()
    if tensor.is_contiguous() or torch._debug_has_internal_overlap(tensor):
        return plain.clone()
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype).copy_(plain)


def to_cpu(leaf, kind):
    if isinstance(leaf, torch.Tensor):
        return on_cpu(leaf)
    if isinstance(leaf, torch.device) and leaf.type == kind:
        return torch.device("cpu")
    return leaf


def plain(tree):
    """Of a result, what can be compared: values, without the strides that a backend may choose."""
    return tree_map(lambda leaf: on_cpu(leaf).contiguous() if isinstance(leaf, torch.Tensor) else leaf, tree)


def inputs(tree):
    """Each tensor once."""
    return list({id(leaf): leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)}.values())


def form(tensor):
    return f"an input of shape {tuple(tensor.shape)} with strides {tensor.stride()}"


class Compared:
    """Made before the call, asked after it. `worst`: the largest error beside the largest number."""

    def __init__(self, function, arguments, named, kind):
        self.function, self.kind, self.worst = function, kind, None
        self.live = (arguments, named)
        seen = {}

        def once(leaf):
            if not isinstance(leaf, torch.Tensor):
                return to_cpu(leaf, kind)
            return seen.setdefault(id(leaf), to_cpu(leaf, kind))

        self.before = tree_map(once, self.live)
        self.same_form = [form(one) == form(two) for one, two in zip(inputs(self.live), inputs(self.before), strict=True)]

    def bytes(self):
        return sum(leaf.numel() * leaf.element_size() for leaf in tree_leaves(self.before) if isinstance(leaf, torch.Tensor))

    def again(self, before):
        """The call on the CPU: its result, and what it left of its inputs."""
        seen = {}

        def once(leaf):
            return seen.setdefault(id(leaf), leaf.clone()) if isinstance(leaf, torch.Tensor) else leaf

        arguments, named = tree_map(once, before)
        result = self.function(*arguments, **named)
        return self.told(result, inputs((arguments, named)))

    def told(self, result, left):
        """The values compared: the result, and the inputs afterwards, with their strides where these can be known."""
        forms = [form(one) for one, same in zip(left, self.same_form, strict=True) if same]
        return plain(result), plain(left), forms

    def difference(self, result):
        """Words, or None."""
        wide = widened([self.before])[0]
        cpu = self.again(self.before)
        reference = Reference(cpu, lambda: self.again(wide), None, terms_of(tree_leaves(self.before)))
        seen = self.told(result, inputs(self.live))
        self.worst = worst_of(seen, reference.cpu)
        said = compare(seen, reference)
        return str(said[0]) if said else None


def worst_of(seen, wanted):
    """How far off the farthest number is, beside the largest one of its tensor; None where there are none."""
    worst = None
    for one, other in zip(tree_leaves(seen), tree_leaves(wanted), strict=False):
        if isinstance(one, torch.Tensor) and one.is_floating_point() and one.numel() and one.shape == other.shape:
            off = (one.double() - other.double()).abs().nan_to_num(0, 0, 0).max().item()
            size = other.double().abs().nan_to_num(0, 0, 0).max().item()
            worst = max(worst or 0.0, off / size if size else off)
    return worst
