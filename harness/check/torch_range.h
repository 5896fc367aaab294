/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The releases of torch for which something is promised, as the contract words them. Used where a
 * run is planned, and by the gate, which must not miss what the plan left out.
 */
#ifndef HN_TORCH_RANGE_H
#define HN_TORCH_RANGE_H

struct hn_torch_range {
    const char
        *since; /* "2.9"; "2.9-2.10": came between the two, so the later counts; else, and "":
                        * always was */
    const char *until; /* "2.12": the last release that has it; "": still there */
};

/* 1 if `torch`, a version like 2.13.0.dev20260101, has it. A version that tells nothing has all. */
int hn_torch_range_has(struct hn_torch_range range, const char *torch);
/* The shortest range that has all of both. */
struct hn_torch_range hn_torch_range_join(struct hn_torch_range a, struct hn_torch_range b);

#endif
