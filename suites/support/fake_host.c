/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See fake_host.h.
 */
#include "fake_host.h"

#include <pthread.h>
#include <stdio.h>

static const int32_t devices[] = {0, 1};

static struct fake_host *host_of(struct assay_check *check)
{
    return check->context;
}

static void keep(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static void report(struct assay_check *check, const struct assay_finding *finding)
{
    struct fake_host *const host = host_of(check);
    host->findings++;
    host->kind = finding->kind;
    host->line = finding->line;
    keep(host->what, sizeof host->what, finding->what);
    keep(host->seen, sizeof host->seen, finding->seen);
    keep(host->subject, sizeof host->subject, finding->subject);
}

static void note(struct assay_check *check, const char *key, const char *text)
{
    (void)key;
    keep(host_of(check)->seen, sizeof host_of(check)->seen, text);
}

static void mark(struct assay_check *check, const char *file, int32_t line)
{
    (void)file;
    host_of(check)->line = line;
}

static void abandon(struct assay_check *check)
{
    host_of(check)->abandoned = 1;
    pthread_exit(NULL);
}

static int64_t milliseconds_left(struct assay_check *check)
{
    return host_of(check)->milliseconds;
}

static const void *extension(struct assay_check *check, const char *id, void **target)
{
    (void)check;
    (void)id;
    *target = NULL;
    return NULL;
}

static int32_t capability(struct assay_check *check, const char *name)
{
    (void)check;
    (void)name;
    return ASSAY_UNKNOWN;
}

static void clause(struct assay_check *check, const char *id)
{
    keep(host_of(check)->clause, sizeof host_of(check)->clause, id);
}

static const struct assay_check_host table = {
    .struct_size = sizeof table,
    .report = report,
    .note = note,
    .mark = mark,
    .abandon = abandon,
    .milliseconds_left = milliseconds_left,
    .extension = extension,
    .capability = capability,
    .clause = clause,
};

struct run {
    struct assay_check *check;
    void (*body)(struct assay_check *check);
};

static void *enter(void *argument)
{
    const struct run *const run = argument;
    run->body(run->check);
    return NULL;
}

void fake_host_run(struct fake_host *host, void (*body)(struct assay_check *check))
{
    host->check = (struct assay_check){
        .struct_size = sizeof host->check,
        .device_count = 2,
        .host = &table,
        .context = host,
        .id = "support.test",
        .device_name = "none",
        .devices = devices,
        .scratch = "",
        .seed = 1,
        .owed = host->owed ? host->owed : "",
    };
    struct run run = {&host->check, body};
    pthread_t thread;
    pthread_create(&thread, NULL, enter, &run);
    pthread_join(thread, NULL);
}
