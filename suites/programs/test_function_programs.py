# SPDX-License-Identifier: BSD-3-Clause
"""Function transforms and mathematics: torch.func, second derivatives, distributions, Fourier transforms, linear
algebra."""

import torch
import torch.nn.functional as F
from assay.programs.judge import program
from torch import distributions, fft, func, linalg, nn

PRELOAD = ("torch._dynamo",)


def network():
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))


@program("programs.per_sample_gradients_match_the_cpu")
def per_sample_gradients_match_the_cpu(place):
    model, x, y = place.model(network), place.numbers(5, 4), place.numbers(5, 1)
    parameters = {name: one.detach() for name, one in model.named_parameters()}

    def loss_of(parameters, x, y):
        return (func.functional_call(model, parameters, (x[None],)) - y[None]).square().mean()

    each = func.vmap(func.grad(loss_of), in_dims=(None, 0, 0))(parameters, x, y)
    for name, gradient in each.items():
        place.see(f"the per-sample gradients of {name}", gradient)
    ensemble = func.vmap(lambda shift: func.functional_call(model, parameters, (x + shift,)))
    place.see("four models at once", ensemble(place.numbers(4, 1)))


@program("programs.jacobians_and_hessians_match_the_cpu")
def curvature(place):
    x, w = place.numbers(4), place.numbers(4, 4)

    def energy(x):
        return (torch.tanh(w @ x).square().sum() + (x**4).sum()).log1p()

    place.see("the value", energy(x))
    place.see("the Jacobian, backward", func.jacrev(lambda x: torch.sin(w @ x) * x)(x))
    place.see("the Jacobian, forward", func.jacfwd(lambda x: torch.sin(w @ x) * x)(x))
    place.see("the Hessian", func.hessian(energy)(x))
    place.see("the Hessian by autograd", torch.autograd.functional.hessian(energy, x))
    place.see("a product with the Hessian", func.jvp(func.grad(energy), (x,), (w[0],))[1])


class Bells(nn.Module):
    def forward(self, x):
        return torch.exp(-x.square())


@program("programs.loss_that_contains_a_gradient_trains")
def gradient_penalty(place):
    """The loss contains a gradient, as in the training of critics (GANs) and of physics-informed networks."""
    model = place.model(lambda: nn.Sequential(nn.Linear(4, 6), Bells(), nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 1)))
    x = place.numbers(8, 4).requires_grad_()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def loss_of(number):
        y = model(x)
        slope = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
        return (slope.norm(dim=1) - 1).square().mean() + y.square().mean()

    place.train(model, optimizer, loss_of)


@program("programs.distribution_gradients_match_the_cpu")
def likelihoods(place):
    """Log-probabilities under many distributions, and the gradients of their parameters."""
    mean, raw = place.numbers(6).requires_grad_(), place.numbers(6).requires_grad_()
    x, noise = place.numbers(6), place.numbers(6)
    positive, share = F.softplus(raw) + 0.5, torch.sigmoid(x)
    normal = distributions.Normal(mean, positive)
    lower = torch.eye(3, dtype=place.dtype, device=place.device) * positive[:3, None] + raw[3:].outer(mean[:3]).tril(-1)
    seen = {
        "Normal": normal.log_prob(x).sum(), "LogNormal": distributions.LogNormal(mean, positive).log_prob(share).sum(),
        "Beta": distributions.Beta(positive, 2.0).log_prob(share).sum(),
        "Gamma": distributions.Gamma(positive, positive).log_prob(share).sum(),
        "Dirichlet": distributions.Dirichlet(positive).log_prob(share.softmax(0)),
        "StudentT": distributions.StudentT(4.0, mean, positive).log_prob(x).sum(),
        "Categorical": distributions.Categorical(logits=mean).log_prob(place.labels(6, 3)).sum(),
        "Bernoulli": distributions.Bernoulli(logits=mean).entropy().sum(),
        "MultivariateNormal": distributions.MultivariateNormal(mean[:3], scale_tril=lower).log_prob(x[:3]),
        "the divergence": distributions.kl_divergence(normal, distributions.Normal(0.0, 2.0)).sum(),
        "a sampled value": (normal.mean + normal.stddev * noise).square().sum(),
    }
    for name, value in seen.items():
        place.see(name, value)
    sum(seen.values()).backward()
    place.see_gradients([("the mean", mean), ("the deviation", raw)], "the sum of all results")


class Waves(nn.Module):
    """Mixes the lowest frequencies of a signal and drops the rest."""

    def __init__(self):
        super().__init__()
        self.mix, self.skip = nn.Parameter(torch.randn(5, 2) / 4), nn.Conv1d(1, 1, 1)

    def forward(self, x):
        waves = fft.rfft(x)[..., :5] * torch.view_as_complex(self.mix)
        return fft.irfft(waves, n=x.shape[-1]) + torch.tanh(self.skip(x))


@program("programs.fourier_operator_trains")
def fourier_operator(place):
    model, x = place.model(Waves), place.numbers(3, 1, 16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    place.train(model, optimizer, lambda number: (model(x) - x.roll(1, -1)).square().mean())
    image = fft.fftshift(fft.fft2(x[:, 0] + 1j * x[:, 0].flip(0)))
    place.see("a two-dimensional spectrum", image)
    window = torch.hann_window(8, dtype=place.dtype, device=place.device)
    seen = torch.stft(x[:, 0].repeat(1, 3), 8, window=window, return_complex=True)
    place.see("a spectrogram", seen)
    place.see("the signal from its spectrogram", torch.istft(seen, 8, window=window, length=48))


@program("programs.linear_algebra_gradients_match_the_cpu")
def linear_algebra(place):
    """Solutions, decompositions and inverses, and the gradient through all of them."""
    a, b = place.numbers(4, 4).requires_grad_(), place.numbers(4, 2)
    even = a @ a.mT + 2 * torch.eye(4, dtype=place.dtype, device=place.device)
    half, (q, r) = linalg.cholesky(even), linalg.qr(even)
    seen = {
        "the solution": linalg.solve(even, b), "the solution by Cholesky": torch.cholesky_solve(b, half), "the inverse": linalg.inv(even),
        "the product of Q and R": q @ r, "the singular values": linalg.svdvals(even), "the eigenvalues": linalg.eigvalsh(even),
        "the logarithm of the determinant": linalg.slogdet(even)[1], "the matrix exponential": linalg.matrix_exp(even / 8),
        "the least-squares solution": linalg.lstsq(even, b).solution,
        "a product of three matrices by einsum": torch.einsum("ij,kj,kl->il", even, even, even) / 50,
    }
    for name, value in seen.items():
        place.see(name, value)
    sum(value.sum() for value in seen.values()).backward()
    place.see_gradients([("the matrix", a)], "the sum of all results")
