/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the name under which a backend registers its graphs. Only the registry is queried; no graph
 * is captured.
 */
#include "recorded.h"

static void are_registered_under_the_backend_name(struct assay_check *check)
{
    int32_t by_its_name = 0, by_another = 0;
    require_capability(check, "graphs", bridge_graph_registered(&by_its_name, &by_another));
    if (!by_its_name && !by_another)
        assay_skip(check, "graphs", "no class is registered with REGISTER_GRAPH_IMPL");
    expect_int(check, by_its_name, 1,
               "REGISTER_GRAPH_IMPL has the backend's name in upper case, under which PyTorch "
               "looks it up");
}

const struct assay_check_row graph_registered_checks[] = {
    {"graphs.are_registered_under_the_backend_name", are_registered_under_the_backend_name},
    {0},
};
