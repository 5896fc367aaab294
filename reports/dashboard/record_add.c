/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Facts of the record that a run on disk tells: its checks, its clauses, its capabilities, the stage it reached. See
 * history.h.
 */
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "history_file.h"
#include "run_set.h"

#define COVERS_MOST 4096
#define NAME_MOST 512

struct adding {
    struct rp_history *history;
    struct rp_state_map says;
    struct hn_error *error;
};

static int say(struct adding *adding, const struct rp_fact *fact)
{
    return rp_record_say(adding->history, fact, &adding->says, adding->error);
}

static int say_check(struct adding *adding, const struct rp_check *check)
{
    struct hn_buffer covers;

    if (check->support)
        return HN_OK; /* another shard counts it */
    hn_buffer_init(&covers, COVERS_MOST);
    for (size_t i = 0; i < check->covers.count; i++) {
        hn_buffer_puts(&covers, i ? " " : "");
        hn_buffer_puts(&covers, check->covers.items[i]);
    }
    const int status =
        say(adding, &(struct rp_fact){"check", check->id, hn_level_names[check->level],
                                      hn_verdict_table[check->verdict].name,
                                      covers.length ? covers.text : "", check->cause_key,
                                      check->seen[0] ? check->seen : check->reason});
    hn_buffer_finish(&covers);
    return status;
}

static int say_all(struct adding *adding, const struct rp_run *run)
{
    int status = HN_OK;

    for (size_t i = 0; !status && i < run->check_count; i++)
        status = say_check(adding, &run->checks[i]);
    for (size_t i = 0; !status && i < run->requirement_count; i++) {
        const struct rp_requirement *clause = &run->requirements[i];
        status = say(adding, &(struct rp_fact){"clause", clause->id, hn_level_names[clause->level],
                                               hn_verdict_table[clause->verdict].name, "", "",
                                               clause->text});
    }
    for (size_t i = 0; !status && i < run->capability_count; i++) {
        const struct rp_capability *capability = &run->capabilities[i];
        status = say(adding, &(struct rp_fact){"capability", capability->name, "",
                                               rp_standing_names[capability->standing], "", "",
                                               capability->source});
    }
    const char *stage = rp_run_stage(run);
    if (!status && stage)
        status = say(adding, &(struct rp_fact){"stage", RP_STAGE_FACT, "", stage, "", "", ""});
    return status;
}

/* Musts that the run has checks for. */
static size_t count_musts(const struct rp_run *run)
{
    size_t count = 0;

    for (size_t i = 0; i < run->requirement_count; i++)
        count += run->requirements[i].level == HN_MUST;
    return count;
}

int rp_history_add(struct rp_history *history, const struct rp_run *run, const char *backend,
                   int *added, struct hn_error *error)
{
    struct adding adding = {.history = history, .error = error};
    char release[64], asked[NAME_MOST];
    struct rp_night night = {.target = run->target,
                             .release = release,
                             .asked = asked,
                             .torch = run->torch_version,
                             .git = run->torch_git,
                             .backend = backend,
                             .date = run->date,
                             .digest = run->digest,
                             .state = rp_state_names[rp_state_of(run)],
                             .contract = run->contract,
                             .kept = (int)rp_level_share(run, HN_MUST).kept,
                             .total = (int)count_musts(run),
                             .promised = (int)run->promised[HN_MUST],
                             .whole = 1};

    *added = 0;
    rp_asked_of(run, asked, sizeof asked);
    rp_release_of(run->torch_version, release, sizeof release);
    int status = rp_record_run(history, RP_SQL_BEGIN, error);
    if (status)
        return status;
    status = say_all(&adding, run);
    if (!status)
        status = rp_record_put(history, &night, &adding.says, added, error);
    rp_map_finish(&adding.says);
    status = rp_record_end(history, status, error);
    *added = *added && !status;
    return status;
}
