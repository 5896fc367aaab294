/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the checks in the code of the suites: rows {"guard.x", ...} in check_*.c; in test_*.py the
 * docstrings """amp.x""" of test methods and the decorators @program("programs.x"). Sources are
 * parsed and never run, so that `assay list` needs neither torch nor a build. Third step of loading
 * the catalogue.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue_internal.h"
#include "file.h"

#define LARGEST ((size_t)1 << 20)

struct source {
    struct hn_loader *loader;
    const struct hn_module *module;
    const char *file; /* relative to the data folder */
    int after_def;    /* Python: the previous line started a test method */
};

static void add_code(struct source *source, const char *id, size_t length, int line,
                     enum hn_kind kind)
{
    struct hn_loader *loader = source->loader;
    if (loader->code_count == loader->code_capacity) {
        const size_t capacity = loader->code_capacity ? loader->code_capacity * 2 : 256;
        struct hn_code *code = hn_arena_array(loader->arena, capacity, sizeof *code);
        if (!code)
            return;
        if (loader->code_count)
            memcpy(code, loader->code, loader->code_count * sizeof *code);
        loader->code = code;
        loader->code_capacity = capacity;
    }
    const char *copy = hn_arena_copy(loader->arena, id, length);
    if (copy)
        loader->code[loader->code_count++] = (struct hn_code){copy, source->file, line, kind};
}

/* Returns the length of "module.word" at `text`, 0 if there is none. */
static size_t id_length(const char *text)
{
    const size_t module = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    const size_t word = text[module] == '.'
                            ? strspn(text + module + 1, "abcdefghijklmnopqrstuvwxyz0123456789_")
                            : 0;
    return module && word ? module + 1 + word : 0;
}

static void scan_native_line(struct source *source, const char *line, int number)
{
    const char *row = line + strspn(line, " \t");
    if (strncmp(row, "{\"", 2) != 0)
        return;
    const size_t length = id_length(row + 2);
    if (length && strncmp(row + 2 + length, "\",", 2) == 0)
        add_code(source, row + 2, length, number, HN_NATIVE);
}

static void scan_decorator(struct source *source, const char *line, int number)
{
    static const char begin[] = "@program(\"";
    if (strncmp(line, begin, sizeof begin - 1) != 0)
        return;
    const char *id = line + sizeof begin - 1;
    if (strcmp(id + id_length(id), "\")") == 0)
        add_code(source, id, id_length(id), number, HN_PYTHON);
}

static void scan_python_line(struct source *source, const char *line, int number)
{
    const char *text = line + strspn(line, " \t");
    const int is_def = strncmp(text, "def test_", 9) == 0;
    if (source->after_def) {
        const int quoted = strncmp(text, "\"\"\"", 3) == 0;
        const size_t length = quoted ? id_length(text + 3) : 0;
        const char *behind = text + 3 + length;
        if (length && (*behind == '\0' || strncmp(behind, "\"\"\"", 3) == 0))
            add_code(source, text + 3, length, number, HN_PYTHON);
        else
            hn_findings_add(
                source->loader->findings, source->file, number, 0,
                "a test method begins with its check's id: \"\"\"%s.what_it_shows\"\"\"",
                source->module->name);
    }
    source->after_def = is_def && strchr(text, ':');
    scan_decorator(source, line, number);
}

static void scan_file(struct source *source, const char *path, enum hn_kind kind)
{
    struct hn_error error;
    char *text, *rest, *line;
    int number = 1;
    if (hn_file_read(path, LARGEST, &text, NULL, &error)) {
        hn_findings_add_error(source->loader->findings, &error);
        return;
    }
    for (rest = text; (line = strsep(&rest, "\n")); number++)
        if (kind == HN_NATIVE)
            scan_native_line(source, line, number);
        else
            scan_python_line(source, line, number);
    free(text);
}

static int is_suite_source(const struct dirent *entry)
{
    return fnmatch("check_*.c", entry->d_name, 0) == 0 ||
           fnmatch("test_*.py", entry->d_name, 0) == 0;
}

static void scan_module(struct hn_loader *loader, const struct hn_module *module)
{
    char path[HN_PATH_SIZE];
    struct dirent **entries = NULL;
    hn_module_path(loader, module, ".", path);
    const int count = scandir(path, &entries, is_suite_source, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        struct source source = {.loader = loader, .module = module};
        source.file = hn_arena_text(loader->arena, "%s/%s", module->place, name);
        hn_module_path(loader, module, name, path);
        if (source.file)
            scan_file(&source, path, name[0] == 'c' ? HN_NATIVE : HN_PYTHON);
        free(entries[i]);
    }
    free(entries);
}

void hn_load_code(struct hn_loader *loader)
{
    for (size_t i = 0; i < loader->catalogue->module_count; i++)
        scan_module(loader, &loader->modules[i]);
}
