/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of a journal, as data: one struct for each kind of record, the same for those who write
 * it and those who read it. record_fields.c gives each member its name in the file;
 * reports/schema/journal.schema.json describes the file. A text that is not there is "" when read,
 * and may be NULL when written.
 */
#ifndef HN_RECORD_H
#define HN_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "hn_error.h"
#include "level.h"
#include "notes.h"
#include "texts.h"
#include "verdict.h"

enum hn_event {
    HN_EVENT_RUN,       /* the first record: what is run, and on what */
    HN_EVENT_RESUME,    /* the run goes on after its supervisor died */
    HN_EVENT_ISOLATION, /* the mode, and why it was chosen */
    HN_EVENT_PREFLIGHT, /* what the target's files say before anything is loaded */
    HN_EVENT_TARGET,    /* what the target said of itself once it was loaded */
    HN_EVENT_START,     /* of an attempt */
    HN_EVENT_END,       /* of an attempt, or a verdict without one */
    HN_EVENT_FINISH,    /* nothing follows */
    HN_EVENTS
};

struct hn_planned {
    const char *id;
    enum hn_level level;
    int support;       /* another shard counts it */
    const char *armed; /* the switch that is on for it; "": none */
};

struct hn_run_record {
    const char *date, *seed;
    const struct hn_planned *checks;
    size_t check_count;
    struct {
        const char *name, *profile;
    } target;
    struct {
        const char *version, *git, *path;
    } torch;
    struct {
        int version; /* 0: not said */
        const char *digest;
    } contract;
    struct {
        int index, of; /* 0: not said */
    } shard;
    const char *select;
    struct {
        const char *name, *system, *release, *machine;
        int processors;
    } host;
    const char *command;         /* for people */
    struct hn_texts merged_from; /* folders of the shards */
};

struct hn_resume_record {
    const char *date;
};

struct hn_isolation_record {
    const char *mode, *why;
};

struct hn_doubt {
    const char *severity, *message; /* "error" or "warning"; a sentence */
};

struct hn_preflight_record {
    const struct hn_doubt *findings;
    size_t finding_count;
};

struct hn_target_record {
    const char *device; /* its name; "": it registered none */
    const int *devices; /* their indices */
    size_t device_count;
    const char *takes; /* the only kind of tensor that they were seen to take; "": the common one */
    struct hn_texts offers, claims_yes, claims_no; /* of its adapter */
};

struct hn_start_record {
    const char *id;
    const char *armed; /* the switch that was on; "": none */
    int attempt;
};

/* Why an attempt was not the last word. */
enum hn_again {
    HN_FINAL,       /* it was: this is the check's verdict */
    HN_AGAIN_ALONE, /* batch: a neighbour may be to blame, so once more in a process of its own */
    HN_AGAIN_LOAD,  /* no job has loaded the target yet: once more before it is blamed */
    HN_AGAIN_HOST,  /* its host went down, perhaps for another reason: once more in a fresh one */
    HN_AGAIN_TIME,  /* its deadline passed: once more, alone and with more time */
    HN_AGAIN_RETRY, /* the user asked for it */
    HN_AGAIN_LATER, /* the run was stopped, or the machine refused: when it is resumed */
    HN_AGAIN_LOOK, /* a second look that says why; the word of this attempt stands unless it is skew */
    HN_AGAINS,
};

/* Verdict of a check that covers several clauses on one of them. */
struct hn_clause_verdict {
    const char *id;
    enum hn_verdict verdict;
};

struct hn_end_record {
    const char *id;
    const char *armed; /* the switch that was on; "": none */
    int attempt;       /* 0: decided without running */
    int final;
    enum hn_again again;
    enum hn_verdict verdict;
    const char *reason, *blocked_by;
    int refused; /* blocked_by: it ran, and was refused in the words in which that one fails */
    const char *demand, *seen, *subject; /* of the worst finding */
    const char *location;                /* file:line of it, else the line reached last */
    int findings;
    const struct hn_clause_verdict *clauses; /* none: the verdict is that of all */
    size_t clause_count;
    const struct hn_note *notes;
    size_t note_count;
    double duration_ms, cpu_ms;
    int64_t rss_kib, out_bytes, err_bytes;
    const char *signal, *stage;
    const char *frames, *said; /* of one that died: functions it was in, last line of its stderr */
    int status, left_behind;
    const char *folder; /* its evidence, relative to the run; "": removed */
};

struct hn_finish_record {
    int complete;
    const char *why; /* it is not */
    size_t totals[HN_VERDICTS];
};

struct hn_record {
    enum hn_event event;
    const char *file; /* where it was read, for messages */
    int line;
    union {
        struct hn_run_record run;
        struct hn_resume_record resume;
        struct hn_isolation_record isolation;
        struct hn_preflight_record preflight;
        struct hn_target_record target;
        struct hn_start_record start;
        struct hn_end_record end;
        struct hn_finish_record finish;
    };
};

/* Says what is wrong with a record that was read: "runs/a/journal.jsonl:7: <format...>". Returns
 * HN_EINPUT. */
int hn_record_complain(const struct hn_record *record, struct hn_error *error, const char *format,
                       ...) HN_PRINTF(3, 4);

#endif
