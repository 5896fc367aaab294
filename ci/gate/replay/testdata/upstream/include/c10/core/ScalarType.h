/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in for the list of dtypes, for which backends have tables.
 */
#pragma once

namespace c10 {
enum class ScalarType : signed char {
    Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16,
    NumOptions
};
} // namespace c10
