/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_intake.h. Called by cmd_gate.c. A pull request's job uploaded these files, and the
 * gate runs with write permission. Therefore the size limits here are tighter than the size
 * limits of the reports.
 */
#include "run_intake.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clean_text.h"
#include "file.h"
#include "interface_name.h"

#define JOURNAL_MAX ((off_t)64 << 20)
#define PLAN_MAX ((off_t)64 << 20)
#define LOG_TAIL ((off_t)256 << 10)
/* The beginning of the message of build_steps.c about a failed step. */
#define BUILD_WORDS "build step "

static int refuse(struct ci_side *side, struct hn_arena *arena, const struct hn_error *why,
                  struct hn_error *error)
{
    char text[1200];
    hn_error_format(why, text, sizeof text - 1);
    strncat(text, ".", sizeof text - strlen(text) - 1);
    side->refusal = ci_clean_copy(arena, text, 600);
    return side->refusal ? HN_OK : hn_error_nomem(error);
}

/* Verifies a file of the run: an attacker may have uploaded a link, a pipe or a huge file. */
static int check_file(const char *folder, const char *name, off_t most, int needed,
                      struct hn_error *why)
{
    char path[HN_PATH_SIZE];
    struct stat facts;
    const int status = hn_path_join(path, sizeof path, folder, name, why);
    if (status)
        return status;
    if (lstat(path, &facts) != 0)
        return needed ? hn_error_at(why, HN_ENOTFOUND, name, 0, 0, "is not in the run") : HN_OK;
    if (!S_ISREG(facts.st_mode))
        return hn_error_at(why, HN_EINPUT, name, 0, 0, "is not a regular file");
    if (facts.st_size > most)
        return hn_error_at(why, HN_ELIMIT, name, 0, 0, "has %lld bytes; the gate reads %lld",
                           (long long)facts.st_size, (long long)most);
    return HN_OK;
}

/* Returns 1 for a date like "2026-11-21T...", with which expiry dates are compared. */
static int is_dated(const char *date)
{
    for (int i = 0; i < 11; i++)
        if (i == 4 || i == 7 ? date[i] != '-'
            : i == 10        ? date[i] != 'T'
                             : date[i] < '0' || date[i] > '9')
            return 0;
    return 1;
}

static int check_content(const struct rp_run *run, struct hn_error *why)
{
    if (!is_dated(run->date))
        return hn_error_set(why, HN_EINPUT, "the run says no date");
    for (size_t i = 0; i < run->check_count; i++)
        if (!ci_is_check_id(run->checks[i].id))
            return hn_error_set(why, HN_EINPUT, "\"%.60s\" cannot be the id of a check",
                                run->checks[i].id);
    return HN_OK;
}

/* Returns the end of a file, which contains the last messages; "" if it cannot be read. */
static char *read_tail(const char *path)
{
    struct stat facts;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *text = calloc(1, (size_t)LOG_TAIL + 1);
    if (text && file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
        const off_t from = facts.st_size > LOG_TAIL ? facts.st_size - LOG_TAIL : 0;
        const ssize_t got = pread(file, text, (size_t)LOG_TAIL, from);
        for (ssize_t i = 0; i < got; i++)
            text[i] = text[i] ? text[i] : ' ';
    }
    if (file >= 0)
        close(file);
    return text;
}

/* Finds the interface in `log`; `what` is the sentence of the harness. */
static int describe(struct ci_side *side, struct hn_arena *arena, const char *what, const char *log,
                    struct hn_error *error)
{
    char line[1700];
    struct hn_buffer text;
    struct ci_step_failure *failure = &side->failure;
    const char *says =
        ci_interface_find(log, failure->interface_name, CI_INTERFACE_SIZE, line, sizeof line);
    hn_buffer_init(&text, 8000);
    if (failure->interface_name[0])
        hn_buffer_printf(&text, "It %s. ", says);
    ci_clean(&text, what, 300);
    hn_buffer_printf(&text, "%s%s%s.", *line ? ": " : "", line[0] ? line : "", "");
    failure->message = hn_arena_copy(arena, text.text, text.length);
    hn_buffer_finish(&text);
    return failure->message ? HN_OK : hn_error_nomem(error);
}

