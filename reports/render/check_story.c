/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The texts and numbers that the machine-readable formats share.
 */
#include "check_story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check_likely.h"
#include "check_notes.h"
#include "file.h"
#include "run_set.h"

#define FIELD_MOST 4096
#define SECONDS_MOST 1e7
#define STAGE_MOST 40
#define NAMES_MOST 6

const char *rp_check_message(const struct rp_check *check)
{
    if (check->seen[0])
        return check->seen;
    return check->reason[0] ? check->reason : hn_verdict_table[check->verdict].meaning;
}

/* Prints the first names of the list. A full list would not help, because the operators may have
 * run before or after the failure. */
static void print_somewhere(struct hn_buffer *out, const char *names)
{
    const char *end = names;
    size_t more = 0;
    for (size_t count = 0; count < NAMES_MOST && *end; count++)
        end += strcspn(end + 1, ",") + 1;
    for (const char *at = end; *at; at++)
        more += *at == ',';
    hn_buffer_printf(out, "ran somewhere in this check: %.*s", (int)(end - names), names);
    if (more)
        hn_buffer_printf(out, " and %zu more", more);
}

int rp_check_fallback(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out)
{
    const char *const of_case = rp_check_noted(check, RP_OF_CASE); /* written by assay.py */
    const char *const of_check =
        rp_check_noted(check, "through the CPU fallback: "); /* written by target.py */
    (void)run;
    if (of_case[0])
        hn_buffer_printf(out, "ran in the case that is shown: %s", of_case);
    else if (rp_check_noted(check, "the case without the CPU fallback: ")[0])
        hn_buffer_puts(out, "none ran in the case that is shown");
    else if (of_check[0])
        print_somewhere(out, of_check);
    return out->status;
}

static const char *clause_words(enum hn_verdict verdict)
{
    if (verdict == HN_NOTRUN)
        return "was not reached";
    return verdict == HN_PASS ? "held" : hn_verdict_table[verdict].name;
}

int rp_check_clauses(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out)
{
    size_t alike = 0, told = 0;
    (void)run;
    for (size_t i = 0; i < check->clause_count; i++)
        alike += check->clauses[i].verdict == check->verdict;
    if (alike == check->clause_count)
        return HN_OK;
    for (int rank = 1; rank <= hn_verdict_table[HN_PASS].rank; rank++)
        for (size_t i = 0; i < check->clause_count; i++)
            if (hn_verdict_table[check->clauses[i].verdict].rank == rank)
                hn_buffer_printf(out, "%s%s: %s", told++ ? "; " : "", check->clauses[i].id,
                                 clause_words(check->clauses[i].verdict));
    return out->status;
}

/* If some clauses of the check failed, returns the text of the worst of them. */
const char *rp_check_demand(const struct rp_run *run, const struct rp_check *check)
{
    const struct hn_clause_verdict *worst = NULL;
    for (size_t i = 0; i < check->clause_count; i++)
        if (hn_verdict_table[check->clauses[i].verdict].fails &&
            (!worst || hn_verdict_table[check->clauses[i].verdict].rank <
                           hn_verdict_table[worst->verdict].rank))
            worst = &check->clauses[i];
    for (size_t i = 0; worst && i < run->requirement_count; i++)
        if (strcmp(run->requirements[i].id, worst->id) == 0 && run->requirements[i].text[0])
            return run->requirements[i].text;
    return check->demand;
}

void rp_check_cause(const struct rp_check *check, char *text, size_t size)
{
    const size_t count = check->joined_count;
    text[0] = '\0';
    if (check->joined)
        snprintf(text, size, "that of %s", check->joined->id);
    else if (count)
        snprintf(text, size, "also that of %zu other check%s", count, count == 1 ? "" : "s");
}

/* The profiles that are installed with assay are known by their names. */
static int is_ours(const char *profile)
{
    const char *const folder = strstr(profile, "/ci/targets/");
    return !profile[0] || (folder && !strchr(folder + strlen("/ci/targets/"), '/'));
}

static int is_plain(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "._/+-=:@%,")] == '\0';
}

/* The path relative to the current folder; unchanged if it is not below the current folder. */
static const char *from_here(const char *path)
{
    char here[HN_PATH_SIZE];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length < 2 || strncmp(path, here, length) != 0 || path[length] != '/')
        return path;
    const char *const rest = path + length + 1;
    return strchr(rest, '/') || strstr(rest, ".yaml") ? rest : path;
}

void rp_target_word(const struct rp_run *run, char *word, size_t size)
{
    const char *text = is_ours(run->profile) ? run->target : from_here(run->profile);
    char stem[HN_PATH_SIZE];
    /* uses the name of the profile's file, not the name inside the profile */
    if (is_ours(run->profile) && run->profile[0]) {
        const char *const name = strrchr(run->profile, '/') + 1;
        snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name, "."), name);
        text = stem;
    }
    size_t used = 0;
    if (is_plain(text)) {
        snprintf(word, size, "%s", text);
        return;
    }
    for (used = (size_t)snprintf(word, size, "'"); *text && used + 6 < size; text++)
        used += (size_t)snprintf(word + used, size - used, *text == '\'' ? "'\\''" : "%c", *text);
    snprintf(word + used, size - used, "'");
}

