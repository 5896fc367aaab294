# SPDX-License-Identifier: BSD-3-Clause
"""A backend whose tensors are a subclass around a host tensor. Written in Python only.

PyTorch's own helpers for backends in Python provide hooks and a guard with one device. All operators on a tensor
arrive in `WrappedTensor.__torch_dispatch__`. Only factories, which get no tensor, need kernels. There is no
allocator, and storages have no memory (nothing-behind-a-storage). All results are wrapped, also those that core made
on the CPU (lengths-on-the-device, jagged-sizes). `x.data = y` does not change `inner` (data-keeps-what-it-wraps).
"""

import weakref

import torch
from fleet_module import OneDeviceModule, add_autocast
from fleet_subclass import CHANGES_THE_TENSOR, written
from torch.utils import _pytree as pytree
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

NAME = "tensor_subclass"
_aten = torch.ops.aten
_RANDOM = {"aten::uniform_", "aten::normal_", "aten::random_", "aten::bernoulli_", "aten::bernoulli",
           "aten::randperm", "aten::native_dropout", "aten::multinomial", "aten::exponential_",
           "aten::rand_like", "aten::randn_like", "aten::randint_like", "aten::cauchy_",
           "aten::geometric_", "aten::log_normal_", "aten::normal", "aten::rrelu_with_noise"}


class WrappedTensor(torch.Tensor):
    """A tensor of the device. `inner` is a host tensor with its values."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.size(), strides=inner.stride(), storage_offset=inner.storage_offset(),
            dtype=inner.dtype, layout=inner.layout, device=torch.device(NAME, 0))

    def __init__(self, inner):
        self.inner = inner

    def __repr__(self, *, tensor_contents=None):
        # repr-forgets-gradients
        return f"{self.inner!r:.{10_000}}"[:-1] + f", device='{self.device}')"

    def __reduce_ex__(self, _protocol):
        return _rebuild, (self.detach().cpu(),)  # requires-grad-lost

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return _run(function, args, dict(kwargs or {}))


def _rebuild(values):
    return values.to(NAME)


torch.serialization.add_safe_globals([_rebuild])


# ---- operators ------------------------------------------------------------------------------------
def _inner(value):
    if isinstance(value, WrappedTensor):
        return value.inner  # conj-ignored
    if isinstance(value, torch.device) and value.type == NAME:
        return torch.device("cpu")
    return value


def _wrapped(value):
    return WrappedTensor(value) if isinstance(value, torch.Tensor) else value


def _returned(schema, args, kwargs, result):
    """Returns the results of an operator that writes: the written arguments themselves, and other tensors wrapped."""
    targets = written(schema, args, kwargs)
    results = result if len(schema.returns) > 1 else [result]
    own = [targets.get(frozenset(slot.alias_info.before_set)) if slot.alias_info else _wrapped(value)
           for slot, value in zip(schema.returns, results)]
    return tuple(own) if len(own) > 1 else own[0] if own else None


def _to(function, args, kwargs):
    """Copies to another device, or converts to another dtype on this device."""
    device = kwargs.get("device")
    stays = device is None or torch.device(device).type == NAME
    if not stays:
        return function(_inner(args[0]), *args[1:], **kwargs)
    return _wrapped(function(*pytree.tree_map(_inner, args), **pytree.tree_map(_inner, kwargs)))


def _run(function, args, kwargs):
    name = function._schema.name
    if name in CHANGES_THE_TENSOR:  # no-resize
        raise NotImplementedError(f"Could not run '{name}': {NAME} has nothing behind a tensor that "
                                  f"it could change")
    if name == "aten::_to_copy":
        return _to(function, args, kwargs)
    if name in _RANDOM:
        kwargs["generator"] = _generator_for(kwargs.get("generator"))
        if not any(argument.name == "generator" for argument in function._schema.arguments):
            del kwargs["generator"]
            return _seeded(function, args, kwargs)
    given, keywords = pytree.tree_map(_inner, args), pytree.tree_map(_inner, kwargs)
    result = function(*given, **keywords)
    if not written(function._schema, args, kwargs):
        return pytree.tree_map(_wrapped, result)
    return _returned(function._schema, args, kwargs, result)


def _seeded(function, args, kwargs):
    """A random operator without a generator argument draws from the host's generator, which temporarily gets the state
    of the device's generator."""
    with torch.random.fork_rng(devices=[]):
        torch.random.set_rng_state(_generator.get_state())
        result = function(*pytree.tree_map(_inner, args), **pytree.tree_map(_inner, kwargs))
        _generator.set_state(torch.random.get_rng_state())
    return pytree.tree_map(_wrapped, result)


# ---- factories ------------------------------------------------------------------------------------
_kernels = torch.library.Library("aten", "IMPL")


def _empty(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    if pin_memory:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    return WrappedTensor(torch.empty(size, dtype=dtype, layout=layout, device="cpu",
                                     memory_format=memory_format or torch.contiguous_format))


def _empty_strided(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    if pin_memory:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    return WrappedTensor(torch.empty_strided(size, stride, dtype=dtype, layout=layout, device="cpu"))


_kernels.impl("empty.memory_format", _empty, "PrivateUse1")
_kernels.impl("empty_strided", _empty_strided, "PrivateUse1")


# ---- autocast -------------------------------------------------------------------------------------
_autocast = torch.library.Library("aten", "IMPL")
_library = torch.library.Library("_", "IMPL")
_library.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
_casts = {}


def _without_autocast():
    return torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1))


