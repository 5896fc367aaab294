/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device memory shared between processes. A handle names the exporter's memfd and a block in it.
 * The importer opens the memfd through /proc and maps it at addresses of the import part. A handle
 * is untrusted input: every field is checked before use.
 */
#include "memory.h"

#include "address_space.h"
#include "allocator.h"
#include "device.h"
#include "error.h"
#include "settings.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT32_C(0xfd1bc001)
#define PAGE UINT64_C(4096)

/* Contents of the 64 bytes of a handle. */
struct contents {
    uint32_t magic;
    int32_t device;
    int32_t process, descriptor;
    uint64_t inode;                  /* inode of the memfd; detects a reused process id */
    uint64_t offset, size, reserved; /* the block in the exporter's memory */
    uint64_t inside;                 /* offset of the exported pointer in its block */
};
_Static_assert(sizeof(struct contents) <= sizeof(struct fd_ipc_handle), "the handle is too small");

struct import {
    void *pages; /* user address of the whole pages that contain the block */
    uint64_t pages_size;
    unsigned char *base; /* of the block */
    void *opened;        /* the pointer that the user received */
    uint64_t size, reserved;
    int32_t device;
    struct import *next; /* sorted by address */
};

static struct {
    pthread_mutex_t lock;
    struct import *imports;
} ipc = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- export ---------------------------------------------------------------------------------- */

static fd_status inode_of(int descriptor, uint64_t *inode, uint64_t *size)
{
    struct stat facts;
    if (fstat(descriptor, &facts) < 0)
        return fd_fail_errno("fstat of shared device memory");
    *inode = (uint64_t)facts.st_ino;
    *size = (uint64_t)facts.st_size;
    return FD_OK;
}

static fd_status export_block(const void *pointer, struct fd_ipc_handle *handle)
{
    fd_status status = fd_driver_check_fork();
    if (status != FD_OK)
        return status;
    if (!handle)
        return fd_fail(FD_ERROR_INVALID_VALUE, "handle is NULL");
    if (!fd_space_is_own(pointer))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not device memory of this process", pointer);
    struct fd_block block;
    status = fd_allocator_find(fd_allocator_owning(pointer), fd_space_offset(pointer), &block);
    if (status != FD_OK)
        return status;
    struct contents contents = {
        .magic = MAGIC,
        .device = block.device,
        .process = (int32_t)getpid(),
        .descriptor = fd_space_descriptor(),
        .offset = fd_space_offset(block.base),
        .size = block.size,
        .reserved = block.reserved,
        .inside = fd_space_offset(pointer) - fd_space_offset(block.base),
    };
    uint64_t memory_size = 0;
    status = inode_of(contents.descriptor, &contents.inode, &memory_size);
    if (status != FD_OK)
        return status;
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &contents, sizeof contents);
    return FD_OK;
}

fd_status fd_ipc_export(const void *pointer, struct fd_ipc_handle *handle)
{
    return fd_trace_call("fd_ipc_export", -1, -1, 0, export_block(pointer, handle));
}

/* ---- open ------------------------------------------------------------------------------------ */

/* Opens the exporter's memfd, and verifies that it is the right file and contains the block. */
static fd_status open_memory(const struct contents *contents, int *descriptor)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", contents->process, contents->descriptor);
    const int opened = open(path, O_RDWR | O_CLOEXEC);
    if (opened < 0 && errno != ENOENT)
        return fd_fail_errno("opening the exporter's memory");
    if (opened < 0)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "process %d, which exported the block, is gone",
                       contents->process);
    uint64_t inode = 0, size = 0;
    fd_status status = inode_of(opened, &inode, &size);
    if (status == FD_OK && (inode != contents->inode || contents->reserved > size ||
                            contents->offset > size - contents->reserved))
        status = fd_fail(FD_ERROR_INVALID_HANDLE, "the exported block does not exist any more");
    if (status == FD_OK)
        *descriptor = opened;
    else
        (void)close(opened);
    return status;
}

/* Finds the lowest gap among the imports. Returns the link at which to insert, or NULL if there
 * is no gap. */
