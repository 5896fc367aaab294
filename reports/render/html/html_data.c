/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data of the HTML report, from which its script (page/) builds the page. Called by
 * render_html.c. Members of checks have short names, and a verdict is one letter for each run,
 * because there may be a hundred thousand checks.
 *
 *   runs[]    label, word for --target, facts (as in the JSON report, and machine, isolation_why),
 *             words of the sums, warnings, totals (a number for each verdict)
 *   modules[] name, in: totals for each run, null where the run has none of it
 *   checks[]  id, m module, l level, s subject is core, c covers, d demand, f file:line,
 *             b blocks, v a letter for each run, t milliseconds (one run),
 *             x by run, for a bad verdict: e expected, s seen, r reason, l location, a about,
 *             g signal, st stage, k root cause, fo follows from it, j cause shared,
 *             jn shown after another check with its cause, sm number of checks joined to it,
 *             bl blocks, cl clauses, fd failed cases of many, fb by the fallback, lk likely cause,
 *             n notes, rt retries, o output, er errors, sk stack
 *   upstream  causes.json of the run, if it has one
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause_list.h"
#include "check_likely.h"
#include "check_notes.h"
#include "check_story.h"
#include "file.h"
#include "html_parts.h"
#include "json_fields.h"
#include "render_json.h"
#include "run_evidence.h"
#include "terminal.h"

#define TAIL_LIMIT 4096
/* Limit of the evidence of all checks together, so that a browser can open the page. */
#define EVIDENCE_LIMIT ((size_t)8 << 20)
#define CAUSES_ROOM ((size_t)512 << 20)
#define CAUSES_SHOWN 500 /* the page has the first causes, and causes.json has all causes */

struct data {
    const struct rp_set *set;
    struct hn_json_writer writer;
    struct hn_buffer scratch; /* holds one text at a time */
    size_t evidence;          /* bytes of evidence so far */
    char *letters;            /* verdicts of the current row, one for each run */
    size_t module;            /* module of the previous row */
};

/* Missing texts are left out. */
static void write_text(struct data *data, const char *key, const char *text)
{
    if (text[0])
        hn_write_text(&data->writer, key, text);
}

/* ---- runs and modules ---- */

static void write_totals(struct data *data, const char *key, const size_t totals[HN_VERDICTS])
{
    hn_write_array(&data->writer, key);
    for (int i = 0; i < HN_VERDICTS; i++)
        hn_write_integer(&data->writer, NULL, (int64_t)totals[i]);
    hn_write_array_end(&data->writer);
}

static void write_warning(struct data *data, const char *first, const char *second,
                          const char *third)
{
    hn_buffer_clear(&data->scratch);
    hn_buffer_puts(&data->scratch, first);
    hn_buffer_puts(&data->scratch, second);
    hn_buffer_puts(&data->scratch, third);
    hn_write_text(&data->writer, NULL, data->scratch.text);
}

/* Both views of a dispute, for every verdict. */
static void write_disputes(struct data *data, const struct rp_run *run)
{
    for (size_t i = 0; i < run->requirement_count; i++) {
        const struct rp_requirement *clause = &run->requirements[i];
        if (!hn_dispute_is_open(&clause->dispute))
            continue;
        hn_buffer_clear(&data->scratch);
        hn_buffer_printf(&data->scratch, "%s (%s) is ", clause->id,
                         hn_verdict_table[clause->verdict].name);
        hn_dispute_words(&clause->dispute, &data->scratch);
        hn_write_text(&data->writer, NULL, data->scratch.text);
    }
}

static void write_warnings(struct data *data, const struct rp_run *run)
{
    hn_write_array(&data->writer, "warnings");
    if (!run->complete)
        write_warning(data, "the run is not complete", run->why[0] ? ": " : "", run->why);
    write_text(data, NULL, run->loss);
    write_disputes(data, run);
    hn_write_array_end(&data->writer);
}

