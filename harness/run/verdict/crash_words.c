/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads stack.txt, written by Python's faulthandler and then by ../../host/job/stack_dump.c. See
 * crash_words.h.
 */
#include "crash_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "file.h"
#include "last_words.h"

#define STACK_LIMIT ((size_t)1 << 20)
#define ERRORS_LIMIT ((size_t)4 << 20)
#define TOP 4        /* number of frames that are reported */
#define RECURSION 16 /* number of repeated frames at the end of a dump that counts as recursion */
#define PERIOD 64    /* largest number of functions in a cycle of calls */
#define FRAMES 256   /* number of frames of a dump that are examined */
#define CYCLE 8      /* number of functions of a cycle that are reported */
#define NAME 160
#define SYMBOL 1024 /* length of a C++ symbol before it is shortened */
#define HANDLER 4   /* largest number of frames of the signal handler */

/* A function of libstdc++, which the harness links for this file and for the preflight only. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* The parts of "path/library.so(symbol+0x12) [0x7f...]". */
struct frame {
    char path[1200], symbol[SYMBOL], offset[NAME], address[40];
    const char *library; /* the end of `path` */
};

static void copy(char *to, size_t size, const char *from, size_t length)
{
    snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

static int read_frame(const char *line, size_t length, struct frame *frame)
{
    char text[1200];
    copy(text, sizeof text, line, length);
    char *bracket = strrchr(text, '['), *open = strchr(text, '(');
    if (!bracket || !open || open > bracket)
        return 0;
    copy(frame->address, sizeof frame->address, bracket, strlen(bracket));
    *open = '\0';
    copy(frame->path, sizeof frame->path, text, strlen(text));
    const char *const slash = strrchr(frame->path, '/');
    frame->library = slash ? slash + 1 : frame->path;
    copy(frame->symbol, sizeof frame->symbol, open + 1, strcspn(open + 1, "+)"));
    copy(frame->offset, sizeof frame->offset, open + 1, strcspn(open + 1, ")"));
    return 1;
}

/* Returns 1 for libraries in which a process ends itself; the useful frame is the next. */
static int is_machinery(const struct frame *frame)
{
    static const char *const libraries[] = {"libassay_", "libc.so", "libstdc++", "libpthread",
                                            "libgcc_s"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(frame->library, libraries[i], strlen(libraries[i])) == 0)
            return 1;
    return 0;
}

static void cut_end(char *text, const char *end)
{
    const size_t length = strlen(text), many = strlen(end);
    if (length >= many && strcmp(text + length - many, end) == 0)
        text[length - many] = '\0';
}

/* Finds the function that contains a lambda, if the frame is a standard library template for that
 * lambda. "std::_Function_handler<void (int), foo::start()::{lambda(int)#1}>::_M_invoke" becomes
 * foo::start. */
static const char *maker_of(char *full)
{
    char *const lambda = strncmp(full, "std::", 5) == 0 ? strstr(full, "::{lambda") : NULL;
    const char *begin;
    int depth = 0;
    if (!lambda || strstr(full, "::operator"))
        return full;
    *lambda = '\0';
    cut_end(full, " const");
    for (begin = full + strlen(full); begin > full; begin--) {
        const char before = begin[-1];
        depth += (before == ')' || before == '>') - (before == '(' || before == '<');
        if (depth < 0 || (!depth && (before == ',' || before == ' ')))
            break;
    }
    return begin;
}

/* Removes the parameters, because they are long and do not help to identify the function. */
static void readable(const char *symbol, char *text, size_t size)
{
    char *const full = __cxa_demangle(symbol, NULL, NULL, NULL);
    const char *name = full ? maker_of(full) : symbol;
    size_t length = 0;
    while (name[length] && (name[length] != '(' || strncmp(name + length, "(anon", 5) == 0 ||
                            strncmp(name + length, "()::", 4) == 0))
        length++;
    copy(text, size, name, length ? length : strlen(name));
    free(full);
}

static void add(struct hn_crash_words *words, const char *name, const char *place)
{
    const size_t used = strlen(words->frames);
    snprintf(words->frames + used, sizeof words->frames - used, "%s%s (%s)", used ? " < " : "",
             name, place);
}

/* Finds the name of a function. If the function is not exported, its name is in the symbol table of
 * the file, unless the table was stripped. */
static void name_frame(const struct frame *frame, char *name, size_t size)
{
    char local[SYMBOL];
    const char *symbol = frame->symbol;
    if (!*symbol)
        symbol = hn_elf_function_at(frame->path, strtoull(frame->offset, NULL, 16), local,
                                    sizeof local) == 0
                     ? local
                     : frame->offset;
    readable(symbol, name, size);
}

/* Adds a frame. Inside the standard library, adds only the first frame, in which the error
 * happened. */
static int add_frame(struct hn_crash_words *words, const struct frame *frame, int is_first)
{
    char name[NAME];
    name_frame(frame, name, sizeof name);
    if (!is_first && (is_machinery(frame) || strncmp(name, "std::_", 6) == 0))
        return 0;
    add(words, name, frame->library);
    return 1;
}

/* The frames of one native dump. */
struct dump {
    char last[sizeof((struct frame *)NULL)->address];
    int told, begun;
    unsigned long long addresses[FRAMES];
    size_t count;
};

static void take_frame(struct dump *dump, const struct frame *frame, struct hn_crash_words *words)
{
    const int again = strcmp(frame->address, dump->last) == 0;
    memcpy(dump->last, frame->address, sizeof dump->last);
    if (dump->count < FRAMES) /* `symbol` begins after the bracket */
        dump->addresses[dump->count++] = strtoull(frame->address + 1, NULL, 16);
    dump->begun |= !is_machinery(frame);
    if (!dump->begun || again || dump->told == TOP)
        return;
    dump->told += add_frame(words, frame, dump->told == 0);
}

/* Returns the length of a cycle of calls that fills the dump to its end, or 0. A finite recursion
 * has other callers at the end. */
static size_t period_of(const struct dump *dump)
{
    for (size_t period = 1; period <= PERIOD; period++) {
        size_t same = 0;
        while (same + period < dump->count && dump->addresses[dump->count - 1 - same] ==
                                                  dump->addresses[dump->count - 1 - same - period])
            same++;
        if (same >= RECURSION && same >= 2 * period)
            return period;
    }
    return 0;
}

/* Reads a line like ` File "x.py", line 3 in f`. */
static void add_python(struct hn_crash_words *words, const char *line, size_t length)
{
    char text[600], place[300];
    copy(text, sizeof text, line, length);
    char *const quote = strchr(text, '"'), *const end = quote ? strchr(quote + 1, '"') : NULL;
    char *const in = end ? strstr(end, " in ") : NULL;
    if (!in)
        return;
    *end = '\0';
    const char *const slash = strrchr(quote + 1, '/');
    snprintf(place, sizeof place, "%.200s:%ld", slash ? slash + 1 : quote + 1,
             strstr(end + 1, "line ") ? strtol(strstr(end + 1, "line ") + 5, NULL, 10) : 0);
    add(words, in + 4, place);
}

static size_t line_length(const char *at)
{
    return strcspn(at, "\n");
}

static const char *next_line(const char *at)
{
    at += line_length(at);
    return at + (*at == '\n');
}

/* Returns 1 for functions through which PyTorch's dispatcher calls the next kernel. */
static int is_passage(const char *name)
{
    static const char *const passages[] = {
        "c10::impl::",         "c10::Dispatcher", "c10::KernelFunction", "c10::BoxedKernel",
        "c10::OperatorHandle", "c10::detail",     "::redispatch",        "at::wrap_kernel"};
    for (size_t i = 0; i < sizeof passages / sizeof *passages; i++)
        if (strstr(name, passages[i]))
            return 1;
    return 0;
}

struct cycle {
    char names[CYCLE][2 * NAME];
    size_t count;
};

static int is_in_cycle(const struct cycle *cycle, const char *name)
{
    for (size_t i = 0; i < cycle->count; i++)
        if (strcmp(cycle->names[i], name) == 0)
            return 1;
    return 0;
}

/* Adds the functions in the order of the calls. A dump has the reverse order: each caller comes
 * after the function that it called. */
static void add_to_cycle(struct cycle *cycle, const struct frame *frame)
{
    char name[NAME], told[2 * NAME];
    name_frame(frame, name, sizeof name);
    snprintf(told, sizeof told, "%s (%s)", name, frame->library);
    if (is_machinery(frame) || is_passage(name) || cycle->count == CYCLE ||
        is_in_cycle(cycle, told))
        return;
    memmove(cycle->names + 1, cycle->names, cycle->count * sizeof *cycle->names);
    memcpy(cycle->names, told, sizeof *cycle->names);
    cycle->count++;
}

/* Finds the first function by name. The reported cycle begins with this function. Therefore the
 * cycle does not depend on the place where the stack overflowed. */
static size_t first_by_name(const struct cycle *cycle)
{
    size_t first = 0;
    for (size_t i = 1; i < cycle->count; i++)
        if (strcmp(cycle->names[i], cycle->names[first]) < 0)
            first = i;
    return first;
}

static void tell_cycle(const struct cycle *cycle, struct hn_crash_words *words)
{
    const size_t first = first_by_name(cycle);
    size_t used = 0;
    for (size_t i = 0; cycle->count && i <= cycle->count && used < sizeof words->frames; i++)
        used += (size_t)snprintf(words->frames + used, sizeof words->frames - used, "%s%s%s",
                                 used ? " > " : "", cycle->names[(first + i) % cycle->count],
                                 i == cycle->count ? " ..." : "");
}

/* Finds the last dump, because the check itself may have requested an earlier dump. */
static const char *last_dump(const char *text)
{
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, "stack at signal ")) != NULL; at++)
        found = at;
    return found;
}

