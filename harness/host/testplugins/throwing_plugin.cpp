// SPDX-License-Identifier: BSD-3-Clause
//
// A plugin whose init lets a C++ exception cross the border: the one broken shape that C cannot
// have.
#include "assay/plugin.h"

#include <stdexcept>

namespace
{

int32_t init(const assay_plugin_host *)
{
    throw std::runtime_error("no device today");
}

const assay_plugin plugin = {
    sizeof plugin, 0,    "thrower", "1",
    nullptr,       init, [] {},     [](const char *) -> const void * {
        return nullptr; }};

} // namespace

extern "C" const assay_plugin *assay_plugin_entry(const assay_plugin_offer *) noexcept
{
    return &plugin;
}
