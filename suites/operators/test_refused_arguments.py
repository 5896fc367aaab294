# SPDX-License-Identifier: BSD-3-Clause
"""Calls that PyTorch's rules forbid, so that the CPU refuses them: wrong dtypes, shapes, dims and outputs."""

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.late import raised
from assay.checks.refused_cases import ask_refused, expect_refused, refused_by_cpu

# Each function gets `to`, which copies a tensor to the device, and `kept`, which marks tensors that must not change.
SHAPES = {
    "add": lambda to, kept: kept(to(torch.ones(3))) + to(torch.ones(4)),
    "add_ with a longer tensor": lambda to, kept: kept(to(torch.ones(3))).add_(to(torch.ones(2, 3))),
    "mul_ of another length": lambda to, kept: kept(to(torch.ones(3))).mul_(to(torch.ones(4))),
    "where": lambda to, kept: torch.where(to(torch.ones(3).bool()), to(torch.ones(4)), to(torch.ones(4))),
    "addcmul": lambda to, kept: torch.addcmul(to(torch.ones(3)), to(torch.ones(4)), to(torch.ones(4))),
    "lerp": lambda to, kept: torch.lerp(to(torch.ones(3)), to(torch.ones(4)), 0.5),
    "mm": lambda to, kept: torch.mm(to(torch.ones(3, 4)), to(torch.ones(3, 4))),
    "mm of three dims": lambda to, kept: torch.mm(to(torch.ones(2, 3, 4)), to(torch.ones(4, 3))),
    "mm of a vector": lambda to, kept: torch.mm(to(torch.ones(3, 4)), to(torch.ones(4))),
    "bmm with other batches": lambda to, kept: torch.bmm(to(torch.ones(2, 3, 4)), to(torch.ones(3, 4, 2))),
    "bmm of two dims": lambda to, kept: torch.bmm(to(torch.ones(3, 4)), to(torch.ones(4, 2))),
    "dot with other lengths": lambda to, kept: torch.dot(to(torch.ones(3)), to(torch.ones(4))),
    "dot of matrices": lambda to, kept: torch.dot(to(torch.ones(3, 3)), to(torch.ones(3, 3))),
    "mv": lambda to, kept: torch.mv(to(torch.ones(3, 4)), to(torch.ones(3))),
    "addmm": lambda to, kept: torch.addmm(to(torch.ones(3, 3)), to(torch.ones(3, 4)), to(torch.ones(4, 2))),
    "baddbmm": lambda to, kept: torch.baddbmm(
        to(torch.ones(2, 3, 3)), to(torch.ones(2, 3, 4)), to(torch.ones(2, 4, 2))
    ),
    "linear": lambda to, kept: F.linear(to(torch.ones(2, 3)), to(torch.ones(4, 5))),
    "conv2d with other channels": lambda to, kept: F.conv2d(to(torch.ones(1, 3, 5, 5)), to(torch.ones(2, 4, 3, 3))),
    "conv2d with a larger window": lambda to, kept: F.conv2d(to(torch.ones(1, 3, 2, 2)), to(torch.ones(2, 3, 3, 3))),
    "conv2d with a bias of another size": lambda to, kept: F.conv2d(
        to(torch.ones(1, 3, 5, 5)), to(torch.ones(2, 3, 3, 3)), to(torch.ones(3))
    ),
    "conv2d with groups that do not divide the channels": lambda to, kept: F.conv2d(
        to(torch.ones(1, 3, 5, 5)), to(torch.ones(2, 1, 3, 3)), groups=2
    ),
    "conv2d of stride 0": lambda to, kept: F.conv2d(to(torch.ones(1, 3, 5, 5)), to(torch.ones(2, 3, 3, 3)), stride=0),
    "conv2d of negative padding": lambda to, kept: F.conv2d(
        to(torch.ones(1, 3, 5, 5)), to(torch.ones(2, 3, 3, 3)), padding=-1
    ),
    "cat with other sizes": lambda to, kept: torch.cat([to(torch.ones(2, 3)), to(torch.ones(2, 4))]),
    "cat with other dims": lambda to, kept: torch.cat([to(torch.ones(2, 3)), to(torch.ones(3))]),
    "stack with other sizes": lambda to, kept: torch.stack([to(torch.ones(2)), to(torch.ones(3))]),
    "gather with a larger index": lambda to, kept: torch.gather(to(torch.ones(2, 3)), 1, to(torch.zeros(3, 3).long())),
    "gather of another rank": lambda to, kept: torch.gather(to(torch.ones(2, 3)), 1, to(torch.zeros(2).long())),
    "scatter_ with a larger index": lambda to, kept: kept(to(torch.ones(2, 3))).scatter_(
        1, to(torch.zeros(3, 3).long()), 2.0
    ),
    "scatter_ with a shorter source": lambda to, kept: kept(to(torch.ones(2, 3))).scatter_(
        1, to(torch.zeros(2, 3).long()), to(torch.ones(2, 2))
    ),
    "scatter_add_ with a shorter source": lambda to, kept: kept(to(torch.ones(2, 3))).scatter_add_(
        1, to(torch.zeros(2, 3).long()), to(torch.ones(1, 3))
    ),
    "index_select of a matrix": lambda to, kept: torch.index_select(
        to(torch.ones(2, 3)), 0, to(torch.zeros(1, 1).long())
    ),
    "index_select of a matrix without elements": lambda to, kept: torch.index_select(
        to(torch.ones(3)), 0, to(torch.zeros(1, 0).long())
    ),
    "index_add_ with another source": lambda to, kept: kept(to(torch.ones(2, 3))).index_add_(
        0, to(torch.zeros(2).long()), to(torch.ones(3, 3))
    ),
    "index_put_ with other values": lambda to, kept: kept(to(torch.ones(4, 3))).index_put_(
        (to(torch.zeros(2).long()),), to(torch.ones(3, 3))
    ),
    "masked_fill_ with a mask of another size": lambda to, kept: kept(to(torch.ones(3))).masked_fill_(to(torch.ones(4).bool()), 2),
    "masked_fill_ of many values": lambda to, kept: kept(to(torch.ones(3))).masked_fill_(
        to(torch.ones(3).bool()), to(torch.ones(3))
    ),
    "masked_select with a mask of another size": lambda to, kept: torch.masked_select(to(torch.ones(3)), to(torch.ones(4).bool())),
    "fill_ of many values": lambda to, kept: kept(to(torch.ones(3))).fill_(to(torch.ones(3))),
    "mse_loss": lambda to, kept: F.mse_loss(to(torch.ones(3)), to(torch.ones(4))),
    "smooth_l1_loss of a negative beta": lambda to, kept: F.smooth_l1_loss(
        to(torch.ones(3)), to(torch.ones(3)), beta=-1.0
    ),
    "attention with other sizes": lambda to, kept: F.scaled_dot_product_attention(
        to(torch.ones(1, 2, 3, 4)), to(torch.ones(1, 2, 3, 5)), to(torch.ones(1, 2, 3, 4))
    ),
    "lstm_cell with a state of another size": lambda to, kept: torch.lstm_cell(
        to(torch.ones(2, 3)), [to(torch.ones(2, 5))] * 2, to(torch.ones(16, 3)), to(torch.ones(16, 4))
    ),
    "batch_norm with statistics of another size": lambda to, kept: F.batch_norm(
        to(torch.ones(2, 3, 4)), to(torch.ones(4)), to(torch.ones(4))
    ),
    "layer_norm with another shape": lambda to, kept: F.layer_norm(to(torch.ones(2, 3)), (4,)),
    "view": lambda to, kept: to(torch.ones(2, 3)).view(4),
    "view that would copy": lambda to, kept: to(torch.ones(2, 3)).t().view(6),
    "expand": lambda to, kept: to(torch.ones(2, 3)).expand(4, 3),
    "item of many": lambda to, kept: to(torch.ones(2)).item(),
    "bool of many": lambda to, kept: bool(to(torch.ones(2))),
    "view_as_complex of three": lambda to, kept: torch.view_as_complex(to(torch.ones(2, 3))),
    "unfold of a longer window": lambda to, kept: to(torch.ones(3)).unfold(0, 4, 1),
    "arange with the wrong direction": lambda to, kept: torch.arange(5, 2, device=to(torch.ones(1)).device),
    "arange of step 0": lambda to, kept: torch.arange(2, 5, 0, device=to(torch.ones(1)).device),
    "empty of a negative size": lambda to, kept: torch.empty(-1, device=to(torch.ones(1)).device),
    "resize_ to a negative size": lambda to, kept: kept(to(torch.ones(3))).resize_(-2),
    "as_strided beyond the storage": lambda to, kept: to(torch.ones(3)).as_strided((2, 3), (3, 1)),
    "softmax backward with another gradient": lambda to, kept: torch.ops.aten._softmax_backward_data.out(
        to(torch.ones(1, 3)), to(torch.ones(4, 3)), 1, torch.float32, grad_input=kept(to(torch.ones(4, 3)))
    ),
    "softmax backward with a smaller gradient": lambda to, kept: torch.ops.aten._softmax_backward_data(
        to(torch.ones(1, 3)), to(torch.ones(4, 3)), 1, torch.float32
    ),
    "threshold backward with another gradient": lambda to, kept: torch.ops.aten.threshold_backward(
        to(torch.ones(4)), to(torch.ones(3)), 0
    ),
    "tanh backward with another gradient": lambda to, kept: torch.ops.aten.tanh_backward(to(torch.ones(4)), to(torch.ones(3))),
    "addcdiv": lambda to, kept: torch.addcdiv(to(torch.ones(3)), to(torch.ones(3)), to(torch.ones(4))),
    "lerp_ with a longer end": lambda to, kept: kept(to(torch.ones(3))).lerp_(to(torch.ones(2, 3)), 0.5),
    "clamp_ with a longer bound": lambda to, kept: kept(to(torch.ones(3))).clamp_(to(torch.ones(2, 3))),
    "maximum": lambda to, kept: torch.maximum(to(torch.ones(3)), to(torch.ones(4))),
    "eq": lambda to, kept: to(torch.ones(3)) == to(torch.ones(4)),
    "logical_and": lambda to, kept: torch.logical_and(to(torch.ones(3)), to(torch.ones(4))),
    "pow": lambda to, kept: torch.pow(to(torch.ones(3)), to(torch.ones(4))),
    "copy_": lambda to, kept: kept(to(torch.ones(3))).copy_(to(torch.ones(4))),
    "copy_ from the host": lambda to, kept: kept(to(torch.ones(3))).copy_(torch.ones(4)),
    "smooth_l1_loss": lambda to, kept: F.smooth_l1_loss(to(torch.ones(3)), to(torch.ones(4))),
    "index with lists that do not broadcast": lambda to, kept: to(torch.ones(4, 3))[to(torch.zeros(2).long()), to(torch.zeros(3).long())],
    "index of too many lists": lambda to, kept: to(torch.ones(3))[to(torch.zeros(2).long()), to(torch.zeros(2).long())],
    "index of no elements": lambda to, kept: to(torch.ones(0, 3))[to(torch.zeros(2).long())],
    "index_put_ into no elements": lambda to, kept: kept(to(torch.ones(0, 3))).index_put_(
        (to(torch.zeros(1).long()),), to(torch.ones(3))
    ),
    "index_select of no elements": lambda to, kept: torch.index_select(to(torch.ones(0, 3)), 0, to(torch.zeros(2).long())),
    "index with a mask of another size": lambda to, kept: to(torch.ones(3))[to(torch.ones(4).bool())],
    "conv_transpose2d with other channels": lambda to, kept: F.conv_transpose2d(
        to(torch.ones(1, 3, 5, 5)), to(torch.ones(4, 2, 3, 3))
    ),
    "conv2d with a larger window and dilation": lambda to, kept: F.conv2d(
        to(torch.ones(1, 3, 4, 4)), to(torch.ones(2, 3, 3, 3)), dilation=2
    ),
    "attention with other heads": lambda to, kept: F.scaled_dot_product_attention(
        to(torch.ones(1, 2, 3, 4)), to(torch.ones(1, 3, 3, 4)), to(torch.ones(1, 3, 3, 4))
    ),
    "attention of another number of values": lambda to, kept: F.scaled_dot_product_attention(
        to(torch.ones(1, 2, 3, 4)), to(torch.ones(1, 2, 5, 4)), to(torch.ones(1, 2, 4, 4))
    ),
    "attention with a mask of another size": lambda to, kept: F.scaled_dot_product_attention(
        to(torch.ones(1, 2, 3, 4)), to(torch.ones(1, 2, 3, 4)), to(torch.ones(1, 2, 3, 4)), to(torch.ones(3, 4))
    ),
    "gru_cell with a state of another size": lambda to, kept: torch.gru_cell(
        to(torch.ones(2, 3)), to(torch.ones(2, 5)), to(torch.ones(12, 3)), to(torch.ones(12, 4))
    ),
    "set_ of a negative offset": lambda to, kept: kept(to(torch.ones(3))).set_(
        to(torch.ones(6)).untyped_storage(), -1, (3,), (1,)
    ),
}
DIMS = {
    "sum": lambda to, kept: to(torch.ones(2, 3)).sum(2),
    "sum over a dim below the range": lambda to, kept: to(torch.ones(2, 3)).sum(-3),
    "sum of a dim twice": lambda to, kept: to(torch.ones(2, 3)).sum((0, 0)),
    "mean": lambda to, kept: to(torch.ones(2, 3)).mean(2),
    "amax": lambda to, kept: to(torch.ones(2, 3)).amax(2),
    "argmax": lambda to, kept: to(torch.ones(2, 3)).argmax(2),
    "all": lambda to, kept: to(torch.ones(2, 3)).all(2),
    "prod": lambda to, kept: to(torch.ones(2, 3)).prod(2),
    "cumsum": lambda to, kept: to(torch.ones(2, 3)).cumsum(2),
    "softmax": lambda to, kept: to(torch.ones(2, 3)).softmax(2),
    "log_softmax over a dim below the range": lambda to, kept: to(torch.ones(2, 3)).log_softmax(-3),
    "cat": lambda to, kept: torch.cat([to(torch.ones(2, 3))] * 2, 2),
    "stack": lambda to, kept: torch.stack([to(torch.ones(2, 3))] * 2, 4),
    "gather": lambda to, kept: torch.gather(to(torch.ones(2, 3)), 2, to(torch.zeros(2, 3).long())),
    "scatter": lambda to, kept: torch.scatter(to(torch.ones(2, 3)), 2, to(torch.zeros(2, 3).long()), 1.0),
    "index_select": lambda to, kept: torch.index_select(to(torch.ones(2, 3)), 2, to(torch.zeros(2).long())),
    "sort": lambda to, kept: to(torch.ones(2, 3)).sort(2),
    "topk of too many": lambda to, kept: to(torch.ones(2, 3)).topk(4, 1),
    "max over an empty dim": lambda to, kept: to(torch.ones(2, 0)).max(1),
    "max of an empty tensor": lambda to, kept: to(torch.ones(0)).max(),
    "argmin of an empty tensor": lambda to, kept: to(torch.ones(0)).argmin(),
    "amax over an empty dim": lambda to, kept: to(torch.ones(2, 0)).amax(1),
    "amin of an empty tensor": lambda to, kept: to(torch.ones(0, 3)).amin(),
    "log_softmax": lambda to, kept: to(torch.ones(2, 3)).log_softmax(2),
    "log_softmax of no dim": lambda to, kept: torch.log_softmax(to(torch.ones(0, 3)), 5, out=kept(to(torch.ones(2)))),
    "amax of a dim twice": lambda to, kept: to(torch.ones(2, 3)).amax((0, -2)),
    "amin": lambda to, kept: to(torch.ones(2, 3)).amin(-3),
    "any": lambda to, kept: to(torch.ones(2, 3)).any(2),
    "argmin": lambda to, kept: to(torch.ones(2, 3)).argmin(2),
    "argmax over an empty dim": lambda to, kept: to(torch.ones(2, 0)).argmax(1),
    "min over an empty dim": lambda to, kept: to(torch.ones(2, 0)).min(1),
    "min of an empty tensor": lambda to, kept: to(torch.ones(0)).min(),
    "max": lambda to, kept: to(torch.ones(2, 3)).max(2),
    "cumsum over a dim below the range": lambda to, kept: to(torch.ones(2, 3)).cumsum(-3),
    "cumprod": lambda to, kept: to(torch.ones(2, 3)).cumprod(2),
    "scatter_add": lambda to, kept: torch.scatter_add(to(torch.ones(2, 3)), 2, to(torch.zeros(2, 3).long()), to(torch.ones(2, 3))),
    "softmax of a number": lambda to, kept: to(torch.tensor(1.0)).softmax(1),
    "sum of a number": lambda to, kept: to(torch.tensor(1.0)).sum(1),
    "unfold": lambda to, kept: to(torch.ones(2, 3)).unfold(2, 1, 1),
    "cat over a dim below the range": lambda to, kept: torch.cat([to(torch.ones(2, 3))] * 2, -3),
    "index_select of a number": lambda to, kept: torch.index_select(to(torch.tensor(1.0)), 1, to(torch.zeros(1).long())),
    "select": lambda to, kept: to(torch.ones(2, 3))[2],
    "transpose": lambda to, kept: to(torch.ones(2, 3)).transpose(0, 2),
}
DTYPES = {
    "add_ of a floating number to integers": lambda to, kept: kept(to(torch.ones(3).long())).add_(1.5),
    "mul_ of complex numbers": lambda to, kept: kept(to(torch.ones(3))).mul_(to(torch.ones(3, dtype=torch.complex64))),
    "div_ of integers": lambda to, kept: kept(to(torch.ones(3).long())).div_(2),
    "alpha of a float for integers": lambda to, kept: torch.add(
        to(torch.ones(3).long()), to(torch.ones(3).long()), alpha=1.5
    ),
    "sub of bools": lambda to, kept: torch.sub(to(torch.ones(3).bool()), to(torch.ones(3).bool())),
    "neg of bools": lambda to, kept: -to(torch.ones(3).bool()),
    "bitwise_and of floats": lambda to, kept: to(torch.ones(3)) & to(torch.ones(3)),
    "bitwise_not of floats": lambda to, kept: ~to(torch.ones(3)),
    "bitwise_xor of a float": lambda to, kept: to(torch.ones(3).long()) ^ to(torch.ones(3)),
    "less of complex numbers": lambda to, kept: (
        to(torch.ones(3, dtype=torch.complex64)) < to(torch.ones(3, dtype=torch.complex64))
    ),
    "maximum of complex numbers": lambda to, kept: torch.maximum(
        to(torch.ones(3, dtype=torch.complex64)), to(torch.ones(3, dtype=torch.complex64))
    ),
    "relu of complex numbers": lambda to, kept: to(torch.ones(3, dtype=torch.complex64)).relu(),
    "clamp of int8 with a minimum below its range": lambda to, kept: to(torch.ones(3, dtype=torch.int8)).clamp(min=-129),
    "clamp of int8 with a maximum above its range": lambda to, kept: to(torch.ones(3, dtype=torch.int8)).clamp(max=128),
    "clamp_min of int8 far below its range": lambda to, kept: to(torch.ones(3, dtype=torch.int8)).clamp_min(-200),
    "clamp_max of uint8 above its range": lambda to, kept: to(torch.ones(3, dtype=torch.uint8)).clamp_max(256),
    "relu of bools": lambda to, kept: to(torch.ones(3).bool()).relu(),
    "relu_ of bools": lambda to, kept: kept(to(torch.ones(3).bool())).relu_(),
    "floor of complex numbers": lambda to, kept: to(torch.ones(3, dtype=torch.complex64)).floor(),
    "clamp of complex numbers": lambda to, kept: to(torch.ones(3, dtype=torch.complex64)).clamp(0, 1),
    "argmax of complex numbers": lambda to, kept: to(torch.ones(3, dtype=torch.complex64)).argmax(),
    "amax of complex numbers": lambda to, kept: to(torch.ones(3, dtype=torch.complex64)).amax(),
    "mean of integers": lambda to, kept: to(torch.ones(3).long()).mean(),
    "mean of bools over a dim": lambda to, kept: to(torch.ones(3).bool()).mean(0),
    "std of integers": lambda to, kept: to(torch.ones(3).long()).std(),
    "pow to a negative integer": lambda to, kept: to(torch.ones(3).long()).pow(-1),
    "lerp of integers": lambda to, kept: torch.lerp(to(torch.ones(3).long()), to(torch.ones(3).long()), 0.5),
    "lerp of two dtypes": lambda to, kept: torch.lerp(to(torch.ones(3)), to(torch.ones(3).double()), 0.5),
    "addcdiv of integers": lambda to, kept: torch.addcdiv(
        to(torch.ones(3).long()), to(torch.ones(3).long()), to(torch.ones(3).long())
    ),
    "mm of two dtypes": lambda to, kept: torch.mm(to(torch.ones(3, 3)), to(torch.ones(3, 3).double())),
    "bmm of two dtypes": lambda to, kept: torch.bmm(to(torch.ones(2, 3, 3)), to(torch.ones(2, 3, 3).double())),
    "addmm of two dtypes": lambda to, kept: torch.addmm(
        to(torch.ones(3, 3)), to(torch.ones(3, 3)), to(torch.ones(3, 3).double())
    ),
    "addmm of another added dtype": lambda to, kept: torch.addmm(
        to(torch.ones(3, 3).double()), to(torch.ones(3, 3)), to(torch.ones(3, 3))
    ),
    "dot of two dtypes": lambda to, kept: torch.dot(to(torch.ones(3)), to(torch.ones(3).double())),
    "conv2d of two dtypes": lambda to, kept: F.conv2d(to(torch.ones(1, 1, 3, 3)), to(torch.ones(1, 1, 3, 3).double())),
    "conv2d with a bias of another dtype": lambda to, kept: F.conv2d(
        to(torch.ones(1, 1, 3, 3)), to(torch.ones(1, 1, 3, 3)), to(torch.ones(1).double())
    ),
    "attention of integers": lambda to, kept: F.scaled_dot_product_attention(*[to(torch.ones(1, 1, 2, 2).long())] * 3),
    "attention of two dtypes": lambda to, kept: F.scaled_dot_product_attention(
        to(torch.ones(1, 2, 3, 4)), to(torch.ones(1, 2, 3, 4)), to(torch.ones(1, 2, 3, 4).double())
    ),
    "linear of two dtypes": lambda to, kept: F.linear(to(torch.ones(2, 3)), to(torch.ones(4, 3).double())),
    "softmax of integers": lambda to, kept: to(torch.ones(3).long()).softmax(0),
    "log_softmax of integers": lambda to, kept: to(torch.ones(3).long()).log_softmax(0),
    "mse_loss of integers": lambda to, kept: F.mse_loss(to(torch.ones(3).long()), to(torch.ones(3).long())),
    "where of numbers": lambda to, kept: torch.where(to(torch.ones(3)), to(torch.ones(3)), to(torch.ones(3))),
    "masked_fill_ of numbers": lambda to, kept: kept(to(torch.ones(3))).masked_fill_(to(torch.ones(3)), 2),
    "masked_select of numbers": lambda to, kept: torch.masked_select(to(torch.ones(3)), to(torch.ones(3))),
    "masked_select of bytes": lambda to, kept: torch.masked_select(to(torch.ones(3)), to(torch.ones(3).byte())),
    "gather with a float index": lambda to, kept: torch.gather(to(torch.ones(3)), 0, to(torch.zeros(3))),
    "gather with a bool index": lambda to, kept: torch.gather(to(torch.ones(3)), 0, to(torch.zeros(3).bool())),
    "scatter_ with a float index": lambda to, kept: kept(to(torch.ones(3))).scatter_(0, to(torch.zeros(3)), 2.0),
    "scatter_ of another dtype": lambda to, kept: kept(to(torch.ones(3))).scatter_(
        0, to(torch.zeros(3).long()), to(torch.ones(3).double())
    ),
    "scatter_add_ of another dtype": lambda to, kept: kept(to(torch.ones(3))).scatter_add_(
        0, to(torch.zeros(3).long()), to(torch.ones(3).double())
    ),
    "index_select with a float index": lambda to, kept: torch.index_select(to(torch.ones(3)), 0, to(torch.zeros(3))),
    "index_select with an empty float index": lambda to, kept: torch.index_select(to(torch.ones(3)), 0, to(torch.zeros(0))),
    "gather with an empty float index": lambda to, kept: torch.gather(to(torch.ones(3)), 0, to(torch.zeros(0))),
    "index_put_ of another dtype": lambda to, kept: kept(to(torch.ones(3))).index_put_(
        (to(torch.zeros(1).long()),), to(torch.ones(1).double())
    ),
    "index_add_ of another dtype": lambda to, kept: kept(to(torch.ones(3))).index_add_(
        0, to(torch.zeros(1).long()), to(torch.ones(1).double())
    ),
    "embedding with a float index": lambda to, kept: F.embedding(to(torch.zeros(3)), to(torch.ones(3, 2))),
    "fill_ of a complex number into a float32 tensor": lambda to, kept: kept(to(torch.ones(3))).fill_(2 + 3j),
    "masked_fill_ of a complex number into a float32 tensor": lambda to, kept: kept(to(torch.ones(3))).masked_fill_(
        to(torch.tensor([True, False, True])), 2 + 3j
    ),
    "scatter_ of a complex number into a float32 tensor": lambda to, kept: kept(to(torch.ones(3))).scatter_(
        0, to(torch.tensor([0, 2, 1])), 2 + 3j
    ),
    "index_fill_ of a complex number into a float32 tensor": lambda to, kept: kept(to(torch.ones(3))).index_fill_(
        0, to(torch.tensor([0, 2, 1])), 2 + 3j
    ),
    "sum in bool of a float out=": lambda to, kept: torch.sum(
        to(torch.ones(3)), 0, dtype=torch.bool, out=kept(to(torch.ones(())))
    ),
}
OUTPUTS = {
    "add of floats into an integer out=": (lambda to, out: torch.add(to(torch.ones(3)), 1, out=out), torch.int64),
    "mul of complex into a real out=": (
        lambda to, out: torch.mul(to(torch.ones(3, dtype=torch.complex64)), 1, out=out),
        torch.float32,
    ),
    "exp into an integer out=": (lambda to, out: torch.exp(to(torch.ones(3)), out=out), torch.int64),
    "sqrt of integers into an integer out=": (
        lambda to, out: torch.sqrt(to(torch.ones(3).long()), out=out),
        torch.int64,
    ),
    "div into an integer out=": (lambda to, out: torch.div(to(torch.ones(3)), 2, out=out), torch.int32),
    "atan2 into an integer out=": (
        lambda to, out: torch.atan2(to(torch.ones(3)), to(torch.ones(3)), out=out),
        torch.int32,
    ),
    "sum of floats into a float64 out=": (lambda to, out: torch.sum(to(torch.ones(2, 3)), 0, out=out), torch.float64),
    "mean into a float64 out=": (lambda to, out: torch.mean(to(torch.ones(2, 3)), 0, out=out), torch.float64),
    "amax into a float64 out=": (lambda to, out: torch.amax(to(torch.ones(2, 3)), 0, out=out), torch.float64),
    "all into a float32 out=": (lambda to, out: torch.all(to(torch.ones(2, 3)), 0, out=out), torch.float32),
    "argmax into a float32 out=": (lambda to, out: torch.argmax(to(torch.ones(2, 3)), 0, out=out), torch.float32),
    "cumsum into an integer out=": (lambda to, out: torch.cumsum(to(torch.ones(3)), 0, out=out), torch.int64),
    "softmax into a float64 out=": (lambda to, out: torch.softmax(to(torch.ones(3)), 0, out=out), torch.float64),
    "mv into a float64 out=": (lambda to, out: torch.mv(to(torch.ones(3, 3)), to(torch.ones(3)), out=out), torch.float64),
    "gather into a float64 out=": (
        lambda to, out: torch.gather(to(torch.ones(3)), 0, to(torch.zeros(3).long()), out=out),
        torch.float64,
    ),
    "index_select into a float64 out=": (
        lambda to, out: torch.index_select(to(torch.ones(3)), 0, to(torch.zeros(3).long()), out=out),
        torch.float64,
    ),
    "cat of floats into an integer out=": (
        lambda to, out: torch.cat([to(torch.ones(1)), to(torch.ones(2))], out=out),
        torch.int64,
    ),
    "masked_select into a float64 out=": (
        lambda to, out: torch.masked_select(to(torch.ones(3)), to(torch.ones(3).bool()), out=out),
        torch.float64,
    ),
    "nonzero into a float32 out=": (lambda to, out: torch.nonzero(to(torch.ones(3)), out=out), torch.float32),
    "where into an integer out=": (
        lambda to, out: torch.where(to(torch.ones(3).bool()), to(torch.ones(3)), to(torch.ones(3)), out=out),
        torch.int64,
    ),
    "maximum into an integer out=": (
        lambda to, out: torch.maximum(to(torch.ones(3)), to(torch.ones(3)), out=out),
        torch.int64,
    ),
    "min along into a float64 out=": (
        lambda to, out: torch.min(to(torch.ones(2, 3)), 0, out=(out, to(torch.zeros(3).long()))),
        torch.float64,
    ),
    "max along into float32 indices": (
        lambda to, out: torch.max(to(torch.ones(2, 3)), 0, out=(to(torch.zeros(3)), out)),
        torch.float32,
    ),
    "prod into a float64 out=": (lambda to, out: torch.prod(to(torch.ones(2, 3)), 0, out=out), torch.float64),
    "amin into a float16 out=": (lambda to, out: torch.amin(to(torch.ones(2, 3)), 0, out=out), torch.float16),
    "any into a float32 out=": (lambda to, out: torch.any(to(torch.ones(2, 3)), 0, out=out), torch.float32),
    "argmin into a float32 out=": (lambda to, out: torch.argmin(to(torch.ones(2, 3)), 0, out=out), torch.float32),
    "argmax into an int32 out=": (lambda to, out: torch.argmax(to(torch.ones(2, 3)), 0, out=out), torch.int32),
    "log_softmax into a float64 out=": (lambda to, out: torch.log_softmax(to(torch.ones(3)), 0, out=out), torch.float64),
    "mm into a float64 out=": (lambda to, out: torch.mm(to(torch.ones(1, 3)), to(torch.ones(3, 3)), out=out[None]), torch.float64),
    "addmm into a float64 out=": (
        lambda to, out: torch.addmm(to(torch.ones(1, 3)), to(torch.ones(1, 3)), to(torch.ones(3, 3)), out=out[None]),
        torch.float64,
    ),
    "scatter into a float64 out=": (
        lambda to, out: torch.scatter(to(torch.ones(3)), 0, to(torch.zeros(3).long()), 2.0, out=out),
        torch.float64,
    ),
    "scatter_add into a float64 out=": (
        lambda to, out: torch.scatter_add(to(torch.ones(3)), 0, to(torch.zeros(3).long()), to(torch.ones(3)), out=out),
        torch.float64,
    ),
    "index into a float64 out=": (
        lambda to, out: torch.ops.aten.index.Tensor_out(to(torch.ones(3)), [to(torch.zeros(3).long())], out=out),
        torch.float64,
    ),
    "clamp into an integer out=": (lambda to, out: torch.clamp(to(torch.ones(3)), 0, 1, out=out), torch.int64),
    "clamp_min into an integer out=": (lambda to, out: torch.clamp_min(to(torch.ones(3)), 0, out=out), torch.int64),
    "addcmul into an integer out=": (
        lambda to, out: torch.addcmul(to(torch.ones(3)), to(torch.ones(3)), to(torch.ones(3)), out=out),
        torch.int64,
    ),
    "lerp into an integer out=": (lambda to, out: torch.lerp(to(torch.ones(3)), to(torch.ones(3)), 0.5, out=out), torch.int64),
    "pow into an integer out=": (lambda to, out: torch.pow(to(torch.ones(3)), 2, out=out), torch.int64),
    "pow of a tensor into an integer out=": (
        lambda to, out: torch.pow(to(torch.ones(3)), to(torch.ones(3)), out=out),
        torch.int64,
    ),
    "fmod into an integer out=": (lambda to, out: torch.fmod(to(torch.ones(3)), 2, out=out), torch.int64),
    "div rounded down into an integer out=": (
        lambda to, out: torch.div(to(torch.ones(3)), 2, rounding_mode="floor", out=out),
        torch.int64,
    ),
    "abs into an integer out=": (lambda to, out: torch.abs(to(torch.ones(3)), out=out), torch.int64),
    "floor into an integer out=": (lambda to, out: torch.floor(to(torch.ones(3)), out=out), torch.int64),
    "threshold backward into an integer out=": (
        lambda to, out: torch.ops.aten.threshold_backward.grad_input(to(torch.ones(3)), to(torch.ones(3)), 0, grad_input=out),
        torch.int64,
    ),
    "softmax backward into a float64 out=": (
        lambda to, out: torch.ops.aten._softmax_backward_data.out(
            to(torch.ones(3)), to(torch.ones(3)), 0, torch.float32, grad_input=out
        ),
        torch.float64,
    ),
    "take into a float64 out=": (lambda to, out: torch.take(to(torch.ones(3)), to(torch.zeros(3).long()), out=out), torch.float64),
    "conj_physical into a float64 out=": (lambda to, out: torch.conj_physical(to(torch.ones(3)), out=out), torch.float64),
    "bitwise_and into a bool out=": (
        lambda to, out: torch.bitwise_and(to(torch.ones(3).long()), to(torch.ones(3).long()), out=out),
        torch.bool,
    ),
}


class RefusedArguments(Case):
    def test_shapes(self):
        """operators.incompatible_shapes_are_rejected"""
        ask_refused(self, SHAPES)

    def test_dims(self):
        """operators.nonexistent_dims_are_rejected"""
        ask_refused(self, DIMS)

    def test_dtypes(self):
        """operators.incompatible_dtypes_are_rejected"""
        ask_refused(self, DTYPES)

    def test_outputs(self):
        """operators.out_tensors_of_incompatible_dtype_are_rejected"""
        for name, (call, dtype), one in each(self, OUTPUTS):
            here = torch.full((3,), 1, dtype=dtype)
            wanted = refused_by_cpu(call, lambda tensor: tensor, here)
            if wanted is None or isinstance(wanted, NotImplementedError):
                continue
            with one:
                out = self.on_device(torch.full((3,), 1, dtype=dtype))
                expect_refused(self, name, raised(self.device, call, self.on_device, out), wanted)
                self.expect_tensor(out, torch.full((3,), 1, dtype=dtype), f"{name} changes nothing when the call is refused")
