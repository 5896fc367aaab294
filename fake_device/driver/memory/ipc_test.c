/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests device memory that two processes share. The importer is forked before the driver starts.
 * The two processes synchronise through pipes.
 */
#include "memory_test_support.h"
#include "unit_test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], to_parent[2];

static void open_pipes(void)
{
    ck_assert_int_eq(pipe(to_child), 0);
    ck_assert_int_eq(pipe(to_parent), 0);
}

static void send_bytes(const int pipe_ends[2], const void *bytes, size_t size)
{
    ck_assert_int_eq(write(pipe_ends[1], bytes, size), (ssize_t)size);
}

static int receive_bytes(const int pipe_ends[2], void *bytes, size_t size)
{
    return read(pipe_ends[0], bytes, size) == (ssize_t)size;
}

/* Runs in the importer. Returns 0, or the number of the step that failed. */
static int import_and_change(void)
{
    struct fd_ipc_handle handle;
    int32_t device = -1;
    void *opened = NULL, *alias = NULL;
    struct fd_block block;
    char go = 0;
    if (!receive_bytes(to_child, &handle, sizeof handle))
        return 1;
    if (fd_ipc_open(&handle, &device, &opened) != FD_OK || device != 1)
        return 2;
    if (fd_memory_find((unsigned char *)opened + 10, &block) != FD_OK || block.device != 1 ||
        block.size != 10000 || (unsigned char *)opened - (unsigned char *)block.base != 100)
        return 3;
    if (fd_memory_alias(opened, 9900, &alias) != FD_OK || *(unsigned char *)alias != 11)
        return 4;
    void *past;
    if (fd_memory_alias(opened, 9901, &past) != FD_ERROR_INVALID_VALUE)
        return 5;
    *(unsigned char *)alias = 22;
    if (write(to_parent[1], "x", 1) != 1 || !receive_bytes(to_child, &go, 1))
        return 6;
    if (*(unsigned char *)alias != 33)
        return 7;
    if (fd_memory_free(opened) != FD_ERROR_INVALID_HANDLE || fd_ipc_close(opened) != FD_OK ||
        fd_ipc_close(opened) != FD_ERROR_INVALID_HANDLE)
        return 8;
    return fd_memory_find(opened, &block) == FD_ERROR_INVALID_HANDLE ? 0 : 9;
}

static int exit_status_of(pid_t child)
{
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

TEST(exported_block_is_one_memory_in_two_processes)
{
    open_pipes();
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        _exit(import_and_change());
    struct fd_ipc_handle handle;
    char done = 0;
    (void)take(1, 700, NULL); /* so that the next block does not start at a page boundary */
    unsigned char *pointer = take(1, 10000, NULL);
    unsigned char *alias = alias_of(pointer + 100, 1);
    *alias = 11;
    ck_assert_ok(fd_ipc_export(pointer + 100, &handle));
    send_bytes(to_child, &handle, sizeof handle);
    ck_assert(receive_bytes(to_parent, &done, 1));
    ck_assert_uint_eq(*alias, 22);
    *alias = 33;
    send_bytes(to_child, "g", 1);
    ck_assert_int_eq(exit_status_of(child), 0);
    ck_assert_uint_eq(*alias, 33);
    give(pointer);
}

TEST(export_of_what_is_no_device_block_is_refused)
{
    struct fd_ipc_handle handle;
    void *pointer = take(0, 100, NULL), *pinned = NULL;
    ck_assert_ok(fd_host_allocate(10, &pinned));
    ck_assert_status(fd_ipc_export(&handle, &handle), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_ipc_export(pinned, &handle), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_ipc_export(pointer, NULL), FD_ERROR_INVALID_VALUE);
    give(pointer);
    ck_assert_status(fd_ipc_export(pointer, &handle), FD_ERROR_INVALID_HANDLE);
    ck_assert_ok(fd_host_free(pinned));
}

TEST(open_of_garbage_is_refused)
{
    struct fd_ipc_handle handle;
    int32_t device = 9;
    void *opened = NULL;
    memset(&handle, 0x5a, sizeof handle);
    ck_assert_status(fd_ipc_open(&handle, &device, &opened), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_ipc_open(NULL, &device, &opened), FD_ERROR_INVALID_VALUE);
    /* Corrupts each byte of a valid handle in turn. The call must fail or give the same block, and
     * must not crash. */
    void *pointer = take(0, 100, NULL);
    ck_assert_ok(fd_ipc_export(pointer, &handle));
    for (size_t i = 0; i < sizeof handle; i++) {
        struct fd_ipc_handle bad = handle;
        bad.bytes[i] ^= 0xff;
        if (fd_ipc_open(&bad, &device, &opened) == FD_OK)
            ck_assert_ok(fd_ipc_close(opened));
    }
    give(pointer);
}

TEST(open_after_the_exporters_death_is_refused)
{
    open_pipes();
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    struct fd_ipc_handle handle;
    if (child == 0) {
        void *pointer = NULL;
        if (fd_memory_allocate(0, 10, NULL, &pointer) != FD_OK ||
            fd_ipc_export(pointer, &handle) != FD_OK)
            _exit(1);
        _exit(write(to_parent[1], &handle, sizeof handle) == (ssize_t)sizeof handle ? 0 : 2);
    }
    ck_assert(receive_bytes(to_parent, &handle, sizeof handle));
    ck_assert_int_eq(exit_status_of(child), 0);
    int32_t device = 9;
    void *opened = NULL;
    ck_assert_status(fd_ipc_open(&handle, &device, &opened), FD_ERROR_INVALID_HANDLE);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "is gone"));
    ck_assert_int_eq(device, 9);
}

/* If one process opens a handle several times, the process gets several addresses of the same
 * memory. */
TEST(open_several_times_gives_several_addresses)
{
    enum { COUNT = 5 };
    struct fd_ipc_handle handle;
    int32_t device = 9;
    void *opened[COUNT];
    void *pointer = take(0, 100, NULL);
    ck_assert_ok(fd_ipc_export(pointer, &handle));
    for (int i = 0; i < COUNT; i++)
        ck_assert_ok(fd_ipc_open(&handle, &device, &opened[i]));
    alias_of(pointer, 1)[0] = 77;
    ck_assert_ok(fd_ipc_close(opened[2]));
    void *again = NULL;
    ck_assert_ok(fd_ipc_open(&handle, &device, &again));
    ck_assert_ptr_eq(again, opened[2]);
    for (int i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(alias_of(opened[i], 1)[0], 77);
        ck_assert_ok(fd_ipc_close(opened[i]));
    }
    give(pointer);
}
