/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats for PyTorch's own infrastructure: the counts of a job for the cross-repository relay,
 * and conformance as a benchmark (schema v3), which the dashboards plot.
 */
#include <stdio.h>

#include "check_story.h"
#include "json_write.h"
#include "render.h"

#define TORCH_REPOSITORY "pytorch/pytorch"

/* ---- relay ----
 *
 * An undecided check counts as failed: the relay has only three counts, and any conclusion except
 * success and failure would lower a backend's pass rate without a reason. */
int rp_render_relay(const struct rp_run *const *runs, size_t count,
                    const struct rp_options *options, struct hn_buffer *out)
{
    struct hn_json_writer writer;
    struct rp_counts counts;
    (void)count;
    rp_run_counts(runs[0], &counts);
    hn_write_document(&writer, out, "assay/relay/1");
    hn_write_text(&writer, "status", "completed");
    hn_write_text(&writer, "conclusion",
                  rp_run_exit(runs[0]) == HN_EXIT_OK ? "success" : "failure");
    hn_write_object(&writer, "test_results");
    hn_write_integer(&writer, "passed", (int64_t)counts.passed);
    hn_write_integer(&writer, "failed", (int64_t)(counts.failed + counts.undecided));
    hn_write_integer(&writer, "skipped", (int64_t)counts.skipped);
    hn_write_integer(&writer, "total", (int64_t)counts.all);
    hn_write_object_end(&writer);
    hn_write_text(&writer, "artifact_url", options->link);
    hn_write_text(&writer, "torch_git", runs[0]->torch_git);
    return hn_write_document_end(&writer);
}

/* ---- benchmark ---- */

static void write_extra(struct hn_json_writer *writer, const struct rp_run *run)
{
    char contract[32];
    snprintf(contract, sizeof contract, "%d", run->contract);
    hn_write_object(writer, "extra_info");
    hn_write_text(writer, "contract", contract);
    hn_write_text(writer, "complete", run->complete ? "yes" : "no");
    hn_write_text(writer, "seed", run->seed);
    hn_write_text(writer, "date", run->date);
    hn_write_object_end(writer);
}

static void write_dependencies(struct hn_json_writer *writer, const struct rp_run *run)
{
    hn_write_object(writer, "dependencies");
    hn_write_object(writer, "torch");
    hn_write_text(writer, "repo", TORCH_REPOSITORY);
    hn_write_text(writer, "branch", "");
    hn_write_text(writer, "sha", run->torch_git);
    hn_write_text(writer, "version", run->torch_version);
    hn_write_object_end(writer);
    hn_write_object_end(writer);
}

static void write_record(struct hn_json_writer *writer, const struct rp_run *run,
                         const char *module, const char *metric, double value)
{
    hn_write_object(writer, NULL);
    hn_write_object(writer, "benchmark");
    hn_write_text(writer, "name", "assay");
    hn_write_text(writer, "mode", "conformance");
    hn_write_text(writer, "dtype", "");
    write_extra(writer, run);
    hn_write_object_end(writer);
    hn_write_object(writer, "model");
    hn_write_text(writer, "name", module);
    hn_write_text(writer, "type", "conformance module");
    hn_write_text(writer, "backend", run->target);
    hn_write_object_end(writer);
    hn_write_object(writer, "metric");
    hn_write_text(writer, "name", metric);
    hn_write_array(writer, "benchmark_values");
    hn_write_number(writer, NULL, value);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
    write_dependencies(writer, run);
    hn_write_object_end(writer);
}

static void write_module(struct hn_json_writer *writer, const struct rp_run *run,
                         const struct rp_module *module)
{
    double by_kind[] = {[HN_JUNIT_PASSED] = 0,
                        [HN_JUNIT_FAILURE] = 0,
                        [HN_JUNIT_ERROR] = 0,
                        [HN_JUNIT_SKIPPED] = 0};
    for (int i = 0; i < HN_VERDICTS; i++)
        by_kind[hn_verdict_table[i].junit] += (double)module->totals[i];
    const double failed = by_kind[HN_JUNIT_FAILURE] + by_kind[HN_JUNIT_ERROR];
    const double tried = by_kind[HN_JUNIT_PASSED] + failed;
    if (tried > 0)
        write_record(writer, run, module->name, "pass_rate", by_kind[HN_JUNIT_PASSED] / tried);
    write_record(writer, run, module->name, "passed", by_kind[HN_JUNIT_PASSED]);
    write_record(writer, run, module->name, "failed", failed);
    write_record(writer, run, module->name, "skipped", by_kind[HN_JUNIT_SKIPPED]);
}

int rp_render_benchmark(const struct rp_run *const *runs, size_t count,
                        const struct rp_options *options, struct hn_buffer *out)
{
    struct hn_json_writer writer;
    (void)options;
    hn_write_begin(&writer, out, 1);
    hn_write_array(&writer, NULL);
    for (size_t i = 0; i < count; i++)
        for (size_t m = 0; m < runs[i]->module_count; m++)
            write_module(&writer, runs[i], &runs[i]->modules[m]);
    hn_write_array_end(&writer);
    hn_buffer_putc(out, '\n');
    return hn_write_end(&writer);
}