static int describe_build(const char *folder, struct ci_side *side, struct hn_arena *arena,
                          struct hn_error *error)
{
    char path[HN_PATH_SIZE], what[300];
    const char *why = side->run->why;
    int status = hn_path_join(path, sizeof path, folder, "build.log", error);
    char *log = status ? NULL : read_tail(path);
    if (!log)
        return status ? status : hn_error_nomem(error);
    side->failure.step = CI_STEP_BUILD;
    /* An exit status comes from the compiler; the machine may cause a deadline or a signal. */
    side->failure.ours = !strstr(why, " ended with exit status ");
    snprintf(what, sizeof what, "%.*s", (int)strcspn(why, ";"), why);
    status = describe(side, arena, what, log, error);
    free(log);
    return status;
}

static int failed_to_load(const struct rp_check *check)
{
    return strcmp(check->stage, "load") == 0 &&
           hn_verdict_table[check->verdict].rank <= hn_verdict_table[HN_BROKEN].rank;
}

/* Returns a check that failed to load the target. Returns NULL if a check loaded the target or if
 * no check tried. */
static const struct rp_check *find_load_failure(const struct rp_run *run)
{
    const struct rp_check *first = NULL;
    for (size_t i = 0; i < run->check_count; i++) {
        const struct rp_check *check = &run->checks[i];
        if (failed_to_load(check))
            first = first ? first : check;
        else if (check->verdict != HN_BLOCKED && check->verdict != HN_NOTRUN)
            return NULL;
    }
    return first;
}

static int find_step_failure(const char *folder, struct ci_side *side, struct hn_arena *arena,
                             struct hn_error *error)
{
    const struct rp_run *run = side->run;
    int started = 0;
    for (size_t i = 0; i < run->check_count; i++)
        started |= run->checks[i].verdict != HN_NOTRUN;
    if (!started && !run->complete && strncmp(run->why, BUILD_WORDS, strlen(BUILD_WORDS)) == 0)
        return describe_build(folder, side, arena, error);
    const struct rp_check *check = find_load_failure(run);
    if (!check)
        return HN_OK;
    side->failure.step = CI_STEP_LOAD;
    side->failure.ours = check->verdict == HN_TIMEOUT;
    return describe(side, arena, "Loading the backend failed", check->reason, error);
}

int ci_side_read(const char *folder, struct hn_arena *arena, struct ci_side *side,
                 struct hn_error *error)
{
    struct rp_run *run = NULL;
    struct hn_error why = {0};
    *side = (struct ci_side){.given = 1};
    if (check_file(folder, "journal.jsonl", JOURNAL_MAX, 1, &why) ||
        check_file(folder, "plan.json", PLAN_MAX, 0, &why) || rp_run_read(folder, &run, &why) ||
        check_content(run, &why)) {
        rp_run_destroy(run);
        return refuse(side, arena, &why, error);
    }
    side->run = run;
    return find_step_failure(folder, side, arena, error);
}

void ci_side_finish(struct ci_side *side)
{
    rp_run_destroy((struct rp_run *)(uintptr_t)side->run);
    *side = (struct ci_side){0};
}

static int is_run(const char *folder)
{
    char path[HN_PATH_SIZE];
    struct stat facts;
    return hn_path_join(path, sizeof path, folder, "journal.jsonl", NULL) == HN_OK &&
           lstat(path, &facts) == 0;
}

static int is_plain_folder(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int walk(DIR *stream, const char *folder, struct hn_arena *arena, const char **paths,
                size_t room, size_t *count, struct hn_error *error)
{
    const struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        char path[HN_PATH_SIZE];
        if (entry->d_name[0] == '.' ||
            hn_path_join(path, sizeof path, folder, entry->d_name, NULL) ||
            !is_plain_folder(path) || !is_run(path))
            continue;
        if (*count == room)
            return hn_error_set(error, HN_ELIMIT, "%.200s holds more than %zu runs", folder, room);
        if (!(paths[*count] = hn_arena_copy(arena, path, strlen(path))))
            return hn_error_nomem(error);
        ++*count;
    }
    qsort(paths, *count, sizeof *paths, compare_paths);
    return HN_OK;
}

int ci_find_runs(const char *folder, struct hn_arena *arena, const char **paths, size_t room,
                 size_t *count, struct hn_error *error)
{
    *count = 0;
    DIR *stream = is_run(folder) ? NULL : opendir(folder);
    int status = HN_OK;

    if (stream) {
        status = walk(stream, folder, arena, paths, room, count, error);
        closedir(stream);
    }
    /* A folder without a run is returned too, so that the error names it. */
    if (!status && *count == 0)
        paths[(*count)++] = hn_arena_copy(arena, folder, strlen(folder));
    return status ? status : paths[0] ? HN_OK : hn_error_nomem(error);
}
