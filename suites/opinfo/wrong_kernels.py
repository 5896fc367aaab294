# SPDX-License-Identifier: BSD-3-Clause
"""One wrong kernel for each class of defect that users meet, with the aspect that must find the kernel.

Each of these kernels replaces a kernel of the fake device. The kernel computes the right result on the CPU and then
makes the typical error of its class. The error occurs rarely, and only in cases that an author of kernels would not
test.
"""

import dataclasses

import torch


@dataclasses.dataclass
class Wrong:
    defect: str
    kernel: str  # an overload of aten
    function: object
    operator: str  # the name of an OpInfo
    aspect: str
    dtype: str = "float32"
    key: str = "PrivateUse1"


def scaled(x):
    return (x.cpu().exp() * 1.0005).to(x.device)


def accumulated_in_half(x, dim=None, keepdim=False, dtype=None):
    rows = x.cpu().movedim(dim[0] % x.dim(), -1) if dim else x.cpu().reshape(-1)
    total = rows[..., 0].half()
    for place in range(1, rows.size(-1)):
        total = total + rows[..., place].half()
    return (total.float().unsqueeze(dim[0]) if keepdim and dim else total.float()).to(x.device)


def tail_forgotten(x):
    right = x.cpu().tanh().contiguous()
    whole = right.numel() // 1024 * 1024
    if whole:
        right.view(-1)[whole:] = 0
    return right.to(x.device)


def one_dim_wrong(x, dim=None, keepdim=False):
    given = x.cpu()
    given = given.flip(0) if dim == 0 and given.dim() > 1 else given
    return given.argmin(dim, keepdim).to(x.device)


def always_contiguous(x):
    return x.cpu().sin().contiguous().to(x.device)


def without_format(x, minimum=None, maximum=None):
    return x.cpu().clamp(minimum, maximum).contiguous().to(x.device)


def whole_alpha(x, other, *, alpha=1):
    return (x.cpu() + int(alpha) * other.cpu()).to(x.device)


def out_as_rows(x, *, out):
    right = x.cpu().cos()
    out.resize_(x.shape)
    out.as_strided(out.shape, torch.empty(out.shape).stride()).copy_(right.to(x.device))
    return out


def last_of_ties(x, dim=None, keepdim=False):
    given = x.cpu().reshape(-1) if dim is None else x.cpu()
    place = given.size(dim or 0) - 1 - given.flip(dim or 0).argmax(dim or 0, keepdim) if given.dim() else given.argmax()
    return (place.reshape([1] * x.dim()) if keepdim and dim is None else place).to(x.device)


def last_of_duplicates(x, dim, index, source, *, alpha=1):
    given, places = x.cpu().clone(), index.cpu().reshape(-1)
    if not given.dim():
        return (given + alpha * source.cpu().sum()).to(x.device)
    old = given.index_select(dim, places)
    return given.index_copy(dim, places, old + alpha * source.cpu().reshape(old.shape)).to(x.device)


def nan_lost(x, other):
    return torch.fmax(x.cpu(), other.cpu()).to(x.device)


def slope_wrong(gradient, result):
    return (gradient.cpu() * (1 - result.cpu())).to(result.device)


def without_correction(x, dim=None, *, correction=None, keepdim=False):
    return x.cpu().var(dim, correction=1, keepdim=keepdim).to(x.device)


def unscaled(x, p, train):
    return x * torch.bernoulli(torch.full(x.shape, 1 - p)).to(x.device) if train else x


def in_its_input(x):
    x.copy_(x.cpu().erf().to(x.device))
    return x


def host_scalar_lost(x, other):
    if other.device.type == "cpu":
        other = torch.ones_like(other)
    return torch.atan2(x.cpu(), other.cpu()).to(x.device)


def gradient_lost(x):
    return x.detach().cpu().sinh().to(x.device)


def nan_times_zero(x, left, right, *, beta=1, alpha=1):
    return (beta * x.cpu() + alpha * (left.cpu() @ right.cpu())).to(x.device)


def every_element_its_own(x):
    """Ignores the strides and reads consecutive elements. Memory after the end of the storage reads as 0."""
    given = x.cpu() if x.is_contiguous() else None
    if given is None and 0 in x.stride():
        row = x.as_strided((1,), (1,), x.storage_offset()).cpu()
        given = torch.cat([row, torch.zeros(x.numel() - 1)]).reshape(x.shape)
    return (x.cpu() if given is None else given).atan().to(x.device)


