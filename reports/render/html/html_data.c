/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data of the HTML report, for its script (../page/data.js reads it). Short keys, and one letter
 * for each verdict: there may be a hundred thousand of them.
 *
 *   checks[]  id, m module, l level, s subject is core, c covers, d demand, f file:line,
 *             b blocks, v a letter for each run, t milliseconds (one run), x by run what a bad one showed:
 *             e expected, s seen, r reason, l location, a about, g signal, st stage, k root cause,
 *             fo follows from it, j cause shared, cl clauses, fd failed of many, fb by the fallback, lk likely, n notes, rt retries, o output, er errors, sk stack
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_likely.h"
#include "check_notes.h"
#include "check_story.h"
#include "file.h"
#include "html_parts.h"
#include "json_write.h"
#include "run_evidence.h"
#include "terminal.h"

#define DATA_LIMIT ((size_t)192 << 20)
#define TAIL_LIMIT 4096
/* Evidence of all checks together: a page must open. */
#define EVIDENCE_LIMIT ((size_t)8 << 20)

static const char *const signs[HN_VERDICTS] = {[HN_CRASH] = "C",
                                               [HN_TIMEOUT] = "T",
                                               [HN_FAIL] = "F",
                                               [HN_BROKEN] = "?",
                                               [HN_INCOMPLETE] = "\xe2\x80\xa6",
                                               [HN_NOTRUN] = "\xe2\x80\x93",
                                               [HN_SLOW] = "S",
                                               [HN_BLOCKED] = "B",
                                               [HN_FALLBACK] = "cpu",
                                               [HN_SKIP] = "s",
                                               [HN_UNOBSERVABLE] = "u",
                                               [HN_FLAKY] = "~",
                                               [HN_NOTED] = "n",
                                               [HN_PASS] = "\xe2\x9c\x93"};

struct data {
    const struct rp_set *set;
    struct hn_json_writer writer;
    struct hn_buffer scratch; /* of one text */
    size_t evidence;          /* bytes so far */
    char *letters;            /* of the row at hand, one for each run */
    size_t module;            /* of the row before */
};

/* Foreign text, made visible. Absent texts are left out. */
static void write_bytes(struct data *data, const char *key, const char *text, size_t length)
{
    if (!length)
        return;
    hn_buffer_clear(&data->scratch);
    hn_terminal_filter(&data->scratch, text, length);
    hn_write_bytes(&data->writer, key, data->scratch.text, data->scratch.length);
}

static void write_text(struct data *data, const char *key, const char *text)
{
    write_bytes(data, key, text, strlen(text));
}

static void write_texts(struct data *data, const char *key, const struct hn_texts *texts)
{
    hn_write_array(&data->writer, key);
    for (size_t i = 0; i < texts->count; i++)
        write_text(data, NULL, texts->items[i]);
    hn_write_array_end(&data->writer);
}

static void write_runs(struct data *data)
{
    char word[2 * HN_PATH_SIZE];
    hn_write_array(&data->writer, "runs");
    for (size_t i = 0; i < data->set->run_count; i++) {
        hn_write_object(&data->writer, NULL);
        write_text(data, "label", data->set->labels[i]);
        write_text(data, "target", data->set->runs[i]->target);
        rp_target_word(data->set->runs[i], word, sizeof word);
        write_text(data, "word", word);
        hn_write_object_end(&data->writer);
    }
    hn_write_array_end(&data->writer);
}

static void write_words(struct data *data)
{
    struct hn_json_writer *writer = &data->writer;

    hn_write_array(writer, "verdicts");
    for (int i = 0; i < HN_VERDICTS; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "name", hn_verdict_table[i].name);
        hn_write_text(writer, "sign", signs[i]);
        hn_write_text(writer, "meaning", hn_verdict_table[i].meaning);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
    hn_write_integer(writer, "bad", HN_SLOW);    /* verdicts below it are troubles */
    hn_write_integer(writer, "open", HN_BROKEN); /* verdicts below it fail */
    hn_write_array(writer, "levels");
    for (int i = 0; i < HN_LEVELS; i++)
        hn_write_text(writer, NULL, hn_level_names[i]);
    hn_write_array_end(writer);
    hn_write_array(writer, "modules");
    for (size_t i = 0; i < data->set->module_count; i++)
        write_text(data, NULL, data->set->modules[i].name);
    hn_write_array_end(writer);
}

/* Modules are few, and rows of one module stand together. */
static int64_t module_index(struct data *data, const char *name)
{
    const struct rp_set *set = data->set;

    if (data->module < set->module_count && strcmp(set->modules[data->module].name, name) == 0)
        return (int64_t)data->module;
    for (size_t i = 0; i < set->module_count; i++)
        if (strcmp(set->modules[i].name, name) == 0)
            return (int64_t)(data->module = i);
    return -1; /* a module that another shard counts */
}

struct row {
    const char *id, *module, *demand;
    enum hn_level level;
    enum hn_subject subject;
};

/* Opens a row with the members that checks and requirements share; the object stays open. */
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
        if (text)
            write_bytes(data, keys[kind], text, length);
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

/* Notes that have a line of their own are left out. */
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

static void write_seen(struct data *data, size_t run, const struct rp_check *check)
{
    char key[24], cause[HN_PATH_SIZE];

    snprintf(key, sizeof key, "%zu", run);
    rp_check_cause(check, cause, sizeof cause);
    hn_write_object(&data->writer, key);
    write_text(data, "e", check->expected);
    write_text(data, "s", check->seen);
    write_text(data, "r", check->reason);
    write_text(data, "l", check->location);
    write_text(data, "a", check->about);
    write_text(data, "g", check->signal);
    write_text(data, "fr", check->frames);
    write_text(data, "sd", check->said);
    write_text(data, "lk", rp_check_likely(check));
    write_text(data, "fd", rp_check_failed(check));
    write_said(data, "fb", rp_check_fallback, data->set->runs[run], check);
    write_text(data, "st", check->stage);
    write_text(data, "j", cause);
    write_said(data, "cl", rp_check_clauses, data->set->runs[run], check);
    write_text(data, "k", check->root ? check->root->id : check->blocked_by);
    if (check->follows)
        hn_write_integer(&data->writer, "fo", 1);
    if (check->notes.count)
        write_notes(data, check);
    if (check->retries)
        hn_write_integer(&data->writer, "rt", check->retries);
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
    write_texts(data, "c", &any->covers);
    if (row->blocks)
        hn_write_integer(writer, "b", (int64_t)row->blocks);
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

/* The run whose words the row has: the first. */
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

void rp_html_data(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;
    struct data data = {.set = set, .letters = calloc(set->run_count + 1, 1)};
    struct hn_buffer json;

    hn_buffer_init(&json, DATA_LIMIT);
    hn_buffer_init(&data.scratch, (size_t)16 << 20);
    hn_write_begin(&data.writer, &json, 0);
    int status = data.letters ? write_document(&data) : HN_ENOMEM;
    if (!status)
        status = hn_write_end(&data.writer);
    if (status)
        out->status = status;
    rp_html_json(out, json.text, json.length);
    hn_buffer_finish(&json);
    hn_buffer_finish(&data.scratch);
    free(data.letters);
}
