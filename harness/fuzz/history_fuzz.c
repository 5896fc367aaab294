/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as the file of a history: opened, and written out as JSON lines.
 */
#include "fuzz_folder.h"
#include "history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rp_history *history = NULL;
    struct hn_error error;

    fuzz_write("history.db", data, size);
    if (rp_history_open(fuzz_path("history.db"), RP_THERE, &history, &error) != HN_OK)
        return 0;
    FILE *out = fopen("/dev/null", "we");
    if (out) {
        rp_history_export(history, out, &error);
        fclose(out);
    }
    rp_history_close(history);
    return 0;
}
