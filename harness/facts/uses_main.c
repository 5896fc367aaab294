/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay-uses-facts: writes the entities of PyTorch's headers that one translation unit of a backend
 * uses, as tab-separated lines (uses_emit.h). Started by assay/uses/sources.py, once for each file.
 */
#include <stdio.h>
#include <string.h>

#include "uses_walk.h"

enum { EXIT_GOOD = 0, EXIT_UNREADABLE = 65, EXIT_USAGE = 64 };

static int read_roots(int argc, char **argv, struct uses_walk *walk, int *rest)
{
    int i = 0;
    for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        struct uses_roots *roots = strcmp(argv[i], "--upstream") == 0 ? &walk->places.upstream
                                   : strcmp(argv[i], "--own") == 0    ? &walk->places.own
                                                                      : NULL;
        if (!roots || !uses_roots_add(roots, argv[i + 1]))
            return 0;
    }
    *rest = i + 1;
    return *rest < argc;
}

/* Reports code that could not be parsed, because the output does not have the uses in this code.
 * Returns the number of errors. */
static int report_errors(CXTranslationUnit unit, FILE *out)
{
    int errors = 0;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && errors++ < 3) {
            CXString text = clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation);
            fprintf(out, "error\t%s\t\t0\t\n", clang_getCString(text));
            clang_disposeString(text);
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return errors;
}

/* Returns NULL if clang fails. Files from a precompiled header are not visited. */
static CXTranslationUnit parse(CXIndex index, int argc, char **argv, unsigned options)
{
    CXTranslationUnit unit = NULL;
    clang_parseTranslationUnit2(index, argv[0], (const char *const *)argv + 1, argc - 1, NULL, 0,
                                options | CXTranslationUnit_DetailedPreprocessingRecord |
                                    CXTranslationUnit_KeepGoing,
                                &unit);
    return unit;
}

static int print_uses(CXIndex index, int argc, char **argv)
{
    struct uses_walk walk = {.out = stdout};
    int rest = 0;
    if (!read_roots(argc, argv, &walk, &rest))
        return EXIT_USAGE;
    CXTranslationUnit unit = parse(index, argc - rest, argv + rest, 0);
    if (!unit)
        return EXIT_UNREADABLE;
    hn_buffer_init(&walk.id, 1 << 16);
    hn_buffer_init(&walk.flags, 1 << 16);
    uses_walk_unit(&walk, unit);
    report_errors(unit, walk.out);
    uses_spots_finish(&walk.macros);
    hn_buffer_finish(&walk.flags);
    hn_buffer_finish(&walk.id);
    clang_disposeTranslationUnit(unit);
    return EXIT_GOOD;
}

/* Skips bodies, which are not needed for PyTorch and take most of the time. */
static int precompile(CXIndex index, int argc, char **argv)
{
    CXTranslationUnit unit =
        argc < 2 ? NULL
                 : parse(index, argc - 1, argv + 1,
                         CXTranslationUnit_Incomplete | CXTranslationUnit_ForSerialization |
                             CXTranslationUnit_SkipFunctionBodies);
    if (!unit)
        return argc < 2 ? EXIT_USAGE : EXIT_UNREADABLE;
    const int saved = clang_saveTranslationUnit(unit, argv[0], CXSaveTranslationUnit_None);
    if (saved != CXSaveError_None)
        report_errors(unit, stderr);
    clang_disposeTranslationUnit(unit);
    return saved == CXSaveError_None ? EXIT_GOOD : EXIT_UNREADABLE;
}

int main(int argc, char **argv)
{
    int status = EXIT_USAGE;
    CXIndex index = clang_createIndex(1, 0);
    if (argc > 1 && strcmp(argv[1], "uses") == 0)
        status = print_uses(index, argc - 2, argv + 2);
    else if (argc > 1 && strcmp(argv[1], "precompile") == 0)
        status = precompile(index, argc - 2, argv + 2);
    if (status == EXIT_USAGE)
        fputs("usage: assay-uses-facts uses [--upstream DIR|--own DIR]... -- FILE ARGUMENT...\n"
              "       assay-uses-facts precompile OUTPUT FILE ARGUMENT...\n",
              stderr);
    clang_disposeIndex(index);
    return status;
}
