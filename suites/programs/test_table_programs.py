# SPDX-License-Identifier: BSD-3-Clause
"""Tables and graphs: gathered and summed neighbours, bags of words, losses with quantiles and histograms."""

import torch
import torch.nn.functional as F
from assay.programs.judge import program
from torch import nn

PRELOAD = ("torch._dynamo",)
FROM = torch.tensor([0, 1, 2, 3, 4, 5, 6, 0, 2, 4, 1, 1])
TO = torch.tensor([1, 2, 3, 4, 5, 6, 0, 3, 6, 1, 5, 1])


class Neighbours(nn.Module):
    """Three layers combine messages along edges: by mean, by maximum, and by mean with softmax weights."""

    def __init__(self):
        super().__init__()
        self.adds, self.takes, self.votes = nn.Linear(5, 8), nn.Linear(8, 8), nn.Linear(8, 1)

    def forward(self, x, start, end):
        sums = torch.zeros(x.shape[0], 8, device=x.device, dtype=x.dtype).index_add(0, end, self.adds(x)[start])
        degree = torch.zeros_like(sums[:, 0]).scatter_add(0, end, torch.ones_like(sums[:, 0])[torch.zeros_like(end)])
        x = torch.tanh(sums / degree[:, None])
        sent, where = self.takes(x)[start], end[:, None].expand(-1, 8)
        x = torch.zeros_like(x).scatter_reduce(0, where, sent, "amax", include_self=False)
        votes = self.votes(x)[start, 0].exp()
        share = votes / torch.zeros_like(x[:, 0]).index_add(0, end, votes)[end]
        return torch.zeros_like(x).index_add(0, end, x[start] * share[:, None])


@program("programs.graph_network_trains")
def graph_network(place):
    model, x = place.model(Neighbours), place.numbers(7, 5)
    start, end = place.put(FROM), place.put(TO)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    place.train(model, optimizer, lambda number: model(x, start, end).square().mean())


@program("programs.segment_reductions_match_the_cpu")
def segments(place):
    """Sums, means and maxima of the rows of a table, by segment lengths and by segment numbers."""
    x, lengths = place.numbers(9, 3).requires_grad_(), place.put(torch.tensor([2, 4, 3]))
    number = torch.repeat_interleave(lengths)
    place.see("the number of each row", number)
    total = x.new_zeros(())
    for reduce in ("sum", "mean", "max", "min"):
        out = torch.segment_reduce(x, reduce, lengths=lengths)
        place.see(f"the {reduce} of segments", out)
        total = total + out.square().sum()
    kinds, back, counts = torch.unique(number, return_inverse=True, return_counts=True)
    place.see("the distinct values", kinds)
    place.see("the counts", counts)
    mean = torch.zeros_like(x[:3]).scatter_reduce(0, back[:, None].expand(-1, 3), x, "mean", include_self=False)
    (total + mean.prod(0).sum()).backward()
    place.see_gradients([("the table", x)], "one backward")


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums, self.means = nn.EmbeddingBag(12, 4, mode="sum"), nn.EmbeddingBag(12, 4, mode="mean")
        self.most, self.rows = nn.EmbeddingBag(12, 4, mode="max"), nn.Embedding(12, 4, padding_idx=0)
        self.score = nn.Linear(16, 1)

    def forward(self, words, starts, weights):
        bags = [self.sums(words, starts, per_sample_weights=weights), self.means(words, starts)]
        bags += [self.most(words, starts), self.rows(words).view(3, 3, 4).sum(1)]
        return self.score(torch.cat(bags, dim=1))


@program("programs.embedding_bags_train")
def embedding_bags(place):
    model = place.model(Bags)
    words, starts, weights = place.labels(12, 9), place.put(torch.tensor([0, 2, 6])), place.numbers(9)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    place.train(model, optimizer, lambda number: model(words, starts, weights).square().mean())


@program("programs.quantile_and_histogram_losses_train")
def quantile_and_histogram_losses(place):
    model, x = place.model(lambda: nn.Linear(4, 3)), place.numbers(16, 4)
    target = place.numbers(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    shares = place.put(torch.tensor([0.1, 0.5, 0.9]))
    centers = place.put(torch.linspace(-2, 2, 5))

    def loss_of(number):
        y = model(x)
        miss = target - y
        pinball = torch.maximum(shares * miss, (shares - 1) * miss).mean()
        spread = torch.quantile(y, shares, dim=0).diff(dim=0).square().mean() + y.median(dim=0).values.square().mean()
        bins = torch.exp(-(y[..., None] - centers).square()).mean((0, 1))
        apart = F.kl_div(bins.log_softmax(0), torch.ones_like(bins).softmax(0), reduction="sum")
        return pinball + spread + apart + F.huber_loss(y, target.expand_as(y), delta=0.5)

    place.train(model, optimizer, loss_of)
    with torch.no_grad():
        y = model(x)
        place.see("the histogram", torch.histc(y, bins=4, min=-2, max=2))
        place.see("the counts", torch.bincount(torch.bucketize(y.flatten(), centers), minlength=6))
        place.see("the order", y[:, 0].sort(descending=True).values)
