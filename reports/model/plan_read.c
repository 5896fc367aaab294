/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plan.json of a run: what was to be checked, with the words of the contract of that day.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "model_internal.h"

/* Mostly the demand once more: then it is the same text. */
static int read_summary(struct rp_builder *builder, const struct hn_json *job,
                        struct rp_check *check)
{
    const char *summary;
    struct hn_error ignored;

    if (hn_json_text(job, "summary", &summary, &ignored) == HN_OK &&
        strcmp(summary, check->demand) == 0) {
        check->summary = check->demand;
        return HN_OK;
    }
    return rp_text(builder, job, "summary", &check->summary);
}

static int read_job(struct rp_builder *builder, const struct hn_json *job)
{
    const char *id;
    int64_t line = 0;
    int level = HN_MUST, subject = HN_BACKEND;
    int status = hn_json_text(job, "id", &id, builder->error);
    struct rp_check *check = status ? NULL : rp_new_check(builder, id);

    if (!check)
        return status ? status : builder->error->code;
    if (!status)
        status = rp_word(builder, job, "level", hn_level_names, HN_LEVELS, &level);
    if (!status)
        status = rp_word(builder, job, "subject", hn_subject_names, HN_SUBJECTS, &subject);
    if (!status)
        status = rp_texts(builder, job, "covers", &check->covers);
    if (!status)
        status = rp_texts(builder, job, "capabilities", &check->capabilities);
    if (!status)
        status = rp_text(builder, job, "demand", &check->demand);
    if (!status)
        status = rp_text(builder, job, "hint", &check->hint);
    if (!status)
        status = rp_text(builder, job, "hint_when", &check->hint_when);
    if (!status)
        status = read_summary(builder, job, check);
    if (!status)
        status = rp_text(builder, job, "file", &check->file);
    if (!status && hn_json_has(job, "line"))
        status = hn_json_integer(job, "line", 0, 10000000, &line, builder->error);
    if (!status && hn_json_has(job, "support"))
        status = hn_json_boolean(job, "support", &check->support, builder->error);
    check->level = (enum hn_level)level;
    check->subject = (enum hn_subject)subject;
    check->line = (int)line;
    return status;
}

static int read_requirement(struct rp_builder *builder, const struct hn_json *object,
                            struct rp_requirement *requirement)
{
    int level = HN_MUST, subject = HN_BACKEND;
    int status = hn_json_must_be_object(object, builder->error);

    if (!status)
        status = rp_text(builder, object, "id", &requirement->id);
    if (!status)
        status = rp_text(builder, object, "module", &requirement->module);
    if (!status)
        status = rp_text(builder, object, "text", &requirement->text);
    if (!status)
        status = rp_word(builder, object, "level", hn_level_names, HN_LEVELS, &level);
    if (!status)
        status = rp_word(builder, object, "subject", hn_subject_names, HN_SUBJECTS, &subject);
    requirement->level = (enum hn_level)level;
    requirement->subject = (enum hn_subject)subject;
    return status;
}

static int read_jobs(struct rp_builder *builder, const struct hn_json *root)
{
    struct hn_json array, item;
    int status = hn_json_array(root, "jobs", &array, builder->error);

    if (!status)
        status = rp_reserve_checks(builder, hn_json_count(&array));
    for (size_t i = 0; !status && i < hn_json_count(&array); i++) {
        hn_json_item(&array, i, &item);
        status = read_job(builder, &item);
    }
    return status;
}

static int read_requirements(struct rp_builder *builder, const struct hn_json *root)
{
    struct hn_json array, item;
    int status = hn_json_array(root, "requirements", &array, builder->error);

    if (status)
        return status;
    const size_t count = hn_json_count(&array);
    builder->requirements =
        hn_arena_array(builder->arena, count + 1, sizeof *builder->requirements);
    if (!builder->requirements)
        return hn_error_nomem(builder->error);
    for (size_t i = 0; !status && i < count; i++) {
        hn_json_item(&array, i, &item);
        status = read_requirement(builder, &item, &builder->requirements[i]);
    }
    builder->run->requirements = builder->requirements;
    builder->run->requirement_count = count;
    return status;
}