/* Writes for each level except advisory: kept, total, worst verdict, and a text for the level. */
static void write_levels(struct data *data, const struct rp_run *run)
{
    struct hn_json_writer *writer = &data->writer;
    hn_write_array(writer, "levels");
    for (int level = 0; level < HN_ADVISORY; level++) {
        const struct rp_share share = rp_level_share(run, (enum hn_level)level);
        hn_buffer_clear(&data->scratch);
        rp_level_words(run, (enum hn_level)level, &data->scratch);
        hn_write_array(writer, NULL);
        hn_write_integer(writer, NULL, (int64_t)share.kept);
        hn_write_integer(writer, NULL, (int64_t)share.total);
        hn_write_integer(writer, NULL, share.worst);
        hn_write_text(writer, NULL, data->scratch.text);
        hn_write_array_end(writer);
    }
    hn_write_array_end(writer);
}

static void write_run(struct data *data, size_t index)
{
    const struct rp_run *run = data->set->runs[index];
    char word[2 * HN_PATH_SIZE], stage[160];
    rp_target_word(run, word, sizeof word);
    rp_stage_words(run, stage, sizeof stage);
    hn_buffer_clear(&data->scratch);
    rp_run_sentence(run, &data->scratch);
    hn_write_object(&data->writer, NULL);
    hn_write_text(&data->writer, "label", data->set->labels[index]);
    hn_write_text(&data->writer, "word", word);
    hn_write_text(&data->writer, "sentence", data->scratch.text);
    write_text(data, "stage", stage);
    rp_json_run(&data->writer, "facts", run);
    write_text(data, "machine", run->machine);
    write_text(data, "isolation_why", run->isolation_why);
    write_levels(data, run);
    write_warnings(data, run);
    write_totals(data, "totals", run->totals);
    hn_write_object_end(&data->writer);
}

static void write_runs(struct data *data)
{
    hn_write_array(&data->writer, "runs");
    for (size_t i = 0; i < data->set->run_count; i++)
        write_run(data, i);
    hn_write_array_end(&data->writer);
}

static void write_module_of(struct data *data, const struct rp_run *run, const char *name)
{
    for (size_t i = 0; i < run->module_count; i++)
        if (strcmp(run->modules[i].name, name) == 0) {
            write_totals(data, NULL, run->modules[i].totals);
            return;
        }
    hn_write_null(&data->writer, NULL);
}

static void write_modules(struct data *data)
{
    hn_write_array(&data->writer, "modules");
    for (size_t i = 0; i < data->set->module_count; i++) {
        hn_write_object(&data->writer, NULL);
        hn_write_text(&data->writer, "name", data->set->modules[i].name);
        hn_write_array(&data->writer, "in");
        for (size_t run = 0; run < data->set->run_count; run++)
            write_module_of(data, data->set->runs[run], data->set->modules[i].name);
        hn_write_array_end(&data->writer);
        hn_write_object_end(&data->writer);
    }
    hn_write_array_end(&data->writer);
}

#define CAUSE(member) offsetof(struct rp_cause, member)
static const struct hn_field cause_fields[] = {
    HN_ALWAYS("cause", HN_FIELD_TEXT, CAUSE(cause)),
    HN_ALWAYS("subject", HN_FIELD_TEXT, CAUSE(subject)),
    HN_ALWAYS("words", HN_FIELD_TEXT, CAUSE(words)),
    HN_ALWAYS("example", HN_FIELD_TEXT, CAUSE(example)),
    HN_ALWAYS("script", HN_FIELD_TEXT, CAUSE(script)),
    HN_ALWAYS("shown", HN_FIELD_FLAG, CAUSE(shown)),
    HN_ALWAYS("clause", HN_FIELD_TEXT, CAUSE(clause)),
    HN_END_OF_TABLE,
};

static void write_cause(struct data *data, const struct rp_cause *cause)
{
    hn_write_object(&data->writer, NULL);
    hn_fields_write(&data->writer, cause_fields, cause);
    hn_write_integer(&data->writer, "tests", (int64_t)cause->tests.count);
    hn_write_texts(&data->writer, "kept_by", &cause->kept_by);
    hn_write_object_end(&data->writer);
}

