/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests what crash_words.c reports for a stack and for a standard error.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_words.h"
#include "file.h"
#include "job_folder.h"
#include "unit_test.h"

static struct hn_crash_words words_of(const char *errors, const char *stack)
{
    char folder[] = "/tmp/hn_crash_XXXXXX", path[64];
    struct hn_crash_words words;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/err.txt", folder);
    ck_assert_int_eq(hn_file_write(path, errors, strlen(errors), NULL), HN_OK);
    snprintf(path, sizeof path, "%s/stack.txt", folder);
    ck_assert_int_eq(hn_file_write(path, stack, strlen(stack), NULL), HN_OK);
    hn_crash_words_read(folder, &words);
    hn_job_folder_remove(folder);
    return words;
}

TEST(crash_words_leave_out_the_handler_and_how_a_process_ends_itself)
{
    const struct hn_crash_words words = words_of(
        "",
        "stack at signal 06\n"
        "/x/libassay_host.so(+0x11)[0x1]\n/lib/libc.so.6(+0x3c050)[0x2]\n"
        "/lib/libc.so.6(gsignal+0x12)[0x3]\n/lib/libstdc++.so.6(+0x9)[0x4]\n"
        "/x/libfoo.so(_ZN3foo4openEi+0x4)[0x5]\n/x/libfoo.so(_ZNSt13__future_base3runEv+0x4)[0x7]\n"
        "/lib/libc.so.6(start+0x9)[0x8]\n/x/libfoo.so(+0x99)[0x6]\n");
    ck_assert_str_eq(words.frames, "foo::open (libfoo.so) < +0x99 (libfoo.so)");
    ck_assert_int_eq(words.overflow, 0);
}

TEST(crash_words_name_the_function_that_a_lambda_stands_in)
{
    const struct hn_crash_words words = words_of(
        "", "stack at signal 11\n"
            "/x/libfoo.so(_ZNSt17_Function_handlerIFviEZN3foo5startEvEUliE_E9_M_invokeERKSt9_Any_"
            "dataOi+0x4)[0x5]\n");
    ck_assert_str_eq(words.frames, "foo::start (libfoo.so)");
    const struct hn_crash_words of_const = words_of(
        "", "stack at signal 11\n"
            "/x/libfoo.so(_ZNSt17_Function_handlerIFvvEZNK3Foo3barEvEUlvE_E9_M_invokeERKSt9_Any_"
            "data+0x4)[0x5]\n");
    ck_assert_str_eq(of_const.frames, "Foo::bar (libfoo.so)");
}

TEST(crash_words_know_a_function_that_calls_itself)
{
    char stack[4096];
    size_t used = (size_t)snprintf(stack, sizeof stack, "stack at signal 11\n");
    for (int i = 0; i < 40; i++)
        used +=
            (size_t)snprintf(stack + used, sizeof stack - used, "/x/libfoo.so(deeper+0x4)[0x5]\n");
    const struct hn_crash_words words = words_of("", stack);
    ck_assert_str_eq(words.frames, "deeper (libfoo.so) > deeper (libfoo.so) ...");
    ck_assert_int_eq(words.overflow, 1);
}

TEST(crash_words_know_functions_that_call_each_other_without_end)
{
    static const int counts[] = {40, 12}; /* numbers of calls; only the second dump has main */
    for (int overflows = 1; overflows >= 0; overflows--) {
        char stack[8192];
        size_t used = (size_t)snprintf(stack, sizeof stack,
                                       "stack at signal 11\n/x/libfoo.so(leaf+0x1)[0x1]\n");
        for (int i = 0; i < counts[!overflows]; i++)
            used += (size_t)snprintf(stack + used, sizeof stack - used,
                                     "/x/libfoo.so(f%d+0x4)[0x%d]\n", i % 4, 5 + i % 4);
        if (!overflows)
            snprintf(stack + used, sizeof stack - used, "/x/python(main+0x4)[0x99]\n");
        const struct hn_crash_words words = words_of("", stack);
        ck_assert_int_eq(words.overflow, overflows);
        ck_assert_str_eq(words.frames, overflows
                                           ? "f0 (libfoo.so) > f3 (libfoo.so) > f2 (libfoo.so) > "
                                             "f1 (libfoo.so) > f0 (libfoo.so) ..."
                                           : "leaf (libfoo.so) < f0 (libfoo.so) < "
                                             "f1 (libfoo.so) < f2 (libfoo.so)");
    }
}

TEST(crash_words_skip_the_stack_behind_an_exception)
{
    const struct hn_crash_words words =
        words_of("warming up\nno such device\nException raised from open at x.cc:3 (most recent "
                 "call first):\nframe #0: f\n<omitting python frames>\nframe #9: g\n\n",
                 "");
    ck_assert_str_eq(words.said, "no such device");
    ck_assert_str_eq(words.frames, "");
}

/* The main program replaces libassay_bridge.so, which records the fallback, and contains the
 * dispatcher's frames. */
TEST(crash_words_of_a_cycle_leave_out_what_is_ours)
{
    char stack[16384];
    size_t used = (size_t)snprintf(stack, sizeof stack, "stack at signal 11\n");
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(
            stack + used, sizeof stack - used,
            "/x/libassay_bridge.so(+0x1)[0x1]\n/x/libfoo.so(_ZN3foo4openEi+0x4)[0x5]\n"
            "/x/libtorch_cpu.so(_ZN3c1010Dispatcher4callEv+0x4)[0x6]\n");
    ck_assert_str_eq(words_of("", stack).frames,
                     "foo::open (libfoo.so) > foo::open (libfoo.so) ...");
}

TEST(crash_words_have_the_text_of_the_exception)
{
    const struct hn_crash_words words = words_of(
        "warming up\nterminate called after throwing an instance of 'c10::NotImplementedError'\n"
        "  what():  Could not run 'aten::_nested_tensor_size'\n\n"
        "CPU: registered at x.cpp:1\nPythonDispatcher: registered at y.cpp:2\n",
        "");
    ck_assert_str_eq(words.said,
                     "c10::NotImplementedError: Could not run 'aten::_nested_tensor_size'");
}

/* Stands for a function of a vendor's library that is not exported. Such a function has no name in
 * the dump. */
static __attribute__((noinline)) int hidden_function(int value)
{
    return value + 1;
}

TEST(crash_words_name_functions_that_are_not_exported)
{
    char stack[256];
    Dl_info facts;
    int (*volatile function)(int) = hidden_function;
    ck_assert_int_ne(dladdr((const void *)(uintptr_t)function, &facts), 0);
    snprintf(stack, sizeof stack, "stack at signal 11\n/proc/self/exe(+0x%zx)[0x5]\n",
             (size_t)((uintptr_t)function - (uintptr_t)facts.dli_fbase));
    ck_assert_str_eq(words_of("", stack).frames, "hidden_function (exe)");
}
