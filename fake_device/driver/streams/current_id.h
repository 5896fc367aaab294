/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The id of the current stream of a device in this thread. This stream may already be destroyed.
 */
#ifndef FD_CURRENT_ID_H
#define FD_CURRENT_ID_H

#include <stdint.h>

int64_t fd_current_id(int32_t device);
void fd_current_set_id(int32_t device, int64_t id);

#endif
