/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares every format with its golden file testdata/runs/<run>/report.<format>. GOLDEN_WRITE=1
 * writes the files anew; read them before you commit them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_likely.h"
#include "check_notes.h"
#include "check_story.h"
#include "file.h"
#include "json_read.h"
#include "render.h"
#include "unit_test.h"

static void compare(const struct rp_format *format, const struct rp_run *run)
{
    static const struct rp_options plain = {0};
    struct hn_buffer out;
    char path[600], *expected;
    size_t length;
    hn_buffer_init(&out, 1 << 22);
    ck_assert_int_eq(format->render(&run, 1, &plain, &out), HN_OK);
    snprintf(path, sizeof path, "%s/report.%s", run->folder, format->name);
    if (getenv("GOLDEN_WRITE"))
        ck_assert_int_eq(hn_file_write(path, out.text, out.length, NULL), HN_OK);
    ck_assert_msg(hn_file_read(path, 1 << 22, &expected, &length, NULL) == HN_OK, "%s", path);
    ck_assert_str_eq(out.text, expected);
    free(expected);
    hn_buffer_finish(&out);
}

TEST(render_of_the_mixed_run_is_golden)
{
    struct rp_run *run;
    struct hn_error error;
    ck_assert_int_eq(rp_run_read(TEST_DATA "/runs/mixed", &run, &error), HN_OK);
    for (size_t i = 0; i < rp_format_count; i++)
        if (strcmp(rp_formats[i].name, "html") != 0) /* html_test.py opens it in a browser */
            compare(&rp_formats[i], run);
    rp_run_destroy(run);
}

TEST(render_text_lets_no_control_character_through)
{
    static const struct rp_options plain = {0};
    struct rp_run *run;
    struct hn_error error;
    struct hn_buffer out;
    ck_assert_int_eq(rp_run_read(TEST_DATA "/runs/mixed", &run, &error), HN_OK);
    hn_buffer_init(&out, 1 << 20);
    const struct rp_run *runs[] = {run, run};
    ck_assert_int_eq(rp_render_text(runs, 2, &plain, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "\\x1b[2Jhidden"));
    for (size_t i = 0; i < out.length; i++)
        ck_assert(out.text[i] == '\n' || (unsigned char)out.text[i] >= ' ');
    hn_buffer_finish(&out);
    rp_run_destroy(run);
}

TEST(render_json_is_json_and_sums_up)
{
    static const struct hn_json_limits limits = {1 << 22, 16};
    static const struct rp_options plain = {0};
    struct rp_run *run;
    struct hn_error error;
    struct hn_buffer out;
    struct hn_json_document *document;
    struct hn_json root, totals, checks, member;
    void *iterator = NULL;
    int64_t sum = 0, count;
    ck_assert_int_eq(rp_run_read(TEST_DATA "/runs/mixed", &run, &error), HN_OK);
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_render_json((const struct rp_run *const *)&run, 1, &plain, &out), HN_OK);
    ck_assert_int_eq(hn_json_parse(out.text, out.length, &limits, "report", 0, &document, &error),
                     HN_OK);
    hn_json_root(document, &root);
    ck_assert_int_eq(hn_json_object(&root, "totals", &totals, &error), HN_OK);
    ck_assert_int_eq(hn_json_array(&root, "checks", &checks, &error), HN_OK);
    while (hn_json_member(&totals, &iterator, &member)) {
        ck_assert_int_eq(hn_json_as_integer(&member, 0, 99, &count, &error), HN_OK);
        sum += count;
    }
    ck_assert_uint_eq((size_t)sum, hn_json_count(&checks));
    hn_json_destroy(document);
    hn_buffer_finish(&out);
    rp_run_destroy(run);
}

static void compare_word(const struct rp_run *run, const struct hn_check_field *field)
{
    static const struct rp_options plain = {0};
    struct rp_check check = run->checks[0];
    struct rp_run changed = *run;
    const struct rp_run *runs[] = {&changed};
    const char **word = hn_check_word(&check.words, field);
    struct hn_buffer out;
    char wanted[100];
    ck_assert_ptr_nonnull(word);
    *word = "as the contract has it";
    changed.checks = &check;
    changed.check_count = 1;
    changed.requirement_count = changed.capability_count = 0;
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_render_json(runs, 1, &plain, &out), HN_OK);
    snprintf(wanted, sizeof wanted, "\"%s\": \"as the contract has it\"", field->name);
    ck_assert_msg(strstr(out.text, wanted) != NULL, "no %s in %s", wanted, out.text);
    hn_buffer_finish(&out);
}

