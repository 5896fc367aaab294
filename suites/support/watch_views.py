# SPDX-License-Identifier: BSD-3-Clause
"""One call of a watched program that gives views: nothing is computed, so nothing is copied to compare it.

Called by the watcher inside the program (assay_host/watch_mode.py).
"""

import torch
from torch.utils._pytree import tree_map
from watch_comparison import inputs, to_cpu


class ComparedView:
    """A call that gives views: they are what the CPU's are of an input of that form, and so of these values."""

    worst = cpu_worst = None

    def __init__(self, function, arguments, named, kind):
        self.function, self.live, self.kind = function, (arguments, named), kind

    def bytes(self):
        return 0

    @property
    def before(self):
        return tree_map(lambda leaf: to_cpu(leaf, self.kind), self.live)

    def difference(self, result):
        """Words, or None."""
        arguments, named = tree_map(self.blank, self.live)
        wanted = [view_of(one, inputs((arguments, named))) for one in inputs(self.function(*arguments, **named))]
        seen = [view_of(one, inputs(self.live)) for one in inputs(result)]
        return None if seen == wanted else f"{'; '.join(seen)}, expected {'; '.join(wanted)}"

    def blank(self, leaf):
        """A tensor of that form on the CPU, whose memory nobody touches."""
        if not isinstance(leaf, torch.Tensor):
            return to_cpu(leaf, self.kind)
        made = torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype)
        made = torch._conj(made) if leaf.is_conj() else made
        return torch._neg_view(made) if leaf.is_neg() else made


def gives_views(function):
    """Whether all that it returns are views of its inputs."""
    returns = function._schema.returns
    return bool(returns) and not function._schema.is_mutable and all(one.alias_info is not None for one in returns)


def view_of(tensor, inputs):
    """Where it lies, beside the inputs."""
    bits = f"{' conjugated' * tensor.is_conj()}{' negated' * tensor.is_neg()}"
    what = f"a{bits} {tensor.dtype} view of shape {tuple(tensor.shape)} with strides {tensor.stride()}"
    for number, one in enumerate(inputs):
        if one.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() or not tensor.numel():
            return f"{what}, {tensor.storage_offset() - one.storage_offset()} elements behind input {number}"
    return what + " of memory of its own"
