/* SPDX-License-Identifier: BSD-3-Clause
 *
 * journal.jsonl of a run: what happened, line by line. One function per kind of record, in a table;
 * a kind that is not in it belongs to a newer writer and is passed over.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "model_internal.h"

static const char schema_name[] = "assay/journal/1";

/* A text, or the member `inner` of an object: both have been written. */
static int text_or_member(struct rp_builder *builder, const struct hn_json *record, const char *key,
                          const char *inner, const char **text)
{
    struct hn_json object;
    struct hn_error ignored;

    if (!hn_json_has(record, key) || hn_json_object(record, key, &object, &ignored))
        return rp_text(builder, record, key, text);
    return rp_text(builder, &object, inner, text);
}

static int read_torch(struct rp_builder *builder, const struct hn_json *record)
{
    struct hn_json torch;
    struct hn_error ignored;
    struct rp_run *run = builder->run;
    const int status = text_or_member(builder, record, "torch", "version", &run->torch_version);

    if (status || !hn_json_has(record, "torch") ||
        hn_json_object(record, "torch", &torch, &ignored))
        return status;
    return rp_text(builder, &torch, "git", &run->torch_git);
}

/* "Linux 6.1 x86_64, 2 processors" */
static int read_host(struct rp_builder *builder, const struct hn_json *record)
{
    struct hn_json host;
    struct hn_error ignored;
    const char *words[3] = {"", "", ""};
    int64_t processors = 0;
    struct rp_run *run = builder->run;
    int status = text_or_member(builder, record, "host", "name", &run->host);

    if (status || !hn_json_has(record, "host") || hn_json_object(record, "host", &host, &ignored))
        return status;
    status = rp_text(builder, &host, "system", &words[0]);
    if (!status)
        status = rp_text(builder, &host, "release", &words[1]);
    if (!status)
        status = rp_text(builder, &host, "machine", &words[2]);
    if (!status && hn_json_has(&host, "cpus"))
        status = hn_json_integer(&host, "cpus", 0, 1000000, &processors, builder->error);
    if (status || !words[0][0])
        return status;
    const char *text =
        hn_arena_text(builder->arena, "%s %s %s, %lld processor%s", words[0], words[1], words[2],
                      (long long)processors, processors == 1 ? "" : "s");
    if (!text)
        return hn_error_nomem(builder->error);
    run->machine = text;
    return HN_OK;
}

/* `contract` is a number or an object with version and digest. */
static int read_contract(struct rp_builder *builder, const struct hn_json *record)
{
    struct hn_json contract;
    struct hn_error ignored;
    int64_t version = builder->run->contract;
    int status = HN_OK;

    if (!hn_json_has(record, "contract"))
        return HN_OK;
    if (hn_json_object(record, "contract", &contract, &ignored)) {
        status = hn_json_integer(record, "contract", 1, 1000000, &version, builder->error);
    } else {
        status = hn_json_integer(&contract, "version", 1, 1000000, &version, builder->error);
        if (!status && hn_json_has(&contract, "digest"))
            status = rp_text(builder, &contract, "digest", &builder->run->digest);
    }
    builder->run->contract = (int)version;
    return status;
}

static int read_devices(struct rp_builder *builder, const struct hn_json *record)
{
    struct hn_json target, devices;
    struct hn_error ignored;
    int64_t count = 0;
    int status = HN_OK;
    const struct hn_json *from = record;

    if (hn_json_has(record, "target") && hn_json_object(record, "target", &target, &ignored) == 0)
        from = &target;
    if (!hn_json_has(from, "devices"))
        return HN_OK;
    if (hn_json_array(from, "devices", &devices, &ignored) == HN_OK)
        count = (int64_t)hn_json_count(&devices);
    else
        status = hn_json_integer(from, "devices", 0, 100000, &count, builder->error);
    builder->run->devices = (int)count;
    return status;
}

/* The journal's own list of checks: all there is when plan.json is missing. */
static int read_planned(struct rp_builder *builder, const struct hn_json *record)
{
    struct hn_json array, item;
    const char *id;
    int status = hn_json_has(record, "checks")
                     ? hn_json_array(record, "checks", &array, builder->error)
                     : HN_EINPUT;

    if (!hn_json_has(record, "checks") || builder->check_count)
        return builder->check_count || !hn_json_has(record, "checks") ? HN_OK : status;
    if (!status)
        status = rp_reserve_checks(builder, hn_json_count(&array));
    for (size_t i = 0; !status && i < hn_json_count(&array); i++) {
        int level = HN_MUST;
        hn_json_item(&array, i, &item);
        status = hn_json_text(&item, "id", &id, builder->error);
        struct rp_check *check = status ? NULL : rp_new_check(builder, id);
        if (!check)
            return status ? status : builder->error->code;
        status = rp_word(builder, &item, "level", hn_level_names, HN_LEVELS, &level);
        if (!status && hn_json_has(&item, "support"))
            status = hn_json_boolean(&item, "support", &check->support, builder->error);
        check->level = (enum hn_level)level;
    }
    return status;
}

