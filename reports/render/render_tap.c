/* SPDX-License-Identifier: BSD-3-Clause
 *
 * TAP version 14: a plan, one line per check, and a YAML block below those that need words. The
 * strings of the block are JSON strings, which YAML reads as they are.
 */
#include <stdio.h>
#include <string.h>

#include "check_story.h"
#include "json_write.h"
#include "render.h"
#include "terminal.h"

/* In a description '#' begins a directive and '\' escapes; a line end would begin a new test. */
static void add_line(struct hn_buffer *out, const char *text)
{
    struct hn_buffer safe;

    hn_buffer_init(&safe, 6 * strlen(text) + 1);
    hn_terminal_puts(&safe, text);
    for (size_t i = 0; i < safe.length; i++) {
        const char byte = safe.text[i];
        if (byte == '#' || byte == '\\')
            hn_buffer_putc(out, '\\');
        hn_buffer_putc(out, byte == '\n' || byte == '\t' ? ' ' : byte);
    }
    hn_buffer_finish(&safe);
}

static void add_string(struct hn_buffer *out, const char *key, const char *text)
{
    struct hn_buffer safe;
    struct hn_json_writer writer;

    if (!text[0])
        return;
    hn_buffer_init(&safe, 6 * strlen(text) + 1);
    hn_terminal_puts(&safe, text);
    hn_buffer_printf(out, "  %s: ", key);
    hn_write_begin(&writer, out, 0);
    hn_write_bytes(&writer, NULL, safe.text, safe.length);
    hn_write_end(&writer);
    hn_buffer_putc(out, '\n');
    hn_buffer_finish(&safe);
}

static void add_block(struct hn_buffer *out, const struct rp_run *run, const struct rp_check *check)
{
    struct hn_buffer story;

    hn_buffer_init(&story, RP_STORY_LIMIT);
    rp_check_story(run, check, &story);
    hn_buffer_puts(out, "  ---\n");
    add_string(out, "verdict", hn_verdict_table[check->verdict].name);
    add_string(out, "level", hn_level_names[check->level]);
    add_string(out, "message", rp_check_message(check));
    add_string(out, "at", check->location);
    hn_buffer_printf(out, "  duration_ms: %.3f\n", rp_check_seconds(check) * 1000);
    add_string(out, "story", story.text);
    hn_buffer_puts(out, "  ...\n");
    hn_buffer_finish(&story);
}

static void add_check(struct hn_buffer *out, const struct rp_run *run, const struct rp_check *check,
                      size_t number)
{
    const enum hn_junit_kind kind = hn_verdict_table[check->verdict].junit;
    const int bad = kind == HN_JUNIT_FAILURE || kind == HN_JUNIT_ERROR;

    hn_buffer_printf(out, "%s %zu - ", bad ? "not ok" : "ok", number);
    add_line(out, check->id);
    if (kind == HN_JUNIT_SKIPPED) {
        hn_buffer_printf(out, " # SKIP %s: ", hn_verdict_table[check->verdict].name);
        add_line(out, rp_check_message(check));
    }
    hn_buffer_putc(out, '\n');
    if (bad || check->verdict == HN_FLAKY)
        add_block(out, run, check);
}

int rp_render_tap(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                  struct hn_buffer *out)
{
    const struct rp_run *run = runs[0];
    struct rp_counts counts;
    size_t number = 0;

    (void)count;
    (void)options;
    rp_run_counts(run, &counts);
    hn_buffer_printf(out, "TAP version 14\n1..%zu\n# target ", counts.all);
    add_line(out, run->target);
    hn_buffer_puts(out, ", torch ");
    add_line(out, run->torch_version);
    hn_buffer_putc(out, '\n');
    for (size_t i = 0; i < run->check_count; i++)
        if (!run->checks[i].support)
            add_check(out, run, &run->checks[i], ++number);
    if (!run->complete) {
        hn_buffer_puts(out, "Bail out! the run is not complete: ");
        add_line(out, run->why);
        hn_buffer_putc(out, '\n');
    }
    return out->status;
}
