/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Handles that can be validated. Streams, events, gates and graphs begin with a struct fd_handle. A
 * set holds the addresses of all live handles. Each handle is looked up in this set first, so a
 * destroyed or invalid handle is never dereferenced.
 */
#ifndef FD_HANDLE_H
#define FD_HANDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum fd_handle_kind {
    FD_HANDLE_STREAM,
    FD_HANDLE_EVENT,
    FD_HANDLE_GATE,
    FD_HANDLE_GRAPH,
};

struct fd_handle {
    _Atomic uint32_t references;
    enum fd_handle_kind kind;
    void (*finish)(struct fd_handle *self); /* called without the lock of the set */
    struct fd_handle *next;
};

/* Adds the handle to the set of live handles, which owns the first reference. */
void fd_handle_publish(struct fd_handle *handle, enum fd_handle_kind kind,
                       void (*finish)(struct fd_handle *self));
/* Takes a reference if `address` is a live handle of this kind; otherwise returns false. */
bool fd_handle_acquire(const void *address, enum fd_handle_kind kind);
/* Removes the handle from the set. The caller takes over the set's reference. Returns false if
 * the handle was not live. */
bool fd_handle_withdraw(const void *address, enum fd_handle_kind kind);
/* Takes another reference. The caller must already own one. */
void fd_handle_share(struct fd_handle *handle);
/* Takes a reference. Returns false if the handle is being destroyed and has no reference left. */
bool fd_handle_share_if_alive(struct fd_handle *handle);
void fd_handle_release(struct fd_handle *handle);

#endif
