/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests plans and selections with a small contract (testdata/contract).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "json_read.h"
#include "plan_make.h"
#include "select.h"
#include "unit_test.h"

static struct hn_catalogue *catalogue;
static struct hn_error error;

static void setup(void)
{
    struct hn_findings findings = {0};
    hn_catalogue_load(TEST_DATA "/contract", NULL, NULL, NULL, &catalogue, &findings);
    ck_assert_msg(catalogue != NULL, "%s:%d: %s", findings.total ? findings.items[0].file : "",
                  findings.total ? findings.items[0].line : 0,
                  findings.total ? findings.items[0].text : "");
}

static void teardown(void)
{
    hn_catalogue_destroy(catalogue);
}

/* Returns the selected ids, joined, or the error message. */
static const char *selected(const char *expression)
{
    static char joined[2000];
    unsigned char taken[64];
    size_t used = 0;
    joined[0] = '\0';
    if (hn_select(catalogue, expression, taken, &error))
        return error.text;
    for (size_t i = 0; i < catalogue->check_count; i++)
        if (taken[i])
            used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s", used ? " " : "",
                                     catalogue->checks[i].id);
    return joined;
}

TEST_FIXTURE(setup, teardown);

TEST(select_of_every_sort_of_word_takes_what_it_names)
{
    static const struct {
        const char *expression, *expected;
    } rows[] = {
        {"guard", "guard.registered guard.exchange guard.scope"},
        {"guard.ex*", "guard.exchange"},
        {"DEV-002", "guard.exchange"},
        {"may", "streams.priority"},
        {"python", "streams.probe"},
        {"level:may", "streams.priority"},
        {"smoke", "guard.registered"},
        {"INC-007", "guard.exchange"},
        {"INC-008", "\"INC-008\" names no check, module, level, profile, incident or requirement"},
        {"profile:nested", "guard.registered streams.priority"},
        {"capability:streams", "guard.registered streams.probe streams.order streams.priority"},
        {"needs:gate", "streams.priority"},
        {"heavy", "guard.scope"},
        {"guard, -heavy", "guard.registered guard.exchange"},
        {"needs:key",
         "\"needs:key\" names no check, module, level, profile, incident or requirement"},
        {"fault:streams.lost", "streams.order"},
        {"file:c10/core/Stream.h", "streams.priority"},
        {"guard&must", "guard.registered guard.exchange"},
        {"guard,-guard.scope", "guard.registered guard.exchange"},
        {"-streams -two", "guard.registered guard.exchange guard.scope"},
        {"streams.order, guard.scope", "guard.scope streams.order"},
        {"module:two", "two.needs_two"},
        {"all,-guard&must", "guard.scope streams.probe streams.refused streams.order "
                            "streams.priority two.needs_two"},
        {"gaurd", "\"gaurd\" names no check, module, level, profile, incident or requirement; "
                  "did you mean \"guard\"?"},
        {"guard&may", "the selection \"guard&may\" matches no check"},
        {"", "the selection is empty"},
        {"round", "profiles of conformance.yaml name each other in a cycle"},
        {"level:guard",
         "\"level:guard\" names no check, module, level, profile, incident or requirement"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_str_eq(selected(rows[i].expression), rows[i].expected);
}

static void write_end(struct hn_journal *journal, const char *id, enum hn_verdict verdict)
{
    const struct hn_record end = {.event = HN_EVENT_END,
                                  .end = {.id = id, .attempt = 1, .final = 1, .verdict = verdict}};
    ck_assert_int_eq(hn_journal_write(journal, &end, &error), HN_OK);
}

TEST(select_of_what_failed_takes_what_did_not_come_out_well)
{
    char folder[] = "/tmp/assay-plan-XXXXXX", path[64], words[128];
    const struct hn_record run = {.event = HN_EVENT_RUN, .run = {.date = "2026-11-22T10:00:00Z"}};
    struct hn_journal journal;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/" HN_JOURNAL_FILE, folder);
    snprintf(words, sizeof words, "failed:%s", folder);
    ck_assert_int_eq(hn_journal_create(&journal, path, &error), HN_OK);
    ck_assert_int_eq(hn_journal_write(&journal, &run, &error), HN_OK);
    write_end(&journal, "guard.registered", HN_PASS);
    ck_assert_str_eq(selected(words), "no check of the contract failed in that run");
    write_end(&journal, "guard.exchange", HN_CRASH);
    write_end(&journal, "streams.probe", HN_BROKEN);
    write_end(&journal, "streams.order", HN_SKIP);
    write_end(&journal, "guard.long_gone", HN_FAIL);
    hn_journal_close(&journal);
    ck_assert_str_eq(selected(words), "guard.exchange streams.probe");
    struct hn_plan *plan = NULL;
    const struct hn_plan_request request = {.catalogue = catalogue, .failed_first = folder};
    ck_assert_int_eq(hn_plan_make(&request, &plan, &error), HN_OK);
    ck_assert_str_eq(plan->tasks[0].check->id, "guard.registered"); /* the others build on it */
    ck_assert_str_eq(plan->tasks[1].check->id, "streams.probe");
    ck_assert_str_eq(plan->tasks[2].check->id, "guard.exchange");
    ck_assert_uint_eq(plan->count, catalogue->check_count);
    hn_plan_destroy(plan);
    snprintf(words, sizeof words, "failed:%s&native,guard.scope", folder);
    ck_assert_str_eq(selected(words), "guard.exchange guard.scope");
    unlink(path);
    rmdir(folder);
    ck_assert_str_eq(selected("failed:/nowhere"), "is not there: give the folder of a run");
}

static struct hn_plan *make(struct hn_plan_request request)
{
    struct hn_plan *plan;
    request.catalogue = catalogue;
    ck_assert_msg(hn_plan_make(&request, &plan, &error) == HN_OK, "%s", error.text);
    return plan;
}

static const char *ids(const struct hn_plan *plan)
{
    static char joined[2000];
    size_t used = 0;
    joined[0] = '\0';
    for (size_t i = 0; i < plan->count; i++)
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s%s", used ? " " : "",
                                 plan->tasks[i].check->id, plan->tasks[i].support ? "*" : "");
    return joined;
}

static size_t index_of(const struct hn_plan *plan, const char *id)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->tasks[i].check->id, id) == 0)
            return i;
    ck_abort_msg("the plan lacks %s", id);
    return 0;
}

