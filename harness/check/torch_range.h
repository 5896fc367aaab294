/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The range of torch releases for which a clause applies, in the words of the contract. Used by
 * the planner, and by the gate, which must find the checks that the plan left out.
 */
#ifndef HN_TORCH_RANGE_H
#define HN_TORCH_RANGE_H

struct hn_torch_range {
    const char
        /* "2.9": the first release. "2.9-2.10": a release between these two added it, so 2.10 is
         * the first. Any other text, also "": every earlier release is included */
        *since;
    const char *until; /* "2.12": the last release; "": no end */
};

/* Returns 1 if `torch`, a version like 2.13.0.dev20260101, is in the range. A version that
 * cannot be parsed is in every range. */
int hn_torch_range_has(struct hn_torch_range range, const char *torch);
/* Returns 1 if the text begins with a release, such as 2.13. */
int hn_torch_range_reads(const char *torch);
/* The intersection of the two ranges. */
struct hn_torch_range hn_torch_range_join(struct hn_torch_range a, struct hn_torch_range b);

#endif
