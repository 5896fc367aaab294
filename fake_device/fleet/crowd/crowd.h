/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the backend share. crowd's runtime has room for 127 devices and counts
 * them all; in this machine there is one.
 */
#ifndef CROWD_H
#define CROWD_H

#include "fleet_headers.h"

namespace crowd
{

constexpr int kSlots = 127;

/* crowd_device.cc */
int slot_of(
    c10::Device device); /* an index, the current one's for "crowd"; throws past the slots */
int current_slot();
void select_slot(int slot);

/* crowd_random.cc */
const at::Generator &generator_of(int slot);
at::Generator make_generator_of(int slot);

} // namespace crowd

#endif
