/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay-check: runs native checks in the foreground of this process, without isolation, and prints
 * what they find. For whoever writes a check or sits in a debugger; `assay repro` starts it.
 * Verdicts are given by `assay run` alone.
 *
 *     assay-check --load libfoo.so [--adapter foo_adapter.so] --suite guard.so [CHECK...]
 *
 * Without a CHECK it lists those of the suites. Exit status: 0 nothing found, 1 a violation, 2
 * another finding, 64 usage, 70 something could not be loaded.
 */
#include "adapter.h"
#include "check_registry.h"
#include "native_entry.h"
#include "native_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS 16
#define DEADLINE_MS 30000

struct alone {
    struct hn_host_step steps[STEPS];
    size_t step_count;
    const char *adapter_path;
    struct hn_checks *checks;
    struct hn_adapter *adapter;
    struct hn_host_target target;
    int64_t deadline_ms;
    int violations, others;
};

static const char *const kinds[] = {
    "", "FAIL", "SKIP", "BLOCKED", "UNOBSERVABLE", "BROKEN", "FALLBACK", "NOTED",
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void report(struct assay_check *check, const struct assay_finding *finding)
{
    struct alone *const alone = check->context;
    const int violation = finding->kind == ASSAY_FINDING_FAIL;

    alone->violations += violation;
    alone->others += !violation && finding->kind != ASSAY_FINDING_NOTED;
    printf("%s %s\n     demand   %s\n", kinds[finding->kind], check->id, finding->what);
    if (finding->seen != NULL) {
        printf("     seen     %s\n", finding->seen);
    }
    if (finding->subject != NULL) {
        printf("     about    %s\n", finding->subject);
    }
    printf("     at       %s:%d\n", finding->file, (int)finding->line);
}

static void note(struct assay_check *check, const char *key, const char *text)
{
    printf("note %s: %s = %s\n", check->id, key, text);
}

static void mark(struct assay_check *check, const char *file, int32_t line)
{
    (void)check;
    (void)file;
    (void)line;
}

static int status_of(const struct alone *alone)
{
    return alone->violations > 0 ? 1 : alone->others > 0 ? 2 : 0;
}

static void abandon(struct assay_check *check)
{
    fflush(stdout);
    _Exit(status_of(check->context));
}

static int64_t milliseconds_left(struct assay_check *check)
{
    const int64_t left = ((const struct alone *)check->context)->deadline_ms - now_ms();
    return left > 0 ? left : 0;
}

static const void *extension(struct assay_check *check, const char *id, void **target)
{
    return hn_adapter_extension(((const struct alone *)check->context)->adapter, id, target);
}

static int32_t capability(struct assay_check *check, const char *name)
{
    (void)check;
    (void)name;
    return ASSAY_UNKNOWN;
}

static const struct assay_check_host host = {
    .struct_size = sizeof host,
    .report = report,
    .note = note,
    .mark = mark,
    .abandon = abandon,
    .milliseconds_left = milliseconds_left,
    .extension = extension,
    .capability = capability,
};

static void tell(void *context, const char *key, const char *text)
{
    (void)context;
    printf("load %s: %s\n", key, text);
}

static int load(struct alone *alone)
{
    const struct hn_host_setup setup = {.mode = "exec"};
    char text[2048];

    if (hn_native_load(alone->steps, alone->step_count, tell, NULL, text, sizeof text) != 0 ||
        hn_native_describe(&setup, &alone->target, text, sizeof text) != 0) {
        fprintf(stderr, "assay-check: %s\n", text);
        return 70;
    }
    const struct assay_target_options options = {.struct_size = sizeof options,
                                                 .device_count = alone->target.device_count,
                                                 .devices = alone->target.devices,
                                                 .device_name = alone->target.device_name};
    if (alone->adapter_path != NULL &&
        hn_adapter_open(alone->adapter_path, &options, &alone->adapter, text, sizeof text) != 0) {
        fprintf(stderr, "assay-check: %s\n", text);
        return 70;
    }
    return 0;
}

static int run(struct alone *alone, const char *id)
{
    struct assay_check check = {
        .struct_size = sizeof check,
        .device_count = alone->target.device_count,
        .host = &host,
        .context = alone,
        .id = id,
        .device_name = alone->target.device_name,
        .devices = alone->target.devices,
        .scratch = ".",
        .seed = 20260101,
    };
    alone->deadline_ms = now_ms() + DEADLINE_MS;
    if (hn_checks_run(alone->checks, &check) != ASSAY_OK) {
        fprintf(stderr, "assay-check: no suite given has the check %s\n", id);
        return 64;
    }
    return 0;
}

/* Options first, then ids: argv is read once, in order. Returns the index of the first id, or the
 * negative exit status. */
static int read_options(struct alone *alone, int argc, char **argv)
{
    char text[1024];
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--load") == 0 && alone->step_count < STEPS) {
            alone->steps[alone->step_count++] = (struct hn_host_step){"dlopen", argv[i + 1], "now"};
        } else if (strcmp(argv[i], "--adapter") == 0) {
            alone->adapter_path = argv[i + 1];
        } else if (strcmp(argv[i], "--suite") == 0) {
            if (hn_checks_open(alone->checks, argv[i + 1], text, sizeof text) != ASSAY_OK) {
                fprintf(stderr, "assay-check: %s\n", text);
                return -70;
            }
        } else {
            break;
        }
    }
    if (hn_checks_count(alone->checks) == 0 || (i < argc && strncmp(argv[i], "--", 2) == 0)) {
        fprintf(stderr, "usage: assay-check [--load LIBRARY]... [--adapter LIBRARY] "
                        "--suite LIBRARY... [CHECK...]\n");
        return -64;
    }
    return i;
}

int hn_check_alone_main(int argc, char **argv)
{
    struct alone alone = {.checks = hn_checks_create()};
    int first = read_options(&alone, argc, argv);
    if (first < 0) {
        return -first;
    }
    if (first == argc) {
        for (uint32_t i = 0; hn_checks_id(alone.checks, i) != NULL; i++) {
            puts(hn_checks_id(alone.checks, i));
        }
        return 0;
    }
    int status = load(&alone);
    for (; status == 0 && first < argc; first++) {
        status = run(&alone, argv[first]);
    }
    fflush(stdout);
    return status != 0 ? status : status_of(&alone);
}
