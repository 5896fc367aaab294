/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads journal.jsonl of a run, record by record, into the checks of the plan.
 */
#include <string.h>

#include "journal.h"
#include "model_internal.h"

/* "Linux 6.1 x86_64, 2 processors" */
static int take_machine(struct rp_builder *builder, const struct hn_run_record *record)
{
    const int processors = record->host.processors;
    if (!*record->host.system)
        return HN_OK;
    builder->run->machine = hn_arena_text(
        builder->arena, "%s %s %s, %d processor%s", record->host.system, record->host.release,
        record->host.machine, processors, processors == 1 ? "" : "s");
    return builder->run->machine ? HN_OK : hn_error_nomem(builder->error);
}

/* In a proof, a check under a switch counts as a check of its own: "guard.x@guard.count_lies". */
static const char *pair_name(struct rp_builder *builder, const char *id, const char *armed)
{
    return *armed ? hn_arena_text(builder->arena, "%s@%s", id, armed) : id;
}

/* Takes the checks from the journal's own list if plan.json is missing. */
static int take_planned(struct rp_builder *builder, const struct hn_run_record *record)
{
    if (builder->check_count)
        return HN_OK;
    const size_t count = record->check_count;
    struct rp_check *checks = hn_arena_array(builder->arena, count + 1, sizeof *checks);
    for (size_t i = 0; checks && i < count; i++) {
        const struct hn_planned *planned = &record->checks[i];
        const char *name = pair_name(builder, planned->id, planned->armed);
        checks[i] = (struct rp_check){.id = name ? rp_copy(builder, name) : NULL,
                                      .level = planned->level,
                                      .support = planned->support};
        if (!checks[i].id)
            return hn_error_nomem(builder->error);
    }
    return checks ? rp_take_checks(builder, checks, count) : hn_error_nomem(builder->error);
}

struct kept {
    const char *from, **to;
};

static int keep_all(struct rp_builder *builder, const struct kept *table, size_t count)
{
    int status = HN_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = rp_keep(builder, table[i].from, table[i].to);
    return status;
}

static int on_run(struct rp_builder *builder, const struct hn_record *record)
{
    const struct hn_run_record *head = &record->run;
    struct rp_run *run = builder->run;
    const struct kept table[] = {
        {head->target.name, &run->target},
        {head->target.profile, &run->profile},
        {head->torch.version, &run->torch_version},
        {head->torch.git, &run->torch_git},
        {head->date, &run->date},
        {head->seed, &run->seed},
        {head->command, &run->command},
        {head->host.name, &run->host},
        {head->select, &run->select},
        {*head->contract.digest ? head->contract.digest : run->digest, &run->digest}};
    int status = keep_all(builder, table, sizeof table / sizeof *table);
    if (!status)
        status = take_machine(builder, head);
    if (!status)
        status = take_planned(builder, head);
    if (head->contract.version)
        run->contract = head->contract.version;
    return status ? status : rp_sort_checks(builder);
}

static int on_isolation(struct rp_builder *builder, const struct hn_record *record)
{
    const struct kept table[] = {{record->isolation.mode, &builder->run->isolation},
                                 {record->isolation.why, &builder->run->isolation_why}};
    return keep_all(builder, table, 2);
}

static int on_preflight(struct rp_builder *builder, const struct hn_record *record)
{
    const size_t count = record->preflight.finding_count;
    struct hn_doubt *doubts = hn_arena_array(builder->arena, count + 1, sizeof *doubts);
    int status = doubts ? HN_OK : hn_error_nomem(builder->error);
    for (size_t i = 0; !status && i < count; i++) {
        status = rp_keep(builder, record->preflight.findings[i].severity, &doubts[i].severity);
        if (!status)
            status = rp_keep(builder, record->preflight.findings[i].message, &doubts[i].message);
    }
    builder->run->doubts = doubts;
    builder->run->doubt_count = status ? 0 : count;
    return status;
}

static int on_target(struct rp_builder *builder, const struct hn_record *record)
{
    builder->run->devices = (int)record->target.device_count;
    return HN_OK;
}

/* Finds the check of a record; an error if the plan does not contain the check. If the whole run
 * was under one switch, the plan contains the ids without the switch. */
static int need_check(struct rp_builder *builder, const struct hn_record *record, const char *id,
                      const char *armed, struct rp_check **check)
{
    const char *pair = pair_name(builder, id, armed);
    *check = pair ? rp_find_check(builder, pair) : NULL;
    if (!*check)
        *check = rp_find_check(builder, id);
    if (*check)
        return HN_OK;
    return hn_record_complain(record, builder->error, "names %.80s, which the run did not plan",
                              id);
}