static int on_run(struct rp_builder *builder, const struct hn_json *record)
{
    struct rp_run *run = builder->run;
    const char *schema;
    int status = hn_json_text(record, "schema", &schema, builder->error);

    if (!status && strcmp(schema, schema_name) != 0)
        status =
            hn_json_complain(record, builder->error,
                             "is of schema \"%.40s\"; this program reads %s", schema, schema_name);
    if (!status && builder->by_id)
        status = hn_json_complain(record, builder->error, "is a second header");
    if (!status)
        status = text_or_member(builder, record, "target", "name", &run->target);
    if (!status)
        status = read_torch(builder, record);
    if (!status)
        status = read_contract(builder, record);
    if (!status)
        status = read_devices(builder, record);
    if (!status)
        status = rp_text(builder, record, "date", &run->date);
    if (!status)
        status = rp_text(builder, record, "seed", &run->seed);
    if (!status)
        status = rp_text(builder, record, "command", &run->command);
    if (!status)
        status = read_host(builder, record);
    if (!status)
        status = rp_text(builder, record, "select", &run->select);
    if (!status)
        status = read_planned(builder, record);
    return status ? status : rp_sort_checks(builder);
}

static int on_isolation(struct rp_builder *builder, const struct hn_json *record)
{
    const int status = rp_text(builder, record, "mode", &builder->run->isolation);

    return status ? status : rp_text(builder, record, "why", &builder->run->isolation_why);
}

static int read_doubt(struct rp_builder *builder, const struct hn_json *item,
                      struct rp_doubt *doubt)
{
    const int status = rp_text(builder, item, "severity", &doubt->severity);

    return status ? status : rp_text(builder, item, "message", &doubt->message);
}

static int on_preflight(struct rp_builder *builder, const struct hn_json *record)
{
    struct hn_json array, item;
    int status = hn_json_array(record, "findings", &array, builder->error);
    const size_t count = status ? 0 : hn_json_count(&array);
    struct rp_doubt *doubts =
        status ? NULL : hn_arena_array(builder->arena, count + 1, sizeof *doubts);

    if (!doubts)
        return status ? status : hn_error_nomem(builder->error);
    for (size_t i = 0; !status && i < count; i++) {
        hn_json_item(&array, i, &item);
        status = read_doubt(builder, &item, &doubts[i]);
    }
    builder->run->doubts = doubts;
    builder->run->doubt_count = status ? 0 : count;
    return status;
}

/* The check a record names, which must be planned. */
static int need_check(struct rp_builder *builder, const struct hn_json *record,
                      struct rp_check **check)
{
    const char *id;
    int status = hn_json_text(record, "id", &id, builder->error);

    if (status)
        return status;
    *check = rp_find_check(builder, id);
    if (!*check)
        return hn_json_complain(record, builder->error, "names %.80s, which the run did not plan",
                                id);
    return HN_OK;
}

static int on_start(struct rp_builder *builder, const struct hn_json *record)
{
    struct rp_check *check;
    const int status = need_check(builder, record, &check);

    if (status)
        return status;
    unsigned char *attempts = &builder->attempts[check - builder->checks];
    *attempts = (unsigned char)(*attempts + (*attempts < 255));
    check->verdict = HN_INCOMPLETE;
    return HN_OK;
}

static int read_end_texts(struct rp_builder *builder, const struct hn_json *record,
                          struct rp_check *check)
{
    const struct {
        const char *key;
        const char **text;
    } table[] = {{"reason", &check->reason},   {"blocked_by", &check->blocked_by},
                 {"demand", &check->expected}, {"seen", &check->seen},
                 {"subject", &check->about},   {"location", &check->location},
                 {"signal", &check->signal},   {"stage", &check->stage},
                 {"folder", &check->folder}};
    int status = HN_OK;

    for (size_t i = 0; !status && i < sizeof table / sizeof *table; i++)
        status = rp_text(builder, record, table[i].key, table[i].text);
    return status;
}

/* Each note is an object; its members become "name: text". */
static int read_notes(struct rp_builder *builder, const struct hn_json *record,
                      struct rp_check *check)
{
    struct hn_json array, item, member;
    size_t count = 0;