TEST(plan_make_puts_foundations_first)
{
    struct hn_plan *plan = make((struct hn_plan_request){0});
    ck_assert_str_eq(ids(plan), "guard.registered streams.probe guard.exchange guard.scope "
                                "streams.refused streams.order streams.priority two.needs_two");
    ck_assert_uint_eq(plan->tasks[index_of(plan, "guard.scope")].builds_on.items[0],
                      index_of(plan, "guard.exchange"));
    ck_assert_int_eq(plan->contract, 5);
    hn_plan_destroy(plan);
}

TEST(plan_make_has_the_checks_of_every_stage_whatever_is_selected)
{
    struct hn_plan *plan = make((struct hn_plan_request){.select = "guard.registered"});
    ck_assert_uint_eq(plan->stage_count, 2);
    ck_assert_str_eq(plan->stages[0].stage->name, "early");
    ck_assert_uint_eq(plan->stages[0].count, 2);
    ck_assert_str_eq(plan->stages[0].checks[1]->id, "guard.exchange");
    ck_assert_str_eq(plan->stages[1].stage->capabilities.items[0], "streams");
    hn_plan_destroy(plan);
}

TEST(plan_make_of_a_selection_brings_what_it_builds_on_as_support)
{
    struct hn_plan *plan = make((struct hn_plan_request){.select = "guard.scope"});
    ck_assert_str_eq(ids(plan), "guard.registered* streams.probe* guard.exchange* guard.scope");
    hn_plan_destroy(plan);
}

TEST(plan_make_with_claims_waits_for_probe_or_refusal)
{
    static const struct hn_plan_claim yes = {"streams", HN_CLAIM_YES, "profile"};
    static const struct hn_plan_claim no[] = {{"streams", HN_CLAIM_NO, "profile"},
                                              {"streams", HN_CLAIM_YES, "adapter"}};
    struct hn_plan *plan = make((struct hn_plan_request){.select = "streams.priority"});
    ck_assert_str_eq(ids(plan),
                     "guard.registered* streams.probe* streams.refused* streams.priority");
    hn_plan_destroy(plan);
    plan = make(
        (struct hn_plan_request){.select = "streams.priority", .claims = &yes, .claim_count = 1});
    ck_assert_str_eq(ids(plan), "streams.priority");
    hn_plan_destroy(plan);
    plan = make(
        (struct hn_plan_request){.select = "streams.priority", .claims = no, .claim_count = 2});
    ck_assert_str_eq(ids(plan), "streams.refused* streams.priority");
    const struct hn_capability *entry = &plan->capabilities[plan->tasks[1].capabilities.items[0]];
    ck_assert_str_eq(entry->name, "streams");
    ck_assert_int_eq(entry->claim, HN_CLAIM_NO);
    ck_assert_str_eq(entry->source, "profile");
    ck_assert_uint_eq(entry->refusal, 0);
    ck_assert_uint_eq(entry->probe, HN_NONE);
    hn_plan_destroy(plan);
}

