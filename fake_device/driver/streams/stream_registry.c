/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two intrusive indices of streams. Must not depend on queues or on the life cycle of streams.
 */
#include "stream_registry.h"

#include "fakedev.h"

#define BUCKETS 256u
#define LARGE_IDS (INT64_C(1) << 40) /* first id with variant large_stream_ids */

static int64_t last_id;
static fd_stream *by_id[BUCKETS];
static fd_stream *on_device[FD_MAX_DEVICES];
static struct fd_async_error orphaned[FD_MAX_DEVICES];

static fd_stream **bucket_of(int32_t device, int64_t id)
{
    return &by_id[((uint64_t)id + (uint64_t)device) % BUCKETS];
}

void fd_registry_add(fd_stream *stream, bool is_default)
{
    if (last_id == 0 && fd_variant_is_on("large_stream_ids"))
        last_id = LARGE_IDS;
    stream->id = is_default ? 0 : ++last_id;
    fd_stream **bucket = bucket_of(stream->device, stream->id);
    stream->next_by_id = *bucket;
    *bucket = stream;
    stream->next_on_device = on_device[stream->device];
    on_device[stream->device] = stream;
}

fd_stream *fd_registry_find(int32_t device, int64_t id)
{
    fd_stream *stream = *bucket_of(device, id);
    while (stream && (stream->id != id || stream->device != device))
        stream = stream->next_by_id;
    return stream;
}

void fd_registry_retire(fd_stream *stream)
{
    fd_stream **link = bucket_of(stream->device, stream->id);
    while (*link != stream)
        link = &(*link)->next_by_id;
    *link = stream->next_by_id;
}

void fd_registry_remove(fd_stream *stream)
{
    fd_stream **link = &on_device[stream->device];
    while (*link != stream)
        link = &(*link)->next_on_device;
    *link = stream->next_on_device;
    fd_async_error_keep_oldest(&orphaned[stream->device], &stream->error);
}

fd_stream *fd_registry_first(int32_t device)
{
    return on_device[device];
}

struct fd_async_error *fd_registry_orphaned_error(int32_t device)
{
    return &orphaned[device];
}
