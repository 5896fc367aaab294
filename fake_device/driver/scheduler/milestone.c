/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Creation and destruction of marks. Only the scheduler decides when a mark is reached.
 */
#include "milestone.h"

#include "stream.h"

#include <stdlib.h>

struct fd_milestone *fd_milestone_create(fd_stream *stream)
{
    struct fd_milestone *mark = calloc(1, sizeof *mark);
    if (!mark)
        return NULL;
    atomic_init(&mark->references, 1);
    fd_handle_share((struct fd_handle *)stream);
    mark->stream = stream;
    mark->device = stream->device;
    return mark;
}

struct fd_milestone *fd_milestone_share(struct fd_milestone *mark)
{
    atomic_fetch_add_explicit(&mark->references, 1, memory_order_relaxed);
    return mark;
}

void fd_milestone_release(struct fd_milestone *mark)
{
    while (mark && atomic_fetch_sub_explicit(&mark->references, 1, memory_order_acq_rel) == 1) {
        struct fd_milestone *successor = mark->successor;
        fd_handle_release(&mark->stream->handle);
        free(mark);
        mark = successor;
    }
}
