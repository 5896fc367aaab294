/* SPDX-License-Identifier: BSD-3-Clause
 *
 * If a host does not become ready, writes one sentence on the reason, with its last output, and
 * decides about the next step. Called by hear.c.
 */
#include <stdio.h>
#include <string.h>

#include "isolation.h"
#include "last_words.h"
#include "outcome.h"
#include "supervisor_state.h"

#define HOPELESS 3 /* failed starts in a row */
#define DEAF 2     /* hosts without an answer, in one mode */
#define REFUSAL_MS 30000
#define LAST_WORDS 200

static void describe_end(const struct hn_slot *slot, char *text, size_t size)
{
    const struct hn_link *link = &slot->link;
    char name[40];
    if (link->silenced) {
        snprintf(text, size, "was not ready in time%s and was killed",
                 slot->loading ? " (timeouts: load in the profile)" : "");
    } else if (link->signal) {
        hn_signal_name(link->signal, name, sizeof name);
        snprintf(text, size, "died of %s", name);
    } else if (link->poor || link->status == HN_HOST_POOR) {
        snprintf(text, size, "ran out of memory or file descriptors");
    } else {
        snprintf(text, size, "ended with exit status %d", link->status);
    }
}

static int loads_first(const struct hn_slot *slot)
{
    return hn_isolation_of(slot->mode)->loads_target;
}

/* Counts failed starts in the present mode. Starts in other modes are no evidence about it. */
static void count(struct hn_slot *slot)
{
    slot->run->failed_starts += slot->mode == slot->run->mode;
}

void hn_failed_start_told(struct hn_slot *slot, const char *stage, const char *problem)
{
    struct hn_run_summary *summary = slot->run->summary;
    count(slot);
    snprintf(summary->why, sizeof summary->why, "%s: %s", stage, problem);
}

void hn_failed_start_seen(struct hn_slot *slot)
{
    struct hn_run_summary *summary = slot->run->summary;
    char how[80], words[LAST_WORDS];
    count(slot);
    describe_end(slot, how, sizeof how);
    hn_last_words(slot->run->input->options.folder, "host.log", words, sizeof words);
    snprintf(summary->why, sizeof summary->why,
             "a host %s while it loaded %s, before any check; %s%s%s; see host.log%s", how,
             loads_first(slot) ? "torch and the target" : "torch and the bridge",
             *words ? "its last output: \"" : "it printed nothing", words, *words ? "\"" : "",
             loads_first(slot) ? "" : "; assay doctor looks at what is installed");
}

int hn_failed_start_deaf(struct hn_slot *slot)
{
    const struct hn_link *link = &slot->link;
    struct hn_supervisor *run = slot->run;
    const int is_deaf = link->silenced || (!link->signal && link->status == HN_HOST_CONFUSED);
    if (slot->begun || !is_deaf || !loads_first(slot) || slot->mode != run->mode)
        return 0;
    run->deaf_hosts++;
    snprintf(run->summary->why, sizeof run->summary->why,
             "a host that has loaded the target does not begin a check: code of the target reads "
             "the messages for the host, or blocks the host");
    return 1;
}

int hn_failed_start_refused(struct hn_slot *slot)
{
    struct hn_supervisor *run = slot->run;
    const int64_t asked = run->input->options.refusal_ms;
    const int64_t most = asked > 0 ? asked : REFUSAL_MS;
    if (run->refused_ms == 0)
        hn_progress_say(&run->progress, "the machine cannot start a process now: waiting");
    /* `refused_ms` sums the waiting times of all slots, so the limit is multiplied by their
     * number. */
    run->refused_ms += HN_LINK_REFUSED_MS;
    if (run->refused_ms < most * (int64_t)run->slot_count || run->stopping)
        return HN_NEXT_GO_ON;
    snprintf(run->summary->why, sizeof run->summary->why,
             "the machine could not start a process for %d s (limit of processes or memory); "
             "--resume continues once it can",
             (int)(most / 1000));
    run->why_stop = run->summary->why;
    return HN_NEXT_STOP;
}

/* In fork-clean each job loads the target: a failed load becomes a verdict with evidence. */
static int fall_back(struct hn_supervisor *run)
{
    struct hn_run_summary *summary = run->summary;
    char why[sizeof summary->fell_back + 80];
    const char *from = run->mode;
    memcpy(summary->fell_back, summary->why, sizeof summary->fell_back);
    summary->why[0] = '\0';
    run->mode = hn_isolations[HN_FORK_CLEAN].name;
    run->failed_starts = run->deaf_hosts = 0;
    snprintf(why, sizeof why, "%s is abandoned: %s", from, summary->fell_back);
    hn_progress_say(&run->progress, why);
    const struct hn_record record = {.event = HN_EVENT_ISOLATION, .isolation = {run->mode, why}};
    return hn_journal_write(&run->journal, &record, run->error);
}

int hn_failed_start_follow(struct hn_supervisor *run)
{
    const int enough = run->input->options.only_forkable ? 1 : HOPELESS;
    const int deaf = run->input->options.only_forkable ? 1 : DEAF;
    if ((run->failed_starts < enough && run->deaf_hosts < deaf) || run->stopping)
        return HN_NEXT_NOTHING;
    if (!run->input->options.only_forkable && hn_isolation_of(run->mode)->loads_target)
        return fall_back(run);
    run->why_stop = run->summary->why;
    return HN_NEXT_STOP;
}
