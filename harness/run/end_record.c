/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See end_record.h.
 */
#include "end_record.h"

#include <stdio.h>

static const char *place_of(const char *file, int line, struct hn_end_texts *texts)
{
    snprintf(texts->place, sizeof texts->place, line > 0 && *file ? "%s:%d" : "%s", file, line);
    return texts->place;
}

static const char *signal_of(int signal, struct hn_end_texts *texts)
{
    texts->signal[0] = '\0';
    if (signal)
        hn_signal_name(signal, texts->signal, sizeof texts->signal);
    return texts->signal;
}

static int ended_badly(const struct hn_ending *ending)
{
    return ending->signal || ending->status || ending->cause[0];
}

void hn_end_record_fill(struct hn_end_record *record, const struct hn_found *found,
                        const struct hn_ending *ending, struct hn_end_texts *texts)
{
    record->demand = found->what[0] || !ended_badly(ending) ? found->what : ending->under_way;
    record->seen = found->seen;
    record->subject = found->subject;
    record->location = found->file[0] ? place_of(found->file, found->line, texts)
                                      : place_of(ending->mark_file, ending->mark_line, texts);
    record->findings = found->finding_count;
    record->notes = texts->notes;
    record->note_count = hn_notes_list(&found->notes, texts->notes);
    record->duration_ms = (double)ending->duration_us / 1000.0;
    if (ending->goes_on) /* the process is still running */
        return;
    record->cpu_ms = (double)ending->cpu_us / 1000.0;
    record->rss_kib = ending->rss_kib;
    record->signal = signal_of(ending->signal, texts);
    record->status = ending->status;
    record->stage = ending->stage;
    /* A negative number means that the processes left behind could not be counted. */
    record->left_behind = ending->left_behind > 0 ? ending->left_behind : 0;
    record->out_bytes = ending->out_bytes;
    record->err_bytes = ending->err_bytes;
}
