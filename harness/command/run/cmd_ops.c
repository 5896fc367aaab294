/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay ops: tests every operator of the installed torch, by dtype. The command runs checks
 * (assay run --ops) and prints the results as a matrix.
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "data.h"
#include "file.h"
#include "output.h"
#include "render_operators.h"
#include "run_folder.h"
#include "run_options.h"

#define USED_FILE "suites/opinfo/models/used_operators.tsv"
#define USED_LIMIT ((size_t)4 << 20)

static const struct hn_option options[] = {
    HN_OPTIONS_OF_A_RUN,
    {"dtypes", "DTYPES", "comma-separated (default float32,complex64,int64,bool)"},
    {"deep", NULL, "use more and larger samples: up to six minutes instead of one and a half"},
    {"select", "NAMES", "only these operators: mul,nn.functional.conv*"},
    {"out", "DIR", "folder of the run (default runs/ops-<target>-<date>)"},
    {"format", "text|json|csv|html", "format of the matrix (default text)"},
    {"output", "FILE", "write to FILE instead of standard output"},
};

/* Writes "float32,int64", or "float32_deep,int64_deep" with --deep. */
static void write_dtypes(const char *names, int is_deep, struct hn_buffer *out)
{
    for (; *names; names++) {
        if (*names == ',' && is_deep)
            hn_buffer_puts(out, "_deep");
        hn_buffer_putc(out, *names);
    }
    hn_buffer_puts(out, is_deep ? "_deep" : "");
}

/* Chooses the folder that the user gave, the folder of the resumed run, or a new folder. */
static int choose_folder(const struct hn_invocation *invocation, char folder[HN_PATH_SIZE])
{
    char name[HN_PATH_SIZE];
    struct hn_error error;
    const char *given = hn_option_value(invocation, "resume");
    const char *target = hn_option_value(invocation, "target");
    const char *named = target ? target : ASSAY_TARGET;
    const char *base = strrchr(named, '/') ? strrchr(named, '/') + 1 : named;
    given = given ? given : hn_option_value(invocation, "out");
    snprintf(name, sizeof name, "ops-%.*s", (int)strcspn(base, "."), base);
    if (given)
        snprintf(folder, HN_PATH_SIZE, "%s", given);
    else if (hn_run_folder_today(hn_runs_folder(invocation), name, folder, &error) != HN_OK)
        return hn_print_error(&error);
    return HN_EXIT_OK;
}

/* Calls assay run --ops DTYPES --select OPERATORS --out FOLDER. "mul,nn.functional.conv*" selects
 * the checks of these operators. */
static int make_run(const struct hn_invocation *invocation, const char *folder)
{
    static const struct hn_naming naming = {"opinfo.", ".-", ".*"};
    const char *dtypes = hn_option_value(invocation, "dtypes");
    const char *names = hn_option_value(invocation, "select");
    const char *format = hn_option_value(invocation, "format");
    struct hn_buffer listed, select;
    struct hn_invocation run;
    hn_buffer_init(&listed, 1 << 20);
    hn_buffer_init(&select, 1 << 20);
    write_dtypes(dtypes ? dtypes : "float32,complex64,int64,bool",
                 hn_option_value(invocation, "deep") != NULL, &listed);
    hn_select_names(names ? names : "*", &naming, &select);
    hn_run_invocation(invocation, &run);
    hn_option_set(&run, "format", NULL);
    hn_option_set(&run, "quiet", format && strcmp(format, "text") != 0 ? "" : NULL);
    hn_option_set(&run, "ops", listed.text);
    hn_option_set(&run, "select", names ? select.text : "opinfo");
    hn_option_set(&run, "out", folder);
    const int status = listed.status || select.status ? HN_EXIT_SYSTEM : hn_cmd_run.run(&run);
    hn_buffer_finish(&listed);
    hn_buffer_finish(&select);
    return status;
}