int rp_check_repro(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out)
{
    char word[2 * HN_PATH_SIZE];
    rp_target_word(run, word, sizeof word);
    hn_buffer_printf(out, "assay repro %s --target %s", check->id, word);
    if (run->seed[0] && strcmp(run->seed, "1") != 0)
        hn_buffer_printf(out, " --seed %s", run->seed);
    return out->status;
}

static void add_field(struct hn_buffer *out, const char *label, const char *text)
{
    if (text[0])
        hn_buffer_printf(out, "%s: %.*s\n", label, FIELD_MOST, text);
}

int rp_check_disputed(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out)
{
    for (size_t i = 0; i < run->requirement_count; i++) {
        const struct rp_requirement *clause = &run->requirements[i];
        if (!hn_dispute_meets(&clause->dispute, check->id) ||
            !hn_texts_contain(&check->covers, clause->id))
            continue;
        hn_buffer_printf(out, "%s%s is ", out->length ? "; " : "", clause->id);
        hn_dispute_words(&clause->dispute, out);
    }
    return out->status;
}

void rp_run_disputed(const struct rp_run *run, struct hn_buffer *out)
{
    for (size_t i = 0; i < run->requirement_count; i++)
        if (hn_dispute_is_open(&run->requirements[i].dispute))
            hn_buffer_printf(out, "%s%s (%s)", out->length ? ", " : "", run->requirements[i].id,
                             hn_verdict_table[run->requirements[i].verdict].name);
}

static void add_words(struct hn_buffer *out, const char *label, rp_words *words,
                      const struct rp_run *run, const struct rp_check *check)
{
    struct hn_buffer text;
    hn_buffer_init(&text, RP_STORY_LIMIT);
    words(run, check, &text);
    add_field(out, label, text.text);
    hn_buffer_finish(&text);
}

int rp_check_story(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out)
{
    char cause[HN_PATH_SIZE];
    rp_check_cause(check, cause, sizeof cause);
    add_field(out, "demand", rp_check_demand(run, check));
    add_words(out, "disputed", rp_check_disputed, run, check);
    add_field(out, "wanted", check->expected);
    add_field(out, "seen", rp_check_message(check));
    add_field(out, "at", check->location);
    add_field(out, "signal", check->signal);
    add_field(out, "stage", check->stage);
    add_field(out, "in", check->frames);
    add_field(out, "said", check->said);
    add_field(out, "failed", rp_check_failed(check));
    add_words(out, "fallback", rp_check_fallback, run, check);
    add_field(out, "under a watch", rp_check_watched(check));
    add_words(out, "clauses", rp_check_clauses, run, check);
    add_field(out, "cause", cause);
    add_field(out, check->follows ? "follows from" : "blocked by", check->blocked_by);
    add_field(out, "needs", check->about);
    add_field(out, "likely", rp_check_likely(check));
    if (check->followers)
        hn_buffer_printf(out, "fail the same way: %zu other checks\n", check->followers);
    if (check->blocks > check->followers)
        hn_buffer_printf(out, "blocks: %zu other checks\n", check->blocks - check->followers);
    add_field(out, "evidence", check->folder);
    hn_buffer_puts(out, "try: ");
    rp_check_repro(run, check, out);
    return hn_buffer_puts(out, "\n");
}

int rp_check_place(const struct rp_check *check, char *file, size_t size, int *line)
{
    const char *colon = strrchr(check->location, ':');
    char *end;
    const long number = colon ? strtol(colon + 1, &end, 10) : 0;
    if (colon && colon != check->location && !*end && number > 0 && number < 10000000) {
        snprintf(file, size, "%.*s", (int)(colon - check->location), check->location);
        *line = (int)number;
        return 1;
    }
    snprintf(file, size, "%s", check->location[0] ? check->location : check->file);
    *line = check->location[0] ? 0 : check->line;
    return file[0] != '\0';
}

double rp_check_seconds(const struct rp_check *check)
{
    const double seconds = check->duration_ms / 1000;
    /* Also true for NaN. */
    if (!(seconds > 0))
        return 0;
    return seconds < SECONDS_MOST ? seconds : SECONDS_MOST;
}

static size_t *count_of(struct rp_counts *counts, const struct hn_verdict_row *row)
{
    if (row->junit == HN_JUNIT_PASSED)
        return &counts->passed;
    if (row->junit == HN_JUNIT_SKIPPED)
        return &counts->skipped;
    return row->fails ? &counts->failed : &counts->undecided;
}

