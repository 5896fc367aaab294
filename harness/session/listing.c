/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See listing.h.
 */
#include "listing.h"

#include <stdlib.h>
#include <unistd.h>

#include "json_write.h"
#include "side_process.h"
#include "target_preflight.h"

#define REQUEST_LIMIT ((size_t)1 << 20)
#define REFUSAL_LIMIT ((size_t)4 << 10)
#define LISTING_MS 600000
#define LISTING_IDLE_MS 60000 /* a process that is idle for this long is ended */

static int write_request(const struct hn_listing *listing, const struct hn_run_target *target,
                         const char *path, struct hn_error *error)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    hn_buffer_init(&text, REQUEST_LIMIT);
    hn_write_document(&writer, &text, NULL);
    hn_write_load_steps(target, &writer);
    hn_write_texts(&writer, "arguments", &listing->arguments);
    int status = hn_write_document_end(&writer);
    if (status == HN_OK)
        status = hn_file_write(path, text.text, text.length, error);
    hn_buffer_finish(&text);
    return status;
}

/* Reports the sentence that the program wrote instead of a list, or else how the process ended. */
static int refuse(const struct hn_listing *listing, const char *refusal, const char *ended,
                  struct hn_error *error)
{
    char *sentence = NULL;
    if (hn_file_read(refusal, REFUSAL_LIMIT, &sentence, NULL, NULL) == HN_OK)
        hn_error_set(error, HN_EINPUT, "%s", sentence);
    else
        hn_error_set(error, HN_EINPUT,
                     "the checks of %s cannot be listed: the process that lists them %s; its "
                     "output is above",
                     listing->module, *ended ? ended : "ended without a list");
    free(sentence);
    return HN_EINPUT;
}

static int run_program(const struct hn_listing *listing, const struct hn_run_target *target,
                       const struct hn_places *places, FILE *out, const char *const *files,
                       char ended[HN_SIDE_ENDED], struct hn_error *error)
{
    char program[HN_PATH_SIZE], label[80];
    struct hn_progress progress;
    snprintf(program, sizeof program, "%.800s/suites/%.60s/list_checks.py", places->data,
             listing->module);
    snprintf(label, sizeof label, "listing the checks of %.40s", listing->module);
    hn_progress_wait(&progress, out, 0, label);
    const char *const words[] = {places->python, program, files[0], files[1], files[2], NULL};
    const struct hn_side_process process = {.words = words,
                                            .settings = target->environment,
                                            .setting_count = target->environment_count,
                                            .deadline_ms = LISTING_MS,
                                            .idle_ms = LISTING_IDLE_MS,
                                            .progress = &progress};
    return hn_side_process_run(&process, ended, error);
}

int hn_listing_make(const struct hn_listing *listing, const struct hn_run_target *target,
                    const struct hn_places *places, FILE *out, const char *path,
                    struct hn_error *error)
{
    char request[HN_PATH_SIZE], refusal[HN_PATH_SIZE], ended[HN_SIDE_ENDED] = "";
    const char *const files[] = {request, path, refusal};
    snprintf(request, sizeof request, "%.1000s.request", path);
    snprintf(refusal, sizeof refusal, "%.1000s.refusal", path);
    unlink(path); /* remains of a run that was killed before its first check */
    int status = write_request(listing, target, request, error);
    if (status == HN_OK)
        status = run_program(listing, target, places, out, files, ended, error);
    if (status == HN_OK && (*ended || !hn_path_exists(path)))
        status = refuse(listing, refusal, ended, error);
    unlink(request);
    unlink(refusal);
    return status;
}
