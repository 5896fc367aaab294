/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in: traces of collectives, for every build.
 */
#pragma once


namespace c10d {
inline int traceUpdate(int rank) { return rank + 1; }
} // namespace c10d
