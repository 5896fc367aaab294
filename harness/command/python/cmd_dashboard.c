/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay dashboard: a history as a static site. Done by harness/python/assay/history.
 */
#include "commands.h"
#include "data.h"

static const struct hn_option options[] = {
    {"db", "FILE", "the history (default runs/history.db), as of assay history"},
    {"out", "FOLDER", "where the site goes; one that is there is replaced in one step"},
};

const struct hn_command hn_cmd_dashboard = {
    .name = "dashboard",
    .summary = "a history as a site: who works with what, since when, what broke",
    .usage = "build --out FOLDER [--db FILE] | losses [--db FILE]",
    .help =
        "Makes pages that open from disk and from any web space: backends x releases of torch; a "
        "page for each backend (what broke when, between which two revisions, what was repaired), "
        "for each release (who is ready), for each clause and check (who keeps it since when, who "
        "never did); any two of the last 60 nights compared; a table to copy, badges, a feed of "
        "what broke. Beside each page lies its JSON (schema assay/dashboard/1).\n\n"
        "  assay history add runs/nightly-* --db history.db\n"
        "  assay dashboard build --db history.db --out site\n"
        "  assay dashboard losses --db history.db    # lost musts by cause, as JSON\n\n"
        "Exit status 65 if the file is not a history or is damaged, or if the folder holds "
        "something else: one sentence says what, and nothing is changed.\n",
    HN_OPTIONS(options),
    .python = {HN_DATA_PYTHON, "assay.history"},
};
