/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that devices offer to the rest of the driver: the lazy start and the check that opens
 * every public call that needs a device.
 */
#ifndef FD_DEVICE_H
#define FD_DEVICE_H

#include "fakedev.h"

/* Starts the driver once. FD_ERROR_FORKED in a child of a process that had started it,
 * FD_ERROR_NO_DEVICE on a machine without devices, FD_ERROR_SYSTEM (tried again next time). */
fd_status fd_driver_start(void);
/* Sets what the start calls under its lock. Called once, while the library is loaded. */
void fd_driver_starts_with(fd_status (*start)(void));
/* FD_OK, or FD_ERROR_FORKED; never starts the driver. The first line of calls that take a handle:
 * in a forked child not even a lock may be touched. */
fd_status fd_driver_check_fork(void);
/* In range, started, not lost; in this order. */
fd_status fd_device_check(int32_t device);
/* The same for calls that must work on a lost device too (free, destroy, reset). */
fd_status fd_device_check_even_lost(int32_t device);
/* 1 while the device is lost. In range, by the caller. */
int32_t fd_device_is_lost(int32_t device);
void fd_device_mark_lost(int32_t device, int32_t is_lost);
/* 1 if kernels of `device` may touch memory of `peer`; both in range, by the caller. */
int32_t fd_device_peer_enabled(int32_t device, int32_t peer);

#endif
