/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The address reservation for device memory. Called by the allocator and by IPC. Must not depend on
 * blocks.
 */
#include "address_space.h"

#include "error.h"
#include "settings.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* The largest supported alignment of a block: a huge page. */
#define BASE_ALIGNMENT (UINT64_C(2) << 20)

/* Written once. `base` is written last: a thread that reads it also sees the other fields. */
static struct {
    uint64_t part;
    int descriptor;
    _Atomic(unsigned char *) base;
} space = {.descriptor = -1};

static unsigned char *own_alias(unsigned char *base)
{
    return base + 2 * space.part;
}

static fd_status map_parts(unsigned char *base)
{
    if (mmap(own_alias(base), space.part, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED | MAP_NORESERVE, space.descriptor, 0) == MAP_FAILED)
        return fd_fail_errno("mapping device memory");
    /* The alias is not mapped in a forked child, so the child shares no device memory. */
    if (madvise(own_alias(base), 2 * space.part, MADV_DONTFORK) < 0)
        return fd_fail_errno("keeping device memory from children");
    /* Gigabytes of device memory are not useful in a core dump. */
    (void)madvise(base, 4 * space.part, MADV_DONTDUMP);
    return FD_OK;
}

fd_status fd_space_start(void)
{
    const struct fd_settings *settings = fd_settings();
    space.part = (uint64_t)settings->devices * settings->memory;
    fd_status status = FD_OK;
    const uint64_t reserved = 4 * space.part + BASE_ALIGNMENT;
    void *base = MAP_FAILED;
    space.descriptor = memfd_create("fakedev-memory", MFD_CLOEXEC);
    if (space.descriptor < 0) {
        status = fd_fail_errno("memfd_create for device memory");
        goto fail;
    }
    if (ftruncate(space.descriptor, (off_t)space.part) < 0) {
        status = fd_fail_errno("sizing device memory");
        goto fail;
    }
    base = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        status = fd_fail_errno("reserving addresses for device memory");
        goto fail;
    }
    unsigned char *aligned = (unsigned char *)base + (-(uintptr_t)base & (BASE_ALIGNMENT - 1));
    status = map_parts(aligned);
    if (status != FD_OK)
        goto fail;
    atomic_store(&space.base, aligned);
    return FD_OK;
fail:
    if (base != MAP_FAILED)
        (void)munmap(base, reserved);
    if (space.descriptor >= 0)
        (void)close(space.descriptor);
    space.descriptor = -1;
    return status;
}

uint64_t fd_space_size(void)
{
    return atomic_load(&space.base) ? space.part : 0;
}

/* Returns the index of the part that contains the address, or -1. */
static int part_of(const void *pointer)
{
    const uintptr_t base = (uintptr_t)atomic_load(&space.base), address = (uintptr_t)pointer;
    if (base == 0 || address < base || address - base >= 4 * space.part)
        return -1;
    return (int)((address - base) / space.part);
}

int32_t fd_space_is_own(const void *pointer)
{
    return part_of(pointer) == 0;
}

int32_t fd_space_is_import(const void *pointer)
{
    return part_of(pointer) == 1;
}

void *fd_space_pointer(uint64_t offset)
{
    return atomic_load(&space.base) + offset;
}

uint64_t fd_space_offset(const void *pointer)
{
    return (uint64_t)((uintptr_t)pointer - (uintptr_t)atomic_load(&space.base));
}

void *fd_space_alias(const void *pointer)
{
    return fd_space_pointer(fd_space_offset(pointer) + 2 * space.part);
}

void fd_space_discard(uint64_t offset, uint64_t size)
{
    (void)fallocate(space.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                    (off_t)size);
}

int fd_space_descriptor(void)
{
    return space.descriptor;
}

fd_status fd_space_map_import(uint64_t at, uint64_t size, int descriptor, uint64_t offset,
                              void **pointer)
{
    void *user = fd_space_pointer(space.part + at);
    if (mmap(fd_space_alias(user), size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED | MAP_NORESERVE, descriptor, (off_t)offset) == MAP_FAILED)
        return fd_fail_errno("mapping an imported block");
    (void)madvise(fd_space_alias(user), size, MADV_DONTFORK);
    *pointer = user;
    return FD_OK;
}

void fd_space_unmap_import(void *pointer, uint64_t size)
{
    /* Replace the mapping instead of unmapping it, so that the addresses stay reserved. */
    (void)mmap(fd_space_alias(pointer), size, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
