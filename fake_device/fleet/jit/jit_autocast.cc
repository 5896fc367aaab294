/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of operators for autocast. They follow CUDA's, less what the device cannot do at all.
 */
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace jit
{
namespace
{

/* The batched product wants both operands in one type, which the usual cast does not promise. */
at::Tensor bmm_in_one_type(const at::Tensor &self, const at::Tensor &other)
{
    const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::AutocastPrivateUse1);
    const at::ScalarType type = at::autocast::get_autocast_dtype(c10::kPrivateUse1);

    return at::bmm(self.to(type), other.to(type));
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFallthrough());
}

/* clang-format off */
#define JIT_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define JIT_FLOAT(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define JIT_TYPED(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define JIT_WIDEN(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m)
{
    JIT_LOWER(_convolution, deprecated)
    JIT_LOWER(_convolution)
    JIT_LOWER(conv1d)
    JIT_LOWER(conv2d)
    JIT_LOWER(conv3d)
    JIT_LOWER(conv_tbc)
    JIT_LOWER(conv_transpose1d)
    JIT_LOWER(conv_transpose2d, input)
    JIT_LOWER(conv_transpose3d, input)
    JIT_LOWER(convolution)
    JIT_LOWER(prelu)
    JIT_LOWER(addmm)
    JIT_LOWER(addmv)
    JIT_LOWER(addr)
    JIT_LOWER(matmul)
    JIT_LOWER(einsum)
    JIT_LOWER(mm)
    JIT_LOWER(mv)
    JIT_LOWER(linalg_vecdot)
    JIT_LOWER(linear)
    JIT_LOWER(addbmm)
    JIT_LOWER(baddbmm)
    JIT_LOWER(chain_matmul)
    JIT_LOWER(linalg_multi_dot)
    JIT_LOWER(lstm_cell)
    JIT_LOWER(gru_cell)
    JIT_LOWER(rnn_tanh_cell)
    JIT_LOWER(rnn_relu_cell)
    JIT_LOWER(scaled_dot_product_attention)
    m.impl("bmm", &bmm_in_one_type);

    JIT_FLOAT(acos)
    JIT_FLOAT(asin)
    JIT_FLOAT(cosh)
    JIT_FLOAT(erfinv)
    JIT_FLOAT(exp)
    JIT_FLOAT(expm1)
    JIT_FLOAT(log)
    JIT_FLOAT(log10)
    JIT_FLOAT(log2)
    JIT_FLOAT(log1p)
    JIT_FLOAT(reciprocal)
    JIT_FLOAT(sinh)
    JIT_FLOAT(tan)
    JIT_FLOAT(pow, Tensor_Scalar)
    JIT_FLOAT(pow, Tensor_Tensor)
    JIT_FLOAT(pow, Scalar)
    JIT_FLOAT(softplus)
    JIT_FLOAT(layer_norm)
    JIT_FLOAT(native_layer_norm)
    JIT_FLOAT(rms_norm)
    JIT_FLOAT(group_norm)
    JIT_FLOAT(cosine_similarity)
    JIT_FLOAT(poisson_nll_loss)
    JIT_FLOAT(cosine_embedding_loss)
    JIT_FLOAT(nll_loss)
    JIT_FLOAT(nll_loss2d)
    JIT_FLOAT(hinge_embedding_loss)
    JIT_FLOAT(kl_div)
    JIT_FLOAT(l1_loss)
    JIT_FLOAT(smooth_l1_loss)
    JIT_FLOAT(huber_loss)
    JIT_FLOAT(mse_loss)
    JIT_FLOAT(margin_ranking_loss)
    JIT_FLOAT(multilabel_margin_loss)
    JIT_FLOAT(soft_margin_loss)
    JIT_FLOAT(triplet_margin_loss)
    JIT_FLOAT(multi_margin_loss)
    JIT_FLOAT(binary_cross_entropy_with_logits)
    JIT_FLOAT(dist)
    JIT_FLOAT(pdist)
    JIT_FLOAT(cdist)
    JIT_FLOAT(renorm)
    JIT_FLOAT(logsumexp)

    JIT_TYPED(prod)
    JIT_TYPED(prod, dim_int)
    JIT_TYPED(softmax, int)
    JIT_TYPED(log_softmax, int)
    JIT_TYPED(cumprod)
    JIT_TYPED(cumsum)
    JIT_TYPED(linalg_vector_norm)
    JIT_TYPED(linalg_matrix_norm)
    JIT_TYPED(linalg_matrix_norm, str_ord)
    JIT_TYPED(sum)
    JIT_TYPED(sum, dim_IntList)

    {
        using namespace at; // NOLINT: the macro names types of at without it
        AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
    }

    JIT_WIDEN(addcdiv)
    JIT_WIDEN(addcmul)
    JIT_WIDEN(atan2)
    JIT_WIDEN(bilinear)
    JIT_WIDEN(cross)
    JIT_WIDEN(dot)
    JIT_WIDEN(vdot)
    JIT_WIDEN(grid_sampler)
    JIT_WIDEN(index_put)
    JIT_WIDEN(tensordot)
    JIT_WIDEN(scatter_add)
}
/* clang-format on */

} // namespace
} // namespace jit
