/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads plan.json of a run: the planned checks, with the texts of the contract at that time.
 */
#include <string.h>

#include "json_fields.h"
#include "model_internal.h"

struct plan {
    const char *digest;
    int contract, shard, shards;
    int promised[HN_LEVELS];
    struct rp_check *jobs;
    size_t job_count;
    struct rp_requirement *requirements;
    size_t requirement_count;
    struct rp_capability *capabilities;
    size_t capability_count;
    struct rp_stage *stages;
    size_t stage_count;
};

#define JOB(member) offsetof(struct rp_check, member)
static const struct hn_field job_fields[] = {
    HN_ALWAYS("id", HN_FIELD_TEXT, JOB(id)),
    HN_WORD("level", JOB(level), hn_level_names, 0),
    HN_WORD("subject", JOB(subject), hn_subject_names, 0),
    HN_TEXTS("covers", struct rp_check, covers),
    HN_TEXTS("capabilities", struct rp_check, capabilities),
    HN_MAYBE("demand", HN_FIELD_TEXT, JOB(demand)),
    HN_MAYBE("file", HN_FIELD_TEXT, JOB(file)),
    HN_MAYBE("line", HN_FIELD_COUNT, JOB(line)),
    HN_MAYBE("support", HN_FIELD_FLAG, JOB(support)),
    HN_END_OF_TABLE,
};

/* A job also has the texts of its check. The table of these texts is in harness/check. */
#define JOB_FIELDS (sizeof job_fields / sizeof *job_fields)
#define JOB_WORDS (sizeof(struct hn_check_words) / sizeof(const char *))

static void put_job_fields(struct hn_field fields[JOB_FIELDS + JOB_WORDS])
{
    struct rp_check job;
    for (size_t i = 0; i < hn_check_field_count; i++) {
        const char **word = hn_check_word(&job.words, &hn_check_fields[i]);
        if (word)
            *fields++ = (struct hn_field)HN_MAYBE(hn_check_fields[i].name, HN_FIELD_TEXT,
                                                  (size_t)((char *)word - (char *)&job));
    }
    memcpy(fields, job_fields, sizeof job_fields);
}

#define REQUIREMENT(member) offsetof(struct rp_requirement, member)
static const struct hn_field dispute_fields[] = {
    HN_MAYBE("by", HN_FIELD_TEXT, REQUIREMENT(dispute.by)),
    HN_MAYBE("since", HN_FIELD_TEXT, REQUIREMENT(dispute.since)),
    HN_MAYBE("issue", HN_FIELD_TEXT, REQUIREMENT(dispute.issue)),
    HN_MAYBE("check", HN_FIELD_TEXT, REQUIREMENT(dispute.check)),
    HN_MAYBE("against", HN_FIELD_TEXT, REQUIREMENT(dispute.against)),
    HN_MAYBE("for", HN_FIELD_TEXT, REQUIREMENT(dispute.kept)),
    HN_END_OF_TABLE,
};
static const struct hn_field requirement_fields[] = {
    HN_MAYBE("id", HN_FIELD_TEXT, REQUIREMENT(id)),
    HN_MAYBE("module", HN_FIELD_TEXT, REQUIREMENT(module)),
    HN_MAYBE("text", HN_FIELD_TEXT, REQUIREMENT(text)),
    HN_WORD("level", REQUIREMENT(level), hn_level_names, 0),
    HN_WORD("subject", REQUIREMENT(subject), hn_subject_names, 0),
    HN_OBJECT("disputed", dispute_fields),
    HN_END_OF_TABLE,
};

#define CAPABILITY(member) offsetof(struct rp_capability, member)
static const struct hn_field capability_fields[] = {
    HN_MAYBE("name", HN_FIELD_TEXT, CAPABILITY(name)),
    HN_MAYBE("source", HN_FIELD_TEXT, CAPABILITY(source)),
    HN_WORD("claim", CAPABILITY(claim), hn_claim_names, 0),
    HN_MAYBE("probe", HN_FIELD_TEXT, CAPABILITY(probe_id)),
    HN_MAYBE("refusal", HN_FIELD_TEXT, CAPABILITY(refusal_id)),
    HN_END_OF_TABLE,
};

