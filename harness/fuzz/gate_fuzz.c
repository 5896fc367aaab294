/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the upload of a pull request's job: journals of head and base, the log
 * of a build, the expectations and the list of changed files. The output of the gate must contain
 * no control character and no markup from the input.
 */
#include "gate_decide.h"

#include <stdlib.h>
#include <string.h>

#include "changed_files.h"
#include "decision_write.h"
#include "expectations_update.h"
#include "file.h"
#include "fuzz_folder.h"
#include "interface_name.h"
#include "run_intake.h"

static const char *const files[] = {"head/journal.jsonl", "base/journal.jsonl", "head/build.log",
                                    "foo.yaml", "files"};

static const struct ci_promise checks[] = {
    {"m.a", "A.h:a", HN_MUST, HN_BACKEND, 1, {0}},
    {"m.b", "B.h:b", HN_MUST, HN_CORE, 1, {0}},
    {"s.a", "", HN_SHOULD, HN_BACKEND, 1, {0}},
};
static const struct ci_policy policy = {.contract = 1,
                                        .checks = checks,
                                        .check_count = sizeof checks / sizeof *checks,
                                        .label_adaptation = "adapt",
                                        .label_override = "override",
                                        .label_hint = "hint"};

/* Untrusted text must have no effect on a terminal or a page. */
static void inspect(const struct hn_buffer *text)
{
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->text[i] < ' ' && text->text[i] != '\n')
            abort();
}

static void judge(struct ci_case *now, struct hn_arena *arena)
{
    const struct ci_change change = {0};
    struct ci_result result;
    struct hn_error error;
    struct hn_buffer out;
    if (ci_gate_decide(&policy, &change, now, 1, arena, &result, &error))
        return;
    if (result.decision == CI_PASS && !now->head.run)
        abort();
    hn_buffer_init(&out, (size_t)1 << 24);
    ci_decision_json(&policy, &result, &out);
    inspect(&out);
    hn_buffer_clear(&out);
    ci_decision_markdown(&policy, &result, &out);
    inspect(&out);
    if (strstr(out.text, "<script") || strstr(out.text, "](") || strchr(out.text, '@'))
        abort();
    hn_buffer_finish(&out);
}

static void update(const struct ci_expectations *old, const struct rp_run *run)
{
    const struct ci_entry_words words = {"r", "https://e.org/1", "2027-01-31"};
    struct hn_buffer out;
    struct ci_update update;
    struct hn_error error;
    char *text = NULL;
    size_t length;
    hn_buffer_init(&out, (size_t)1 << 20);
    if (hn_file_read(fuzz_path("foo.yaml"), 1 << 20, &text, &length, NULL) == 0 && run &&
        run->check_count && !old->findings.total)
        ci_expectations_update(text, old, &run, 1, &words, &out, &update, &error);
    hn_buffer_finish(&out);
    free(text);
}

static void look_at_files(void)
{
    static const char *const globs[] = {"a/**/b*", "**c?"};
    char *text = NULL, name[256], line[1700];
    size_t length;
    if (hn_file_read(fuzz_path("files"), 1 << 20, &text, &length, NULL))
        return;
    ci_changed_file(text, globs, 2, &length);
    ci_interface_find(text, name, sizeof name, line, sizeof line);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hn_arena *arena = hn_arena_create((size_t)1 << 26);
    struct ci_expectations *expectations = NULL;
    struct ci_case now = {0};
    struct hn_error error;
    fuzz_write_parts(files, sizeof files / sizeof *files, data, size);
    if (!arena || ci_side_read(fuzz_path("head"), arena, &now.head, &error) ||
        ci_side_read(fuzz_path("base"), arena, &now.base, &error))
        abort();
    if (ci_expectations_read(fuzz_path("foo.yaml"), &expectations, &error) == HN_OK) {
        now.expectations = expectations;
        update(expectations, now.head.run);
    }
    judge(&now, arena);
    look_at_files();
    ci_side_finish(&now.head);
    ci_side_finish(&now.base);
    ci_expectations_destroy(expectations);
    hn_arena_destroy(arena);
    return 0;
}
