/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that devices offer to the rest of the driver: the lazy start, and the check at the
 * beginning of every public call that needs a device.
 */
#ifndef FD_DEVICE_H
#define FD_DEVICE_H

#include "fakedev.h"

/* Starts the driver once. Returns FD_ERROR_FORKED in a child forked after the start,
 * FD_ERROR_NO_DEVICE on a machine without devices, and FD_ERROR_SYSTEM if the start failed (the
 * next call tries again). */
fd_status fd_driver_start(void);
/* Registers `start`, which the start of the driver calls under its lock. Called once, while the
 * library is loaded. */
void fd_driver_starts_with(fd_status (*start)(void));
/* Returns FD_OK or FD_ERROR_FORKED and never starts the driver. Calls that take a handle begin
 * with this check, because a forked child must not touch any lock. */
fd_status fd_driver_check_fork(void);
/* Checks, in this order, that the index is in range, that the driver has started, and that the
 * device is not lost. */
fd_status fd_device_check(int32_t device);
/* Checks the index and the start only, for calls that must also work on a lost device (free,
 * destroy, reset). */
fd_status fd_device_check_even_lost(int32_t device);
/* Returns 1 while the device is lost. The caller guarantees that the index is in range. */
int32_t fd_device_is_lost(int32_t device);
void fd_device_mark_lost(int32_t device, int32_t is_lost);
/* Returns 1 if kernels of `device` may access memory of `peer`. The caller guarantees that both
 * indices are in range. */
int32_t fd_device_peer_enabled(int32_t device, int32_t peer);

#endif
