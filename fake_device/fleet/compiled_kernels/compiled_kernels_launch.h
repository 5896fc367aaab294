/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels are source text until their first launch. The machine's C++ compiler compiles the
 * kernels, a folder stores them, and one thread, the device's command processor, runs them.
 */
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace compiled_kernels
{

constexpr int max_operands = 3;
constexpr int max_dims = 4;

/* Arguments of a kernel: sizes with the innermost dimension first, strides in bytes. */
struct Launch {
    std::array<int64_t, max_dims> sizes{1, 1, 1, 1};
    std::array<std::array<int64_t, max_dims>, max_operands> strides{};
    std::array<char *, max_operands> data{};
    std::array<double, 2> numbers{};
    std::array<uint64_t, 2> words{};
};

/* Runs `body` for each element and returns when all are done. `body` is one C++ statement over
 * `out`, `a`, `b` (of types T, A, B), `n` (numbers), `w` (words) and `i` (the index of the
 * element). */
void launch(const std::string &types, const std::string &body, const Launch &launch);

} // namespace compiled_kernels
