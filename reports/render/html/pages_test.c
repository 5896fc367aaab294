/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the pages for several runs, and of the HTML page without a browser (html_test.py uses
 * one): no untrusted text is markup, and no limit is exceeded.
 */
#include <string.h>

#include "html_parts.h"
#include "render.h"
#include "unit_test.h"

static struct rp_run *runs[2];
static struct hn_buffer out;

static void setup(void)
{
    static const char *const folders[] = {TEST_DATA "/runs/mixed", TEST_DATA "/runs/later"};
    struct hn_error error;
    ck_assert_int_eq(rp_runs_read(folders, 2, runs, &error), HN_OK);
    hn_buffer_init(&out, 1 << 22);
}

static void teardown(void)
{
    hn_buffer_finish(&out);
    rp_run_destroy(runs[0]);
    rp_run_destroy(runs[1]);
}

static void render(int (*format)(const struct rp_run *const *, size_t, const struct rp_options *,
                                 struct hn_buffer *),
                   size_t from, size_t count, int colour)
{
    const struct rp_options options = {.colour = colour};
    ck_assert_int_eq(format((const struct rp_run *const *)&runs[from], count, &options, &out),
                     HN_OK);
}

static size_t count_of(const char *piece)
{
    size_t count = 0;
    for (const char *at = out.text; (at = strstr(at, piece)); at++)
        count++;
    return count;
}

TEST_FIXTURE(setup, teardown);

TEST(html_of_hostile_texts_has_no_markup_of_theirs)
{
    render(rp_render_html, 1, 1, 0);
    ck_assert_uint_eq(count_of("</script>"), 2);
    ck_assert_uint_eq(count_of("<img"), 0);
    ck_assert_uint_eq(count_of("\xe2\x80\xae"), 0);
    ck_assert_uint_gt(count_of("\\u202egnp.exe"),
                      0); /* "\u202e" as escaped in the text and in the JSON data */
    ck_assert_uint_gt(count_of("waiting for the gate"), 0);
}

TEST(html_that_does_not_fit_is_an_error)
{
    static const struct rp_options options = {0};
    const struct rp_run *run = runs[0];
    struct hn_buffer small;
    hn_buffer_init(&small, 4096);
    ck_assert_int_ne(rp_render_html(&run, 1, &options, &small), HN_OK);
    hn_buffer_finish(&small);
}

TEST(html_text_writes_out_what_cannot_be_seen)
{
    rp_html_text(&out, "<a href='x'>&\"\x1b[31m\xff\xe2\x80\xae");
    ck_assert_str_eq(out.text, "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\\x1b[31m\\xff\\u202e");
}

TEST(text_of_two_runs_has_every_matrix)
{
    render(rp_render_text, 0, 2, 0);
    ck_assert_ptr_nonnull(strstr(out.text, "  1  foo.yaml torch 2.13.0"));
    ck_assert_ptr_nonnull(strstr(out.text, "streams                   0/3 crash"));
    ck_assert_ptr_nonnull(
        strstr(out.text, "streams.priority          none                          absent (no/-)"));
    ck_assert_ptr_nonnull(strstr(out.text, "DEV-004 must              fail                pass"));
    ck_assert_ptr_nonnull(
        strstr(out.text, "guard.exchange_device_returns_the_previous_device  fail in 1\n"));
    ck_assert_ptr_nonnull(strstr(out.text, "amp.core_says_so  fail in 1  blocked in 2\n"));
    for (size_t i = 0; i < out.length; i++)
        ck_assert(out.text[i] == '\n' || (unsigned char)out.text[i] >= ' ');
}

TEST(text_in_colour_closes_every_colour)
{
    render(rp_render_text, 0, 2, 1);
    ck_assert_uint_gt(count_of("\x1b[31m"), 0);
    ck_assert_uint_eq(count_of("\x1b["), 2 * count_of("\x1b[0m"));
    hn_buffer_clear(&out);
    render(rp_render_text, 0, 1, 1);
    ck_assert_uint_eq(count_of("\x1b["), 2 * count_of("\x1b[0m"));
}
