/* SPDX-License-Identifier: BSD-3-Clause
 *
 * JUnit in the xunit1 format (file and line on each case), as PyTorch's dashboards, Jenkins and
 * GitLab read it: one testsuite per file, a time on each case, at most one failure, error or
 * skipped in a case. The table of verdicts gives the kind.
 */
#include <stdio.h>
#include <string.h>

#include "check_story.h"
#include "file.h"
#include "markup_escape.h"
#include "render.h"

#define NAME_MOST 200
#define MESSAGE_MOST 1000

static void add_attribute(struct hn_buffer *out, const char *name, const char *text, size_t most)
{
    hn_buffer_printf(out, " %s=\"", name);
    rp_markup_text(out, text, RP_ONE_LINE, most);
    hn_buffer_putc(out, '"');
}

static void add_property(struct hn_buffer *out, const char *indent, const char *name,
                         const char *value)
{
    if (!value[0])
        return;
    hn_buffer_printf(out, "%s<property name=\"%s\"", indent, name);
    add_attribute(out, "value", value, MESSAGE_MOST);
    hn_buffer_puts(out, "/>\n");
}

/* ---- one case ---- */

static void add_case_properties(struct hn_buffer *out, const struct rp_check *check)
{
    const char *indent = "        ";
    hn_buffer_puts(out, "      <properties>\n");
    add_property(out, indent, "verdict", hn_verdict_table[check->verdict].name);
    add_property(out, indent, "level", hn_level_names[check->level]);
    for (size_t i = 0; i < check->covers.count; i++)
        add_property(out, indent, "requirement", check->covers.items[i]);
    if (hn_verdict_table[check->verdict].junit == HN_JUNIT_PASSED)
        add_property(out, indent, "reason", check->reason);
    hn_buffer_puts(out, "      </properties>\n");
}

static void add_story(struct hn_buffer *out, const struct rp_run *run, const struct rp_check *check)
{
    struct hn_buffer story;
    hn_buffer_init(&story, RP_STORY_LIMIT);
    rp_check_story(run, check, &story);
    rp_markup_text(out, story.text, RP_KEEP_LINES, RP_STORY_LIMIT);
    hn_buffer_finish(&story);
}

/* The element of a case that did not pass. Jenkins reads the reason of a skip from `message`;
 * PyTorch's dashboards show a case as flaky if it has a `rerun`. */
static void add_outcome(struct hn_buffer *out, const struct rp_run *run,
                        const struct rp_check *check)
{
    static const char *const elements[] = {[HN_JUNIT_PASSED] = NULL,
                                           [HN_JUNIT_FAILURE] = "failure",
                                           [HN_JUNIT_ERROR] = "error",
                                           [HN_JUNIT_SKIPPED] = "skipped"};
    const struct hn_verdict_row *row = &hn_verdict_table[check->verdict];
    const char *element = elements[row->junit];
    if (check->verdict == HN_FLAKY) {
        hn_buffer_puts(out, "      <rerun");
        add_attribute(out, "message", rp_check_message(check), MESSAGE_MOST);
        hn_buffer_puts(out, "/>\n");
    }
    if (!element)
        return;
    hn_buffer_printf(out, "      <%s type=\"%s\"", element, row->name);
    add_attribute(out, "message", rp_check_message(check), MESSAGE_MOST);
    hn_buffer_putc(out, '>');
    add_story(out, run, check);
    hn_buffer_printf(out, "</%s>\n", element);
}

static void add_case(struct hn_buffer *out, const struct rp_run *run, const struct rp_check *check)
{
    char classname[2 * NAME_MOST + 16], file[HN_PATH_SIZE];
    int line;
    snprintf(classname, sizeof classname, "assay.%.*s.%.*s", NAME_MOST, run->target, NAME_MOST,
             check->module);
    hn_buffer_puts(out, "    <testcase");
    add_attribute(out, "classname", classname, sizeof classname);
    add_attribute(out, "name", check->id, NAME_MOST);
    if (rp_check_place(check, file, sizeof file, &line)) {
        add_attribute(out, "file", file, sizeof file);
        if (line)
            hn_buffer_printf(out, " line=\"%d\"", line);
    }
    hn_buffer_printf(out, " time=\"%.3f\">\n", rp_check_seconds(check));
    add_case_properties(out, check);
    add_outcome(out, run, check);
    hn_buffer_puts(out, "    </testcase>\n");
}

/* ---- the suite ---- */

static void add_suite_head(struct hn_buffer *out, const struct rp_run *run)
{
    struct rp_counts counts;
    char name[NAME_MOST + 16];
    size_t failures = 0;
    rp_run_counts(run, &counts);
    for (size_t i = 0; i < run->check_count; i++)
        failures += !run->checks[i].support &&
                    hn_verdict_table[run->checks[i].verdict].junit == HN_JUNIT_FAILURE;
    snprintf(name, sizeof name, "assay.%.*s", NAME_MOST, run->target);
    hn_buffer_puts(out, "  <testsuite");
    add_attribute(out, "name", name, sizeof name);
    hn_buffer_printf(out,
                     " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
                     counts.all, failures, counts.failed + counts.undecided - failures,
                     counts.skipped, counts.seconds);
    if (rp_run_start_ms(run))
        hn_buffer_printf(out, " timestamp=\"%.19s\"", run->date);
    add_attribute(out, "hostname", run->host[0] ? run->host : "localhost", NAME_MOST);
    hn_buffer_puts(out, ">\n");
}

static void add_suite_properties(struct hn_buffer *out, const struct rp_run *run)
{
    const char *indent = "      ";
    char contract[32];
    snprintf(contract, sizeof contract, "%d", run->contract);
    hn_buffer_puts(out, "    <properties>\n");
    add_property(out, indent, "target", run->target);
    add_property(out, indent, "torch.version", run->torch_version);
    add_property(out, indent, "torch.git", run->torch_git);
    add_property(out, indent, "contract", contract);
    add_property(out, indent, "seed", run->seed);
    add_property(out, indent, "command", run->command);
    add_property(out, indent, "complete", run->complete ? "yes" : "no");
    add_property(out, indent, "why", run->why);
    hn_buffer_puts(out, "    </properties>\n");
}

int rp_render_junit(const struct rp_run *const *runs, size_t count,
                    const struct rp_options *options, struct hn_buffer *out)
{
    const struct rp_run *run = runs[0];
    (void)count;
    (void)options;
    hn_buffer_puts(out,
                   "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites name=\"assay\">\n");
    add_suite_head(out, run);
    add_suite_properties(out, run);
    for (size_t i = 0; i < run->check_count; i++)
        if (!run->checks[i].support)
            add_case(out, run, &run->checks[i]);
    return hn_buffer_puts(out, "  </testsuite>\n</testsuites>\n");
}

int rp_junit_path(const struct rp_run *run, char *path, size_t size)
{
    char name[64];
    size_t used = 0;
    for (const char *c = run->target; *c && used < sizeof name - 1; c++) {
        const int plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                          (*c >= '0' && *c <= '9') || *c == '-';
        name[used++] = plain ? *c : '_';
    }
    name[used] = '\0';
    const int length = snprintf(path, size, "python-pytest/assay_%s/assay_%s-%d.xml", name, name,
                                run->shard > 0 ? run->shard : 1);
    return length > 0 && (size_t)length < size ? HN_OK : HN_ELIMIT;
}
