/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Life and death of marks. The scheduler alone decides when one is reached.
 */
#include "mark.h"

#include "stream.h"

#include <stdlib.h>

struct fd_mark *fd_mark_create(fd_stream *stream)
{
    struct fd_mark *mark = calloc(1, sizeof *mark);
    if (!mark)
        return NULL;
    atomic_init(&mark->references, 1);
    fd_handle_share((struct fd_handle *)stream);
    mark->stream = stream;
    mark->device = stream->device;
    return mark;
}

struct fd_mark *fd_mark_share(struct fd_mark *mark)
{
    atomic_fetch_add_explicit(&mark->references, 1, memory_order_relaxed);
    return mark;
}

void fd_mark_release(struct fd_mark *mark)
{
    while (mark && atomic_fetch_sub_explicit(&mark->references, 1, memory_order_acq_rel) == 1) {
        struct fd_mark *successor = mark->successor;
        fd_handle_release(&mark->stream->handle);
        free(mark);
        mark = successor;
    }
}
