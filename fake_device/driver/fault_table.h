/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All faults of the fake device, whatever layer they act in. How to add one: README.md.
 */
#ifndef FD_FAULT_TABLE_H
#define FD_FAULT_TABLE_H

#include "fakedev.h"

extern const struct fd_fault_info fd_fault_table[];
extern const size_t fd_fault_table_size;

#endif
