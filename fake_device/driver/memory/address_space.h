/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device memory as addresses. One reservation, four equal parts:
 *
 *     user: own blocks | user: imported blocks | alias: own blocks | alias: imported blocks
 *
 * The user halves never get a right, so a host access faults. alias = user + a constant. Offsets
 * count from the start of the own blocks: device i owns [i * memory, (i + 1) * memory).
 */
#ifndef FD_ADDRESS_SPACE_H
#define FD_ADDRESS_SPACE_H

#include "fakedev.h"

/* Creates the memfd and the mappings. Called once, by the start of the driver, under its lock. */
fd_status fd_space_start(void);

/* Bytes of each part; 0 before the start. */
uint64_t fd_space_size(void);
/* 1 if the address lies in a user half (live or not). Any address, any time, never faults. */
int32_t fd_space_is_own(const void *pointer);
int32_t fd_space_is_import(const void *pointer);
void *fd_space_pointer(uint64_t offset);
uint64_t fd_space_offset(const void *pointer);
/* Of a user address, own or imported. */
void *fd_space_alias(const void *pointer);
/* Gives the pages of own memory back to the system; they read as zero afterwards. */
void fd_space_discard(uint64_t offset, uint64_t size);

/* The memfd, for other processes to open. */
int fd_space_descriptor(void);
/* Maps part of another process's memfd behind a user address of the import part. `at` and `size`
 * are whole pages. */
fd_status fd_space_map_import(uint64_t at, uint64_t size, int descriptor, uint64_t offset,
                              void **pointer);
void fd_space_unmap_import(void *pointer, uint64_t size);

#endif
