// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <c10/core/Allocator.h>
#define MINE(text) TORCH_CHECK(ready(), text)
namespace mine
{
bool ready();
struct Middle : c10::Allocator {
    void *allocate(unsigned long size); /* overrides, and does not say so */
    void trim();
};
} // namespace mine
