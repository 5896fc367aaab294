/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests every format in the table with a run of hostile texts, and with a run that is far too
 * large. A new format needs no change here.
 */
#include <stdlib.h>
#include <string.h>

#include "check_story.h"
#include "markup_escape.h"
#include "render.h"
#include "unit_test.h"

#define LIMIT ((size_t)64 << 20)

static const char nasty[] = "\"'><script>alert(1)</script></pre></code>]]>&amp;<!-- | @everyone "
                            "[x](javascript:y) ```\n## title\n\n1..0\nnot ok\n::error::x\n "
                            "\t::add-mask::y ##[group]z\n\x1b[2J\xe2\x80\xae\xff"
                            "\xef\xbf\xbf #1 \\";

/* The tests change a copy of a real run, so that a new member of the model also has a value. */
static struct rp_run *base;

static void read_base(void)
{
    struct hn_error error;
    ck_assert_int_eq(rp_run_read(TEST_DATA "/runs/mixed", &base, &error), HN_OK);
}

static void drop_base(void)
{
    rp_run_destroy(base);
}

static struct rp_check nasty_check(enum hn_verdict verdict)
{
    static const char *const covers[] = {nasty, nasty};
    struct rp_check check = base->checks[0];
    check.id = check.module = check.demand = check.file = nasty;
    check.reason = check.blocked_by = check.about = check.expected = check.seen = nasty;
    check.location = check.signal = check.stage = check.folder = nasty;
    check.frames = check.said = nasty;
    for (size_t i = 0; i < hn_check_field_count; i++)
        if (hn_check_word(&check.words, &hn_check_fields[i]))
            *hn_check_word(&check.words, &hn_check_fields[i]) = nasty;
    check.covers = (struct hn_texts){covers, 2};
    check.verdict = verdict;
    check.duration_ms = -1;
    return check;
}

static struct rp_run nasty_run(const struct rp_check *checks, size_t count,
                               const struct rp_module *module)
{
    struct rp_run run = *base;
    run.target = run.torch_version = run.torch_git = run.digest = run.date = run.seed = nasty;
    run.profile = nasty;
    run.command = run.host = run.isolation = run.why = nasty;
    run.checks = checks;
    run.check_count = count;
    run.modules = module;
    run.module_count = 1;
    run.requirement_count = 0;
    memset(run.totals, 0, sizeof run.totals);
    return run;
}

/* A run with one hostile check for each verdict, in every format. */
static void render_nasty(const struct rp_format *format, struct hn_buffer *out)
{
    static const struct rp_options plain = {0};
    struct rp_check checks[HN_VERDICTS] = {0};
    struct rp_module module = {.name = nasty, .count = HN_VERDICTS};
    struct rp_run run = nasty_run(checks, HN_VERDICTS, &module);
    const struct rp_run *runs[] = {&run};
    for (int i = 0; i < HN_VERDICTS; i++) {
        checks[i] = nasty_check((enum hn_verdict)i);
        module.totals[i] = run.totals[i] = 1;
    }
    hn_buffer_init(out, LIMIT);
    ck_assert_msg(format->render(runs, 1, &plain, out) == HN_OK, "%s", format->name);
    ck_assert_msg(out->length > 0, "%s", format->name);
}

static const char *forbidden_byte(const struct hn_buffer *out)
{
    for (size_t i = 0; i < out->length; i++) {
        const unsigned char byte = (unsigned char)out->text[i];
        if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f || byte == 0xff)
            return out->text + i;
    }
    return strstr(out->text, "\xe2\x80\xae");
}

TEST_FIXTURE(read_base, drop_base);

TEST(render_of_nasty_text_lets_no_control_character_through)
{
    for (size_t i = 0; i < rp_format_count; i++) {
        const int is_json = strchr("jcsbr", rp_formats[i].name[0]) != NULL;
        struct hn_buffer out;
        render_nasty(&rp_formats[i], &out);
        const char *byte = forbidden_byte(&out);
        /* JSON may contain any character of Unicode unescaped, except control characters. */
        ck_assert_msg(!byte || (is_json && memcmp(byte, "\xe2\x80\xae", 3) == 0), "%s: %.40s",
                      rp_formats[i].name, byte);
        hn_buffer_finish(&out);
    }
}