    if (!hn_json_has(record, "notes"))
        return HN_OK;
    int status = hn_json_array(record, "notes", &array, builder->error);
    const char **items =
        status ? NULL : hn_arena_array(builder->arena, hn_json_count(&array) + 1, sizeof *items);
    if (!items)
        return status ? status : hn_error_nomem(builder->error);
    for (size_t i = 0; !status && i < hn_json_count(&array); i++) {
        void *iterator = NULL;
        const char *text;
        hn_json_item(&array, i, &item);
        status = hn_json_must_be_object(&item, builder->error);
        if (status || !hn_json_member(&item, &iterator, &member))
            continue;
        status = hn_json_as_text(&member, &text, builder->error);
        if (!status &&
            !(items[count++] = hn_arena_text(builder->arena, "%s: %s", member.key, text)))
            status = hn_error_nomem(builder->error);
    }
    check->notes = (struct rp_texts){items, count};
    return status;
}

static int on_end(struct rp_builder *builder, const struct hn_json *record)
{
    struct rp_check *check;
    const char *name;
    enum hn_verdict verdict;
    int final = 1;
    int status = need_check(builder, record, &check);

    if (!status && hn_json_has(record, "final"))
        status = hn_json_boolean(record, "final", &final, builder->error);
    if (status || !final)
        return status;
    status = hn_json_text(record, "verdict", &name, builder->error);
    if (!status && hn_verdict_from_name(name, &verdict))
        status = hn_json_complain(record, builder->error, "has an unknown verdict \"%.40s\"", name);
    if (!status && hn_json_has(record, "duration_ms"))
        status = hn_json_number(record, "duration_ms", &check->duration_ms, builder->error);
    if (!status)
        status = read_end_texts(builder, record, check);
    if (!status)
        status = read_notes(builder, record, check);
    if (status)
        return status;
    const int attempts = builder->attempts[check - builder->checks];
    check->verdict = verdict;
    check->retries = attempts > 1 ? attempts - 1 : 0;
    return HN_OK;
}

static int on_resume(struct rp_builder *builder, const struct hn_json *record)
{
    (void)record;
    builder->run->complete = 0;
    return HN_OK;
}

static int on_finish(struct rp_builder *builder, const struct hn_json *record)
{
    const int status = hn_json_boolean(record, "complete", &builder->run->complete, builder->error);

    return status ? status : rp_text(builder, record, "why", &builder->run->why);
}

static int on_record(struct rp_builder *builder, const struct hn_json *record)
{
    static const struct {
        const char *event;
        int (*read)(struct rp_builder *, const struct hn_json *);
    } table[] = {{"run", on_run},
                 {"isolation", on_isolation},
                 {"preflight", on_preflight},
                 {"start", on_start},
                 {"end", on_end},
                 {"resume", on_resume},
                 {"finish", on_finish}};
    const char *event;
    const int status = hn_json_text(record, "event", &event, builder->error);

    if (status)
        return status;
    if (!builder->by_id && strcmp(event, "run") != 0)
        return hn_json_complain(record, builder->error,
                                "is a \"%.40s\" before the header of the run", event);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].event, event) == 0)
            return table[i].read(builder, record);
    return HN_OK;
}

static int read_line(struct rp_builder *builder, const char *line, size_t length, const char *path,
                     int number)
{
    static const struct hn_json_limits limits = {RP_LINE_LIMIT, RP_DEPTH};
    struct hn_json_document *document;
    struct hn_json root;
    int status = hn_json_parse(line, length, &limits, path, number, &document, builder->error);

    if (status)
        return status;
    hn_json_root(document, &root);
    status = hn_json_must_be_object(&root, builder->error);
    if (!status)
        status = on_record(builder, &root);
    hn_json_destroy(document);
    return status;
}

/* A last line without its newline was cut off by a dying writer: what it said is lost, no more. */
static int read_lines(struct rp_builder *builder, const char *text, size_t length, const char *path)
{
    int number = 1, status = HN_OK;

    for (size_t at = 0; !status && at < length; number++) {
        const char *end = memchr(text + at, '\n', length - at);
        if (!end) {
            builder->run->torn = 1;
            break;
        }
        const size_t size = (size_t)(end - (text + at));
        status = read_line(builder, text + at, size, path, number);
        at += size + 1;
    }
    if (!status && !builder->by_id)
        status = hn_error_at(builder->error, HN_EINPUT, path, 0, 0,
                             "holds no run: its first line is missing");
    return status;
}

int rp_read_journal(struct rp_builder *builder, const char *path)
{
    char *text;
    size_t length;
    int status = hn_file_read(path, RP_JOURNAL_LIMIT, &text, &length, builder->error);

    if (status == HN_ENOTFOUND)
        return hn_error_at(builder->error, HN_ENOTFOUND, path, 0, 0,
                           "is not there: give the folder of a run, as assay run printed it");
    if (status)
        return status;
    status = read_lines(builder, text, length, path);
    free(text);
    return status;
}
