// SPDX-License-Identifier: BSD-3-Clause
//
// Streams, through the registered guard, which torch.Stream calls in the end.
#include "bridge_internal.h"

#include <c10/core/StreamGuard.h>

struct bridge_stream_scope {
    explicit bridge_stream_scope(const c10::Stream &stream) : guard(stream)
    {
    }

    c10::StreamGuard guard;
};

namespace
{

template <class Question>
bridge_stream ask_stream(Question &&question) noexcept
{
    bridge_stream answer = {0, ASSAY_OK, -1, -1, 0};
    const int32_t status = bridge::guarded([&] { answer = bridge::report(question()); });
    answer.status = status;
    return answer;
}

} // namespace

struct bridge_stream bridge_stream_current(int32_t device)
{
    return ask_stream([&] { return bridge::guard().getStream(bridge::device(device)); });
}

struct bridge_stream bridge_stream_default(int32_t device)
{
    return ask_stream([&] { return bridge::guard().getDefaultStream(bridge::device(device)); });
}

struct bridge_stream bridge_stream_from_pool(int32_t device, int32_t high_priority)
{
    return ask_stream([&] {
        return bridge::guard().getStreamFromGlobalPool(bridge::device(device), high_priority != 0);
    });
}

struct bridge_stream bridge_stream_new(int32_t device, int32_t priority)
{
    return ask_stream(
        [&] { return bridge::guard().getNewStream(bridge::device(device), priority); });
}

struct bridge_stream bridge_stream_exchange(struct bridge_stream stream)
{
    return ask_stream([&] { return bridge::guard().exchangeStream(bridge::stream(stream)); });
}

int32_t bridge_stream_query(struct bridge_stream stream, int32_t *idle)
{
    return bridge::guarded(
        [&] { *idle = bridge::guard().queryStream(bridge::stream(stream)) ? 1 : 0; });
}

int32_t bridge_stream_synchronize(struct bridge_stream stream)
{
    return bridge::guarded([&] { bridge::guard().synchronizeStream(bridge::stream(stream)); });
}

int32_t bridge_stream_scope_enter(struct bridge_stream stream, struct bridge_stream_scope **scope)
{
    return bridge::guarded([&] { *scope = new bridge_stream_scope(bridge::stream(stream)); });
}

void bridge_stream_scope_leave(struct bridge_stream_scope *scope)
{
    delete scope;
}
