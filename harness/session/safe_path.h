/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment setting of our Python programs that prevents imports from the user's current
 * folder. When the package `assay` is imported, it removes the setting from the environment, so
 * that programs of the backend or the user are not affected.
 */
#ifndef HN_SAFE_PATH_H
#define HN_SAFE_PATH_H

#define HN_SAFE_PATH_NAME "PYTHONSAFEPATH"
#define HN_SAFE_PATH_VALUE "assay"
#define HN_SAFE_PATH HN_SAFE_PATH_NAME "=" HN_SAFE_PATH_VALUE

#endif
