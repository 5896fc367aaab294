// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <c10/core/Allocator.h>
#define MINE(text) TORCH_CHECK(ready(), text)
namespace mine
{
bool ready();
struct Middle : c10::Allocator {
    void *allocate(unsigned long size); /* overrides without the keyword */
    void trim();
};
template <typename T, typename... Rest> struct Through : T {
    void stop(int code); /* overrides a function of the template argument */
};
struct Handed : Through<c10::Engine> {
    void start() override;
};
template <typename T> struct Twice : Through<T> {
};
struct Deeper : Twice<c10::Motor> {
};
} // namespace mine
