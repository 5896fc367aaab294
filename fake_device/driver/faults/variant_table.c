/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of variants, sorted by name, and the functions with which variants change the settings.
 */
#include "variant_table.h"

static void eager_streams(struct fd_settings *settings)
{
    settings->eager_streams = 1;
}

/* The variant adds no device if FAKEDEV_DEVICES hides all devices. */
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
      "Other processes allocate and free memory: the free memory changes with each query."},
     NULL},
    {{"class_module", "The Python device module is an object of a class instead of a module."},
     NULL},
    {{"coarse_clock", "Events measure time in whole milliseconds."}, NULL},
    {{"eager_streams", "Work runs immediately in the calling thread; gates are unsupported."},
     eager_streams},
    {{"eight_devices", "There are eight devices."}, eight_devices},
    {{"large_alignment", "Every block is aligned to 64 KiB."}, large_alignment},
    {{"large_stream_ids", "Stream ids need more than 32 bits."}, NULL},
    {{"late_completion",
      "Worker threads yield several times to other threads before a task completes."},
     late_completion},
    {{"narrow_operators", "There is no CPU fallback: operators without a device kernel raise."},
     NULL},
    {{"no_caching", "Freed memory is returned to the device immediately."}, no_caching},
    {{"no_fp64",
      "Kernels raise for float64 and complex128; tensors of these dtypes can be stored."},
     no_fp64},
    {{"odd_name",
      "The name of a device is long and contains quotes, a backslash and non-ASCII letters."},
     NULL},
    {{"offset_pinned", "Pinned memory does not begin at a page boundary."}, NULL},
    {{"one_device", "There is one device."}, one_device},
    {{"poisoned_free", "Freed memory is filled with a pattern that is a NaN in every float type."},
     poisoned_free},
    {{"poisoned_new", "New memory is filled with a pattern that is a NaN in every float type."},
     NULL},
    {{"poisoned_pinned",
      "New pinned memory is filled with a pattern that is a NaN in every float type."},
     NULL},
    {{"short_seeds", "Seeds that differ only in their upper 32 bits give the same numbers."}, NULL},
    {{"slow_calls", "A call that enqueues work first yields several times to other threads."},
     NULL},
    {{"tiny_memory", "Each device has 64 MiB."}, tiny_memory},
};

const size_t fd_variant_table_size = sizeof fd_variant_table / sizeof fd_variant_table[0];
