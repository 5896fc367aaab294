/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See record_fields.h.
 */
#include "record_fields.h"

/* Rows of a table: a member that is always there, one that is there when it says something, an
 * object or a list of either kind, the end. */
/* clang-format off */
#define ALWAYS(name, type, at) {.key = (name), .kind = (type), .offset = (at), .always = 1}
#define MAYBE(name, type, at) {.key = (name), .kind = (type), .offset = (at)}
#define OBJECT(name, inner) {.key = (name), .kind = HN_FIELD_OBJECT, .fields = (inner)}
#define LIST(name, list, number, inner, item, needed)                                              \
    {.key = (name), .kind = HN_FIELD_LIST, .offset = offsetof(struct hn_record, list),             \
     .always = (needed), .fields = (inner), .count = offsetof(struct hn_record, number),           \
     .size = sizeof(item)}
#define TEXTS(name, list) LIST(name, list.items, list.count, text_item, const char *, 0)
#define END_OF_TABLE {.key = NULL}
/* clang-format on */
#define AT(member) offsetof(struct hn_record, member)

/* ---- items of lists */

static const struct hn_field text_item[] = {ALWAYS(NULL, HN_FIELD_TEXT, 0)};
static const struct hn_field index_item[] = {ALWAYS(NULL, HN_FIELD_COUNT, 0)};
static const struct hn_field note_item[] = {ALWAYS(NULL, HN_FIELD_NOTE, 0)};

static const struct hn_field planned_fields[] = {
    ALWAYS("id", HN_FIELD_TEXT, offsetof(struct hn_planned, id)),
    {"level", HN_FIELD_WORD, offsetof(struct hn_planned, level), .always = 1,
     .words = hn_level_names, .word_count = HN_LEVELS},
    MAYBE("support", HN_FIELD_FLAG, offsetof(struct hn_planned, support)),
    MAYBE("switch", HN_FIELD_TEXT, offsetof(struct hn_planned, armed)),
    END_OF_TABLE,
};

static const struct hn_field doubt_fields[] = {
    ALWAYS("severity", HN_FIELD_TEXT, offsetof(struct hn_doubt, severity)),
    ALWAYS("message", HN_FIELD_TEXT, offsetof(struct hn_doubt, message)),
    END_OF_TABLE,
};

/* ---- the run */

static const char *const schema[] = {HN_JOURNAL_SCHEMA};
static const struct hn_field run_target[] = {
    ALWAYS("name", HN_FIELD_TEXT, AT(run.target.name)),
    MAYBE("profile", HN_FIELD_TEXT, AT(run.target.profile)),
    END_OF_TABLE,
};
static const struct hn_field run_torch[] = {
    ALWAYS("version", HN_FIELD_TEXT, AT(run.torch.version)),
    ALWAYS("git", HN_FIELD_TEXT, AT(run.torch.git)),
    MAYBE("path", HN_FIELD_TEXT, AT(run.torch.path)),
    END_OF_TABLE,
};
static const struct hn_field run_contract[] = {
    ALWAYS("version", HN_FIELD_COUNT, AT(run.contract.version)),
    ALWAYS("digest", HN_FIELD_TEXT, AT(run.contract.digest)),
    END_OF_TABLE,
};
static const struct hn_field run_shard[] = {
    ALWAYS("index", HN_FIELD_COUNT, AT(run.shard.index)),
    ALWAYS("of", HN_FIELD_COUNT, AT(run.shard.of)),
    END_OF_TABLE,
};
static const struct hn_field run_host[] = {
    MAYBE("name", HN_FIELD_TEXT, AT(run.host.name)),
    MAYBE("system", HN_FIELD_TEXT, AT(run.host.system)),
    MAYBE("release", HN_FIELD_TEXT, AT(run.host.release)),
    MAYBE("machine", HN_FIELD_TEXT, AT(run.host.machine)),
    MAYBE("cpus", HN_FIELD_COUNT, AT(run.host.processors)),
    END_OF_TABLE,
};
static const struct hn_field run_fields[] = {
    {"schema", HN_FIELD_SCHEMA, .always = 1, .words = schema},
    ALWAYS("date", HN_FIELD_TEXT, AT(run.date)),
    ALWAYS("seed", HN_FIELD_TEXT, AT(run.seed)),
    LIST("checks", run.checks, run.check_count, planned_fields, struct hn_planned, 1),
    OBJECT("target", run_target),
    OBJECT("torch", run_torch),
    OBJECT("contract", run_contract),
    OBJECT("shard", run_shard),
    MAYBE("select", HN_FIELD_TEXT, AT(run.select)),
    OBJECT("host", run_host),
    MAYBE("command", HN_FIELD_TEXT, AT(run.command)),
    TEXTS("merged_from", run.merged_from),
    END_OF_TABLE,
};

