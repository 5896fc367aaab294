/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of anchors, with file names as in a pull request, a wheel or an #include.
 */

#include "anchor.h"
#include "unit_test.h"

TEST(anchor_names_a_file_in_each_of_its_spellings)
{
    static const struct {
        const char *anchor, *file;
        int names;
    } rows[] = {
        {"include/c10/core/Allocator.h:allocate", "c10/core/Allocator.h", 1},
        {"include/c10/core/Allocator.h:allocate", "torch/include/c10/core/Allocator.h", 1},
        {"derived include/ATen/Context.h", "aten/src/ATen/Context.h", 1},
        {"include/torch/csrc/Event.h", "torch/csrc/Event.h", 1},
        {"accelerator/memory.py:empty_cache", "torch/accelerator/memory.py", 1},
        {"a/b.h:x; include/c10/core/impl/COW.h", "c10/core/impl/COW.h", 1},
        {"derived c10/core/Allocator.h (note; too)", "c10/core/Allocator.h", 1},
        {"c10/core/Allocator.h:Allocator::clone", "c10/core/Allocator.h:Allocator::clone", 1},
        {"c10/core/Allocator.h:Allocator::clone", "c10/core/Allocator.h:Allocator", 1},
        {"c10/core/Allocator.h:Allocator", "c10/core/Allocator.h:Allocator::clone", 1},
        {"c10/core/Allocator.h", "c10/core/Allocator.h:Allocator::clone", 1},
        {"accelerator/graphs.py:Graph.replay", "torch/accelerator/graphs.py:Graph", 1},
        {"c10/core/Allocator.h:Allocator::clone", "c10/core/Allocator.h:Allocator::cl", 0},
        {"c10/core/Allocator.h:Allocator::clone", "c10/core/Allocator.h:DataPtr", 0},
        {"torch.maximum", "torch.maximum", 0},
        {"include/c10/core/Allocator.h:allocate", "c10/core/Device.h", 0},
        {"include/c10/core/Allocator.h:allocate", "Allocator.h", 0},
        {"include/c10/core/Allocator.h:allocate", "allocate", 0},
        {"include/c10/core/Allocator.h", "", 0},
        {"", "c10/core/Allocator.h", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(hn_anchor_names(rows[i].anchor, rows[i].file) == rows[i].names, "%s in %s",
                      rows[i].file, rows[i].anchor);
}

TEST(anchor_has_one_form)
{
    static const struct {
        const char *anchor;
        int right;
    } rows[] = {
        {"c10/core/Allocator.h", 1},
        {"derived c10/core/Allocator.h:Allocator::clone (note)", 1},
        {"derived; torch.maximum; torch/library.py:Library.impl", 1},
        {"derived", 1},
        {"c10/core/Allocator.h Allocator", 0},
        {"torch/library.py; ", 0},
        {"amp.py:first, second", 0},
        {"c10/core/Allocator.h (note", 0},
        {"c10/core/Allocator.h (note) more", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(hn_anchor_is_right(rows[i].anchor) == rows[i].right, "%s", rows[i].anchor);
}