void rp_run_counts(const struct rp_run *run, struct rp_counts *counts)
{
    *counts = (struct rp_counts){0};
    for (size_t i = 0; i < run->check_count; i++) {
        if (run->checks[i].support)
            continue;
        counts->all++;
        counts->seconds += rp_check_seconds(&run->checks[i]);
        ++*count_of(counts, &hn_verdict_table[run->checks[i].verdict]);
    }
}

int64_t rp_run_start_ms(const struct rp_run *run)
{
    struct tm parts = {0};
    if (!strptime(run->date, "%Y-%m-%dT%H:%M:%S", &parts) || parts.tm_year < 70)
        return 0;
    return (int64_t)timegm(&parts) * 1000;
}

/* Verdicts of checks that did not test the backend, or could not be judged. */
static int is_silent(enum hn_verdict verdict)
{
    static const unsigned char silent[HN_VERDICTS] = {
        [HN_BROKEN] = 1,  [HN_INCOMPLETE] = 1, [HN_NOTRUN] = 1,      [HN_SLOW] = 1,
        [HN_BLOCKED] = 1, [HN_SKIP] = 1,       [HN_UNOBSERVABLE] = 1};
    return silent[verdict];
}

size_t rp_count_asked(const struct rp_run *run, enum hn_level level)
{
    size_t asked = 0;
    for (size_t i = 0; i < run->requirement_count; i++)
        asked += run->requirements[i].level == level && !is_silent(run->requirements[i].verdict);
    return asked;
}

int rp_run_is_part(const struct rp_run *run)
{
    return run->select && *run->select && strcmp(run->select, "all") != 0;
}

void rp_level_words(const struct rp_run *run, enum hn_level level, struct hn_buffer *out)
{
    const struct rp_share share = rp_level_share(run, level);
    const size_t asked = rp_count_asked(run, level);
    if (rp_run_is_part(run) && run->promised[level])
        hn_buffer_printf(out, "%zu of %zu asked kept, %zu in the contract", share.kept, asked,
                         share.total);
    else if (run->promised[level])
        hn_buffer_printf(out, "%zu of %zu kept, %zu asked", share.kept, share.total, asked);
    else
        hn_buffer_printf(out, "%zu of %zu kept", share.kept, share.total);
}

const char rp_level_legend[] =
    "Kept: clauses that hold. Asked: clauses for which the backend gave a result, kept or broken.";

void rp_stage_words(const struct rp_run *run, char *text, size_t size)
{
    const char *reached = rp_run_stage(run);
    size_t next = 0;
    snprintf(text, size, "%s", reached ? reached : "");
    while (next < run->stage_count && rp_stage_is_reached(&run->stages[next]))
        next++;
    if (!reached || next == run->stage_count)
        return;
    const struct rp_stage *stage = &run->stages[next];
    snprintf(text, size, "%.*s; %.*s: %zu of %zu", STAGE_MOST, reached, STAGE_MOST, stage->name,
             stage->kept, stage->kept + stage->open_count + stage->unasked);
}

static size_t count_of_broken_musts(const struct rp_run *run)
{
    size_t broken = 0;
    for (size_t i = 0; i < run->requirement_count; i++)
        broken += run->requirements[i].level == HN_MUST &&
                  hn_verdict_table[run->requirements[i].verdict].fails;
    return broken;
}

static void add_failures(const struct rp_run *run, const struct rp_counts *counts,
                         struct hn_buffer *out)
{
    const size_t died = run->totals[HN_CRASH] + run->totals[HN_TIMEOUT];
    if (!counts->failed) {
        hn_buffer_printf(out, "None of %zu checks failed, %zu passed", counts->all, counts->passed);
        return;
    }
    hn_buffer_printf(out, "%zu of %zu checks failed", counts->failed, counts->all);
    if (died)
        hn_buffer_printf(out, ", %zu of them ended the process or hung", died);
}

void rp_run_sentence(const struct rp_run *run, struct hn_buffer *out)
{
    const size_t broken = count_of_broken_musts(run);
    struct rp_counts counts;
    rp_run_counts(run, &counts);
    add_failures(run, &counts, out);
    if (broken)
        hn_buffer_printf(out, "; %zu must%s broken", broken, broken == 1 ? " is" : "s are");
    if (counts.undecided)
        hn_buffer_printf(out, "; %zu could not be decided", counts.undecided);
    hn_buffer_puts(out, run->complete ? "." : "; the run is not complete.");
}

int rp_run_exit(const struct rp_run *run)
{
    int undecided = !run->complete || run->check_count == 0;
    for (size_t i = 0; i < run->check_count; i++) {
        if (run->checks[i].level != HN_MUST)
            continue;
        const int status = run->checks[i].follows
                               ? HN_EXIT_FAILED
                               : hn_verdict_table[run->checks[i].verdict].exit_status;
        if (status == HN_EXIT_FAILED)
            return status;
        undecided |= status == HN_EXIT_UNDECIDED;
    }
    return undecided ? HN_EXIT_UNDECIDED : HN_EXIT_OK;
}