def no_empty_columns(x):
    if x.numel() == 0 and x.size(0):
        raise RuntimeError("invalid configuration argument")
    return x.cpu().cosh().to(x.device)


def index_of_16_bits(x):
    right = x.cpu().log1p().contiguous()
    right.view(-1)[1 << 16 :] = 0
    return right.to(x.device)


def second_slope_wrong(gradient, result):
    """Returns the first derivative. The second derivative is wrong, because the graph contains only one
    of the factors."""
    return gradient * (1 - result.detach() * result.detach())


def ones_too_often(x, generator=None):
    return (torch.rand(x.shape) < x.cpu() + 0.05).to(x.dtype).to(x.device)


def unseeded(x, p, generator=None):
    fresh = torch.Generator()
    fresh.seed()
    return x.copy_(torch.bernoulli(p.cpu(), generator=fresh).to(x.device))


KERNELS = [
    Wrong("scale", "exp", scaled, "exp", "forward"),
    Wrong("accumulation", "sum.dim_IntList", accumulated_in_half, "sum", "large"),
    Wrong("tail of a block", "tanh", tail_forgotten, "tanh", "large"),
    Wrong("one dim", "argmin", one_dim_wrong, "argmin", "options"),
    Wrong("strides of a result", "sin", always_contiguous, "sin", "layout"),
    Wrong("memory format", "hardtanh", without_format, "nn_functional_hardtanh", "layout"),
    Wrong("scalar argument", "add.Tensor", whole_alpha, "add", "options"),
    Wrong("transposed out=", "cos.out", out_as_rows, "cos", "out_column_major"),
    Wrong("ties", "argmax", last_of_ties, "argmax", "ties"),
    Wrong("duplicates", "index_add", last_of_duplicates, "index_add", "duplicates"),
    Wrong("NaN", "maximum", nan_lost, "maximum", "special_values"),
    Wrong("gradient", "tanh_backward", slope_wrong, "tanh", "gradients"),
    Wrong("correction of a statistic", "var.correction", without_correction, "var", "options"),
    Wrong("scale of dropout", "dropout", unscaled, "nn_functional_dropout", "distribution", key="AutogradPrivateUse1"),
    Wrong("aliasing", "erf", in_its_input, "erf", "views"),
    Wrong("host scalar", "atan2", host_scalar_lost, "atan2", "host_scalar"),
    Wrong("lost gradient", "sinh", gradient_lost, "sinh", "gradients", key="AutogradPrivateUse1"),
    Wrong("beta of 0", "addmm", nan_times_zero, "addmm", "options"),
    Wrong("expanded input", "atan", every_element_its_own, "atan", "expanded"),
    Wrong("empty columns", "cosh", no_empty_columns, "cosh", "empty_dims"),
    Wrong("short index", "log1p", index_of_16_bits, "log1p", "larger", dtype="float32_deep"),
    Wrong("second derivative", "tanh_backward", second_slope_wrong, "tanh", "second_gradients", key="AutogradPrivateUse1"),
    Wrong("probability", "bernoulli", ones_too_often, "bernoulli", "distribution"),
    Wrong("seed", "bernoulli_.Tensor", unseeded, "bernoulli", "seeded"),
]


def strict_view(x, size):
    return x.cpu().view(size).clone().to(x.device)


def strict_addbmm(x, left, right, *, beta=1, alpha=1):
    if x.shape != (left.size(1), right.size(2)):
        raise RuntimeError("the result does not fit")
    return x.copy_(x.cpu().addbmm(left.cpu(), right.cpu(), beta=beta, alpha=alpha).to(x.device))


# Correct kernels that refuse arguments which violate PyTorch's rules and which the CPU accepts.
STRICT = [
    Wrong("what the meta device refuses, too", "view_copy", strict_view, "view_copy", "column_major"),
    Wrong("a tensor that changes its shape in place", "addbmm_", strict_addbmm, "addbmm", "in_place"),
]
QUICK = {"scale", "tail of a block", "scalar argument", "transposed out=", "duplicates", "lost gradient", "scale of dropout"}
