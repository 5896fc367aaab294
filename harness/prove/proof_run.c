/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the runs of a proof, several side by side: each is `assay run` with the fault or variant in
 * its environment. A run that is complete is kept, one that was cut off goes on.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer.h"
#include "file.h"
#include "journal.h"
#include "proof.h"
#include "proof_nursery.h"
#include "proof_refusals.h"

#define WORDS 20
#define SELECT_LIMIT ((size_t)60000) /* the journal keeps the command line */
#define JOBS_MAX 256

extern char **environ;

struct pool {
    struct hn_proof *proof;
    const struct hn_proof_start *start;
    struct hn_proof_nursery nursery;
    struct {
        pid_t pid;
        struct hn_case *one;
    } running[JOBS_MAX];
    size_t count, finished;
    char scale[64];
};

#define SETTING_SIZE (HN_PATH_SIZE + 32)
static const char *const settings[] = {"",
                                       "FAKEDEV_FAULT=", "FAKEDEV_VARIANT=", "FAKEDEV_ASKED=", ""};
#define SETTINGS (sizeof settings / sizeof *settings)

static int is_ours(const char *variable)
{
    for (size_t i = 1; i < SETTINGS; i++)
        if (*settings[i] && strncmp(variable, settings[i], strlen(settings[i])) == 0)
            return 1;
    return 0;
}

/* What is special in the environment of a case. */
static int make_setting(const struct hn_case *one, char *setting, size_t size,
                        struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    const char *value = one->name;
    if (one->kind == HN_CASE_ASKING) {
        const int status = hn_proof_asked_path(one, path, sizeof path, error);
        if (status != HN_OK)
            return status;
        value = path;
    }
    snprintf(setting, size, "%s%s", settings[one->kind], value);
    return HN_OK;
}

/* The user's environment without faults of the user's own, with the one of the case and with
 * `nursery` unless it is empty. */
static char **make_environment(const struct hn_case *one, char *nursery, char *setting)
{
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **list = calloc(count + 3, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (!is_ours(environ[i]))
            list[used++] = environ[i];
    if (list && *settings[one->kind])
        list[used++] = setting;
    if (list && *nursery)
        list[used++] = nursery;
    return list;
}

static int make_selection(const struct hn_proof *proof, const struct hn_case *one,
                          struct hn_buffer *select)
{
    size_t left_out = 0, taken = 0;
    hn_buffer_puts(select, "--select=");
    for (size_t i = 0; i < proof->catalogue->check_count; i++) {
        left_out += !one->wanted[i];
        if (one->wanted[i])
            hn_buffer_printf(select, "%scheck:%s", taken++ ? "," : "",
                             proof->catalogue->checks[i].id);
    }
    if (left_out > 0)
        return select->status;
    hn_buffer_clear(select);
    return hn_buffer_puts(select, "--select=all");
}

static int was_begun(const struct hn_case *one)
{
    char path[HN_PATH_SIZE];
    return hn_path_join(path, sizeof path, one->folder, "plan.json", NULL) == HN_OK &&
           hn_path_exists(path);
}

/* How a case of the proof of refusals is made; else nothing. */
static const char *refusal_word(struct pool *pool, const struct hn_case *one)
{
    if (one->kind == HN_CASE_CLEAN && pool->proof->wishes->refusals)
        return "--record-means";
    if (one->kind != HN_CASE_REFUSAL)
        return NULL;
    const int late = strcmp(one->name, HN_PROOF_LATE) == 0;
    return hn_arena_text(pool->proof->arena, late ? "--late-means=%s" : "--refuse=%s",
                         late ? HN_PROOF_LATE_MS : one->name);
}

/* --no-block: a check that is blocked says nothing about the fault it claims. fork-clean: a fault
 * of loading must end a job, not the host. */
static void make_words(struct pool *pool, const struct hn_case *one, const char *select,
                       const char **words)
{
    size_t count = 0;
    words[count++] = pool->start->program;
    words[count++] = "run";
    if (was_begun(one)) {
        words[count++] = "--resume";
        words[count++] = one->folder;
        words[count] = NULL;
        return;
    }
    words[count++] = "--target";
    words[count++] = pool->proof->wishes->target;
    words[count++] = "--out";
    words[count++] = one->folder;
    words[count++] = "--isolation=fork-clean";
    words[count++] = "--jobs=1";
    words[count++] = "--quiet";
    const char *word = refusal_word(pool, one);
    if (one->kind == HN_CASE_FAULT || one->kind == HN_CASE_ASKING || one->kind == HN_CASE_REFUSAL)
        words[count++] = "--no-block";
    if (word)
        words[count++] = word;
    if (*pool->scale)
        words[count++] = pool->scale;
    words[count++] = select;
    words[count] = NULL;
}

static int spawn(struct pool *pool, const struct hn_case *one, pid_t *pid, struct hn_error *error)
{
    const char *words[WORDS] = {0};
    char *arguments[WORDS], setting[SETTING_SIZE];
    struct hn_buffer select;
    posix_spawn_file_actions_t actions;
    int status = make_setting(one, setting, sizeof setting, error);
    if (status != HN_OK)
        return status;
    hn_buffer_init(&select, SELECT_LIMIT);
    char **environment = make_environment(one, pool->nursery.setting, setting);
    status = environment ? make_selection(pool->proof, one, &select) : HN_ENOMEM;
    if (status != HN_OK) {
        hn_error_set(error, status, "the checks of %s do not fit on a command line", one->name);
        goto fail;
    }
    make_words(pool, one, select.text, words);
    memcpy(arguments, words, sizeof words);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    /* Standard output is for the result of the proof. */
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    errno = posix_spawn(pid, pool->start->program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (errno)
        status = hn_error_errno(error, "cannot start %s", pool->start->program);
fail:
    free(environment);
    hn_buffer_finish(&select);
    return status;
}

static int is_needed(struct pool *pool, struct hn_case *one, int *needed, struct hn_error *error)
{
    size_t wanted = 0;
    for (size_t i = 0; i < pool->proof->catalogue->check_count; i++)
        wanted += one->wanted[i];
    const int status = hn_proof_read(pool->proof, one, error);
    *needed = status == HN_OK && wanted > 0 && !one->finished;
    return status;
}

static void tell(const struct pool *pool, const struct hn_case *one)
{
    if (pool->start->verbose)
        fprintf(stderr, "%zu/%zu %s%s\n", pool->finished,
                pool->proof->count + pool->proof->asking_count, one->name,
                one->finished ? "" : ": its run was not completed");
}

static int collect_one(struct pool *pool, struct hn_error *error)
{
    int ended = 0;
    const pid_t pid = waitpid(-1, &ended, 0);
    if (pid < 0)
        return errno == EINTR ? HN_OK : hn_error_errno(error, "cannot wait for a run");
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->running[i].pid != pid)
            continue;
        struct hn_case *one = pool->running[i].one;
        pool->running[i] = pool->running[--pool->count];
        pool->finished++;
        const int status = hn_proof_read(pool->proof, one, error);
        tell(pool, one);
        return status;
    }
    return HN_OK;
}

