/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The switchboard of the mutated fake device. Instead of faults it lists mutations. Each mutation
 * has three names, "mutant.NUMBER", "mutant.NUMBER.2" and "mutant.NUMBER.3", so that one list of
 * pairs can run it three times. The build copies this file over fakedev_switches.c.
 */
#include "fakedev_adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay_mutant.h"

#define PREFIX "mutant."

#define NAMES 3 /* names per mutant */

static struct assay_switch board[NAMES * ASSAY_MUTANTS_MOST];
static char names[NAMES * ASSAY_MUTANTS_MOST][24];

void fakedev_switches_list(void)
{
    for (int32_t i = 0; i < NAMES * ASSAY_MUTANTS_MOST; i++) {
        const int32_t number = i % ASSAY_MUTANTS_MOST, time = i / ASSAY_MUTANTS_MOST + 1;
        (void)snprintf(names[i], sizeof names[i], time > 1 ? PREFIX "%d.%d" : PREFIX "%d", number,
                       time);
        board[i] = (struct assay_switch){.struct_size = sizeof board[i],
                                         .kind = ASSAY_SWITCH_FAULT,
                                         .time = ASSAY_SWITCH_AT_CALL,
                                         .name = names[i],
                                         .summary = "a mutation"};
    }
}

static int32_t number_of(const char *name)
{
    const size_t length = strlen(PREFIX);
    return strncmp(name, PREFIX, length) == 0 ? (int32_t)strtol(name + length, NULL, 10) : -1;
}

static uint32_t count(void *target)
{
    (void)target;
    return NAMES * ASSAY_MUTANTS_MOST;
}

static const struct assay_switch *get(void *target, uint32_t index)
{
    (void)target;
    return index < NAMES * ASSAY_MUTANTS_MOST ? &board[index] : NULL;
}

static int32_t arm(void *target, const char *name)
{
    (void)target;
    return assay_mutant_arm(number_of(name)) == 0 ? ASSAY_OK : ASSAY_EINVALID;
}

static int32_t disarm(void *target)
{
    (void)target;
    return assay_mutant_arm(0) == 0 ? ASSAY_OK : ASSAY_EINVALID;
}

static int32_t watch(void *target)
{
    (void)target;
    return assay_mutant_watch() == 0 ? ASSAY_OK : ASSAY_EUNSUPPORTED;
}

/* Returns ASSAY_NO for all but the first name of a mutant. */
static int32_t asked(void *target, const char *name)
{
    const int32_t number = strchr(name, '.') == strrchr(name, '.') ? number_of(name) : -1;
    (void)target;
    return number > 0 && assay_mutant_was_reached(number) ? ASSAY_YES : ASSAY_NO;
}

static int32_t hits(void *target, const char *name, uint64_t *number)
{
    *number = asked(target, name) == ASSAY_YES;
    return ASSAY_OK;
}

const struct assay_switches fakedev_switches = {
    .struct_size = sizeof fakedev_switches,
    .count = count,
    .get = get,
    .arm = arm,
    .disarm = disarm,
    .watch = watch,
    .asked = asked,
    .hits = hits,
};
