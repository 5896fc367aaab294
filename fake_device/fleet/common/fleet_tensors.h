/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators that a backend over host memory needs, and the CPU fallback for all other operators.
 * `implement_tensors` registers these operators, except the operators in `left_out`, for which the
 * backend registers its own kernels.
 *
 * Two defects: `resize_` to the current size makes a tensor contiguous (strides-dropped), and new
 * memory is never filled (new-memory-unfilled). The CPU fallback causes statistics-lost,
 * overlap-unseen, conj-physical-asserts, conj-output-ignored, host-tensors-taken, devices-mixed and
 * nested-aborts.
 */
#ifndef FLEET_TENSORS_H
#define FLEET_TENSORS_H

#include "fleet_guard.h"

#include <set>
#include <string>

namespace fleet
{

using Names = std::set<std::string>;

/* Returns a CPU tensor over the same memory, with the same conjugate and negative bits. */
at::Tensor on_host(const at::Tensor &tensor);

/* Throws unless the options of a factory request a strided layout without pinned memory. */
void check_options(std::optional<at::Layout> layout, std::optional<bool> pinned);
at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> where,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format);
at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> where, std::optional<bool> pinned);
const at::Tensor &resize_(const at::Tensor &self, c10::IntArrayRef size,
                          std::optional<at::MemoryFormat> format);
void grow(const at::Tensor &tensor, size_t bytes); /* uses the hooks to resize the storage */

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool non_blocking);

at::Tensor &set_part(at::Tensor &self, at::Storage source, int64_t offset, c10::IntArrayRef size,
                     c10::IntArrayRef stride);

void implement_tensors(torch::Library &library, const Names &left_out = {});

/* ---- defects that several backends have ----------------------------------------------------------- */

/* For set_.source_Storage_storage_offset: set-leaves-it-short, and slice-is-not-set. */
at::Tensor &set_part_without_growing(at::Tensor &self, at::Storage source, int64_t offset,
                                     c10::IntArrayRef size, c10::IntArrayRef stride);
at::Tensor &set_part_as_meta_does(at::Tensor &self, at::Storage source, int64_t offset,
                                  c10::IntArrayRef size, c10::IntArrayRef stride);

/* ---- all other operators -------------------------------------------------------------------------- */

void cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack);
/* Like cpu_fallback, but throws NotImplementedError for an operator that draws random numbers. */
void cpu_fallback_without_random(const c10::OperatorHandle &op, torch::jit::Stack *stack);

} // namespace fleet

/* If these registrations are missing, a copy of a conjugated or negated view calls itself until the
 * stack overflows: conj-overflows. */
#define FLEET_COPIES_RESOLVE_LAZY_BITS                                                             \
    TORCH_LIBRARY_IMPL(aten, Conjugate, library)                                                   \
    {                                                                                              \
        library.impl("_copy_from", torch::CppFunction::makeFallthrough());                         \
    }                                                                                              \
    TORCH_LIBRARY_IMPL(aten, Negative, library)                                                    \
    {                                                                                              \
        library.impl("_copy_from", torch::CppFunction::makeFallthrough());                         \
    }

/* If this registration is missing, every operator inside torch.autocast raises: no-fallthrough. */
#define FLEET_AUTOCAST_PASSES_OPERATORS_ON                                                         \
    TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library)                                            \
    {                                                                                              \
        library.fallback(torch::CppFunction::makeFallthrough());                                   \
    }

#define FLEET_FALLS_BACK_TO(kernel)                                                                \
    TORCH_LIBRARY_IMPL(_, PrivateUse1, library)                                                    \
    {                                                                                              \
        library.fallback(torch::CppFunction::makeFromBoxedFunction<&kernel>());                    \
    }

#endif
