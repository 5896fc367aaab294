/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the bridge on torch without a backend, where nothing is registered for PrivateUse1: every
 * area returns a result or an error with a text, and the parts that need only the CPU work. The
 * suites test the bridge with a device.
 */
#include "bridge.h"
#include "bridge_raised.h"
#include "unit_test.h"

#include <stdio.h>
#include <string.h>

static void text_has(const char *part)
{
    ck_assert_msg(strstr(bridge_error_text(), part) != NULL, "\"%s\" lacks \"%s\"",
                  bridge_error_text(), part);
    ck_assert_msg(!strstr(bridge_error_text(), "frame #"), "a backtrace in \"%s\"",
                  bridge_error_text());
}

TEST(guard_without_backend_refuses_in_words)
{
    ck_assert_int_eq(bridge_guard_registered(), 0);
    ck_assert_ptr_null(bridge_guard_identity());
    ck_assert_int_eq(bridge_guard_current().status, ASSAY_EFAILED);
    text_has("PyTorch is not linked with support for privateuseone devices");
    ck_assert_int_eq(bridge_raised(), BRIDGE_RAISED_SAID);
    ck_assert_int_eq(bridge_stream_current(0).status, ASSAY_EFAILED);
    struct bridge_scope *scope = NULL;
    ck_assert_int_eq(bridge_scope_enter(0, &scope), ASSAY_EFAILED);
    ck_assert_ptr_null(scope);
}

TEST(allocator_without_backend_refuses_in_words)
{
    struct bridge_block block = {0};
    ck_assert_ptr_null(bridge_allocator_identity());
    ck_assert_int_eq(bridge_allocator_has_stats(), 0);
    ck_assert_int_eq(bridge_allocate(16, &block), ASSAY_EFAILED);
    text_has("No allocator is registered for PrivateUse1.");
    ck_assert_int_eq(bridge_block_free(&block), ASSAY_OK);
    ck_assert_int_eq(bridge_host_registered(), 0);
}

TEST(rules_of_core_about_allocators_hold)
{
    int32_t chosen = -1;
    ck_assert_int_eq(bridge_cpu_device_allocator(), ASSAY_EFAILED);
    text_has("getDeviceAllocator is not supported for CPU device type.");
    ck_assert_int_lt(bridge_storage_resizable_without_allocator(), 0);
    ck_assert_int_eq(bridge_storage_factory_again(0), ASSAY_EUNSUPPORTED);
    ck_assert_int_eq(bridge_set_unused_allocator(1, 2, &chosen), ASSAY_OK);
    ck_assert_int_eq(chosen, 1);
    ck_assert_int_eq(bridge_set_unused_allocator(0, 1, &chosen), ASSAY_OK);
    ck_assert_int_eq(chosen, 1);
    ck_assert_int_lt(bridge_foreign_is_simple(&chosen), 0);
    text_has("No allocator is registered for PrivateUse1.");
}

TEST(shim_without_backend_refuses_in_words)
{
    struct bridge_shim_guard *guard = NULL;
    ck_assert_int_eq(bridge_shim_guard_create(0, &guard), ASSAY_EFAILED);
    ck_assert_ptr_null(guard);
    text_has("aoti_torch_create_device_guard failed");
    ck_assert_int_eq(bridge_raised(), BRIDGE_RAISED_NOTHING);
}

TEST(hooks_and_generator_without_backend_refuse_in_words)
{
    int32_t count;
    struct bridge_generator *generator = NULL;
    ck_assert_int_eq(bridge_hooks_registered(), 0);
    ck_assert_int_eq(bridge_hooks_count(&count), ASSAY_EFAILED);
    text_has("Please register PrivateUse1HooksInterface");
    ck_assert_int_lt(bridge_generator_new(0, &generator), 0);
    ck_assert_ptr_null(generator);
}

static void keep_default_dtype(void *context, const char *question, const char *answer)
{
    char *const seen = context;
    if (strcmp(question, "torch.get_default_dtype()") == 0)
        snprintf(seen, 32, "%s", answer);
}

TEST(state_visit_gives_answers_in_the_words_of_python)
{
    char seen[32] = "";
    ck_assert_int_eq(bridge_state_visit(keep_default_dtype, seen), ASSAY_OK);
    ck_assert_str_eq(seen, "torch.float32");
}

TEST(tensor_from_bytes_reads_back_equal)
{
    const float values[] = {1, 2, 3, 4, 5, 6};
    const int64_t sizes[] = {2, 3};
    struct bridge_tensor *tensor = NULL, *copy = NULL;
    struct bridge_tensor_facts facts;
    float back[6] = {0};
    ck_assert_int_eq(
        bridge_tensor_from_bytes(values, sizeof values, sizes, 2, BRIDGE_FLOAT, &tensor), 0);
    ck_assert_int_eq(bridge_tensor_to(tensor, BRIDGE_CPU, &copy), 0);
    ck_assert_int_eq(bridge_tensor_read(copy, back, sizeof back), 0);
    ck_assert_mem_eq(back, values, sizeof back);
    ck_assert_int_eq(bridge_tensor_describe(copy, &facts), 0);
    ck_assert_int_eq(facts.dtype, BRIDGE_FLOAT);
    ck_assert_int_eq(facts.strides[0], 3);
    ck_assert_uint_eq(facts.bytes, sizeof values);
    ck_assert_int_eq(facts.type, 0);
    ck_assert_int_eq(bridge_tensor_read(copy, back, 4), ASSAY_EINVALID);
    text_has("the tensor has 24 bytes, not 4");
    bridge_tensor_free(tensor);
    bridge_tensor_free(copy);
}

