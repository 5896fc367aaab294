/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See arm.h. The environment variable of a switch that acts while the target is loaded must already
 * be set, because switches are armed after loading.
 */
#include "arm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/target.h"

static const struct assay_switch *find(const struct assay_switches *board, void *target,
                                       const char *name)
{
    for (uint32_t i = 0; i < board->count(target); i++) {
        const struct assay_switch *one = board->get(target, i);
        if (one && strcmp(one->name, name) == 0)
            return one;
    }
    return NULL;
}

/* Returns 1 if the environment contains exactly this setting, such as "FOO_FAULT=name". */
static int is_in_environment(const char *setting)
{
    char variable[128];
    const size_t length = strcspn(setting, "=");
    if (length >= sizeof variable || !setting[length])
        return 0;
    memcpy(variable, setting, length);
    variable[length] = '\0';
    const char *value = getenv(variable);
    return value && strcmp(value, setting + length + 1) == 0;
}

static int refuse(const struct assay_switch *one, const char *name, char *problem, size_t size)
{
    if (!one)
        snprintf(problem, size, "the target's switchboard has no switch %s", name);
    else if (one->time == ASSAY_SWITCH_AT_LOAD)
        snprintf(problem, size, "%s acts while the target is loaded: set %s instead of --arm", name,
                 one->environment ? one->environment : "what arms it");
    else
        snprintf(problem, size, "the target's adapter cannot arm %s", name);
    return -1;
}

static const struct assay_switches *find_board(const struct hn_host_callbacks *callbacks,
                                               void **target)
{
    *target = NULL;
    return callbacks->extension ? callbacks->extension(callbacks->context, ASSAY_SWITCHES, target)
                                : NULL;
}

int hn_arm(const struct hn_host_callbacks *callbacks, const char *name, char *problem, size_t size)
{
    void *target;
    const struct assay_switches *board = find_board(callbacks, &target);
    if (!board) {
        snprintf(problem, size, "cannot arm %s: the target's adapter offers no %s", name,
                 ASSAY_SWITCHES);
        return -1;
    }
    const struct assay_switch *one = find(board, target, name);
    if (one && one->time == ASSAY_SWITCH_AT_LOAD && one->environment &&
        is_in_environment(one->environment))
        return 0;
    if (!one || board->arm(target, name) != ASSAY_OK)
        return refuse(one, name, problem, size);
    if (callbacks->renew) /* programs that the check starts inherit it by the environment */
        callbacks->renew(callbacks->context);
    return 0;
}

void hn_arm_watch(const struct hn_host_callbacks *callbacks)
{
    void *target;
    const struct assay_switches *board = find_board(callbacks, &target);
    if (board)
        board->watch(target);
}

void hn_arm_write_asked(const struct hn_host_callbacks *callbacks, const char *folder)
{
    void *target;
    char path[4096];
    const struct assay_switches *board = find_board(callbacks, &target);
    snprintf(path, sizeof path, "%s/" HN_ASKED_FILE, folder);
    FILE *file = board ? fopen(path, "we") : NULL;
    for (uint32_t i = 0; file && i < board->count(target); i++) {
        const struct assay_switch *one = board->get(target, i);
        if (one && board->asked(target, one->name) != ASSAY_NO)
            fprintf(file, "%s\n", one->name);
    }
    if (file)
        fclose(file);
}
