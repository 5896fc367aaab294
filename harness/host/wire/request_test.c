/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests how the host parses messages of the supervisor.
 */
#include "request.h"
#include "unit_test.h"

#include <stdio.h>

TEST(parse_setup_gives_every_list_in_order)
{
    struct hn_wire message = {0};
    struct hn_setup setup;
    hn_wire_begin(&message, HN_WIRE_SETUP);
    hn_wire_add(&message, "extra", "before any step: nobody's");
    hn_wire_add(&message, "answer", "0");
    hn_wire_add(&message, "mode", "batch");
    hn_wire_add(&message, "adapter", "a.so");
    hn_wire_add(&message, "device-name", "foo");
    hn_wire_add(&message, "module", "one");
    hn_wire_add(&message, "module", "two");
    hn_wire_add_number(&message, "device", 3);
    hn_wire_add(&message, "step", "import");
    hn_wire_add(&message, "argument", "torch_foo");
    hn_wire_add(&message, "step", "entry_point");
    hn_wire_add(&message, "argument", "foo");
    hn_wire_add(&message, "extra", "torch.backends");
    hn_wire_add(&message, "claim", "streams");
    hn_wire_add_number(&message, "answer", ASSAY_YES);
    hn_wire_add(&message, "listed", "one\ntwo");
    hn_wire_add_number(&message, "exclusive", 1);
    hn_wire_add(&message, "a key of tomorrow", "is passed over");
    ck_assert_int_eq(hn_setup_parse(&setup, &message), 0);
    ck_assert_ptr_null(message.body);
    ck_assert_str_eq(setup.host.mode, "batch");
    ck_assert_str_eq(setup.host.adapter, "a.so");
    ck_assert_str_eq(setup.host.device_name, "foo");
    ck_assert_uint_eq(setup.host.module_count, 2);
    ck_assert_str_eq(setup.host.modules[1], "two");
    ck_assert_uint_eq(setup.host.device_count, 1);
    ck_assert_int_eq(setup.host.devices[0], 3);
    ck_assert_uint_eq(setup.host.step_count, 2);
    ck_assert_str_eq(setup.host.steps[0].extra, "");
    ck_assert_str_eq(setup.host.steps[1].argument, "foo");
    ck_assert_str_eq(setup.host.steps[1].extra, "torch.backends");
    ck_assert_uint_eq(setup.claim_count, 1);
    ck_assert_int_eq(setup.claims[0].answer, ASSAY_YES);
    ck_assert_str_eq(setup.orders.said[HN_ORDER_LISTED], "one\ntwo");
    ck_assert_int_eq(setup.exclusive, 1);
    ck_assert_int_eq(setup.foreground, 0);
    hn_setup_finish(&setup);
}

