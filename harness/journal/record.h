/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of a journal: one struct for each kind of record, used by writers and readers.
 * record_fields.c gives the name of each member in the file; reports/schema/journal.schema.json
 * describes the file. A missing text is "" when read, and may be NULL when written.
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
    HN_EVENT_RUN,       /* the first record: the plan and the target */
    HN_EVENT_RESUME,    /* the run is resumed after its supervisor died */
    HN_EVENT_ISOLATION, /* the isolation mode, and why it was chosen */
    HN_EVENT_PREFLIGHT, /* findings in the target's files before anything is loaded */
    HN_EVENT_TARGET,    /* the loaded target's description of itself */
    HN_EVENT_START,     /* start of an attempt */
    HN_EVENT_END,       /* end of an attempt, or a verdict without an attempt */
    HN_EVENT_FINISH,    /* end of the run, always the last record */
    HN_EVENTS
};

struct hn_planned {
    const char *id;
    enum hn_level level;
    int support;       /* another shard counts its verdict */
    const char *armed; /* the switch that is on for the check; "": none */
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
        int version; /* 0: unknown */
        const char *digest;
    } contract;
    struct {
        int index, of; /* 0: unknown */
    } shard;
    const char *select;
    struct {
        const char *name, *system, *release, *machine;
        int processors;
    } host;
    const char *command;         /* for people */
    struct hn_texts merged_from; /* folders of the merged shards */
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
    const char *device; /* name of its device; "": it registered none */
    const int *devices; /* indices of its devices */
    size_t device_count;
    /* the only kind of tensor that the devices are known to accept; "": the common kind */
    const char *takes;
    struct hn_texts offers, claims_yes, claims_no; /* offers and claims of its adapter */
};

struct hn_start_record {
    const char *id;
    const char *armed; /* the switch that was on; "": none */
    int attempt;
};

/* Why the verdict of an attempt was not final. */
enum hn_again {
    HN_FINAL, /* it was final, so it is the verdict of the check */
    /* batch: a neighbour may be the cause, so the check is repeated in a process of its own */
    HN_AGAIN_ALONE,
    /* no job has loaded the target yet, so the job is repeated before the target is reported */
    HN_AGAIN_LOAD,
    /* its host died, perhaps for another reason, so the job is repeated in a new host */
    HN_AGAIN_HOST,
    HN_AGAIN_TIME,  /* its deadline passed, so the job is repeated alone and with more time */
    HN_AGAIN_RETRY, /* the user requested the retry */
    /* the run was stopped or the machine failed: repeated when the run is resumed */
    HN_AGAIN_LATER,
    /* a second look finds out why; the verdict of this attempt stands unless it is skew */
    HN_AGAIN_LOOK,
    HN_AGAINS,
};

/* The verdict on one clause of a check that covers several clauses. */
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
    int refused; /* it ran, and refused in the words in which `blocked_by` failed */
    const char *demand, *seen, *subject; /* from the worst finding */
    /* file:line of the worst finding, else the last marked line */
    const char *location;
    int findings;
    const struct hn_clause_verdict *clauses; /* count 0: the verdict applies to all clauses */
    size_t clause_count;
    const struct hn_note *notes;
    size_t note_count;
    double duration_ms, cpu_ms;
    int64_t rss_kib, out_bytes, err_bytes;
    const char *signal, *stage;
    /* if the process died: its functions, and the last line of its stderr */
    const char *frames, *said;
    int status, left_behind;
    const char *folder; /* its evidence, relative to the run; "": it was removed */
};

struct hn_finish_record {
    int complete;
    const char *why; /* why the run is not complete */
    size_t totals[HN_VERDICTS];
};

struct hn_record {
    enum hn_event event;
    const char *file; /* file of the record, for messages */
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

/* Reports an error in a record, with its place: "runs/a/journal.jsonl:7: <format...>". Returns
 * HN_EINPUT. */
int hn_record_complain(const struct hn_record *record, struct hn_error *error, const char *format,
                       ...) HN_PRINTF(3, 4);

#endif
