/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is YAML. The YAML is parsed, and every accessor is called for each node.
 */
#include "fuzz_folder.h"
#include "yaml_tree.h"

static void ask(const struct hn_yaml *node, struct hn_findings *findings)
{
    static const char *const names[] = {"one", "two"};
    const char *text;
    int64_t integer;
    int boolean;
    size_t index;
    hn_yaml_as_text(node, &text, findings);
    hn_yaml_as_integer(node, -100, 100, &integer, findings);
    hn_yaml_as_boolean(node, &boolean, findings);
    hn_yaml_as_choice(node, names, 2, &index, findings);
    if (node->kind == HN_YAML_MAP)
        hn_yaml_only_keys(node, names, 2, findings);
    for (const struct hn_yaml *item = node->first; item; item = item->next)
        ask(item, findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hn_yaml_document *document = NULL;
    const struct hn_yaml *root = NULL;
    struct hn_findings findings = {0};
    if (hn_yaml_parse((const char *)data, size, "input", &document, &root, &findings) == HN_OK)
        ask(root, &findings);
    hn_yaml_destroy(document);
    hn_findings_finish(&findings);
    return 0;
}