/* In a log, GitHub executes a line with "##[", or with "::" at its beginning. */
TEST(render_of_nasty_text_has_no_command_of_a_workflow)
{
    for (size_t i = 0; i < rp_format_count; i++) {
        struct hn_buffer out;
        if (!strchr("tmjh", rp_formats[i].name[0]) || strcmp(rp_formats[i].name, "json") == 0)
            continue; /* formats for programs contain the text unchanged */
        render_nasty(&rp_formats[i], &out);
        ck_assert_msg(!strstr(out.text, "##["), "%s", rp_formats[i].name);
        for (const char *line = out.text; line;
             line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
            ck_assert_msg(strncmp(line + strspn(line, " \t"), "::", 2) != 0, "%s: %.40s",
                          rp_formats[i].name, line);
        hn_buffer_finish(&out);
    }
}

TEST(render_of_nasty_text_in_markup_opens_no_element)
{
    static const char *const markup[] = {"junit", "markdown", "html"};
    for (size_t i = 0; i < rp_format_count; i++) {
        for (size_t m = 0; m < sizeof markup / sizeof *markup; m++) {
            struct hn_buffer out;
            if (strcmp(rp_formats[i].name, markup[m]) != 0)
                continue;
            render_nasty(&rp_formats[i], &out);
            ck_assert_msg(!strstr(out.text, "<script>alert"), "%s", markup[m]);
            ck_assert_msg(!strstr(out.text, "</script></pre>"), "%s", markup[m]);
            ck_assert_msg(!strstr(out.text, "]]>"), "%s", markup[m]);
            hn_buffer_finish(&out);
        }
    }
}

/* Texts of checks appear only in <code> and <pre>, and never as mention, link or title. */
TEST(render_markdown_of_nasty_text_keeps_it_in_code)
{
    static const struct rp_format format = {.name = "markdown", .render = rp_render_markdown};
    struct hn_buffer out;
    int inside = 0;
    render_nasty(&format, &out);
    for (const char *c = out.text; *c; c++) {
        if (strncmp(c, "<code>", 6) == 0 || strncmp(c, "<pre>", 5) == 0)
            inside++;
        if (strncmp(c, "</code>", 7) == 0 || strncmp(c, "</pre>", 6) == 0)
            inside--;
        ck_assert_int_ge(inside, 0);
        if (!inside)
            ck_assert_msg(*c != '@' && *c != '[' && *c != '`' && *c != '&', "%.60s", c);
    }
    ck_assert_int_eq(inside, 0);
    ck_assert_ptr_null(strstr(out.text, "\n## title\n\n1..0\n\n"));
    hn_buffer_finish(&out);
}

TEST(render_markdown_of_five_thousand_long_failures_says_what_it_cut)
{
    static const struct rp_options plain = {0};
    static char story[4000];
    const size_t count = 5000;
    struct rp_check *checks = calloc(count, sizeof *checks);
    struct rp_module module = {.name = "guard"};
    struct rp_run run = nasty_run(checks, count, &module);
    const struct rp_run *runs[] = {&run, &run};
    struct hn_buffer out;
    ck_assert_ptr_nonnull(checks);
    memset(story, '<', sizeof story - 1);
    for (size_t i = 0; i < count; i++) {
        checks[i] = nasty_check(i % 2 ? HN_FAIL : HN_SKIP);
        checks[i].seen = checks[i].reason = story;
    }
    checks[4999].blocks = 7;
    checks[4999].id = "guard.the_cause";
    hn_buffer_init(&out, LIMIT);
    ck_assert_int_eq(rp_render_markdown(runs, 2, &plain, &out), HN_OK);
    ck_assert_uint_le(out.length, (size_t)1 << 20);
    ck_assert_uint_ge(out.length, (size_t)1 << 19);
    ck_assert_ptr_nonnull(strstr(out.text, "more are not shown**"));
    ck_assert_ptr_nonnull(strstr(out.text, "the list is left out for its size"));
    /* The cause comes first, so a limit on the length removes it last. */
    ck_assert_ptr_nonnull(strstr(out.text, "guard.the_cause"));
    hn_buffer_finish(&out);
    free(checks);
}

TEST(markup_text_beyond_its_limit_is_cut_at_a_character)
{
    struct hn_buffer out;
    hn_buffer_init(&out, 100);
    ck_assert_int_eq(rp_markup_text(&out,
                                    "ab\xc3\xa4"
                                    "cd",
                                    RP_ONE_LINE, 3),
                     HN_OK);
    ck_assert_str_eq(out.text, "ab[...]");
    hn_buffer_clear(&out);
    rp_markup_text(&out, "a\n\t'\xef\xbf\xbe", RP_ONE_LINE, 99);
    ck_assert_str_eq(out.text, "a  &#39;\\ufffe");
    hn_buffer_finish(&out);
}

TEST(run_start_ms_of_dates)
{
    static const struct {
        const char *date;
        int64_t ms;
    } table[] = {{"1970-01-01T00:00:00Z", 0},
                 {"2026-11-21T13:48:05Z", 1795268885000},
                 {"2024-02-29T12:00:00Z", 1709208000000},
                 {"2000-03-01T00:00:01Z", 951868801000},
                 {"", 0},
                 {"yesterday", 0},
                 {"2026-13-01T00:00:00Z", 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct rp_run run = {.date = table[i].date};
        ck_assert_msg(rp_run_start_ms(&run) == table[i].ms, "%s", table[i].date);
    }
}

TEST(junit_path_of_any_target_is_three_plain_parts)
{
    static const struct {
        const char *target, *path;
    } table[] = {
        {"fakedev", "python-pytest/assay_fakedev/assay_fakedev-2.xml"},
        {"../../etc", "python-pytest/assay_______etc/assay_______etc-2.xml"},
    };
    char path[256];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct rp_run run = {.target = table[i].target, .shard = 2};
        ck_assert_int_eq(rp_junit_path(&run, path, sizeof path), HN_OK);
        ck_assert_str_eq(path, table[i].path);
        ck_assert_int_eq(rp_junit_path(&run, path, 20), HN_ELIMIT);
    }
}

TEST(check_place_of_a_finding_goes_before_the_checks_own)
{
    static const struct {
        const char *location, *file;
        int line;
    } table[] = {{"a/b.c:12", "a/b.c", 12}, {"a/b.c", "a/b.c", 0}, {"", "own.c", 7},
                 {":3", ":3", 0},           {"x:-1", "x:-1", 0},   {"C:\\x.c:9", "C:\\x.c", 9}};
    char file[64];
    int line;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rp_check check = {.location = table[i].location, .file = "own.c", .line = 7};
        ck_assert_int_eq(rp_check_place(&check, file, sizeof file, &line), 1);
        ck_assert_str_eq(file, table[i].file);
        ck_assert_int_eq(line, table[i].line);
    }
}