/* Skips the frames of the signal handler, which end with a libc frame without a name. */
static const char *behind_handler(const char *at)
{
    struct frame frame;
    const char *line = at;
    for (int i = 0; i < HANDLER && read_frame(line, line_length(line), &frame); i++) {
        line = next_line(line);
        if (strncmp(frame.library, "libc.so", 7) == 0 && !frame.symbol[0])
            return line;
    }
    return at;
}

/* Reads one cycle of calls from the end of a dump. */
static void read_cycle(const char *at, size_t skip, struct hn_crash_words *words)
{
    struct cycle cycle = {.count = 0};
    struct frame frame;
    for (; *at && read_frame(at, line_length(at), &frame); at = next_line(at))
        if (skip)
            skip--;
        else
            add_to_cycle(&cycle, &frame);
    if (cycle.count)
        tell_cycle(&cycle, words);
}

static void read_native(const char *begin, struct hn_crash_words *words)
{
    struct dump dump = {.told = 0};
    struct frame frame;
    for (const char *at = begin; *at && read_frame(at, line_length(at), &frame); at = next_line(at))
        take_frame(&dump, &frame, words);
    const size_t period = period_of(&dump);
    words->overflow = period != 0;
    if (period)
        read_cycle(begin, dump.count - period, words);
}

