/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fake backend's collectives: a setting and a trace.
 */
#include <torch/csrc/distributed/c10d/TraceUtils.h>
#include <torch/csrc/distributed/c10d/Utils.hpp>

extern "C" int backend_setting()
{
    return c10d::parseEnvVarInt("REPLAY_SETTING", 7);
}

extern "C" int backend_traces()
{
    return c10d::traceUpdate(3) == 4;
}