TEST(render_sarif_leaves_out_files_outside_the_tree)
{
    static const char *const places[] = {"/etc/passwd:1", "../x.c:1", "a/../../x.c:1",
                                         "file://x.c:1",  "a\\b.c:1", "good/a b.c:5"};
    static const struct rp_options plain = {0};
    struct rp_check checks[6] = {0};
    struct rp_module module = {.name = "guard"};
    struct rp_run run = nasty_run(checks, 6, &module);
    const struct rp_run *runs[] = {&run};
    struct hn_buffer out;
    for (size_t i = 0; i < 6; i++) {
        checks[i] = nasty_check(HN_FAIL);
        checks[i].location = places[i];
    }
    hn_buffer_init(&out, LIMIT);
    ck_assert_int_eq(rp_render_sarif(runs, 1, &plain, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "\"uri\": \"good/a%20b.c\""));
    ck_assert_ptr_nonnull(strstr(out.text, "\"omitted\": 5"));
    ck_assert_ptr_null(strstr(out.text, "passwd"));
    hn_buffer_finish(&out);
}

TEST(run_exit_of_verdicts)
{
    static const struct {
        enum hn_verdict verdict;
        enum hn_level level;
        int complete, status;
    } table[] = {
        {HN_PASS, HN_MUST, 1, HN_EXIT_OK},          {HN_PASS, HN_MUST, 0, HN_EXIT_UNDECIDED},
        {HN_FAIL, HN_MUST, 1, HN_EXIT_FAILED},      {HN_FAIL, HN_SHOULD, 1, HN_EXIT_OK},
        {HN_BROKEN, HN_MUST, 1, HN_EXIT_UNDECIDED}, {HN_CRASH, HN_MUST, 0, HN_EXIT_FAILED},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct rp_check check = {.verdict = table[i].verdict, .level = table[i].level};
        const struct rp_run run = {
            .checks = &check, .check_count = 1, .complete = table[i].complete};
        ck_assert_int_eq(rp_run_exit(&run), table[i].status);
    }
    ck_assert_int_eq(rp_run_exit(&(struct rp_run){.complete = 1}), HN_EXIT_UNDECIDED);
}