TEST(parse_request_gives_limits_and_jobs)
{
    struct hn_wire message = {0};
    static struct hn_request request;
    hn_wire_begin(&message, HN_WIRE_RUN);
    hn_wire_add_number(&message, "load-ms", 1);
    hn_wire_add_number(&message, "warm-up-ms", 2);
    hn_wire_add_number(&message, "check-ms", 3);
    hn_wire_add_number(&message, "exit-ms", 4);
    hn_wire_add_number(&message, "grace-ms", 5);
    hn_wire_add_number(&message, "folder-limit", 6);
    hn_wire_add_number(&message, "progress", 7);
    hn_wire_add(&message, "job", "a.one");
    hn_wire_add(&message, "file", "suites/a/test_a.py");
    hn_wire_add(&message, "nonce", "00ff");
    hn_wire_add(&message, "folder", "/run/a");
    hn_wire_add(&message, "seed", "18446744073709551615");
    hn_wire_add_number(&message, "devices", 2);
    hn_wire_add_number(&message, "exit", 1);
    hn_wire_add(&message, "job", "a.two");
    hn_wire_add(&message, "warm-up", "yes");
    hn_wire_add(&message, "arm", "guard.x");
    hn_wire_add(&message, "setting", "A=1");
    hn_wire_add(&message, "refuse", "aten::mm");
    ck_assert_int_eq(hn_request_parse(&request, &message), 0);
    ck_assert_int_eq(request.limit_ms[HN_STAGE_START], 1);
    ck_assert_int_eq(request.limit_ms[HN_STAGE_LOAD], 1);
    ck_assert_int_eq(request.limit_ms[HN_STAGE_WARM_UP], 2);
    ck_assert_int_eq(request.limit_ms[HN_STAGE_CHECK], 3);
    ck_assert_int_eq(request.limit_ms[HN_STAGE_ENDED], 4);
    ck_assert_int_eq(request.limit_ms[HN_STAGE_LEAVE], 4);
    ck_assert_int_eq(request.term_grace_ms, 5);
    ck_assert_int_eq(request.folder_limit, 6);
    ck_assert_int_eq(request.progress, 7);
    ck_assert_uint_eq(request.job_count, 2);
    ck_assert_str_eq(request.jobs[0].check.file, "suites/a/test_a.py");
    ck_assert_str_eq(request.jobs[0].nonce, "00ff");
    ck_assert_str_eq(request.jobs[0].folder, "/run/a");
    ck_assert(request.jobs[0].seed == UINT64_MAX);
    ck_assert_int_eq(request.jobs[0].check.devices, 2);
    ck_assert_int_eq(request.jobs[0].check.normal_exit, 1);
    ck_assert_int_eq(request.jobs[1].check.normal_exit, 0);
    ck_assert_int_eq(request.jobs[1].warm_up, 1);
    ck_assert_ptr_null(request.jobs[0].arm);
    ck_assert_ptr_null(request.jobs[0].setting);
    ck_assert_str_eq(request.jobs[1].arm, "guard.x");
    ck_assert_str_eq(request.jobs[1].setting, "A=1");
    ck_assert_ptr_null(request.jobs[0].orders.said[HN_ORDER_REFUSE]);
    ck_assert_str_eq(request.jobs[1].orders.said[HN_ORDER_REFUSE], "aten::mm");
    ck_assert_str_eq(request.jobs[1].check.file, "");
    hn_wire_finish(&message);
}

TEST(parse_request_keeps_every_limit_within_a_day)
{
    const int64_t day = INT64_C(24) * 60 * 60 * 1000;
    struct hn_wire message = {0};
    static struct hn_request request;
    hn_wire_begin(&message, HN_WIRE_RUN);
    hn_wire_add_number(&message, "check-ms", INT64_MAX);
    hn_wire_add_number(&message, "load-ms", INT64_MIN);
    hn_wire_add(&message, "job", "a.one");
    ck_assert_int_eq(hn_request_parse(&request, &message), 0);
    ck_assert_int_eq(request.limit_ms[HN_STAGE_CHECK], day);
    ck_assert_int_eq(request.limit_ms[HN_STAGE_LOAD], 0);
    hn_wire_finish(&message);
}

TEST(parse_request_without_a_job_is_refused)
{
    struct hn_wire message = {0};
    static struct hn_request request;
    hn_wire_begin(&message, HN_WIRE_RUN);
    hn_wire_add_number(&message, "check-ms", 3);
    ck_assert_int_eq(hn_request_parse(&request, &message), -1);
    hn_wire_finish(&message);
}

TEST(parse_request_with_too_many_jobs_is_refused)
{
    struct hn_wire message = {0};
    static struct hn_request request;
    hn_wire_begin(&message, HN_WIRE_RUN);
    for (int i = 0; i < HN_REQUEST_JOBS; i++)
        hn_wire_add(&message, "job", "a.one");
    ck_assert_int_eq(hn_request_parse(&request, &message), 0);
    hn_wire_add(&message, "job", "a.one");
    ck_assert_int_eq(hn_request_parse(&request, &message), -1);
    hn_wire_finish(&message);
}