#define STAGE(member) offsetof(struct rp_stage, member)
static const struct hn_field stage_fields[] = {
    HN_MAYBE("name", HN_FIELD_TEXT, STAGE(name)),
    HN_MAYBE("text", HN_FIELD_TEXT, STAGE(text)),
    HN_TEXTS("capabilities", struct rp_stage, capabilities),
    HN_TEXTS("checks", struct rp_stage, checks),
    HN_END_OF_TABLE,
};

#define PLAN(member) offsetof(struct plan, member)
static const struct hn_field promised_fields[] = {
    HN_MAYBE("must", HN_FIELD_COUNT, PLAN(promised[HN_MUST])),
    HN_MAYBE("should", HN_FIELD_COUNT, PLAN(promised[HN_SHOULD])),
    HN_MAYBE("may", HN_FIELD_COUNT, PLAN(promised[HN_MAY])),
    HN_MAYBE("advisory", HN_FIELD_COUNT, PLAN(promised[HN_ADVISORY])),
    HN_END_OF_TABLE,
};
static const char *const schema[] = {"assay/plan/1"};
static const struct hn_field plan_fields[] = {
    {"schema", HN_FIELD_SCHEMA, .always = 1, .words = schema},
    HN_ALWAYS("contract", HN_FIELD_COUNT, PLAN(contract)),
    HN_MAYBE("digest", HN_FIELD_TEXT, PLAN(digest)),
    HN_OBJECT("promised", promised_fields),
    HN_MAYBE("shards", HN_FIELD_COUNT, PLAN(shards)),
    HN_MAYBE("shard", HN_FIELD_COUNT, PLAN(shard)),
    HN_LIST("jobs", PLAN(jobs), PLAN(job_count), job_fields, struct rp_check, 1),
    HN_LIST("requirements", PLAN(requirements), PLAN(requirement_count), requirement_fields,
            struct rp_requirement, 1),
    HN_LIST("capabilities", PLAN(capabilities), PLAN(capability_count), capability_fields,
            struct rp_capability, 0),
    HN_LIST("stages", PLAN(stages), PLAN(stage_count), stage_fields, struct rp_stage, 0),
    HN_END_OF_TABLE,
};
#define PLAN_FIELDS (sizeof plan_fields / sizeof *plan_fields)

static int take_plan(struct rp_builder *builder, const struct plan *plan)
{
    struct rp_run *run = builder->run;
    if (plan->shard < 1 || plan->shard > plan->shards)
        return hn_error_set(builder->error, HN_EINPUT, "the plan is of shard %d of %d", plan->shard,
                            plan->shards);
    run->digest = plan->digest;
    run->contract = plan->contract;
    run->shard = plan->shard;
    run->shards = plan->shards;
    for (int level = 0; level < HN_LEVELS; level++)
        run->promised[level] = (size_t)plan->promised[level];
    run->requirements = builder->requirements = plan->requirements;
    run->requirement_count = plan->requirement_count;
    run->capabilities = builder->capabilities = plan->capabilities;
    run->capability_count = plan->capability_count;
    run->stages = builder->stages = plan->stages;
    run->stage_count = plan->stage_count;
    return rp_take_checks(builder, plan->jobs, plan->job_count);
}

int rp_read_plan(struct rp_builder *builder, const char *path)
{
    static const struct hn_json_limits limits = {RP_PLAN_LIMIT, RP_DEPTH};
    struct plan plan = {.shard = 1, .shards = 1};
    struct hn_field fields[PLAN_FIELDS], jobs[JOB_FIELDS + JOB_WORDS];
    put_job_fields(jobs);
    memcpy(fields, plan_fields, sizeof plan_fields);
    for (size_t i = 0; i < PLAN_FIELDS; i++)
        if (fields[i].fields == job_fields)
            fields[i].fields = jobs;
    const int status =
        hn_fields_read_file(path, &limits, fields, &plan, builder->arena, builder->error);
    return status ? status : take_plan(builder, &plan);
}
