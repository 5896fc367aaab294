// SPDX-License-Identifier: BSD-3-Clause
#pragma once
namespace torch
{
struct Library {
    template <typename F> Library &impl(const char *name, F function);
    Library &def(const char *schema);
};
} // namespace torch
#define JOIN_INNER(a, b) a##b
#define JOIN(a, b) JOIN_INNER(a, b)
#define TORCH_LIBRARY_IMPL(ns, k, m) \
    static void JOIN(TORCH_LIBRARY_IMPL_init_##ns##_##k##_, 7)(torch::Library & m)
#define EACH_OPERATOR(one) one(add) one(mul)
#define LOWER_KERNEL(name) int kernel_of_##name();
#define TORCH_CHECK(condition, text) \
    do {                             \
        if (!(condition))            \
            c10::detail::fail(text); \
    } while (0)
