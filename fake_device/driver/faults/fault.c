/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of all faults: which faults are on, and how often each was queried. Faults are armed
 * while the library is loaded, or later by the adapter. Any thread, including a worker, may query a
 * fault. Must not depend on the effect of any fault.
 */
#include "fault.h"

#include "error.h"
#include "fakedev_faults.h"
#include "fault_asked.h"
#include "fault_table.h"
#include "names.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "FAKEDEV_FAULT"
#define LIST_SIZE 4096

int32_t fd_any_fault;
static atomic_uchar armed[FD_LARGEST_FAULT_TABLE]; /* indexed by the row of the table */
static atomic_ullong hits[FD_LARGEST_FAULT_TABLE];

static const char *name_at(size_t index)
{
    const struct fd_fault_info *fault = fd_fault_at(index);
    return fault ? fault->name : NULL;
}

static const struct fd_names names = {"fault", name_at};

/* ---- layers ---------------------------------------------------------------------------------- */

#define LAYERS 5

static struct {
    const char *name;
    void (*place)(const char *name);
} served[LAYERS];
static atomic_size_t served_count;

static int is_served(const char *layer)
{
    for (size_t i = 0; i < atomic_load(&served_count); i++)
        if (strcmp(served[i].name, layer) == 0)
            return 1;
    return strcmp(layer, "driver") == 0;
}

static void place(const struct fd_fault_info *fault)
{
    for (size_t i = 0; i < atomic_load(&served_count); i++)
        if (served[i].place && strcmp(served[i].name, fault->layer) == 0)
            served[i].place(fault->name);
}

void fd_faults_serve(const char *layer, void (*place_fault)(const char *name))
{
    const size_t count = atomic_load(&served_count);
    const struct fd_fault_info *fault;
    if (count == LAYERS)
        abort(); /* programming error: more layers than the table can hold */
    served[count].name = layer;
    served[count].place = place_fault;
    atomic_store(&served_count, count + 1);
    for (size_t i = 0; (fault = fd_fault_at(i)); i++)
        if (strcmp(fault->layer, layer) == 0 && atomic_load(&armed[i]))
            place(fault);
}

/* ---- arming ---------------------------------------------------------------------------------- */

static void look_up_from_now_on(int32_t whether)
{
    __atomic_store_n(&fd_any_fault, whether, __ATOMIC_RELAXED);
}

static void arm(size_t index)
{
    atomic_store(&armed[index], 1);
    look_up_from_now_on(1);
}

int fd_faults_arm(const char *list, char *message, size_t message_size)
{
    if (fd_asked_is_kept())
        look_up_from_now_on(1);
    return fd_names_choose(&names, list, arm, message, message_size);
}

const char *fd_faults_unserved(void)
{
    const struct fd_fault_info *fault;
    for (size_t i = 0; fd_any_fault && (fault = fd_fault_at(i)); i++)
        if (atomic_load(&armed[i]) && !is_served(fault->layer))
            return fault->name;
    return NULL;
}

/* Finds a fault by a name that a caller supplied. */
static fd_status find(const char *name, size_t *index)
{
    const int found = name ? fd_names_find(&names, name) : -1;
    if (found < 0)
        return fd_fail(FD_ERROR_INVALID_VALUE, "there is no fault \"%.60s\"; the nearest is \"%s\"",
                       name ? name : "", fd_names_nearest(&names, name ? name : ""));
    *index = (size_t)found;
    return FD_OK;
}

/* Updates the environment, which this process passes to the programs that it starts. */
static fd_status tell_children(const char *name)
{
    char list[LIST_SIZE];
    const char *before = getenv(VARIABLE);
    const int length = snprintf(list, sizeof list, "%s%s%s", before ? before : "",
                                before && *before ? "," : "", name);
    if (length >= (int)sizeof list || setenv(VARIABLE, list, 1) != 0)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no room in the environment for %s", name);
    return FD_OK;
}

fd_status fd_fault_arm(const char *name)
{
    size_t index;
    fd_status status = find(name, &index);
    if (status != FD_OK || atomic_load(&armed[index]))
        return status;
    if (fd_fault_at(index)->at_load)
        return fd_fail(FD_ERROR_INVALID_VALUE,
                       "%s acts while the libraries are loaded: start with " VARIABLE "=%s", name,
                       name);
    if (!is_served(fd_fault_at(index)->layer))
        return fd_fail(FD_ERROR_NOT_SUPPORTED, "%s acts in a layer that is loaded without faults",
                       name);
    status = tell_children(name);
    if (status != FD_OK)
        return status;
    arm(index);
    place(fd_fault_at(index));
    return FD_OK;
}

fd_status fd_faults_disarm(void)
{
    for (size_t i = 0; i < FD_LARGEST_FAULT_TABLE; i++)
        atomic_store(&armed[i], 0);
    unsetenv(VARIABLE);
    look_up_from_now_on(fd_asked_is_kept());
    return FD_OK;
}

fd_status fd_faults_watch(void)
{
    const struct fd_fault_info *fault;
    const fd_status status = fd_asked_watch();
    if (status != FD_OK)
        return status;
    look_up_from_now_on(1);
    for (size_t i = 0; (fault = fd_fault_at(i)); i++)
        place(fault);
    return FD_OK;
}

int32_t fd_fault_is_on(const char *name)
{
    const size_t index = (size_t)fd_names_demand(&names, name);
    fd_asked(index, name);
    if (!atomic_load_explicit(&armed[index], memory_order_relaxed))
        return 0;
    atomic_fetch_add(&hits[index], 1);
    return 1;
}

fd_status fd_fault_was_asked(const char *name, int32_t *asked)
{
    size_t index;
    const fd_status status = find(name, &index);
    if (status == FD_OK)
        *asked = fd_fault_at(index)->at_load ? -1 : fd_asked_answer(name);
    return status;
}

fd_status fd_fault_hits(const char *name, uint64_t *count)
{
    size_t index;
    const fd_status status = find(name, &index);
    if (status == FD_OK)
        *count = atomic_load(&hits[index]);
    return status;
}

fd_status fd_fault_get(size_t index, struct fd_fault_info *info)
{
    const struct fd_fault_info *fault = fd_fault_at(index);
    if (!info || !fault || !*fault->violates)
        return fd_fail(FD_ERROR_INVALID_VALUE, "there is no fault %zu", index);
    *info = *fault;
    return FD_OK;
}

fd_status fd_refusal_get(size_t index, struct fd_fault_info *info)
{
    if (!info || index >= fd_refusals.count)
        return fd_fail(FD_ERROR_INVALID_VALUE, "there is no refusal %zu", index);
    *info = fd_refusals.rows[index];
    return FD_OK;
}
