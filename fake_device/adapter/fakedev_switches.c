/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The switchboard of the fake device. The driver lists, arms and counts its faults, refusals and
 * delays. Variants must be chosen before the driver is loaded.
 */
#include "fakedev_adapter.h"

#include <stdio.h>
#include <string.h>

#define SWITCHES_MAX 1024
#define ENVIRONMENT_SIZE 128

static struct assay_switch board[SWITCHES_MAX];
static char environments[SWITCHES_MAX][ENVIRONMENT_SIZE];
static uint32_t listed;

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static void list_one(uint32_t index, const struct fd_fault_info *fault)
{
    const char *environment = NULL;
    if (fault->at_load) {
        snprintf(environments[index], ENVIRONMENT_SIZE, "FAKEDEV_FAULT=%s", fault->name);
        environment = environments[index];
    }
    board[index] = (struct assay_switch){
        .struct_size = sizeof board[index],
        .kind = ASSAY_SWITCH_FAULT,
        .time = fault->at_load ? ASSAY_SWITCH_AT_LOAD : ASSAY_SWITCH_AT_CALL,
        .name = fault->name,
        .violates = fault->violates,
        .environment = environment,
        .summary = fault->summary,
        .source = or_null(fault->source),
    };
}

static void list_refusal(uint32_t index, const struct fd_fault_info *refusal)
{
    const int is_delay = strcmp(refusal->layer, "delay") == 0;
    board[index] = (struct assay_switch){
        .struct_size = sizeof board[index],
        .kind = is_delay ? ASSAY_SWITCH_DELAY : ASSAY_SWITCH_REFUSAL,
        .time = ASSAY_SWITCH_AT_CALL,
        .name = refusal->name,
        .means = is_delay ? NULL : refusal->name,
        .summary = refusal->summary,
    };
}

static void list_variant(uint32_t index, const struct fd_variant_info *variant)
{
    snprintf(environments[index], ENVIRONMENT_SIZE, "FAKEDEV_VARIANT=%s", variant->name);
    board[index] = (struct assay_switch){
        .struct_size = sizeof board[index],
        .kind = ASSAY_SWITCH_VARIANT,
        .time = ASSAY_SWITCH_AT_LOAD,
        .name = variant->name,
        .environment = environments[index],
        .summary = variant->summary,
    };
}

void fakedev_switches_list(void)
{
    struct fd_fault_info fault;
    struct fd_variant_info variant;
    for (listed = 0; listed < SWITCHES_MAX && fd_fault_get(listed, &fault) == FD_OK; listed++)
        list_one(listed, &fault);
    for (size_t i = 0; listed < SWITCHES_MAX && fd_refusal_get(i, &fault) == FD_OK; i++)
        list_refusal(listed++, &fault);
    for (size_t i = 0; listed < SWITCHES_MAX && fd_variant_get(i, &variant) == FD_OK; i++)
        list_variant(listed++, &variant);
}

static uint32_t count(void *target)
{
    (void)target;
    return listed;
}

static const struct assay_switch *get(void *target, uint32_t index)
{
    (void)target;
    return index < listed ? &board[index] : NULL;
}

static int32_t arm(void *target, const char *name)
{
    (void)target;
    return fakedev_translate(fd_fault_arm(name));
}

static int32_t disarm(void *target)
{
    (void)target;
    return fakedev_translate(fd_faults_disarm());
}

static int32_t watch(void *target)
{
    (void)target;
    return fakedev_translate(fd_faults_watch());
}

static int32_t asked(void *target, const char *name)
{
    int32_t answer = -1;
    (void)target;
    if (fd_fault_was_asked(name, &answer) != FD_OK || answer < 0)
        return ASSAY_UNKNOWN;
    return answer ? ASSAY_YES : ASSAY_NO;
}

static int32_t hits(void *target, const char *name, uint64_t *number)
{
    (void)target;
    return fakedev_translate(fd_fault_hits(name, number));
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
