/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Setting under which our Python programs start: they import nothing from the folder that the user
 * happens to be in. The package `assay` takes it out of its environment again when it is
 * imported, so that programs of the backend or the user run as ever.
 */
#ifndef HN_SAFE_PATH_H
#define HN_SAFE_PATH_H

#define HN_SAFE_PATH_NAME "PYTHONSAFEPATH"
#define HN_SAFE_PATH_VALUE "assay"
#define HN_SAFE_PATH HN_SAFE_PATH_NAME "=" HN_SAFE_PATH_VALUE

#endif