/* Causes belong to one backend, so a page of several runs shows no causes. */
static void write_upstream(struct data *data)
{
    struct rp_cause_list list = {0};
    char path[HN_PATH_SIZE];
    if (data->set->run_count != 1 ||
        hn_path_join(path, sizeof path, data->set->runs[0]->folder, RP_CAUSES_FILE, NULL) ||
        !hn_path_exists(path))
        return;
    struct hn_arena *arena = hn_arena_create(CAUSES_ROOM);
    hn_write_object(&data->writer, "upstream");
    if (!arena || rp_cause_list_read(path, arena, &list, NULL))
        hn_write_text(&data->writer, "warning", "causes.json of the run cannot be read");
    hn_write_array(&data->writer, "causes");
    for (size_t i = 0; i < list.count && i < CAUSES_SHOWN; i++)
        write_cause(data, &list.items[i]);
    hn_write_array_end(&data->writer);
    hn_write_texts(&data->writer, "no_longer", &list.no_longer);
    hn_write_object_end(&data->writer);
    hn_arena_destroy(arena);
}

static void write_words(struct data *data)
{
    struct hn_json_writer *writer = &data->writer;
    hn_write_array(writer, "verdicts");
    for (int i = 0; i < HN_VERDICTS; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "name", hn_verdict_table[i].name);
        hn_write_text(writer, "meaning", hn_verdict_table[i].meaning);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
    hn_write_integer(writer, "bad", HN_SLOW);    /* verdicts with a lower index are troubles */
    hn_write_integer(writer, "open", HN_BROKEN); /* verdicts with a lower index are failures */
    hn_write_array(writer, "levels");
    for (int i = 0; i < HN_LEVELS; i++)
        hn_write_text(writer, NULL, hn_level_names[i]);
    hn_write_array_end(writer);
    hn_write_text(writer, "legend", rp_level_legend);
}

/* A linear search is fast enough: there are few modules, and rows of one module are adjacent. */
static int64_t module_index(struct data *data, const char *name)
{
    const struct rp_set *set = data->set;
    if (data->module < set->module_count && strcmp(set->modules[data->module].name, name) == 0)
        return (int64_t)data->module;
    for (size_t i = 0; i < set->module_count; i++)
        if (strcmp(set->modules[i].name, name) == 0)
            return (int64_t)(data->module = i);
    return -1; /* the module belongs to another shard */
}

struct row {
    const char *id, *module, *demand;
    enum hn_level level;
    enum hn_subject subject;
};

/* Opens a row with the members that checks and requirements share, and leaves the object open. */
static void open_row(struct data *data, const struct row *row)
{
    struct hn_json_writer *writer = &data->writer;
    hn_write_object(writer, NULL);
    write_text(data, "id", row->id);
    hn_write_integer(writer, "m", module_index(data, row->module));
    hn_write_integer(writer, "l", row->level);
    if (row->subject == HN_CORE)
        hn_write_integer(writer, "s", 1);
    hn_write_text(writer, "v", data->letters);
    write_text(data, "d", row->demand);
}

static char letter_of(enum hn_verdict verdict)
{
    return (char)('a' + (int)verdict);
}

/* ---- checks ---- */

static void write_evidence(struct data *data, const struct rp_run *run,
                           const struct rp_check *check)
{
    static const char *const keys[RP_EVIDENCE_KINDS] = {
        [RP_OUTPUT] = "o", [RP_ERRORS] = "er", [RP_STACK] = "sk"};
    for (int kind = 0; kind < RP_EVIDENCE_KINDS; kind++) {
        size_t length = 0;
        if (data->evidence > EVIDENCE_LIMIT)
            return;
        char *text = rp_evidence_tail(run, check, (enum rp_evidence_kind)kind, TAIL_LIMIT, &length);
        hn_buffer_clear(&data->scratch); /* the output of a process may contain any bytes */
        if (length && hn_terminal_filter(&data->scratch, text, length) == HN_OK)
            hn_write_text(&data->writer, keys[kind], data->scratch.text);
        data->evidence += length;
        free(text);
    }
}

