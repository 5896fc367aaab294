/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which faults are on. The set is written while the library is loaded and only read afterwards.
 * Must not know what any fault does.
 */
#include "fault.h"

#include "error.h"
#include "fault_table.h"
#include "names.h"

#include <stddef.h>

#define LARGEST_TABLE 1024 /* settings_test.c watches it */

int32_t fd_any_fault;
static size_t armed[LARGEST_TABLE]; /* indices into the table; fd_any_fault of them */

static const char *name_at(size_t index)
{
    const struct fd_fault_info *fault = fd_fault_at(index);
    return fault ? fault->name : NULL;
}

static const struct fd_names names = {"fault", name_at};

static void arm(size_t index)
{
    for (int32_t i = 0; i < fd_any_fault; i++)
        if (armed[i] == index)
            return;
    armed[fd_any_fault++] = index;
}

int fd_faults_arm(const char *list, char *message, size_t message_size)
{
    return fd_names_choose(&names, list, arm, message, message_size);
}

void fd_faults_disarm(void)
{
    fd_any_fault = 0;
}

int32_t fd_fault_is_on(const char *name)
{
    const size_t index = (size_t)fd_names_demand(&names, name);
    for (int32_t i = 0; i < fd_any_fault; i++)
        if (armed[i] == index)
            return 1;
    return 0;
}

fd_status fd_fault_get(size_t index, struct fd_fault_info *info)
{
    const struct fd_fault_info *fault = fd_fault_at(index);
    if (!info || !fault)
        return fd_fail(FD_ERROR_INVALID_VALUE, "there is no fault %zu", index);
    *info = *fault;
    return FD_OK;
}