static int begin(struct pool *pool, struct hn_case *one, struct hn_error *error)
{
    int needed = 0;
    int status = is_needed(pool, one, &needed, error);
    pool->finished += !needed;
    if (status == HN_OK && needed)
        status = hn_dir_make(one->folder, error);
    if (status == HN_OK && needed)
        status = spawn(pool, one, &pool->running[pool->count].pid, error);
    if (status == HN_OK && needed)
        pool->running[pool->count++].one = one;
    return status;
}

/* The folder is chosen when the plan is known to be good. */
static int place(struct hn_proof *proof, struct hn_case *cases, size_t count,
                 struct hn_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct hn_case *one = &cases[i];
        one->folder = hn_arena_text(proof->arena, "%s/%s", proof->wishes->folder, one->folder);
        if (!one->folder)
            return hn_error_nomem(error);
    }
    return HN_OK;
}

static int start_nursery(struct pool *pool, struct hn_error *error)
{
    char **environment = make_environment(&pool->proof->cases[0], "", "");
    const int status = environment
                           ? hn_proof_nursery_start(&pool->nursery, pool->start->program,
                                                    pool->proof->wishes->target, environment, error)
                           : hn_error_nomem(error);
    free(environment);
    return status;
}

static int run_cases(struct pool *pool, struct hn_case *cases, size_t count, struct hn_error *error)
{
    const int jobs = pool->start->jobs;
    const size_t limit = jobs < JOBS_MAX ? (size_t)jobs : JOBS_MAX;
    int status = HN_OK;
    for (size_t next = 0; status == HN_OK && next < count; next++) {
        while (status == HN_OK && pool->count >= limit)
            status = collect_one(pool, error);
        if (status == HN_OK)
            status = begin(pool, &cases[next], error);
    }
    /* Also after a failure: no run is left behind. */
    while (pool->count > 0) {
        struct hn_error later;
        const size_t before = pool->count;
        const int last = collect_one(pool, status == HN_OK ? error : &later);
        status = status == HN_OK ? last : status;
        if (last != HN_OK && pool->count == before)
            break; /* nobody left to wait for */
    }
    return status;
}

static int run_all(struct pool *pool, struct hn_error *error)
{
    struct hn_proof *proof = pool->proof;
    int status = place(proof, proof->cases, proof->count, error);
    if (status == HN_OK)
        status = place(proof, proof->askings, proof->asking_count, error);
    if (status == HN_OK)
        status = run_cases(pool, proof->askings, proof->asking_count, error);
    if (status == HN_OK)
        status = hn_proof_narrow(proof, error);
    const size_t first = proof->wishes->refusals ? 1 : 0; /* says what can be refused */
    if (status == HN_OK && first)
        status = run_cases(pool, proof->cases, first, error);
    if (status == HN_OK && first)
        status = hn_proof_add_refusals(proof, error);
    return status == HN_OK ? run_cases(pool, proof->cases + first, proof->count - first, error)
                           : status;
}

int hn_proof_run(struct hn_proof *proof, const struct hn_proof_start *start, struct hn_error *error)
{
    struct pool pool = {.proof = proof, .start = start};
    if (start->timeout_scale)
        snprintf(pool.scale, sizeof pool.scale, "--timeout-scale=%s", start->timeout_scale);
    int status = start_nursery(&pool, error);
    if (status != HN_OK)
        return status;
    status = run_all(&pool, error);
    hn_proof_nursery_stop(&pool.nursery);
    return status;
}
