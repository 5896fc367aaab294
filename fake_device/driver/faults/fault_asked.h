/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which faults a program comes by at all: FAKEDEV_ASKED=FILE gets the name of each fault, once for
 * each process that asks whether it is on. What a program never asks for cannot change it.
 */
#ifndef FD_FAULT_ASKED_H
#define FD_FAULT_ASKED_H

#include "fakedev.h"

#include <stddef.h>
#include <stdint.h>

/* From now on, in this file, which is made; "" ends it. 0, or -1 with one sentence in `message`.
 * Only while the library is loaded (and in tests). */
int fd_asked_keep(const char *file, char *message, size_t message_size);
int32_t fd_asked_is_kept(void);
/* As fd_asked_keep() in a file of our own that lives as long as this process; nothing to do when a
 * file is kept already. Programs that are started write there, too. */
fd_status fd_asked_watch(void);
/* 1 or 0: whether the name is in the file. -1: no file, or one that cannot be read. */
int32_t fd_asked_answer(const char *name);
/* Any thread, also in a child of a fork. */
void fd_asked(size_t index, const char *name);

#endif