TEST(call_by_schema_name_fills_in_defaults)
{
    const float values[] = {1, 2};
    const int64_t sizes[] = {2};
    struct bridge_tensor *tensor = NULL, *sum = NULL;
    float back[2];
    ck_assert_int_eq(
        bridge_tensor_from_bytes(values, sizeof values, sizes, 1, BRIDGE_FLOAT, &tensor), 0);
    const struct bridge_value arguments[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                             {.kind = BRIDGE_TENSOR, .tensor = tensor}};
    ck_assert_int_eq(bridge_call("aten::add.Tensor", arguments, 2, &sum), 0);
    ck_assert_int_eq(bridge_tensor_read(sum, back, sizeof back), 0);
    ck_assert_float_eq(back[1], 4);
    ck_assert_int_eq(bridge_call("aten::add.Tensor", arguments, 1, &sum), ASSAY_EINVALID);
    text_has("needs its argument other");
    ck_assert_int_lt(bridge_call("aten::no_such_operator", arguments, 1, &sum), 0);
    text_has("no_such_operator");
    bridge_tensor_free(sum);
    bridge_tensor_free(tensor);
}

static void count_visit(void *context, const char *op)
{
    ck_assert_ptr_nonnull(strstr(op, "::"));
    ++*(int32_t *)context;
}

TEST(kernels_of_a_key_are_counted_and_visited)
{
    int32_t count = -1, visited = 0;
    ck_assert_int_eq(bridge_kernel_count("PrivateUse1", &count), 0);
    ck_assert_int_eq(bridge_kernels("PrivateUse1", count_visit, &visited), 0);
    ck_assert_int_eq(count, visited);
    ck_assert_int_eq(bridge_kernel_count("CPU", &count), 0);
    ck_assert_int_gt(count, 500);
    ck_assert_int_eq(bridge_op_has_kernel("aten::add.out", "CPU"), 1);
    ck_assert_int_eq(bridge_op_has_kernel("aten::add.out", "PrivateUse1"), 0);
    ck_assert_int_eq(bridge_op_has_kernel("aten::no_such_operator", "CPU"), 0);
    ck_assert_int_eq(bridge_has_fallback("AutogradPrivateUse1"), 1);
    ck_assert_int_eq(bridge_has_fallback("PrivateUse1"), 0);
    ck_assert_int_lt(bridge_kernel_count("NoSuchKey", &count), 0);
}

TEST(kinds_of_tensors_are_read)
{
    struct bridge_kind kind = {0};
    ck_assert_int_eq(bridge_tensor_kind_read("int8 16x8", &kind), ASSAY_OK);
    ck_assert_int_eq(kind.dtype, 1);
    ck_assert_int_eq(kind.dim, 2);
    ck_assert_int_eq(kind.sizes[0], 16);
    ck_assert_int_eq(kind.sizes[1], 8);
    ck_assert_uint_eq(kind.element_bytes, 1);
    ck_assert_int_eq(bridge_tensor_kind_read("bfloat16 any", &kind), ASSAY_OK);
    ck_assert_int_eq(kind.dtype, BRIDGE_BFLOAT16);
    ck_assert_int_eq(kind.dim, 0);
    ck_assert_int_eq(bridge_tensor_kind_read("int128 32", &kind), ASSAY_EINVALID);
}

TEST(the_cpu_takes_the_common_kind)
{
    char words[64];
    ck_assert_int_eq(bridge_tensor_kind(BRIDGE_CPU, words, sizeof words), ASSAY_OK);
    ck_assert_str_eq(words, "float32 any");
}

TEST(backend_name_before_and_after_rename)
{
    char name[32];
    ck_assert_int_eq(bridge_backend_is_named(), 0);
    ck_assert_int_eq(bridge_backend_name(name, sizeof name), 0);
    ck_assert_str_eq(name, "privateuseone");
    ck_assert_int_eq(bridge_backend_name(name, 4), ASSAY_EINVALID);
    ck_assert_int_eq(bridge_backend_set_name("foo"), 0);
    ck_assert_int_eq(bridge_backend_name(name, sizeof name), 0);
    ck_assert_str_eq(name, "foo");
    ck_assert_int_lt(bridge_backend_set_name("bar"), 0);
}

TEST(build_names_the_torch_of_the_headers)
{
    const struct assay_build *build = bridge_build();
    ck_assert_uint_eq(build->struct_size, sizeof *build);
    ck_assert_uint_eq(build->pointer_size, sizeof(void *));
    ck_assert_int_eq(build->torch[0], '2');
    ck_assert_ptr_null(strchr(build->torch, '+'));
}