/* ---- what is known before the first check */

static const struct hn_field resume_fields[] = {
    ALWAYS("date", HN_FIELD_TEXT, AT(resume.date)),
    END_OF_TABLE,
};
static const struct hn_field isolation_fields[] = {
    ALWAYS("mode", HN_FIELD_TEXT, AT(isolation.mode)),
    ALWAYS("why", HN_FIELD_TEXT, AT(isolation.why)),
    END_OF_TABLE,
};
static const struct hn_field preflight_fields[] = {
    LIST("findings", preflight.findings, preflight.finding_count, doubt_fields, struct hn_doubt, 1),
    END_OF_TABLE,
};
static const struct hn_field target_fields[] = {
    MAYBE("device", HN_FIELD_TEXT, AT(target.device)),
    LIST("devices", target.devices, target.device_count, index_item, int, 1),
    TEXTS("adapter_offers", target.offers),
    TEXTS("adapter_claims_yes", target.claims_yes),
    TEXTS("adapter_claims_no", target.claims_no),
    END_OF_TABLE,
};

/* ---- a check */

static const char *const again_names[HN_AGAINS] = {"", "alone", "load", "host", "retry", "later"};

static const struct hn_field start_fields[] = {
    ALWAYS("id", HN_FIELD_TEXT, AT(start.id)),
    MAYBE("switch", HN_FIELD_TEXT, AT(start.armed)),
    ALWAYS("attempt", HN_FIELD_COUNT, AT(start.attempt)),
    END_OF_TABLE,
};
static const struct hn_field end_fields[] = {
    ALWAYS("id", HN_FIELD_TEXT, AT(end.id)),
    MAYBE("switch", HN_FIELD_TEXT, AT(end.armed)),
    ALWAYS("attempt", HN_FIELD_COUNT, AT(end.attempt)),
    ALWAYS("final", HN_FIELD_FLAG, AT(end.final)),
    {"again", HN_FIELD_WORD, AT(end.again), .words = again_names, .word_count = HN_AGAINS},
    ALWAYS("verdict", HN_FIELD_VERDICT, AT(end.verdict)),
    MAYBE("reason", HN_FIELD_TEXT, AT(end.reason)),
    MAYBE("blocked_by", HN_FIELD_TEXT, AT(end.blocked_by)),
    MAYBE("demand", HN_FIELD_TEXT, AT(end.demand)),
    MAYBE("seen", HN_FIELD_TEXT, AT(end.seen)),
    MAYBE("subject", HN_FIELD_TEXT, AT(end.subject)),
    MAYBE("location", HN_FIELD_TEXT, AT(end.location)),
    MAYBE("findings", HN_FIELD_COUNT, AT(end.findings)),
    LIST("notes", end.notes, end.note_count, note_item, struct hn_note, 0),
    MAYBE("duration_ms", HN_FIELD_NUMBER, AT(end.duration_ms)),
    MAYBE("cpu_ms", HN_FIELD_NUMBER, AT(end.cpu_ms)),
    MAYBE("rss_kib", HN_FIELD_BYTES, AT(end.rss_kib)),
    MAYBE("signal", HN_FIELD_TEXT, AT(end.signal)),
    MAYBE("status", HN_FIELD_COUNT, AT(end.status)),
    MAYBE("stage", HN_FIELD_TEXT, AT(end.stage)),
    MAYBE("frames", HN_FIELD_TEXT, AT(end.frames)),
    MAYBE("said", HN_FIELD_TEXT, AT(end.said)),
    MAYBE("left_behind", HN_FIELD_COUNT, AT(end.left_behind)),
    MAYBE("out_bytes", HN_FIELD_BYTES, AT(end.out_bytes)),
    MAYBE("err_bytes", HN_FIELD_BYTES, AT(end.err_bytes)),
    MAYBE("folder", HN_FIELD_TEXT, AT(end.folder)),
    END_OF_TABLE,
};
static const struct hn_field finish_fields[] = {
    ALWAYS("complete", HN_FIELD_FLAG, AT(finish.complete)),
    MAYBE("why", HN_FIELD_TEXT, AT(finish.why)),
    ALWAYS("totals", HN_FIELD_TOTALS, AT(finish.totals)),
    END_OF_TABLE,
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
