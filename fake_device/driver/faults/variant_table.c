/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of variants, sorted by name, with the few lines by which each changes the settings.
 */
#include "variant_table.h"

static void eager_streams(struct fd_settings *settings)
{
    settings->eager_streams = 1;
}

/* A machine from which all devices are hidden stays without. */
static void eight_devices(struct fd_settings *settings)
{
    settings->devices = settings->devices == 0 ? 0 : 8;
}

static void large_alignment(struct fd_settings *settings)
{
    settings->alignment = 64 * 1024;
}

static void late_completion(struct fd_settings *settings)
{
    settings->late_completion = 1;
}

static void no_caching(struct fd_settings *settings)
{
    settings->caching = 0;
}

static void no_fp64(struct fd_settings *settings)
{
    settings->no_fp64 = 1;
}

static void one_device(struct fd_settings *settings)
{
    settings->devices = settings->devices == 0 ? 0 : 1;
}

static void poisoned_free(struct fd_settings *settings)
{
    settings->poisoned_free = 1;
}

static void tiny_memory(struct fd_settings *settings)
{
    settings->memory = UINT64_C(64) << 20;
}

const struct fd_variant_row fd_variant_table[] = {
    {{"busy_memory",
      "Other processes take and give back memory: what is free changes with each question."},
     NULL},
    {{"class_module", "The Python device module is an object of a class, not a module."}, NULL},
    {{"coarse_clock", "Events tell whole milliseconds."}, NULL},
    {{"eager_streams", "Work runs at once in the calling thread; gates are refused."},
     eager_streams},
    {{"eight_devices", "Eight devices."}, eight_devices},
    {{"large_alignment", "Every block is aligned to 64 KiB."}, large_alignment},
    {{"large_stream_ids", "Numbers of streams need more than 32 bits."}, NULL},
    {{"late_completion", "Workers let other threads take several turns before a task completes."},
     late_completion},
    {{"narrow_operators", "No CPU fallback: operators without a device kernel are refused."}, NULL},
    {{"no_caching", "Freed memory goes back to the device at once."}, no_caching},
    {{"no_fp64", "Kernels refuse float64 and complex128; memory may hold them."}, no_fp64},
    {{"odd_name",
      "The name of a device is long and has quotes, a backslash and letters beyond ASCII."},
     NULL},
    {{"offset_pinned", "Pinned memory begins within a page."}, NULL},
    {{"one_device", "One device."}, one_device},
    {{"poisoned_free", "Freed memory is filled with a pattern that is a NaN in every float type."},
     poisoned_free},
    {{"poisoned_new", "New memory holds a pattern that is a NaN in every float type, not zeros."},
     NULL},
    {{"poisoned_pinned", "New pinned memory holds that pattern, too."}, NULL},
    {{"short_seeds", "Seeds that differ in their upper 32 bits only give the same numbers."}, NULL},
    {{"slow_calls",
      "A call that gives work to a stream lets other threads take several turns first."},
     NULL},
    {{"tiny_memory", "Each device has 64 MiB."}, tiny_memory},
};

const size_t fd_variant_table_size = sizeof fd_variant_table / sizeof fd_variant_table[0];