static int on_start(struct rp_builder *builder, const struct hn_record *record)
{
    struct rp_check *check;
    const int status = need_check(builder, record, record->start.id, record->start.armed, &check);
    if (status)
        return status;
    unsigned char *attempts = &builder->attempts[check - builder->checks];
    *attempts = (unsigned char)(*attempts + (*attempts < 255));
    check->verdict = HN_INCOMPLETE;
    return HN_OK;
}

static int take_texts(struct rp_builder *builder, const struct hn_end_record *end,
                      struct rp_check *check)
{
    const struct kept table[] = {
        {end->reason, &check->reason},   {end->blocked_by, &check->blocked_by},
        {end->demand, &check->expected}, {end->seen, &check->seen},
        {end->subject, &check->about},   {end->location, &check->location},
        {end->signal, &check->signal},   {end->stage, &check->stage},
        {end->frames, &check->frames},   {end->said, &check->said},
        {end->folder, &check->folder}};
    return keep_all(builder, table, sizeof table / sizeof *table);
}

static int take_clauses(struct rp_builder *builder, const struct hn_end_record *end,
                        struct rp_check *check)
{
    const size_t count = end->clause_count;
    struct hn_clause_verdict *clauses = hn_arena_array(builder->arena, count + 1, sizeof *clauses);
    int status = clauses ? HN_OK : hn_error_nomem(builder->error);
    for (size_t i = 0; !status && i < count; i++) {
        clauses[i].verdict = end->clauses[i].verdict;
        status = rp_keep(builder, end->clauses[i].id, &clauses[i].id);
    }
    check->clauses = clauses;
    check->clause_count = status ? 0 : count;
    return status;
}

static int take_notes(struct rp_builder *builder, const struct hn_end_record *end,
                      struct rp_check *check)
{
    if (end->note_count == 0)
        return HN_OK;
    const char **items = hn_arena_array(builder->arena, end->note_count, sizeof *items);
    for (size_t i = 0; items && i < end->note_count; i++)
        if (!(items[i] =
                  hn_arena_text(builder->arena, "%s: %s", end->notes[i].key, end->notes[i].text)))
            return hn_error_nomem(builder->error);
    check->notes = (struct hn_texts){items, end->note_count};
    return items ? HN_OK : hn_error_nomem(builder->error);
}

static int on_end(struct rp_builder *builder, const struct hn_record *record)
{
    const struct hn_end_record *end = &record->end;
    struct rp_check *check;
    int status = need_check(builder, record, end->id, end->armed, &check);
    if (status || !end->final)
        return status;
    status = take_texts(builder, end, check);
    if (!status)
        status = take_notes(builder, end, check);
    if (!status)
        status = take_clauses(builder, end, check);
    const int attempts = builder->attempts[check - builder->checks];
    check->verdict = end->verdict;
    check->follows =
        end->verdict == HN_BLOCKED && end->attempt > 0 && *end->blocked_by && !end->refused;
    check->duration_ms = end->duration_ms;
    check->retries = attempts > 1 ? attempts - 1 : 0;
    return status;
}

static int on_resume(struct rp_builder *builder, const struct hn_record *record)
{
    (void)record;
    builder->run->complete = 0;
    return HN_OK;
}

static int on_finish(struct rp_builder *builder, const struct hn_record *record)
{
    builder->run->complete = record->finish.complete;
    return rp_keep(builder, record->finish.why, &builder->run->why);
}

static int on_record(void *context, const struct hn_record *record, struct hn_error *error)
{
    static int (*const table[HN_EVENTS])(struct rp_builder *, const struct hn_record *) = {
        [HN_EVENT_RUN] = on_run,
        [HN_EVENT_ISOLATION] = on_isolation,
        [HN_EVENT_PREFLIGHT] = on_preflight,
        [HN_EVENT_TARGET] = on_target,
        [HN_EVENT_START] = on_start,
        [HN_EVENT_END] = on_end,
        [HN_EVENT_RESUME] = on_resume,
        [HN_EVENT_FINISH] = on_finish};
    (void)error; /* unused, because the builder has the same pointer */
    return table[record->event](context, record);
}

int rp_read_journal(struct rp_builder *builder, const char *path)
{
    struct hn_journal_gaps gaps;
    char why[1100];
    const int status = hn_journal_read(path, on_record, builder, &gaps, builder->error);
    builder->run->torn = gaps.torn;
    if (status || !gaps.lines)
        return status;
    hn_error_format(&gaps.first, why, sizeof why);
    builder->run->loss = hn_arena_text(
        builder->arena, "%zu line%s of the journal cannot be read, and what %s said is lost: %s",
        gaps.lines, gaps.lines == 1 ? "" : "s", gaps.lines == 1 ? "it" : "they", why);
    return builder->run->loss ? HN_OK : hn_error_nomem(builder->error);
}
