/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random operators. Each draw takes one number of the generator as the seed of its own Mersenne twister.
 */
#include "async_streams/async_streams.h"

#include <ATen/Dispatch.h>
#include <ATen/MemoryOverlap.h>

#include <mutex>
#include <random>

namespace async_streams
{

namespace
{

std::mt19937_64 next_draw(const std::optional<at::Generator> &asked, const at::Tensor &self)
{
    auto *const generator = at::get_generator_or_default<Generator>(
        asked, fleet::default_generator(self.device().index()));
    const std::lock_guard<std::mutex> lock(generator->mutex_);
    return std::mt19937_64(generator->next_bits());
}

/* Draws in the logical order of the elements, independently of the strides. */
template <typename Distribution>
at::Tensor &draw(at::Tensor &self, const std::optional<at::Generator> &asked, Distribution numbers)
{
    TORCH_CHECK(self.is_floating_point(), "async_streams: draws numbers with a point, not ",
                self.scalar_type());
    at::assert_no_internal_overlap(self);
    if (self.numel() == 0)
        return self;
    give(queue(fleet::current_stream(self.device().index())),
         [engine = next_draw(asked, self), numbers, self = writing(self)]() mutable {
             at::Tensor drawn = at::empty(self.sizes(), at::kDouble);
             double *const begin = drawn.mutable_data_ptr<double>();
             std::generate_n(begin, drawn.numel(), [&] { return numbers(engine); });
             self.copy_(drawn);
         });
    return self;
}

at::Tensor &normal_(at::Tensor &self, double mean, double deviation,
                    std::optional<at::Generator> asked)
{
    TORCH_CHECK(deviation >= 0, "async_streams: a deviation of ", deviation, " is none");
    return draw(self, asked,
                [mean, deviation, numbers = std::normal_distribution<>()](auto &engine) mutable {
                    return mean + deviation * numbers(engine);
                });
}

double largest(at::ScalarType dtype)
{
    double most = 0;
    AT_DISPATCH_FLOATING_TYPES_AND2(
        at::kHalf, at::kBFloat16, dtype, "async_streams: the largest number",
        [&] { most = static_cast<double>(std::numeric_limits<scalar_t>::max()); });
    return most;
}

/* The largest number below `to` that the dtype can represent. Replaces values that would be rounded
 * to `to`. */
double below(double to, at::ScalarType dtype)
{
    const at::Tensor end = at::full({}, to, at::kDouble);
    const at::Tensor before = at::nextafter(end.to(dtype), at::full({}, -INFINITY, dtype));
    return before.to(at::kDouble).item<double>();
}

at::Tensor &uniform_(at::Tensor &self, double from, double to, std::optional<at::Generator> asked)
{
    const double widest = largest(self.scalar_type());
    TORCH_CHECK(from <= to, "async_streams: nothing lies between ", from, " and ", to);
    TORCH_CHECK(from >= -widest && to <= widest && to - from <= widest, "async_streams: from ",
                from, " to ", to, " is further than ", self.scalar_type(), " goes");
    const double last = from < to ? std::max(from, below(to, self.scalar_type())) : from;
    return draw(
        self, asked,
        [from, to, last, numbers = std::uniform_real_distribution<>()](auto &engine) mutable {
            return std::min(from + (to - from) * numbers(engine), last);
        });
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("normal_", &normal_);
    library.impl("uniform_", &uniform_);
}

} // namespace

} // namespace async_streams
