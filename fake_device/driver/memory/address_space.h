/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The addresses of device memory. One reservation has four equal parts:
 *
 *     user: own blocks | user: imported blocks | alias: own blocks | alias: imported blocks
 *
 * The user parts never have access rights, so a host access faults. alias = user + a constant.
 * Offsets count from the start of the own blocks: device i owns [i * memory, (i + 1) * memory).
 */
#ifndef FD_ADDRESS_SPACE_H
#define FD_ADDRESS_SPACE_H

#include "fakedev.h"

/* Creates the memfd and the mappings. The start of the driver calls this once, under its lock. */
fd_status fd_space_start(void);

/* Size of each part in bytes; 0 before the start. */
uint64_t fd_space_size(void);
/* Returns 1 if the address is in a user part, whether or not a live block contains it. Accepts any
 * address at any time and never faults. */
int32_t fd_space_is_own(const void *pointer);
int32_t fd_space_is_import(const void *pointer);
void *fd_space_pointer(uint64_t offset);
uint64_t fd_space_offset(const void *pointer);
/* Returns the alias of a user address in own or imported memory. */
void *fd_space_alias(const void *pointer);
/* Returns pages of own memory to the system. Afterwards this memory reads as zero. */
void fd_space_discard(uint64_t offset, uint64_t size);

/* The memfd, which other processes open. */
int fd_space_descriptor(void);
/* Maps a range of another process's memfd at a user address of the import part. `at` and `size`
 * are multiples of the page size. */
fd_status fd_space_map_import(uint64_t at, uint64_t size, int descriptor, uint64_t offset,
                              void **pointer);
void fd_space_unmap_import(void *pointer, uint64_t size);

#endif
