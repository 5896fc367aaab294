// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the kind of tensor that a device accepts: the first kind, common kinds first, that can be
// copied to the device and back. A backend may refuse any other kind; that is no finding.
#include "bridge_internal.h"

#include <c10/core/ScalarType.h>

#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

namespace
{

using Sizes = std::vector<int64_t>;

struct Dtype {
    c10::ScalarType type;
    const char *name; // the name in torch.<name>
};

const Dtype dtypes[] = {
    {c10::ScalarType::Float, "float32"},
    {c10::ScalarType::BFloat16, "bfloat16"},
    {c10::ScalarType::Half, "float16"},
    {c10::ScalarType::Int, "int32"},
    {c10::ScalarType::Char, "int8"},
    {c10::ScalarType::Byte, "uint8"},
    {c10::ScalarType::Long, "int64"},
    {c10::ScalarType::Short, "int16"},
    {c10::ScalarType::Double, "float64"},
    {c10::ScalarType::Bool, "bool"},
    {c10::ScalarType::ComplexFloat, "complex64"},
};

// a device that accepts both sizes is assumed to accept any size
constexpr int64_t kSmall = 4, kOther = 1000;

std::vector<Sizes> shapes()
{
    std::vector<Sizes> all = {{kSmall}};
    for (int64_t size = 1; size <= 4096; size *= 2)
        if (size != kSmall)
            all.push_back({size});
    for (int64_t side = 4; side <= 64; side *= 2)
        all.push_back({side, side});
    return all;
}

bool goes_there_and_back(const Dtype &dtype, const Sizes &sizes, int32_t device)
{
    uint64_t bytes = c10::elementSize(dtype.type);
    for (const int64_t size : sizes)
        bytes *= static_cast<uint64_t>(size);
    std::vector<uint8_t> values(bytes, 1);
    bridge_tensor *here = nullptr, *there = nullptr;
    const auto dim = static_cast<int32_t>(sizes.size());
    const bool done = bridge_tensor_from_bytes(values.data(), bytes, sizes.data(), dim,
                                               static_cast<int32_t>(dtype.type), &here) == 0 &&
                      bridge_tensor_to(here, device, &there) == 0 &&
                      bridge_tensor_read(there, values.data(), bytes) == 0;
    bridge_tensor_free(there);
    bridge_tensor_free(here);
    return done;
}

std::string words(const Dtype &dtype, const Sizes &sizes, int32_t device)
{
    std::string text = std::string(dtype.name) + " ";
    if (sizes == Sizes{kSmall} && goes_there_and_back(dtype, {kOther}, device))
        return text + "any";
    for (size_t i = 0; i < sizes.size(); i++)
        text += (i ? "x" : "") + std::to_string(sizes[i]);
    return text;
}

std::string find_kind(int32_t device)
{
    for (const Sizes &sizes : shapes())
        for (const Dtype &dtype : dtypes)
            if (goes_there_and_back(dtype, sizes, device))
                return words(dtype, sizes, device);
    return "";
}

} // namespace

int32_t bridge_tensor_kind(int32_t device, char *kind, size_t size)
{
    return bridge::guarded([&] { snprintf(kind, size, "%s", find_kind(device).c_str()); });
}

int32_t bridge_tensor_kind_read(const char *words, struct bridge_kind *kind)
{
    return bridge::guarded([&] {
        const std::string text = words;
        const size_t blank = text.find(' ');
        for (const Dtype &dtype : dtypes) {
            if (text.compare(0, blank, dtype.name) != 0)
                continue;
            *kind = {static_cast<int32_t>(dtype.type), 0, {0, 0}, c10::elementSize(dtype.type)};
            const char *rest = words + blank + 1;
            kind->dim = sscanf(rest, "%" SCNd64 "x%" SCNd64, &kind->sizes[0], &kind->sizes[1]);
            kind->dim = kind->dim < 0 ? 0 : kind->dim;
            return;
        }
        TORCH_CHECK_VALUE(false, "no kind of tensor is called ", text);
    });
}
