/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The runs of another history, as of another machine. See history.h.
 */
#include <stdlib.h>
#include <string.h>

#include "history_file.h"

struct taking {
    struct rp_history *history, *other;
    struct rp_state_map says;
    int64_t series;
    int *added, *known;
};

static int take_run(void *context, const struct rp_step *step, struct hn_error *error)
{
    struct taking *taking = context;
    struct rp_night night = step->night;
    struct rp_fact words;
    int status = HN_OK, added = 0;

    if (taking->series != night.series)
        rp_map_finish(&taking->says);
    taking->series = night.series;
    for (size_t i = 0; !status && i < step->changed_count; i++) {
        const int64_t fact = step->changed[i];
        status = rp_record_words(taking->other, fact, rp_map_get(step->says, fact), &words, error);
        if (!status)
            status = rp_record_say(taking->history, &words, &taking->says, error);
    }
    if (!status)
        status = rp_record_put(taking->history, &night, &taking->says, &added, error);
    *taking->added += added;
    *taking->known += !added;
    return status;
}

int rp_history_take(struct rp_history *history, const char *path, int *added, int *known,
                    struct hn_error *error)
{
    struct taking taking = {.history = history, .added = added, .known = known};

    *added = *known = 0;
    int status = rp_history_open(path, RP_READ_ONLY, &taking.other, error);
    if (!status)
        status = rp_record_run(history, RP_SQL_BEGIN, error);
    if (status)
        goto end;
    status = rp_record_end(history, rp_record_walk(taking.other, take_run, &taking, error), error);
    if (status)
        *added = *known = 0;
end:
    rp_map_finish(&taking.says);
    rp_history_close(taking.other);
    return status;
}