static int says_something(const struct rp_check *check)
{
    return check->verdict != HN_PASS || check->notes.count || check->retries;
}

static void write_said(struct data *data, const char *key, rp_words *say, const struct rp_run *run,
                       const struct rp_check *check)
{
    struct hn_buffer words;
    hn_buffer_init(&words, TAIL_LIMIT);
    if (say(run, check, &words) == HN_OK && words.length)
        write_text(data, key, words.text);
    hn_buffer_finish(&words);
}

/* Notes that have their own line are left out. */
static void write_notes(struct data *data, const struct rp_check *check)
{
    static const char *const told[] = {
        "failed: ", "failed by kind: ", "through the CPU fallback: ",
        "the case through the CPU fallback: ", "the case without the CPU fallback: "};
    const int fails = check->verdict == HN_FAIL;
    hn_write_array(&data->writer, "n");
    for (size_t i = 0; i < check->notes.count; i++) {
        int is_told = 0;
        for (size_t k = 0; fails && k < sizeof told / sizeof *told; k++)
            is_told |= strncmp(check->notes.items[i], told[k], strlen(told[k])) == 0;
        if (!is_told)
            write_text(data, NULL, check->notes.items[i]);
    }
    hn_write_array_end(&data->writer);
}

#define CHECK(member) offsetof(struct rp_check, member)
static const struct hn_field seen_fields[] = {
    HN_MAYBE("e", HN_FIELD_TEXT, CHECK(expected)),  HN_MAYBE("s", HN_FIELD_TEXT, CHECK(seen)),
    HN_MAYBE("r", HN_FIELD_TEXT, CHECK(reason)),    HN_MAYBE("l", HN_FIELD_TEXT, CHECK(location)),
    HN_MAYBE("a", HN_FIELD_TEXT, CHECK(about)),     HN_MAYBE("g", HN_FIELD_TEXT, CHECK(signal)),
    HN_MAYBE("fr", HN_FIELD_TEXT, CHECK(frames)),   HN_MAYBE("sd", HN_FIELD_TEXT, CHECK(said)),
    HN_MAYBE("st", HN_FIELD_TEXT, CHECK(stage)),    HN_MAYBE("fo", HN_FIELD_FLAG, CHECK(follows)),
    HN_MAYBE("rt", HN_FIELD_COUNT, CHECK(retries)), HN_END_OF_TABLE,
};

static void write_count(struct data *data, const char *key, size_t count)
{
    if (count)
        hn_write_integer(&data->writer, key, (int64_t)count);
}

static void write_seen(struct data *data, size_t run, const struct rp_check *check)
{
    char key[24], cause[HN_PATH_SIZE];
    snprintf(key, sizeof key, "%zu", run);
    rp_check_cause(check, cause, sizeof cause);
    hn_write_object(&data->writer, key);
    hn_fields_write(&data->writer, seen_fields, check);
    write_text(data, "lk", rp_check_likely(check));
    write_text(data, "fd", rp_check_failed(check));
    write_said(data, "fb", rp_check_fallback, data->set->runs[run], check);
    write_text(data, "j", cause);
    write_said(data, "cl", rp_check_clauses, data->set->runs[run], check);
    write_text(data, "k", check->root ? check->root->id : check->blocked_by);
    write_count(data, "jn", check->joined != NULL);
    write_count(data, "sm", check->joined_count + check->followers);
    write_count(data, "bl", check->blocks - check->followers);
    if (check->notes.count)
        write_notes(data, check);
    if (check->verdict < HN_BLOCKED)
        write_evidence(data, data->set->runs[run], check);
    hn_write_object_end(&data->writer);
}

static void write_all_seen(struct data *data, const struct rp_set_check *row)
{
    int any = 0;
    for (size_t run = 0; run < data->set->run_count; run++) {
        if (!row->in[run] || !says_something(row->in[run]))
            continue;
        if (!any++)
            hn_write_object(&data->writer, "x");
        write_seen(data, run, row->in[run]);
    }
    if (any)
        hn_write_object_end(&data->writer);
}

