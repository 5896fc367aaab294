/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing: a precompiled header needs a target, and a target needs a source.
 */
#include "fleet_headers.h"
