/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment of every host, below the profile's. Used by host_link.c, and by assay repro, so that
 * one check alone finds what it finds in a run.
 */
#ifndef HN_HOST_SETTINGS_H
#define HN_HOST_SETTINGS_H

#define HN_HOST_SETTINGS 6
extern const char *const hn_host_settings[HN_HOST_SETTINGS]; /* "NAME=value" */

#endif