static int render(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                  const char *name, const char *path)
{
    struct hn_buffer text;
    int status = HN_ELIMIT;
    hn_buffer_init(&text, HN_OUTPUT_LIMIT);
    for (size_t i = 0; i < rp_operator_format_count; i++)
        if (strcmp(rp_operator_formats[i].name, name) == 0)
            status = rp_operator_formats[i].render(run, matrix, &text);
    return hn_output_deliver(path, &text, status, "the matrix");
}

/* Writes the page, JSON and CSV into the folder of a new run. */
static int keep(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                const char *folder)
{
    static const char *const names[] = {"html", "json", "csv"};
    int status = HN_EXIT_OK;
    for (size_t i = 0; status == HN_EXIT_OK && i < sizeof names / sizeof *names; i++) {
        char path[HN_PATH_SIZE];
        snprintf(path, sizeof path, "%.1000s/ops.%s", folder, names[i]);
        status = render(run, matrix, names[i], path);
    }
    return status;
}

/* Reads the list of operators that models use; NULL if it is missing. */
static char *read_used(void)
{
    char folder[HN_PATH_SIZE], path[HN_PATH_SIZE], *text = NULL;
    if (hn_data_folder(folder, NULL) == HN_OK &&
        hn_path_join(path, sizeof path, folder, USED_FILE, NULL) == HN_OK &&
        hn_file_read(path, USED_LIMIT, &text, NULL, NULL) == HN_OK)
        return text;
    return NULL;
}

static int show(const struct hn_invocation *invocation, const char *folder, int is_new)
{
    const char *format = hn_option_value(invocation, "format");
    struct rp_operator_matrix matrix = {0};
    struct rp_run *run = NULL;
    struct hn_error error;
    char *used = read_used();
    int status;
    if (rp_run_read(folder, &run, &error) || rp_operator_matrix_make(run, used, &matrix, &error))
        status = hn_print_error(&error);
    else
        status = is_new ? keep(run, &matrix, folder) : HN_EXIT_OK;
    if (status == HN_EXIT_OK)
        status =
            render(run, &matrix, format ? format : "text", hn_option_value(invocation, "output"));
    rp_operator_matrix_finish(&matrix);
    rp_run_destroy(run);
    free(used);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    char folder[HN_PATH_SIZE];
    if (invocation->word_count == 1)
        return show(invocation, invocation->words[0], 0);
    int status = choose_folder(invocation, folder);
    if (status != HN_EXIT_OK)
        return status;
    status = make_run(invocation, folder);
    if (!hn_run_was_made(status))
        return status;
    const int shown = show(invocation, folder, 1);
    return shown == HN_EXIT_OK ? status : shown;
}

const struct hn_command hn_cmd_ops = {
    .name = "ops",
    .summary = "test every operator of torch on a backend, per dtype",
    .usage = "[RUN] [--target TARGET] [--dtypes DTYPES] [--select NAMES]",
    .help = "Tests every operator of the installed torch with the samples of PyTorch's tests and "
            "with larger ones: results, out=, in place, strided, empty, conjugated, gradients and "
            "more. Each result is compared with the CPU's, and random numbers by their "
            "distribution. Each operator and dtype is a separate check, opinfo.<operator>.<dtype>, "
            "in its own process. The result is a run (assay report, assay diff, assay repro). The "
            "matrix shows which operators are wrong, unsupported or right, and what computed each "
            "operator: a kernel of the backend, a composition of other operators, or the CPU "
            "fallback. It also shows how many of the operators that public models use are right. "
            "The run contains it as ops.html, ops.json and ops.csv.\n"
            "\n"
            "With RUN, it shows that run and starts none. The exit status is that of assay run.\n"
            "\n"
            "  assay ops --target my.yaml --dtypes float32\n"
            "  assay ops runs/ops-my-2026-11-23 --format html -o ops.html\n"
            "  assay diff runs/ops-before runs/ops-after\n",
    HN_OPTIONS(options),
    .takes_settings = 1,
    .words = {0, 1, "give one run to show, or none to make one"},
    .run = run,
};
