/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random operators: the parts that are the same for all dtypes.
 */
#include "fleet_random.h"

namespace fleet
{

Generator &given_or_default(const std::optional<at::Generator> &given, const at::Tensor &self)
{
    return *at::get_generator_or_default<Generator>(given,
                                                    default_generator(self.device().index()));
}

at::Tensor &fill_with_integers(at::Tensor &self, Generator &generator, int64_t from, uint64_t range)
{
    return fill<int64_t>(self, generator, [=](Generator &source) {
        const uint64_t bits = source.next_bits();
        return static_cast<uint64_t>(from) + (range != 0 ? bits % range : bits);
    });
}

uint64_t whole_numbers_of(at::ScalarType type)
{
    if (type == at::kBool)
        return 2;
    if (!at::isIntegralType(type, false))
        return (uint64_t{1} << digits_of(type)) + 1;
    const size_t bits = 8 * at::elementSize(type) - (at::isSignedType(type) ? 1 : 0);
    return bits == 64 ? 0 : uint64_t{1} << bits;
}

int digits_of(at::ScalarType type)
{
    return type == at::kDouble ? 53 : type == at::kFloat ? 24 : type == at::kHalf ? 11 : 8;
}

} // namespace fleet
