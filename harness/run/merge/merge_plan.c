/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the plan of a merged run: the jobs of all shards, and the requirements of each job. Called
 * by merge.c.
 */
#include <string.h>

#include "file.h"
#include "json_copy.h"
#include "merge_internal.h"

static int list_of(const struct hn_shard *shard, const char *key, struct hn_json *root,
                   struct hn_json *list)
{
    hn_json_root(shard->plan, root);
    return hn_json_array(root, key, list, NULL) == HN_OK;
}

static int plan_has_requirement(const struct hn_shard *shard, const char *id)
{
    struct hn_json root, list, item;
    if (!list_of(shard, "requirements", &root, &list))
        return 0;
    for (size_t i = 0; i < hn_json_count(&list); i++) {
        const char *one = "";
        hn_json_item(&list, i, &item);
        if (hn_json_text(&item, "id", &one, NULL) == HN_OK && strcmp(one, id) == 0)
            return 1;
    }
    return 0;
}

/* Writes each requirement once, at its first appearance: checks of several shards may cover the
 * same requirement. */
static void write_requirements_of(const struct hn_merge *merge, size_t index,
                                  struct hn_json_writer *writer)
{
    struct hn_json root, list, item;
    if (!list_of(&merge->shards[index], "requirements", &root, &list))
        return;
    for (size_t i = 0; i < hn_json_count(&list); i++) {
        const char *id = "";
        size_t earlier = 0;
        hn_json_item(&list, i, &item);
        hn_json_text(&item, "id", &id, NULL);
        while (earlier < index && !plan_has_requirement(&merge->shards[earlier], id))
            earlier++;
        if (earlier == index)
            hn_json_copy(&item, NULL, writer);
    }
}

static void write_jobs_of(const struct hn_merge *merge, size_t index, struct hn_json_writer *writer)
{
    struct hn_json root, jobs, job;
    if (!list_of(&merge->shards[index], "jobs", &root, &jobs))
        return;
    for (size_t i = 0; i < hn_json_count(&jobs); i++) {
        int support = 0;
        hn_json_item(&jobs, i, &job);
        hn_json_boolean(&job, "support", &support, NULL);
        if (!support)
            hn_json_copy(&job, NULL, writer);
    }
}

int hn_merge_write_plan(const struct hn_merge *merge, struct hn_error *error)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    struct hn_json root, member;
    char path[HN_PATH_SIZE];
    void *at = NULL;
    hn_buffer_init(&text, HN_MERGE_TEXT);
    hn_write_begin(&writer, &text, 1);
    hn_write_object(&writer, NULL);
    hn_json_root(merge->shards[0].plan, &root);
    while (hn_json_member(&root, &at, &member)) {
        const int are_jobs = strcmp(member.key, "jobs") == 0;
        if (are_jobs || strcmp(member.key, "requirements") == 0) {
            hn_write_array(&writer, member.key);
            for (size_t i = 0; i < merge->count; i++)
                (are_jobs ? write_jobs_of : write_requirements_of)(merge, i, &writer);
            hn_write_array_end(&writer);
        } else if (strncmp(member.key, "shard", 5) == 0) {
            hn_write_integer(&writer, member.key, 1);
        } else if (strcmp(member.key, "arguments") != 0) {
            hn_json_copy(&member, member.key, &writer);
        }
    }
    hn_write_object_end(&writer);
    int status = hn_write_end(&writer);
    if (status == HN_OK)
        status = hn_path_join(path, sizeof path, merge->out, "plan.json", error);
    if (status == HN_OK)
        status = hn_file_write(path, text.text, text.length, error);
    hn_buffer_finish(&text);
    return status;
}