/* Covers every word that harness/check marks, also words that the golden run does not contain. */
TEST(render_json_has_each_word_that_is_shown)
{
    struct rp_run *run;
    struct hn_error error;
    int shown = 0;
    ck_assert_int_eq(rp_run_read(TEST_DATA "/runs/mixed", &run, &error), HN_OK);
    for (size_t i = 0; i < hn_check_field_count; i++)
        if (hn_check_fields[i].where & HN_CHECK_SHOWN) {
            compare_word(run, &hn_check_fields[i]);
            shown++;
        }
    ck_assert_int_gt(shown, 0);
    rp_run_destroy(run);
}

static struct rp_check failed_check(void)
{
    return (struct rp_check){
        .id = "guard.x",
        .verdict = HN_FAIL,
        .words = {.hint = "it leaks", .hint_when = "", .other_hint = "", .other_hint_when = ""},
        .seen = "1, expected 2",
        .expected = "a sum",
        .reason = "",
        .frames = "",
        .said = "",
        .stage = "check"};
}

TEST(render_guesses_a_cause_only_where_a_wrong_value_was_seen)
{
    struct rp_check check = failed_check();
    ck_assert_str_eq(rp_check_likely(&check), "it leaks");
    check.seen = "RuntimeError: no such stream";
    ck_assert_str_eq(rp_check_likely(&check), "");
    check.seen = "getStream(-1) raised: no such stream";
    ck_assert_str_eq(rp_check_likely(&check), "");
    check = failed_check();
    check.verdict = HN_CRASH;
    ck_assert_str_eq(rp_check_likely(&check), "");
    check = failed_check();
    check.stage = "load";
    ck_assert_str_eq(rp_check_likely(&check), "");
    check = failed_check();
    check.verdict = HN_BROKEN;
    ck_assert_str_eq(rp_check_likely(&check), "");
}

TEST(render_guesses_a_cause_only_where_its_signature_was_seen)
{
    struct rp_check check = failed_check();
    check.words.hint_when = "in free";
    ck_assert_str_eq(rp_check_likely(&check), "");
    check.verdict = HN_CRASH;
    check.seen = "";
    check.frames = "fd_block_in free (libx.so)";
    ck_assert_str_eq(rp_check_likely(&check), "it leaks");
    static const char *const noted[] = {"through the CPU fallback: aten::zero_"};
    check = failed_check();
    check.words.hint_when = "through the CPU fallback: ";
    ck_assert_str_eq(rp_check_likely(&check), "");
    check.notes = (struct hn_texts){noted, 1};
    ck_assert_str_eq(rp_check_likely(&check), "it leaks");
}

TEST(render_does_not_send_to_a_kernel_where_the_fallback_computed)
{
    static const char *const noted[] = {
        "the case through the CPU fallback: aten::zero_, aten::_softmax.out"};
    struct rp_check check = failed_check();
    check.words.hint = "The kernel reads by rows.";
    check.notes = (struct hn_texts){noted, 1};
    check.expected = "softmax of (float32[2]) is the CPU's";
    ck_assert_ptr_nonnull(strstr(rp_check_likely(&check), "Check the copies to the CPU"));
    check.seen = "device is cpu, expected foo:0";
    ck_assert_ptr_nonnull(strstr(rp_check_likely(&check), "of the first tensor"));
    check.expected = "softmaxes of (float32[2]) are the CPU's";
    ck_assert_str_eq(rp_check_likely(&check), "The kernel reads by rows.");
    check.seen = "wrong";
    check.expected = "softmax of (float32[2]) is the CPU's";
    check.words.hint = "it leaks";
    ck_assert_str_eq(rp_check_likely(&check), "it leaks");
}

