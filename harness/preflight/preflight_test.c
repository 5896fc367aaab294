/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the sentence that is reported for each test library, for files that are no libraries, and
 * for metadata of wheels. CMake builds the libraries from testlibs/.
 */
#include "preflight.h"
#include "unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct heard {
    int count;
    char severity[16], sentence[4096];
};

static void listen(void *context, const char *severity, const char *sentence)
{
    struct heard *const heard = context;
    heard->count++;
    snprintf(heard->severity, sizeof heard->severity, "%s", severity);
    snprintf(heard->sentence, sizeof heard->sentence, "%s", sentence);
}

static struct hn_preflight preflight_for(struct heard *heard)
{
    return (struct hn_preflight){
        .torch_libraries = TESTLIBS "/torch",
        .torch_version = "2.13.0+cpu",
        .tell = listen,
        .context = heard,
    };
}

static const struct {
    const char *file;
    const char *sentence; /* NULL: no sentence is reported */
} libraries[] = {
    {"libsound.so", NULL},
    {"libstray.so", "libstray.so is built for another torch: it needs 1 symbol that torch "
                    "2.13.0+cpu does not define (c10::impl::gone_since_last_year(int)); install a "
                    "build for this torch"},
    {"libneedy.so", "libneedy.so needs libvendor_runtime.so, which is in no folder that the loader "
                    "searches: install what provides it, or put its folder into LD_LIBRARY_PATH"},
    {"absent.so", "absent.so cannot be read (No such file or directory): check the path"},
    {"text.so", "text.so is not a shared object: the profile must name an ELF library"},
    {"cut.so", "cut.so is not a shared object"},
    {"object.o", "object.o is an ELF file but not a shared object"},
    {"other_machine.so", "other_machine.so is built for another architecture"},
};

TEST_EACH(library_of_each_kind_gets_its_sentence, libraries)
{
    struct heard heard = {0};
    struct hn_preflight preflight = preflight_for(&heard);
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TESTLIBS, libraries[_i].file);

    const int errors = hn_preflight_library(&preflight, path);

    ck_assert_int_eq(errors, libraries[_i].sentence != NULL);
    ck_assert_int_eq(heard.count, errors);
    if (errors > 0) {
        ck_assert_str_eq(heard.severity, "error");
        ck_assert_msg(strstr(heard.sentence, libraries[_i].sentence) != NULL, "got \"%s\"",
                      heard.sentence);
    }
}

static const struct {
    const char *file, *path, *companion; /* NULL: not set */
    int errors;
} surroundings[] = {
    {"libneedy.so", TESTLIBS "/hidden", NULL, 0},
    {"libneedy.so", "/nowhere:" TESTLIBS "/hidden", NULL, 0},
    {"libneedy.so", "/nowhere", NULL, 1},
    {"libneedy.so", NULL, TESTLIBS "/hidden/libvendor_runtime.so", 0},
    {"libneedy.so", NULL, TESTLIBS "/libsound.so", 1},
    {"libstray.so", NULL, TESTLIBS "/hidden/libold_torch.so", 0},
    {"libstray.so", NULL, TESTLIBS "/libstray.so", 1},
};

TEST_EACH(library_is_seen_in_its_surroundings, surroundings)
{
    struct heard heard = {0};
    struct hn_preflight preflight = preflight_for(&heard);
    const char *const companions[] = {surroundings[_i].companion};
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TESTLIBS, surroundings[_i].file);
    preflight.library_path = surroundings[_i].path;
    preflight.companions = companions;
    preflight.companion_count = companions[0] != NULL;
    ck_assert_int_eq(hn_preflight_library(&preflight, path), surroundings[_i].errors);
}

static const struct {
    const char *specifiers, *version;
    int accepts;
} specifiers[] = {
    {"", "2.13.0", 1},
    {"==2.13.0", "2.13.0+cpu", 1},
    {"==2.12.0", "2.13.0", 0},
    {"==2.13.*", "2.13.4", 1},
    {"==2.1.*", "2.13.0", 0},
    {">=2.11,<2.14", "2.13.0", 1},
    {">=2.11,<2.13", "2.13.0", 0},
    {"(>=2.14)", "2.13.0", 0},
    {"~=2.12", "2.13.0", 1},
    {"~=2.12.0", "2.13.0", 0},
    {"!=2.13.0", "2.13.0", 0},
    {"<=2.13", "2.13.0", 1},
    {"> 2.9", "2.13.0", 1},
    {">=2.9 ; python_version > '3'", "2.13.0", 1},
    {"2.13", "2.13.0", -1},
    {">=two", "2.13.0", -1},
    {">=2", "nightly", -1},
};

TEST_EACH(accepts_compares_releases, specifiers)
{
    ck_assert_msg(hn_preflight_accepts(specifiers[_i].specifiers, specifiers[_i].version) ==
                      specifiers[_i].accepts,
                  "\"%s\" against %s", specifiers[_i].specifiers, specifiers[_i].version);
}

static int errors_of_metadata(const char *text, struct heard *heard)
{
    char path[] = "/tmp/assay_metadata_XXXXXX";
    const struct hn_preflight preflight = preflight_for(heard);
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq((int)write(descriptor, text, strlen(text)), (int)strlen(text));
    close(descriptor);
    const int errors = hn_preflight_metadata(&preflight, path);
    unlink(path);
    return errors;
}

TEST(metadata_for_another_torch_is_named)
{
    struct heard heard = {0};
    ck_assert_int_eq(errors_of_metadata("Name: foo\nRequires-Dist: torch==2.12.0\n\n", &heard), 0);
    ck_assert_str_eq(heard.severity, "warning");
    ck_assert_ptr_nonnull(
        strstr(heard.sentence, "requires torch ==2.12.0, but torch 2.13.0+cpu is installed"));
}

TEST(metadata_of_other_packages_and_prose_is_passed_over)
{
    struct heard heard = {0};
    ck_assert_int_eq(errors_of_metadata("Requires-Dist: torchvision==1\nRequires-Dist: numpy\n"
                                        "Requires-Dist: torch (>=2.11)\n\n"
                                        "Requires-Dist: torch==1.0\n",
                                        &heard),
                     0);
    ck_assert_int_eq(heard.count, 0);
}
