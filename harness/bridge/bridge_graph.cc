// SPDX-License-Identifier: BSD-3-Clause
//
// The registry of graph implementations.
#include "bridge_internal.h"

#if BRIDGE_HAS_GRAPHS

#include <ATen/core/GraphImplInterface.h>

#include <algorithm>
#include <string>

namespace
{

std::string in_lower_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

// A name that may be a misspelling of the name that PyTorch looks up.
bool is_near(const std::string &key)
{
    const std::string name = in_lower_case(key);
    return name == "privateuse1" || name == "privateuseone" ||
           name == c10::DeviceTypeName(c10::kPrivateUse1, /*lower_case=*/true);
}

} // namespace

int32_t bridge_graph_registered(int32_t *by_its_name, int32_t *by_another)
{
    return bridge::guarded([&] {
        const auto keys = at::GraphImplRegistry()->Keys();

        *by_its_name = at::has_graph_impl(c10::kPrivateUse1) ? 1 : 0;
        *by_another = std::any_of(keys.begin(), keys.end(), is_near) && !*by_its_name ? 1 : 0;
    });
}

#else

int32_t bridge_graph_registered(int32_t *, int32_t *)
{
    return bridge::refuse(ASSAY_EUNSUPPORTED, "this torch has no registry of graphs");
}

#endif
