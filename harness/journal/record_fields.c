/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See record_fields.h.
 */
#include "record_fields.h"

#define AT(member) offsetof(struct hn_record, member)

/* ---- items of lists */

static const struct hn_field index_item[] = {HN_ALWAYS(NULL, HN_FIELD_COUNT, 0)};
static const struct hn_field note_item[] = {HN_ALWAYS(NULL, HN_FIELD_NOTE, 0)};

static const struct hn_field clause_fields[] = {
    HN_ALWAYS("id", HN_FIELD_TEXT, offsetof(struct hn_clause_verdict, id)),
    HN_ALWAYS("verdict", HN_FIELD_VERDICT, offsetof(struct hn_clause_verdict, verdict)),
    HN_END_OF_TABLE,
};

static const struct hn_field planned_fields[] = {
    HN_ALWAYS("id", HN_FIELD_TEXT, offsetof(struct hn_planned, id)),
    HN_WORD("level", offsetof(struct hn_planned, level), hn_level_names, 1),
    HN_MAYBE("support", HN_FIELD_FLAG, offsetof(struct hn_planned, support)),
    HN_MAYBE("switch", HN_FIELD_TEXT, offsetof(struct hn_planned, armed)),
    HN_END_OF_TABLE,
};

static const struct hn_field doubt_fields[] = {
    HN_ALWAYS("severity", HN_FIELD_TEXT, offsetof(struct hn_doubt, severity)),
    HN_ALWAYS("message", HN_FIELD_TEXT, offsetof(struct hn_doubt, message)),
    HN_END_OF_TABLE,
};

/* ---- the run */

static const char *const schema[] = {HN_JOURNAL_SCHEMA};
static const struct hn_field run_target[] = {
    HN_ALWAYS("name", HN_FIELD_TEXT, AT(run.target.name)),
    HN_MAYBE("profile", HN_FIELD_TEXT, AT(run.target.profile)),
    HN_END_OF_TABLE,
};
static const struct hn_field run_torch[] = {
    HN_ALWAYS("version", HN_FIELD_TEXT, AT(run.torch.version)),
    HN_ALWAYS("git", HN_FIELD_TEXT, AT(run.torch.git)),
    HN_MAYBE("path", HN_FIELD_TEXT, AT(run.torch.path)),
    HN_END_OF_TABLE,
};
static const struct hn_field run_contract[] = {
    HN_ALWAYS("version", HN_FIELD_COUNT, AT(run.contract.version)),
    HN_ALWAYS("digest", HN_FIELD_TEXT, AT(run.contract.digest)),
    HN_END_OF_TABLE,
};
static const struct hn_field run_shard[] = {
    HN_ALWAYS("index", HN_FIELD_COUNT, AT(run.shard.index)),
    HN_ALWAYS("of", HN_FIELD_COUNT, AT(run.shard.of)),
    HN_END_OF_TABLE,
};
static const struct hn_field run_host[] = {
    HN_MAYBE("name", HN_FIELD_TEXT, AT(run.host.name)),
    HN_MAYBE("system", HN_FIELD_TEXT, AT(run.host.system)),
    HN_MAYBE("release", HN_FIELD_TEXT, AT(run.host.release)),
    HN_MAYBE("machine", HN_FIELD_TEXT, AT(run.host.machine)),
    HN_MAYBE("cpus", HN_FIELD_COUNT, AT(run.host.processors)),
    HN_END_OF_TABLE,
};
static const struct hn_field run_fields[] = {
    {"schema", HN_FIELD_SCHEMA, .always = 1, .words = schema},
    HN_ALWAYS("date", HN_FIELD_TEXT, AT(run.date)),
    HN_ALWAYS("seed", HN_FIELD_TEXT, AT(run.seed)),
    HN_LIST("checks", AT(run.checks), AT(run.check_count), planned_fields, struct hn_planned, 1),
    HN_OBJECT("target", run_target),
    HN_OBJECT("torch", run_torch),
    HN_OBJECT("contract", run_contract),
    HN_OBJECT("shard", run_shard),
    HN_MAYBE("select", HN_FIELD_TEXT, AT(run.select)),
    HN_OBJECT("host", run_host),
    HN_MAYBE("command", HN_FIELD_TEXT, AT(run.command)),
    HN_TEXTS("merged_from", struct hn_record, run.merged_from),
    HN_END_OF_TABLE,
};

/* ---- records before the first check */

