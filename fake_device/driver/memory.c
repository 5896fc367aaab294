/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The public memory calls. Argument checks and trace are here, the work is in the allocator.
 */
#include "memory.h"

#include "address_space.h"

fd_status fd_memory_start(void)
{
    return fd_space_start();
}

/* Nothing is cached as long as nothing is allocated. */
void fd_memory_drop_cache(int32_t device)
{
    (void)device;
}