TEST(render_knows_words_that_have_one_cause_everywhere)
{
    struct rp_check check = failed_check();
    check.seen = "element 0 is 2, expected 3; 1 of 1 elements differ, as if computed in float32";
    ck_assert_ptr_nonnull(strstr(rp_check_likely(&check), "in float32"));
    check.verdict = HN_CRASH;
    check.seen = "";
    ck_assert_str_eq(rp_check_likely(&check), "");
    check.said = "c10::Error: PyTorch is not linked with support for foo devices";
    ck_assert_ptr_nonnull(strstr(rp_check_likely(&check), "C10_REGISTER_GUARD_IMPL"));
    check.stage = "load";
    ck_assert_str_eq(rp_check_likely(&check), "");
}

TEST(render_has_another_cause_for_another_form_of_a_failure)
{
    struct rp_check check = failed_check();
    check.words.other_hint = "it writes nothing";
    check.words.other_hint_when = "all of it is 0";
    ck_assert_str_eq(rp_check_likely(&check), "it leaks");
    check.seen = "element 0 is 0, expected 2, and all of it is 0";
    ck_assert_str_eq(rp_check_likely(&check), "it writes nothing");
    check.seen = "raised RuntimeError: all of it is 0";
    ck_assert_str_eq(rp_check_likely(&check), "it writes nothing");
}

static void expect_fallback(const struct rp_check *check, const char *words)
{
    struct hn_buffer text;
    hn_buffer_init(&text, 400);
    ck_assert_int_eq(rp_check_fallback(NULL, check, &text), HN_OK);
    ck_assert_str_eq(text.text, words);
    hn_buffer_finish(&text);
}

TEST(render_tells_many_failures_by_their_kinds)
{
    static const char *const noted[] = {"failed: 2 of 3: a of (float32[2]), a of (int64[2])",
                                        "failed by kind: 2 of 3: a (2 of 2). Nothing failed of: b"};
    struct rp_check check = failed_check();
    check.notes = (struct hn_texts){noted, 1};
    ck_assert_str_eq(rp_check_failed(&check), "2 of 3: a of (float32[2]), a of (int64[2])");
    check.notes = (struct hn_texts){noted, 2};
    ck_assert_str_eq(rp_check_failed(&check), "2 of 3: a (2 of 2). Nothing failed of: b");
}

TEST(render_names_what_the_cpu_computed_beside_a_failure_only)
{
    static const char *const seen[] = {"dtype: float32", "through the CPU fallback: aten::sin.out",
                                       "under watch: aten.mm.default is wrong"};
    struct rp_check check = failed_check();
    static const char *const of_case[] = {"through the CPU fallback: aten::sin.out",
                                          "the case through the CPU fallback: aten::cos"};
    static const char *const none[] = {"through the CPU fallback: aten::sin.out",
                                       "the case without the CPU fallback: none"};
    static const char *const many[] = {"through the CPU fallback: a, b, c, d, e, f, g, h"};
    expect_fallback(&check, "");
    check.notes = (struct hn_texts){of_case, 2};
    expect_fallback(&check, "ran in the case that is shown: aten::cos");
    check.notes = (struct hn_texts){none, 2};
    expect_fallback(&check, "none ran in the case that is shown");
    check.notes = (struct hn_texts){seen, 3};
    expect_fallback(&check, "ran somewhere in this check: aten::sin.out");
    check.notes = (struct hn_texts){many, 1};
    expect_fallback(&check, "ran somewhere in this check: a, b, c, d, e, f and 2 more");
    check.notes = (struct hn_texts){seen, 3};
    ck_assert_str_eq(rp_check_watched(&check), "aten.mm.default is wrong");
    check.verdict = HN_PASS;
    expect_fallback(&check, "");
}

TEST(render_guesses_no_cause_beside_one_that_was_watched)
{
    static const char *const seen[] = {"under watch: aten.mm.default is the first wrong operator"},
                             *const unseen[] = {"under watch: the check has too little time left"};
    struct rp_check check = failed_check();
    check.notes = (struct hn_texts){unseen, 1};
    ck_assert_str_eq(rp_check_likely(&check), "it leaks");
    check.notes = (struct hn_texts){seen, 1};
    ck_assert_str_eq(rp_check_likely(&check), "");
}

