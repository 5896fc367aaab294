/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the supervisor with a plan from a text file, for tests and benchmarks: it needs no contract,
 * no target profile and no torch. Started by torture_test.py, kill_test.py and ci/bench.
 *
 *   torture_run --cases=FILE --out=DIR --host=PROGRAM [--python=PROGRAM] [--mode=M] [--jobs=N]
 *               [--resume=1] [--shuffle=N] [--shard=I/N] [--check-ms=N] [--retries=N]
 *   torture_run --bench=N | --burn=N ...   N checks that do nothing, or use 20 ms of processor time
 *               [--cost=1]                 prints the processor time and memory of this process
 * A line of FILE: id, expected verdict (ignored here), then words like exit=normal on=OTHER.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "assay/status.h"
#include "calibrate.h"
#include "file.h"
#include "supervisor.h"

#define TASKS 200000
#define WORDS 8

struct plan {
    struct hn_task *tasks;
    struct hn_check *checks; /* the checks of the tasks */
    size_t count;
    char *text;
    size_t ground[TASKS]; /* builds_on of task i points to element i */
};

static struct plan plan;

static void leave(const char *why, int status)
{
    fprintf(stderr, "torture_run: %s\n", why);
    exit(status);
}

static void usage(const char *why)
{
    leave(why, HN_EXIT_USAGE);
}

/* Returns the value of --name=value, or `otherwise`. */
static const char *option(char **arguments, const char *name, const char *otherwise)
{
    const size_t length = strlen(name);
    for (size_t i = 1; arguments[i]; i++)
        if (strncmp(arguments[i], "--", 2) == 0 && strncmp(arguments[i] + 2, name, length) == 0 &&
            arguments[i][2 + length] == '=')
            return arguments[i] + 3 + length;
    return otherwise;
}

static int64_t number(char **arguments, const char *name, int64_t otherwise)
{
    const char *value = option(arguments, name, NULL);
    return value ? strtoll(value, NULL, 10) : otherwise;
}

static size_t find(const char *id)
{
    for (size_t i = 0; i < plan.count; i++)
        if (strcmp(plan.tasks[i].check->id, id) == 0)
            return i;
    usage("a case builds on one that is not before it");
    return 0;
}

static void take_word(size_t task, const char *word)
{
    struct hn_check *row = &plan.checks[task];
    if (strcmp(word, "exit=normal") == 0)
        row->normal_exit = 1;
    else if (strcmp(word, "fresh") == 0)
        row->fresh = 1;
    else if (strcmp(word, "python") == 0)
        row->kind = HN_PYTHON;
    else if (strncmp(word, "devices=", 8) == 0)
        row->devices = (int)strtol(word + 8, NULL, 10);
    else if (strncmp(word, "signal=", 7) == 0)
        row->expect_signal = (int)strtol(word + 7, NULL, 10);
    else if (strncmp(word, "status=", 7) == 0)
        row->expect_status = (int)strtol(word + 7, NULL, 10);
    else if (strncmp(word, "entry=", 6) == 0)
        row->file = word + 6;
    else if (strncmp(word, "on=", 3) == 0) {
        plan.ground[task] = find(word + 3);
        plan.tasks[task].builds_on = (struct hn_indices){&plan.ground[task], 1};
    }
}

static size_t add_task(const char *id)
{
    const size_t task = plan.count++;
    plan.checks[task] = (struct hn_check){.id = id, .file = "", .expect_status = -1};
    plan.tasks[task] = (struct hn_task){.check = &plan.checks[task]};
    return task;
}

static void take_line(char *line)
{
    char *words[WORDS];
    size_t count = 0;
    for (char *rest = line; count < WORDS;) {
        rest += strspn(rest, " \t");
        if (!*rest || *rest == '#')
            break;
        words[count++] = rest;
        rest += strcspn(rest, " \t");
        if (*rest)
            *rest++ = '\0';
    }
    if (count == 0)
        return;
    const size_t task = add_task(words[0]);
    for (size_t i = 2; i < count; i++)
        take_word(task, words[i]);
}

static void read_cases(const char *path)
{
    size_t length;
    struct hn_error error;
    if (hn_file_read(path, 64u << 20, &plan.text, &length, &error) != HN_OK)
        leave(error.text, hn_error_exit_status(error.code));
    for (char *line = plan.text; *line && plan.count < TASKS;) {
        char *end = line + strcspn(line, "\n");
        const int last = *end == '\0';
        *end = '\0';
        take_line(line);
        line = last ? end : end + 1;
    }
}

static void make_bench(const char *name, int64_t count)
{
    plan.text = malloc((size_t)count * 32 + 1);
    for (int64_t i = 0; i < count && plan.count < TASKS; i++) {
        char *id = plan.text + i * 32;
        snprintf(id, 32, "%s.%lld", name, (long long)i);
        add_task(id);
    }
}

