/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which faults are on. The set is written while the library is loaded and only read afterwards.
 * Must not know what any fault does.
 */
#include "fault.h"

#include "error.h"
#include "fault_asked.h"
#include "fault_table.h"
#include "names.h"

#include <stddef.h>

int32_t fd_any_fault; /* also when nothing is armed and the questions are kept */
static size_t armed[FD_LARGEST_FAULT_TABLE]; /* indices into the table */
static size_t armed_count;

static const char *name_at(size_t index)
{
    const struct fd_fault_info *fault = fd_fault_at(index);
    return fault ? fault->name : NULL;
}

static const struct fd_names names = {"fault", name_at};

static void arm(size_t index)
{
    for (size_t i = 0; i < armed_count; i++)
        if (armed[i] == index)
            return;
    armed[armed_count++] = index;
}

int fd_faults_arm(const char *list, char *message, size_t message_size)
{
    const int status = fd_names_choose(&names, list, arm, message, message_size);
    fd_any_fault = armed_count > 0 || fd_asked_is_kept();
    return status;
}

void fd_faults_disarm(void)
{
    armed_count = 0;
    fd_any_fault = fd_asked_is_kept();
}

int32_t fd_fault_is_on(const char *name)
{
    const size_t index = (size_t)fd_names_demand(&names, name);
    fd_asked(index, name);
    for (size_t i = 0; i < armed_count; i++)
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