TEST(render_demands_what_the_clause_says_that_failed)
{
    static const struct hn_clause_verdict clauses[] = {{.id = "X-001", .verdict = HN_PASS},
                                                       {.id = "X-002", .verdict = HN_FAIL}};
    static const struct rp_requirement texts[] = {{.id = "X-001", .text = "it is taken"},
                                                  {.id = "X-002", .text = "it is counted"}};
    const struct rp_run run = {.requirements = texts, .requirement_count = 2};
    struct rp_check check = failed_check();
    check.demand = "it is taken";
    ck_assert_str_eq(rp_check_demand(&run, &check), "it is taken");
    check.clauses = clauses;
    check.clause_count = 2;
    ck_assert_str_eq(rp_check_demand(&run, &check), "it is counted");
}

TEST(render_tells_each_cause_once)
{
    const struct rp_check first = {.id = "guard.x", .joined_count = 1},
                          other = {.id = "amp.y", .joined = &first}, alone = {.id = "amp.z"};
    char text[80];
    rp_check_cause(&first, text, sizeof text);
    ck_assert_str_eq(text, "also that of 1 other check");
    rp_check_cause(&other, text, sizeof text);
    ck_assert_str_eq(text, "that of guard.x");
    rp_check_cause(&alone, text, sizeof text);
    ck_assert_str_eq(text, "");
}

static void compare_sentence(const struct rp_run *run, const char *sentence)
{
    struct hn_buffer out;
    hn_buffer_init(&out, 4096);
    rp_run_sentence(run, &out);
    ck_assert_str_eq(out.text, sentence);
    hn_buffer_finish(&out);
}

TEST(render_says_in_one_sentence_how_it_went)
{
    const struct rp_check checks[] = {
        {.verdict = HN_PASS}, {.verdict = HN_CRASH}, {.verdict = HN_FAIL}, {.verdict = HN_BROKEN}};
    const struct rp_requirement requirements[] = {{.level = HN_MUST, .verdict = HN_FAIL},
                                                  {.level = HN_SHOULD, .verdict = HN_FAIL}};
    struct rp_run run = {.checks = checks,
                         .check_count = 4,
                         .requirements = requirements,
                         .requirement_count = 2,
                         .totals = {[HN_CRASH] = 1},
                         .complete = 1};
    compare_sentence(&run, "2 of 4 checks failed, 1 of them ended the process or hung; 1 must is "
                           "broken; 1 could not be decided.");
    run.check_count = 1;
    run.requirement_count = 0;
    compare_sentence(&run, "None of 1 checks failed, 1 passed.");
    run.complete = 0;
    compare_sentence(&run, "None of 1 checks failed, 1 passed; the run is not complete.");
}

TEST(render_prints_a_command_that_works_from_anywhere)
{
    static const struct {
        const char *profile, *seed, *command;
    } rows[] = {
        {"", "1", "assay repro guard.x --target fakedev"},
        {"/usr/share/assay/ci/targets/fakedev_native.yaml", "1",
         "assay repro guard.x --target fakedev_native"},
        {"/home/me/mine.yaml", "1", "assay repro guard.x --target /home/me/mine.yaml"},
        {"/usr/mine.yaml", "1", "assay repro guard.x --target mine.yaml"},
        {"/usr/deep/mine", "1", "assay repro guard.x --target deep/mine"},
        {"/usr/mine", "1", "assay repro guard.x --target /usr/mine"},
        {"/usrmine/a.yaml", "1", "assay repro guard.x --target /usrmine/a.yaml"},
        {"/home/me/it's mine.yaml", "7",
         "assay repro guard.x --target '/home/me/it'\\''s mine.yaml' --seed 7"},
        {"/a/ci/targets/deep/x.yaml", "", "assay repro guard.x --target /a/ci/targets/deep/x.yaml"},
    };
    const struct rp_check check = failed_check();
    ck_assert_int_eq(chdir("/usr"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rp_run run = {
            .target = "fakedev", .profile = rows[i].profile, .seed = rows[i].seed};
        struct hn_buffer out;
        hn_buffer_init(&out, 4096);
        ck_assert_int_eq(rp_check_repro(&run, &check, &out), HN_OK);
        ck_assert_str_eq(out.text, rows[i].command);
        hn_buffer_finish(&out);
    }
}