/* Keeps the cases of shard I of N. Other cases stay as support if a case of this shard builds on
 * them. */
static void keep_shard(const char *shard)
{
    char *end;
    const size_t index = strtoul(shard, &end, 10), of = strtoul(end + 1, NULL, 10);
    for (size_t i = plan.count; i-- > 0;)
        plan.tasks[i].support = i % of != index - 1;
}

static const char *const *program(char **arguments, const char *name)
{
    static char *programs[2][16];
    static size_t used;
    const char *value = option(arguments, name, NULL);
    if (!value)
        return NULL;
    char **words = programs[used++];
    char *rest = strdup(value);
    for (size_t i = 0; rest && *rest && i < 15; i++) {
        words[i] = rest;
        rest += strcspn(rest, " ");
        if (*rest)
            *rest++ = '\0';
    }
    return (const char *const *)words;
}

static void print(const struct hn_run_input *input, const struct hn_run_summary *summary)
{
    for (size_t i = 0; plan.count <= 1000 && i < plan.count; i++)
        if (!input->tasks[i].support)
            printf("%s %s\n", plan.tasks[i].check->id, hn_verdict_table[summary->verdicts[i]].name);
    if (!summary->complete)
        printf("incomplete: %s\n", summary->why);
}

/* Prints "cost MILLISECONDS KIB": time and peak size of the supervisor without its hosts. */
static void print_cost(void)
{
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    printf("cost %.3f %ld\n",
           (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1e3 +
               (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e3,
           own.ru_maxrss);
}

static void read_plan(char **arguments)
{
    const char *cases = option(arguments, "cases", NULL);
    const char *shard = option(arguments, "shard", NULL);
    if (cases)
        read_cases(cases);
    else if (option(arguments, "burn", NULL))
        make_bench("burn", number(arguments, "burn", 0));
    else
        make_bench("bench", number(arguments, "bench", 0));
    if (shard)
        keep_shard(shard);
}

static struct hn_run_options read_options(char **arguments)
{
    return (struct hn_run_options){.folder = option(arguments, "out", "torture-run"),
                                   .resume = (int)number(arguments, "resume", 0),
                                   .keep = (int)number(arguments, "keep", 0),
                                   .hosts = (int)number(arguments, "jobs", 1),
                                   .retries = (int)number(arguments, "retries", 0),
                                   .shuffle = (uint64_t)number(arguments, "shuffle", 0),
                                   .run_ms = number(arguments, "run-ms", 0),
                                   .most_failures = (long)number(arguments, "maxfail", 0),
                                   .plain = 1,
                                   .out = number(arguments, "verbose", 0) ? stderr : NULL,
                                   .timeout_scale = 1,
                                   .seed = 1,
                                   .grace_ms = number(arguments, "grace-ms", 200),
                                   .refusal_ms = number(arguments, "refusal-ms", 0),
                                   .silence_ms = number(arguments, "silence-ms", 5000),
                                   .folder_limit = 32 << 20,
                                   .mode_reason = "as told"};
}

int main(int count, char **arguments)
{
    (void)count;
    plan.tasks = calloc(TASKS, sizeof *plan.tasks);
    plan.checks = calloc(TASKS, sizeof *plan.checks);
    if (!plan.tasks || !plan.checks) {
        fputs("torture_run: out of memory\n", stderr);
        return 71;
    }
    read_plan(arguments);

    struct hn_load_step step = {"word", option(arguments, "load", ""), ""};
    const char *module = option(arguments, "module", NULL);
    struct hn_run_input input = {
        .tasks = plan.tasks,
        .task_count = plan.count,
        .target = {.name = "torture",
                   .mode = option(arguments, "mode", NULL),
                   .steps = &step,
                   .step_count = 1,
                   .modules = &module,
                   .module_count = module != NULL,
                   .load_ms = number(arguments, "load-ms", 5000),
                   .warm_up_ms = 20000,
                   .check_ms = number(arguments, "check-ms", 3000)},
        .programs = {program(arguments, "host"), program(arguments, "python")},
        .options = read_options(arguments),
    };
    struct hn_run_summary summary;
    struct hn_error error;
    struct hn_calibration calibration;
    if (!input.target.mode) {
        hn_calibrate(&input, &calibration);
        input.target.mode = calibration.mode;
        input.options.mode_reason = calibration.why;
        fprintf(stderr, "%s: %s\n", calibration.mode, calibration.why);
    }
    if (hn_run(&input, &summary, &error) != HN_OK) {
        fprintf(stderr, "torture_run: %s\n", error.text);
        return hn_error_exit_status(error.code);
    }
    print(&input, &summary);
    if (number(arguments, "cost", 0))
        print_cost();
    const int status = summary.exit_status;
    hn_run_summary_finish(&summary);
    free(plan.tasks);
    free(plan.text);
    return status;
}
