/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Handles that can be validated: streams, events, gates and graphs begin with a struct fd_handle, and the
 * set of live ones is looked up by address, so a destroyed or invented handle is never
 * dereferenced.
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
    void (*finish)(struct fd_handle *self); /* called without any lock of the set */
    struct fd_handle *next;
};

/* Enters the set of live handles, which holds the first reference. */
void fd_handle_publish(struct fd_handle *handle, enum fd_handle_kind kind,
                       void (*finish)(struct fd_handle *self));
/* Takes a reference if `address` is a live handle of this kind, else false. */
bool fd_handle_acquire(const void *address, enum fd_handle_kind kind);
/* Leaves the set; the caller gets the reference of the set. False if it was not live. */
bool fd_handle_withdraw(const void *address, enum fd_handle_kind kind);
/* One more reference for who has one already. */
void fd_handle_share(struct fd_handle *handle);
/* The same where the handle may be on its way out: false once the last reference is gone. */
bool fd_handle_share_if_alive(struct fd_handle *handle);
void fd_handle_release(struct fd_handle *handle);

#endif
