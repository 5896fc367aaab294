# SPDX-License-Identifier: BSD-3-Clause
"""One call of a watched program that gives views: nothing is computed, so nothing is copied to compare it.

Called by the watcher inside the program (assay_host/watch_mode.py).
"""

import torch
from watch_comparison import inputs, mapped, to_cpu


class ComparedView:
    """A call that gives views: they are what the CPU's are of an input of that form, and so of these values."""

    worst = cpu_worst = None

    def __init__(self, function, arguments, named, kind):
        self.function, self.live, self.kind = function, (arguments, named), kind

    def bytes(self):
        return 0

    @property
    def before(self):
        return mapped(self.live, lambda leaf: to_cpu(leaf, self.kind))

    def asked_again(self, before):
        self.function(*before[0], **before[1])

    def take(self, result):
        self.seen = views_of(result, self.live)

    def difference(self):
        """Words, or None."""
        given = mapped(self.live, self.blank)
        wanted, seen = views_of(self.function(*given[0], **given[1]), given), self.seen
        return None if seen == wanted else f"{in_words(seen)}, expected {in_words(wanted)}"

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


def views_of(result, given):
    """Of each tensor in it: what can be said without words, and where it lies beside the inputs."""
    places = [(one.untyped_storage().data_ptr(), one.storage_offset()) for one in inputs(given)]
    return [view_of(one, places) for one in inputs(result)]


def view_of(tensor, places):
    memory, offset = tensor.untyped_storage().data_ptr(), tensor.storage_offset()
    behind = next(((number, offset - start) for number, (own, start) in enumerate(places)
                   if own == memory or not tensor.numel()), None)
    return tensor.is_conj(), tensor.is_neg(), tensor.dtype, tuple(tensor.shape), tensor.stride(), behind


def in_words(views):
    return "; ".join(map(_in_words, views))


def _in_words(view):
    is_conj, is_neg, dtype, shape, strides, behind = view
    what = f"a{' conjugated' * is_conj}{' negated' * is_neg} {dtype} view of shape {shape} with strides {strides}"
    return f"{what}, {behind[1]} elements behind input {behind[0]}" if behind else what + " of memory of its own"