static void write_place(struct data *data, const struct rp_check *check)
{
    char place[600];
    if (!check->file[0])
        return;
    snprintf(place, sizeof place, check->line ? "%.500s:%d" : "%.500s", check->file, check->line);
    write_text(data, "f", place);
}

static void write_check(struct data *data, const struct rp_set_check *row)
{
    const struct rp_check *any = row->any;
    struct hn_json_writer *writer = &data->writer;
    for (size_t run = 0; run < data->set->run_count; run++)
        data->letters[run] = row->in[run] ? letter_of(row->in[run]->verdict) : '-';
    open_row(data, &(struct row){any->id, any->module, any->demand, any->level, any->subject});
    hn_write_texts(writer, "c", &any->covers);
    write_count(data, "b", row->blocks);
    write_place(data, any);
    if (data->set->run_count == 1 && any->duration_ms >= 1)
        hn_write_integer(writer, "t", (int64_t)any->duration_ms);
    write_all_seen(data, row);
    hn_write_object_end(writer);
}

static int write_order(struct data *data)
{
    const size_t count = data->set->check_count;
    struct rp_place *places = calloc(count + 1, sizeof *places);
    const int status = places ? rp_set_order(data->set, places) : HN_ENOMEM;
    if (!status) {
        hn_write_array(&data->writer, "order");
        for (size_t i = 0; i < count; i++) {
            hn_write_array(&data->writer, NULL);
            hn_write_integer(&data->writer, NULL, (int64_t)places[i].row);
            hn_write_integer(&data->writer, NULL, places[i].under);
            hn_write_array_end(&data->writer);
        }
        hn_write_array_end(&data->writer);
    }
    free(places);
    return status;
}

/* ---- requirements ---- */

/* The first run that has the requirement. The row shows the texts of this run. */
static const struct rp_run *run_of(const struct rp_set *set, const struct rp_set_requirement *row)
{
    size_t run = 0;
    while (row->in[run] != row->any)
        run++;
    return set->runs[run];
}

static void write_requirement(struct data *data, const struct rp_set_requirement *row)
{
    const struct rp_requirement *any = row->any;
    const struct rp_run *run = run_of(data->set, row);
    for (size_t i = 0; i < data->set->run_count; i++)
        data->letters[i] = row->in[i] ? letter_of(row->in[i]->verdict) : '-';
    open_row(data, &(struct row){any->id, any->module, any->text, any->level, any->subject});
    hn_write_array(&data->writer, "k");
    for (size_t i = 0; i < any->check_count; i++)
        write_text(data, NULL, run->checks[any->checks[i]].id);
    hn_write_array_end(&data->writer);
    hn_write_object_end(&data->writer);
}

/* ---- the document ---- */

static int write_document(struct data *data)
{
    const struct rp_set *set = data->set;
    hn_write_object(&data->writer, NULL);
    write_runs(data);
    write_words(data);
    write_modules(data);
    write_upstream(data);
    rp_json_capabilities(&data->writer, set);
    hn_write_array(&data->writer, "checks");
    for (size_t i = 0; i < set->check_count; i++)
        write_check(data, &set->checks[i]);
    hn_write_array_end(&data->writer);
    const int status = write_order(data);
    hn_write_array(&data->writer, "requirements");
    for (size_t i = 0; i < set->requirement_count; i++)
        write_requirement(data, &set->requirements[i]);
    hn_write_array_end(&data->writer);
    hn_write_object_end(&data->writer);
    return status;
}

void rp_html_data(const struct rp_set *set, struct hn_buffer *out)
{
    struct data data = {.set = set, .letters = calloc(set->run_count + 1, 1)};
    hn_buffer_init(&data.scratch, (size_t)16 << 20);
    hn_write_begin(&data.writer, out, 0);
    const int status = data.letters ? write_document(&data) : HN_ENOMEM;
    if (status)
        out->status = status;
    hn_buffer_finish(&data.scratch);
    free(data.letters);
}