static void read_stack(const char *text, struct hn_crash_words *words)
{
    const char *const native = last_dump(text), *const python = strstr(text, "  File \"");
    read_native(native ? behind_handler(next_line(native)) : "", words);
    if (python)
        add_python(words, python, line_length(python));
    words->overflow |= strstr(text, "stack overflow\n") != NULL;
    words->null_call = strstr(text, "call of address 0\n") != NULL;
}

/* Returns 1 at the beginning of the stack that exceptions of torch append to their message. */
static int is_trace(const char *line)
{
    static const char *const begins[] = {"frame #", "<omitting python frames>",
                                         "Exception raised from"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(line, begins[i], strlen(begins[i])) == 0)
            return 1;
    return 0;
}

/* Gets type and first line of an uncaught exception: "c10::Error: no such device". */
static int read_exception(const char *text, struct hn_crash_words *words)
{
    static const char thrown[] = "terminate called after throwing an instance of '",
                      says[] = "what():";
    const char *kind = NULL, *what = NULL;
    for (const char *at = text; (at = strstr(at, thrown)) != NULL;)
        kind = at += sizeof thrown - 1;
    what = kind ? strstr(kind, says) : NULL;
    if (!what)
        return 0;
    what += sizeof says - 1;
    what += strspn(what, " \t\n");
    snprintf(words->said, sizeof words->said, "%.*s: %.*s", (int)strcspn(kind, "'\n"), kind,
             (int)line_length(what), what);
    return 1;
}

static void read_last_line(const char *text, struct hn_crash_words *words)
{
    for (const char *at = text; *at; at = next_line(at)) {
        at += strspn(at, " \t\r");
        if (line_length(at) && !is_trace(at))
            copy(words->said, sizeof words->said, at, line_length(at));
    }
}

static void read_errors(const char *folder, struct hn_crash_words *words)
{
    char path[HN_PATH_SIZE], *text = NULL;
    if (hn_path_join(path, sizeof path, folder, "err.txt", NULL) != HN_OK ||
        hn_file_read(path, ERRORS_LIMIT, &text, NULL, NULL) != HN_OK) {
        /* err.txt is missing, or too long to search for an exception */
        hn_last_words(folder, "err.txt", words->said, sizeof words->said);
        return;
    }
    if (!read_exception(text, words))
        read_last_line(text, words);
    free(text);
}

void hn_crash_words_read(const char *folder, struct hn_crash_words *words)
{
    char path[HN_PATH_SIZE], *text = NULL;
    *words = (struct hn_crash_words){.overflow = 0};
    read_errors(folder, words);
    if (hn_path_join(path, sizeof path, folder, "stack.txt", NULL) != HN_OK ||
        hn_file_read(path, STACK_LIMIT, &text, NULL, NULL) != HN_OK)
        return;
    read_stack(text, words);
    free(text);
}