static const struct hn_field resume_fields[] = {
    HN_ALWAYS("date", HN_FIELD_TEXT, AT(resume.date)),
    HN_END_OF_TABLE,
};
static const struct hn_field isolation_fields[] = {
    HN_ALWAYS("mode", HN_FIELD_TEXT, AT(isolation.mode)),
    HN_ALWAYS("why", HN_FIELD_TEXT, AT(isolation.why)),
    HN_END_OF_TABLE,
};
static const struct hn_field preflight_fields[] = {
    HN_LIST("findings", AT(preflight.findings), AT(preflight.finding_count), doubt_fields,
            struct hn_doubt, 1),
    HN_END_OF_TABLE,
};
static const struct hn_field target_fields[] = {
    HN_MAYBE("device", HN_FIELD_TEXT, AT(target.device)),
    HN_LIST("devices", AT(target.devices), AT(target.device_count), index_item, int, 1),
    HN_MAYBE("takes", HN_FIELD_TEXT, AT(target.takes)),
    HN_TEXTS("adapter_offers", struct hn_record, target.offers),
    HN_TEXTS("adapter_claims_yes", struct hn_record, target.claims_yes),
    HN_TEXTS("adapter_claims_no", struct hn_record, target.claims_no),
    HN_END_OF_TABLE,
};

/* ---- a check */

static const char *const again_names[HN_AGAINS] = {"",     "alone", "load",  "host",
                                                   "time", "retry", "later", "look"};

static const struct hn_field start_fields[] = {
    HN_ALWAYS("id", HN_FIELD_TEXT, AT(start.id)),
    HN_MAYBE("switch", HN_FIELD_TEXT, AT(start.armed)),
    HN_ALWAYS("attempt", HN_FIELD_COUNT, AT(start.attempt)),
    HN_END_OF_TABLE,
};
static const struct hn_field end_fields[] = {
    HN_ALWAYS("id", HN_FIELD_TEXT, AT(end.id)),
    HN_MAYBE("switch", HN_FIELD_TEXT, AT(end.armed)),
    HN_ALWAYS("attempt", HN_FIELD_COUNT, AT(end.attempt)),
    HN_ALWAYS("final", HN_FIELD_FLAG, AT(end.final)),
    HN_WORD("again", AT(end.again), again_names, 0),
    HN_ALWAYS("verdict", HN_FIELD_VERDICT, AT(end.verdict)),
    HN_MAYBE("reason", HN_FIELD_TEXT, AT(end.reason)),
    HN_MAYBE("blocked_by", HN_FIELD_TEXT, AT(end.blocked_by)),
    HN_MAYBE("refused", HN_FIELD_FLAG, AT(end.refused)),
    HN_MAYBE("demand", HN_FIELD_TEXT, AT(end.demand)),
    HN_MAYBE("seen", HN_FIELD_TEXT, AT(end.seen)),
    HN_MAYBE("subject", HN_FIELD_TEXT, AT(end.subject)),
    HN_MAYBE("location", HN_FIELD_TEXT, AT(end.location)),
    HN_MAYBE("findings", HN_FIELD_COUNT, AT(end.findings)),
    HN_LIST("clauses", AT(end.clauses), AT(end.clause_count), clause_fields,
            struct hn_clause_verdict, 0),
    HN_LIST("notes", AT(end.notes), AT(end.note_count), note_item, struct hn_note, 0),
    HN_MAYBE("duration_ms", HN_FIELD_NUMBER, AT(end.duration_ms)),
    HN_MAYBE("cpu_ms", HN_FIELD_NUMBER, AT(end.cpu_ms)),
    HN_MAYBE("rss_kib", HN_FIELD_BYTES, AT(end.rss_kib)),
    HN_MAYBE("signal", HN_FIELD_TEXT, AT(end.signal)),
    HN_MAYBE("status", HN_FIELD_COUNT, AT(end.status)),
    HN_MAYBE("stage", HN_FIELD_TEXT, AT(end.stage)),
    HN_MAYBE("frames", HN_FIELD_TEXT, AT(end.frames)),
    HN_MAYBE("said", HN_FIELD_TEXT, AT(end.said)),
    HN_MAYBE("left_behind", HN_FIELD_COUNT, AT(end.left_behind)),
    HN_MAYBE("out_bytes", HN_FIELD_BYTES, AT(end.out_bytes)),
    HN_MAYBE("err_bytes", HN_FIELD_BYTES, AT(end.err_bytes)),
    HN_MAYBE("folder", HN_FIELD_TEXT, AT(end.folder)),
    HN_END_OF_TABLE,
};
static const struct hn_field finish_fields[] = {
    HN_ALWAYS("complete", HN_FIELD_FLAG, AT(finish.complete)),
    HN_MAYBE("why", HN_FIELD_TEXT, AT(finish.why)),
    HN_ALWAYS("totals", HN_FIELD_TOTALS, AT(finish.totals)),
    HN_END_OF_TABLE,
};

const struct hn_event_row hn_event_table[HN_EVENTS] = {
    [HN_EVENT_RUN] = {"run", run_fields},
    [HN_EVENT_RESUME] = {"resume", resume_fields},
    [HN_EVENT_ISOLATION] = {"isolation", isolation_fields},
    [HN_EVENT_PREFLIGHT] = {"preflight", preflight_fields},
    [HN_EVENT_TARGET] = {"target", target_fields},
    [HN_EVENT_START] = {"start", start_fields},
    [HN_EVENT_END] = {"end", end_fields},
    [HN_EVENT_FINISH] = {"finish", finish_fields},
};
