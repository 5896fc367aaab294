/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that an error names the path of the wrong value, that the writer produces valid JSON from
 * any text, and that a written document can be read back.
 */
#include <math.h>
#include <string.h>

#include "json_read.h"
#include "json_write.h"
#include "unit_test.h"

static const struct hn_json_limits limits = {.bytes = 10000, .depth = 16};

static struct hn_json_document *parse(const char *text, struct hn_json *root)
{
    struct hn_json_document *document = NULL;
    struct hn_error error;
    ck_assert_msg(hn_json_parse(text, strlen(text), &limits, "x.json", 0, &document, &error) ==
                      HN_OK,
                  "%s", error.text);
    hn_json_root(document, root);
    return document;
}

TEST(json_getters_of_right_types_give_values)
{
    struct hn_json root, object, array, item;
    struct hn_error error;
    const char *text;
    int64_t integer;
    double number;
    int yes;
    struct hn_json_document *document =
        parse("{\"t\": \"x\", \"i\": -3, \"n\": 2.5, \"b\": true, \"o\": {\"k\": 1}, "
              "\"a\": [\"p\", \"q\"], \"z\": null}",
              &root);
    ck_assert_int_eq(hn_json_text(&root, "t", &text, &error), HN_OK);
    ck_assert_str_eq(text, "x");
    ck_assert_int_eq(hn_json_integer(&root, "i", -3, 0, &integer, &error), HN_OK);
    ck_assert_int_eq(integer, -3);
    ck_assert_int_eq(hn_json_number(&root, "n", &number, &error), HN_OK);
    ck_assert(number == 2.5);
    ck_assert_int_eq(hn_json_boolean(&root, "b", &yes, &error), HN_OK);
    ck_assert_int_eq(yes, 1);
    ck_assert_int_eq(hn_json_object(&root, "o", &object, &error), HN_OK);
    ck_assert_int_eq(hn_json_array(&root, "a", &array, &error), HN_OK);
    ck_assert_uint_eq(hn_json_count(&array), 2);
    hn_json_item(&array, 1, &item);
    ck_assert_int_eq(hn_json_as_text(&item, &text, &error), HN_OK);
    ck_assert_str_eq(text, "q");
    ck_assert_int_eq(hn_json_has(&root, "t"), 1);
    ck_assert_int_eq(hn_json_has(&root, "z"), 0);
    ck_assert_int_eq(hn_json_has(&root, "absent"), 0);
    hn_json_destroy(document);
}

TEST(json_getters_of_wrong_types_name_the_path)
{
    struct hn_json root, target, devices, item;
    struct hn_error error;
    const char *text;
    int64_t integer;
    double number;
    int yes;
    struct hn_json_document *document =
        parse("{\"run\": {\"devices\": [0, \"one\"], \"name\": 7, \"big\": 99}}", &root);
    ck_assert_int_eq(hn_json_object(&root, "run", &target, &error), HN_OK);
    ck_assert_int_eq(hn_json_text(&target, "name", &text, &error), HN_EINPUT);
    ck_assert_str_eq(error.text, "run.name must be text, not a number");
    ck_assert_str_eq(error.file, "x.json");
    ck_assert_int_eq(hn_json_text(&target, "title", &text, &error), HN_EINPUT);
    ck_assert_str_eq(error.text, "run.title is missing");
    ck_assert_int_eq(hn_json_integer(&target, "big", 0, 9, &integer, &error), HN_EINPUT);
    ck_assert_str_eq(error.text, "run.big is 99; it must lie between 0 and 9");
    ck_assert_int_eq(hn_json_array(&target, "devices", &devices, &error), HN_OK);
    hn_json_item(&devices, 1, &item);
    ck_assert_int_eq(hn_json_as_integer(&item, 0, 9, &integer, &error), HN_EINPUT);
    ck_assert_str_eq(error.text, "run.devices[1] must be a whole number, not text");
    ck_assert_int_eq(hn_json_must_be_object(&devices, &error), HN_EINPUT);
    ck_assert_str_eq(error.text, "run.devices must be an object, not an array");
    ck_assert_int_eq(hn_json_boolean(&target, "name", &yes, &error), HN_EINPUT);
    ck_assert_int_eq(hn_json_number(&target, "devices", &number, &error), HN_EINPUT);
    ck_assert_int_eq(hn_json_object(&target, "devices", &item, &error), HN_EINPUT);
    ck_assert_int_eq(hn_json_array(&target, "name", &item, &error), HN_EINPUT);
    ck_assert_int_eq(hn_json_text(&devices, "x", &text, &error), HN_EINPUT);
    hn_json_destroy(document);
}

TEST(json_member_walks_all_in_order)
{
    struct hn_json root, member;
    void *iterator = NULL;
    char seen[8] = "";
    struct hn_json_document *document = parse("{\"c\": 1, \"a\": 2, \"b\": 3}", &root);
    while (hn_json_member(&root, &iterator, &member))
        strncat(seen, member.key, 1);
    ck_assert_str_eq(seen, "cab");
    hn_json_destroy(document);
}

TEST(json_depth_is_not_fooled_by_brackets_in_text)
{
    struct hn_json root;
    hn_json_destroy(parse("{\"a\": \"[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[\"}", &root));
}

TEST(json_write_nests_and_separates)
{
    struct hn_buffer out;
    struct hn_json_writer writer;
    hn_buffer_init(&out, 1000);
    hn_write_begin(&writer, &out, 0);
    hn_write_object(&writer, NULL);
    hn_write_text(&writer, "t", "x");
    hn_write_array(&writer, "a");
    hn_write_integer(&writer, NULL, -1);
    hn_write_boolean(&writer, NULL, 0);
    hn_write_null(&writer, NULL);
    hn_write_object(&writer, NULL);
    hn_write_object_end(&writer);
    hn_write_array_end(&writer);
    hn_write_number(&writer, "n", 1.5);
    hn_write_number(&writer, "nan", (double)NAN);
    hn_write_text(&writer, "none", NULL);
    hn_write_object_end(&writer);
    ck_assert_int_eq(hn_write_end(&writer), HN_OK);
    ck_assert_str_eq(out.text, "{\"t\":\"x\",\"a\":[-1,false,null,{}],\"n\":1.5,\"nan\":null,"
                               "\"none\":null}");
    hn_buffer_finish(&out);
}

TEST(json_write_of_any_bytes_can_be_read_back)
{
    static const char bytes[] = "q\" b\\ n\n t\t c\x01 d\x7f u\xc3\xbc bad\xff\xc3";
    struct hn_buffer out;
    struct hn_json_writer writer;
    struct hn_json root;
    struct hn_error error;
    const char *text;
    hn_buffer_init(&out, 1000);
    hn_write_begin(&writer, &out, 2);
    hn_write_object(&writer, NULL);
    hn_write_text(&writer, bytes, bytes);
    hn_write_object_end(&writer);
    struct hn_json_document *document = parse(out.text, &root);
    static const char expected[] =
        "q\" b\\ n\n t\t c\x01 d\x7f u\xc3\xbc bad\xef\xbf\xbd\xef\xbf\xbd";
    ck_assert_int_eq(hn_json_text(&root, expected, &text, &error), HN_OK);
    ck_assert_str_eq(text, expected);
    hn_json_destroy(document);
    hn_buffer_finish(&out);
}
