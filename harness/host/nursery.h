/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a lease and a nursery say to each other over a local socket: one byte that carries the file
 * descriptors, a message with folder and environment, and at the end the exit status of the host.
 * Used by nursery.c and lease_main.c.
 */
#ifndef HN_NURSERY_H
#define HN_NURSERY_H

/* In this order; control is the pipe to the supervisor. */
enum { HN_LEASE_CONTROL, HN_LEASE_OUT, HN_LEASE_ERR, HN_LEASE_FILES };

#define HN_LEASE_FOLDER "folder"
#define HN_LEASE_SETTING "setting" /* "NAME=value", many times */

#endif
