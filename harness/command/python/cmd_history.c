/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay history: keeps what runs said over time. Done by harness/python/assay/history.
 */
#include "commands.h"
#include "data.h"

static const struct hn_option options[] = {
    {"db", "FILE", "the history (default runs/history.db); add, merge and import make it"},
    {"backend", "REVISION", "of add: the revision of the backend that these runs tested"},
    {"output", "FILE", "of export: write there instead of printing"},
};

const struct hn_command hn_cmd_history = {
    .name = "history",
    .summary = "keeps what runs said over time: who is compatible with what, since when",
    .usage = "add RUN... | merge HISTORY... | import FILE... | export | upgrade [OPTIONS]",
    .help =
        "add puts runs into the history: every verdict on a check, a clause and a capability, as "
        "text, written down where it differs from the run before. A run that is already known "
        "changes nothing. A run between two others leaves those as they are. merge takes the runs "
        "of other histories, for example from other machines; export and import are the same as "
        "JSON lines (schema assay/history-run/1). Only runs that selected the same part of the "
        "contract are compared; a run of a part is partial, never compatible. If a command opens a "
        "history of an older form, it first converts the history to the present form; upgrade does "
        "only that. assay dashboard makes pages of a history; it names the history by --db, too."
        "\n\n"
        "  assay history add runs/nightly-* --db history.db --backend 1a2b3c4\n"
        "  assay history merge lab-a.db lab-b.db --db history.db\n"
        "  assay history export --db history.db --output history.jsonl\n"
        "  assay dashboard build --db history.db --out site\n\n"
        "Exit status 65 when a run, a history or a line is not what it should be: one sentence "
        "says what, and the history is as it was.\n",
    HN_OPTIONS(options),
    .python = {HN_DATA_PYTHON, "assay.history"},
};