def _cast(value, dtype):
    """Casts the value to the region's dtype. Weights are cast only once."""
    if not isinstance(value, WrappedTensor) or not value.is_floating_point() or value.dtype == dtype \
            or value.dtype == torch.float64:
        return value
    if not (value.is_leaf and value.requires_grad and torch.is_autocast_cache_enabled()):
        return value.to(dtype)  # casts-outlive-the-region
    owner, cast = _casts.get((id(value), dtype), (None, None))
    if owner is None or owner() is not value:
        cast = value.to(dtype)
        _casts[id(value), dtype] = weakref.ref(value), cast
    return cast


def _lower_precision(operator):
    def run(*args, **kwargs):
        dtype = torch.get_autocast_dtype(NAME)
        with _without_autocast():
            return operator(*pytree.tree_map(lambda value: _cast(value, dtype), args), **kwargs)
    return run


def _full_precision(operator):
    def run(*args, **kwargs):
        with _without_autocast():
            return operator(*pytree.tree_map(
                lambda value: value.float() if isinstance(value, WrappedTensor)
                and value.dtype in (torch.float16, torch.bfloat16) else value, args), **kwargs)
    return run


def _promoting(operator):
    def run(*args, **kwargs):
        values = [value for value in pytree.tree_leaves(args) if isinstance(value, WrappedTensor)]
        wide = any(value.dtype == torch.float32 for value in values)
        with _without_autocast():
            return operator(*pytree.tree_map(
                lambda value: value.float() if wide and isinstance(value, WrappedTensor)
                and value.dtype in (torch.float16, torch.bfloat16) else value, args), **kwargs)
    return run


_LOWER = "mm mv bmm addmm addmv baddbmm addbmm linear matmul conv1d conv2d conv3d"
_FULL = """acos asin cosh sinh tan exp expm1 log log10 log2 log1p reciprocal rsqrt erfinv
    pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar softplus layer_norm group_norm norm.Scalar
    norm.ScalarOpt_dim cosine_similarity mse_loss l1_loss smooth_l1_loss huber_loss kl_div nll_loss
    nll_loss_nd cross_entropy_loss binary_cross_entropy_with_logits soft_margin_loss dist renorm cdist
    linalg_vector_norm linalg_matrix_norm logsumexp softmax.int log_softmax.int cumsum cumprod prod prod.dim_int sum sum.dim_IntList"""

_WIDEST = "addcdiv addcmul atan2 bilinear cross dot vdot index_put tensordot scatter_add"

for _names, _policy in ((_LOWER, _lower_precision), (_FULL, _full_precision), (_WIDEST, _promoting)):
    for _name in _names.split():
        _packet, _, _overload = _name.partition(".")
        _operator = getattr(getattr(_aten, _packet), _overload or "default")
        _autocast.impl(_operator, _policy(_operator), "AutocastPrivateUse1")


# ---- gradients ------------------------------------------------------------------------------------
class _Sigmoid(torch.autograd.Function):
    """Saves only the slope for backward instead of input and output."""

    @staticmethod
    def forward(ctx, x):
        with torch._C._AutoDispatchBelowAutograd():
            y = torch.sigmoid(x)
            ctx.slope = y * (1 - y)  # slope-without-history
        return y

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.slope


_autograd = torch.library.Library("aten", "IMPL")
_autograd.impl("sigmoid", _Sigmoid.apply, "AutogradPrivateUse1")


# ---- random numbers -------------------------------------------------------------------------------
_generator = torch.Generator()  # the device's own generator, separate from PyTorch's


def _generator_for(given):
    """The generator for a random operator. Users cannot create a generator of this device."""
    if given is not None:
        raise RuntimeError(f"Expected a '{NAME}' device type for generator but found '{given.device.type}'")
    return _generator


# ---- the device module, hooks and guard -----------------------------------------------------------
def _manual_seed_all(seed):
    if seed < 0:
        raise ValueError(f"{NAME}: the seed must not be negative")  # negative-seed-refused
    _generator.manual_seed(seed)


module = OneDeviceModule(NAME)
add_autocast(module, torch.float16, torch.bfloat16)
vars(module).update(
    set_device=lambda device: module._index(device) and None,  # set-device-anything
    synchronize=lambda device=None: None,
    current_stream=torch.accelerator.current_stream,
    stream=lambda stream: stream,  # no-stream-is-no-block
    _is_in_bad_fork=lambda: False,
    _initialized=True,
    manual_seed=_manual_seed_all,
    manual_seed_all=_manual_seed_all,
    initial_seed=_generator.initial_seed,
    get_rng_state=lambda device=NAME: _generator.get_state(),
    set_rng_state=lambda new_state, device=NAME: _generator.set_state(new_state),
)
_setup_privateuseone_for_python_backend(NAME, backend_module=module)