static struct import **find_gap(uint64_t size, uint64_t *at)
{
    const uint64_t end = fd_space_size();
    uint64_t low = 0;
    for (struct import **link = &ipc.imports;; link = &(*link)->next) {
        const uint64_t high = *link ? fd_space_offset((*link)->pages) - end : end;
        if (high - low >= size) {
            *at = low;
            return link;
        }
        if (!*link)
            return NULL;
        low = fd_space_offset((*link)->pages) - end + (*link)->pages_size;
    }
}

static fd_status map_block(const struct contents *contents, int descriptor, void **pointer)
{
    const uint64_t first = contents->offset & ~(PAGE - 1);
    const uint64_t size = (contents->offset + contents->reserved - first + PAGE - 1) & ~(PAGE - 1);
    struct import *import = calloc(1, sizeof *import);
    if (!import)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory to note an imported block");
    (void)pthread_mutex_lock(&ipc.lock);
    uint64_t at = 0;
    struct import **link = find_gap(size, &at);
    void *pages = NULL;
    const fd_status status =
        link ? fd_space_map_import(at, size, descriptor, first, &pages)
             : fd_fail(FD_ERROR_OUT_OF_MEMORY, "no addresses left for an import of %llu bytes",
                       (unsigned long long)size);
    if (status == FD_OK) {
        unsigned char *base = (unsigned char *)pages + (contents->offset - first);
        *import = (struct import){.pages = pages,
                                  .pages_size = size,
                                  .base = base,
                                  .opened = base + contents->inside,
                                  .size = contents->size,
                                  .reserved = contents->reserved,
                                  .device = contents->device,
                                  .next = *link};
        *link = import;
        *pointer = import->opened;
    }
    (void)pthread_mutex_unlock(&ipc.lock);
    if (status != FD_OK)
        free(import);
    return status;
}

static fd_status open_block(const struct fd_ipc_handle *handle, int32_t *device, void **pointer)
{
    if (!handle || !device || !pointer)
        return fd_fail(FD_ERROR_INVALID_VALUE, "handle, device or pointer is NULL");
    struct contents contents;
    memcpy(&contents, handle, sizeof contents);
    if (contents.magic != MAGIC || contents.size > contents.reserved ||
        contents.inside >= contents.size || contents.reserved > (UINT64_C(1) << 48))
        return fd_fail(FD_ERROR_INVALID_VALUE, "this is not a handle of an exported block");
    fd_status status = fd_device_check(contents.device);
    if (status != FD_OK)
        return status;
    int descriptor = -1;
    status = open_memory(&contents, &descriptor);
    if (status != FD_OK)
        return status;
    status = map_block(&contents, descriptor, pointer);
    (void)close(descriptor);
    if (status == FD_OK)
        *device = contents.device;
    return status;
}

fd_status fd_ipc_open(const struct fd_ipc_handle *handle, int32_t *device, void **pointer)
{
    return fd_trace_call("fd_ipc_open", -1, -1, 0, open_block(handle, device, pointer));
}

/* ---- close and find -------------------------------------------------------------------------- */

static fd_status close_block(void *pointer)
{
    if (!pointer)
        return FD_OK;
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    (void)pthread_mutex_lock(&ipc.lock);
    struct import **link = &ipc.imports;
    while (*link && (*link)->opened != pointer)
        link = &(*link)->next;
    struct import *import = *link;
    if (import) {
        *link = import->next;
        fd_space_unmap_import(import->pages, import->pages_size);
    }
    (void)pthread_mutex_unlock(&ipc.lock);
    if (!import)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not an open imported block", pointer);
    free(import);
    return FD_OK;
}

fd_status fd_ipc_close(void *pointer)
{
    return fd_trace_call("fd_ipc_close", -1, -1, 0, close_block(pointer));
}

fd_status fd_ipc_find(const void *pointer, struct fd_block *block)
{
    const unsigned char *address = pointer;
    int32_t found = 0;
    (void)pthread_mutex_lock(&ipc.lock);
    for (const struct import *i = ipc.imports; i && !found; i = i->next) {
        if (address < i->base || address >= i->base + i->reserved)
            continue;
        *block = (struct fd_block){
            .device = i->device, .base = i->base, .size = i->size, .reserved = i->reserved};
        found = 1;
    }
    (void)pthread_mutex_unlock(&ipc.lock);
    return found ? FD_OK : fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not in a live block", pointer);
}
