/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See assay_mutant.h. Two environment variables tell child programs the active mutation and the
 * file that records reached mutations. Python passes os.environ to its children instead of the C
 * environment, so os.environ is also updated.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "assay_mutant.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VARIABLE "ASSAY_MUTANT"
#define KEPT_IN "ASSAY_MUTANT_REACHED"
#define GROUPS "ASSAY_MUTANT_GROUPS"
#define NUMBERS_LIMIT 4096 /* size of the list of numbers of a group */

static unsigned char own[ASSAY_MUTANTS_MOST];

unsigned char assay_mutant_on[ASSAY_MUTANTS_MOST];
unsigned char *assay_mutant_reached = own;

static int32_t map(int file)
{
    void *shared = mmap(NULL, ASSAY_MUTANTS_MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED)
        return -1;
    assay_mutant_reached = shared;
    return 0;
}

static void turn_on(const char *numbers)
{
    char *end;
    memset(assay_mutant_on, 0, sizeof assay_mutant_on);
    for (long number; number = strtol(numbers, &end, 10), end != numbers; numbers = end)
        if (number > 0 && number < ASSAY_MUTANTS_MOST)
            __atomic_store_n(&assay_mutant_on[number], 1, __ATOMIC_RELAXED);
}

/* Runs before the other code of the library, because some of the other code is mutated. */
__attribute__((constructor(101))) static void read_environment(void)
{
    const char *number = getenv(VARIABLE), *path = getenv(KEPT_IN);
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (number)
        turn_on(number);
    if (file >= 0) {
        (void)map(file);
        close(file);
    }
}

static void tell_python(const char *variable, const char *value)
{
    char code[NUMBERS_LIMIT + 128];
    int (*ensure)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
    int (*run)(const char *) =
        (int (*)(const char *))(uintptr_t)dlsym(RTLD_DEFAULT, "PyRun_SimpleString");
    void (*release)(int) = (void (*)(int))(uintptr_t)dlsym(RTLD_DEFAULT, "PyGILState_Release");
    int (*is_there)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    if (!ensure || !run || !release || !is_there || !is_there())
        return;
    (void)snprintf(code, sizeof code, "__import__('os').environ['%s'] = '%s'", variable, value);
    const int before = ensure();
    (void)run(code);
    release(before);
}

static int32_t set(const char *variable, const char *value)
{
    if (setenv(variable, value, 1) != 0)
        return -1;
    tell_python(variable, value);
    return 0;
}

/* Switches on the members of a group, which are listed in the group's line of the file. */
static int32_t read_group(int32_t group, char *numbers, int32_t size)
{
    const char *path = getenv(GROUPS);
    FILE *file = path ? fopen(path, "re") : NULL;
    int32_t found = -1;
    while (file && found != 0 && fgets(numbers, size, file)) {
        char *end, *newline = strchr(numbers, '\n');
        if (newline && strtol(numbers, &end, 10) == group) {
            *newline = '\0';
            memmove(numbers, end, strlen(end) + 1);
            found = 0;
        }
    }
    if (file)
        (void)fclose(file);
    return found;
}

int32_t assay_mutant_arm(int32_t number)
{
    char numbers[NUMBERS_LIMIT];
    if (number < 0 || number >= ASSAY_MUTANTS_MOST)
        return -1;
    (void)snprintf(numbers, sizeof numbers, "%d", number);
    if (number >= ASSAY_MUTANT_GROUPS_FROM &&
        read_group(number, numbers, (int32_t)sizeof numbers) != 0)
        return -1;
    if (set(VARIABLE, numbers) != 0)
        return -1;
    turn_on(numbers);
    return 0;
}

int32_t assay_mutant_watch(void)
{
    char path[64];
    if (assay_mutant_reached != own)
        return 0;
    const int file = memfd_create("assay-mutants", MFD_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    if (file < 0 || ftruncate(file, ASSAY_MUTANTS_MOST) != 0 || map(file) != 0)
        return -1;
    return set(KEPT_IN, path);
}

int32_t assay_mutant_was_reached(int32_t number)
{
    return assay_mutant_reached[number];
}

int32_t assay_mutant_ask(int32_t number)
{
    return assay_mutant_is(number);
}