static int read_capability(struct rp_builder *builder, const struct hn_json *object, size_t index)
{
    struct rp_capability *capability = &builder->capabilities[index];
    struct planned_capability *planned = &builder->planned[index];
    int claim = HN_CLAIM_UNKNOWN;
    int status = hn_json_must_be_object(object, builder->error);

    if (!status)
        status = rp_text(builder, object, "name", &capability->name);
    if (!status)
        status = rp_text(builder, object, "source", &capability->source);
    if (!status)
        status = rp_word(builder, object, "claim", hn_claim_names, HN_CLAIMS, &claim);
    if (!status)
        status = rp_text(builder, object, "probe", &planned->probe);
    if (!status)
        status = rp_text(builder, object, "refusal", &planned->refusal);
    capability->claim = (enum hn_claim)claim;
    return status;
}

static int read_capabilities(struct rp_builder *builder, const struct hn_json *root)
{
    struct hn_json array, item;

    if (!hn_json_has(root, "capabilities"))
        return HN_OK;
    int status = hn_json_array(root, "capabilities", &array, builder->error);
    if (status)
        return status;
    const size_t count = hn_json_count(&array);
    builder->capabilities =
        hn_arena_array(builder->arena, count + 1, sizeof *builder->capabilities);
    builder->planned = hn_arena_array(builder->arena, count + 1, sizeof *builder->planned);
    if (!builder->capabilities || !builder->planned)
        return hn_error_nomem(builder->error);
    for (size_t i = 0; !status && i < count; i++) {
        hn_json_item(&array, i, &item);
        status = read_capability(builder, &item, i);
    }
    builder->run->capabilities = builder->capabilities;
    builder->run->capability_count = count;
    return status;
}

static int read_promised(struct rp_builder *builder, const struct hn_json *root)
{
    struct hn_json object;
    int64_t count = 0;
    int status = hn_json_object(root, "promised", &object, builder->error);

    for (int level = 0; !status && level < HN_LEVELS; level++) {
        if (hn_json_has(&object, hn_level_names[level]))
            status =
                hn_json_integer(&object, hn_level_names[level], 0, 1000000, &count, builder->error);
        builder->run->promised[level] = (size_t)count;
        count = 0;
    }
    return status;
}

static int read_facts(struct rp_builder *builder, const struct hn_json *root)
{
    int64_t contract = 0, shard = 1, shards = 1;
    int status = hn_json_integer(root, "contract", 1, 1000000, &contract, builder->error);

    if (!status)
        status = rp_text(builder, root, "digest", &builder->run->digest);
    if (!status && hn_json_has(root, "promised"))
        status = read_promised(builder, root);
    if (!status && hn_json_has(root, "shards"))
        status = hn_json_integer(root, "shards", 1, 1000000, &shards, builder->error);
    if (!status && hn_json_has(root, "shard"))
        status = hn_json_integer(root, "shard", 1, shards, &shard, builder->error);
    builder->run->contract = (int)contract;
    builder->run->shard = (int)shard;
    builder->run->shards = (int)shards;
    return status;
}

int rp_read_plan(struct rp_builder *builder, const char *path)
{
    static const struct hn_json_limits limits = {RP_PLAN_LIMIT, RP_DEPTH};
    struct hn_json_document *document = NULL;
    struct hn_json root;
    const char *schema = "";
    char *text;
    size_t length;
    int status = hn_file_read(path, RP_PLAN_LIMIT, &text, &length, builder->error);

    if (status)
        return status;
    status = hn_json_parse(text, length, &limits, path, 0, &document, builder->error);
    if (status)
        goto done;
    hn_json_root(document, &root);
    status = hn_json_text(&root, "schema", &schema, builder->error);
    if (!status && strcmp(schema, "assay/plan/1") != 0)
        status = hn_error_at(builder->error, HN_EINPUT, path, 0, 0,
                             "is of schema \"%.40s\"; this program reads assay/plan/1", schema);
    if (!status)
        status = read_facts(builder, &root);
    if (!status)
        status = read_jobs(builder, &root);
    if (!status)
        status = read_requirements(builder, &root);
    if (!status)
        status = read_capabilities(builder, &root);
done:
    hn_json_destroy(document);
    free(text);
    return status;
}