TEST(plan_make_lets_no_capability_decide_about_what_its_probe_stands_on)
{
    struct hn_plan *plan = make((struct hn_plan_request){0});
    ck_assert_uint_eq(plan->tasks[index_of(plan, "guard.registered")].capabilities.count, 0);
    ck_assert_uint_eq(plan->tasks[index_of(plan, "streams.order")].capabilities.count, 1);
    ck_assert_uint_eq(plan->tasks[index_of(plan, "two.needs_two")].capabilities.count, 1);
    hn_plan_destroy(plan);
}

TEST(plan_make_of_all_shards_owns_every_check_once)
{
    for (uint32_t shards = 1; shards <= 5; shards++) {
        size_t owned = 0;
        for (uint32_t shard = 1; shard <= shards; shard++) {
            struct hn_plan *plan = make((struct hn_plan_request){.shard = shard, .shards = shards});
            struct hn_plan *selected_plan = make(
                (struct hn_plan_request){.shard = shard, .shards = shards, .select = "all,-two"});
            for (size_t i = 0; i < plan->count; i++)
                owned += !plan->tasks[i].support;
            /* If other checks are left out, a check stays in its shard. */
            for (size_t i = 0; i < selected_plan->count; i++)
                if (!selected_plan->tasks[i].support)
                    ck_assert_int_eq(
                        plan->tasks[index_of(plan, selected_plan->tasks[i].check->id)].support, 0);
            hn_plan_destroy(plan);
            hn_plan_destroy(selected_plan);
        }
        ck_assert_uint_eq(owned, catalogue->check_count);
    }
}

TEST(plan_make_with_a_seed_shuffles_within_what_builds_on_allows)
{
    char first[2000];
    int different = 0;
    struct hn_plan *plan = make((struct hn_plan_request){.seed = 1});
    snprintf(first, sizeof first, "%s", ids(plan));
    hn_plan_destroy(plan);
    for (uint64_t seed = 1; seed < 40; seed++) {
        plan = make((struct hn_plan_request){.seed = seed});
        ck_assert_uint_eq(plan->count, catalogue->check_count);
        for (size_t i = 0; i < plan->count; i++)
            for (size_t j = 0; j < plan->tasks[i].builds_on.count; j++)
                ck_assert_uint_lt(plan->tasks[i].builds_on.items[j], i);
        different += strcmp(ids(plan), first) != 0;
        ck_assert(seed != 1 || !different);
        hn_plan_destroy(plan);
    }
    ck_assert_int_gt(different, 10);
}

TEST(plan_make_of_a_wrong_request_says_so)
{
    static const struct hn_plan_claim claim = {"stream", HN_CLAIM_YES, "profile"};
    struct hn_plan *plan;
    struct hn_plan_request request = {.catalogue = catalogue, .claims = &claim, .claim_count = 1};
    ck_assert_int_eq(hn_plan_make(&request, &plan, &error), HN_EINPUT);
    ck_assert_str_eq(error.text, "the target claims a capability \"stream\" that the contract does "
                                 "not know; did you mean \"streams\"?");
    ck_assert_ptr_null(plan);
    request = (struct hn_plan_request){.catalogue = catalogue, .shard = 4, .shards = 3};
    ck_assert_int_eq(hn_plan_make(&request, &plan, &error), HN_EUSAGE);
    ck_assert_str_eq(error.text, "there is no shard 4 of 3");
}

TEST(plan_write_is_json_with_every_task)
{
    static const struct hn_json_limits limits = {1 << 20, 16};
    struct hn_plan *plan = make((struct hn_plan_request){0});
    struct hn_json_document *document;
    struct hn_json root, jobs;
    struct hn_json_writer writer;
    struct hn_buffer out;
    hn_buffer_init(&out, 1 << 20);
    hn_write_begin(&writer, &out, 0);
    hn_plan_write(plan, &(struct hn_texts){0}, &writer);
    ck_assert_int_eq(hn_write_end(&writer), HN_OK);
    ck_assert_int_eq(hn_json_parse(out.text, out.length, &limits, "plan", 0, &document, &error), 0);
    hn_json_root(document, &root);
    ck_assert_int_eq(hn_json_array(&root, "jobs", &jobs, &error), HN_OK);
    ck_assert_uint_eq(hn_json_count(&jobs), plan->count);
    hn_json_destroy(document);
    hn_buffer_finish(&out);
    hn_plan_destroy(plan);
}
