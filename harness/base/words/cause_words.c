/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cause_words.h.
 */
#include "cause_words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"

#define WORDS_SIZE 1024

size_t hn_cause_number(const char *text)
{
    const int is_hex = text[0] == '0' && text[1] == 'x';
    const char *const digits = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
    const size_t head = is_hex ? 2 : 0;
    return isdigit((unsigned char)*text) ? head + strspn(text + head, digits) : 0;
}

static int is_in_name(char byte)
{
    return isalnum((unsigned char)byte) || (byte && strchr("_.+-", byte) != NULL);
}

/* Returns the length of a path such as "/tmp/run/jobs/a", or 0. A path has at least two slashes,
 * and no letter of a name comes before the first slash. */
static size_t path_at(const char *begin, const char *text)
{
    size_t length = 0;
    int slashes = 0;
    if (*text != '/' || (text > begin && (is_in_name(text[-1]) || text[-1] == '/')))
        return 0;
    while (text[length] == '/' || is_in_name(text[length]))
        slashes += text[length++] == '/';
    while (length && text[length - 1] == '.') /* the end of the sentence */
        length--;
    return slashes > 1 ? length : 0;
}

static int ends_sentence(const char *text)
{
    return !*text || *text == '\n' ||
           (*text == '.' && (!text[1] || isspace((unsigned char)text[1])));
}

/* The sign that replaces the text at this place; "" if the byte stays. *length: size of the
 * replaced text. */
static const char *sign_for(const char *begin, const char *text, size_t *length)
{
    if ((*length = path_at(begin, text)) > 0)
        return "<path>";
    if ((*length = hn_cause_number(text)) > 0)
        return "#";
    *length = 1;
    return "";
}

void hn_cause_words(const char *text, char *words, size_t size)
{
    size_t used = 0, length;
    for (const char *at = text; !ends_sentence(at); at += length) {
        const char *const sign = sign_for(text, at, &length);
        const size_t more = *sign ? strlen(sign) : 1;
        if (used + more >= size)
            break;
        memcpy(words + used, *sign ? sign : at, more);
        used += more;
    }
    words[used] = '\0';
}

/* Native and Python checks have different words for the same exception: "call() raised: ",
 * "raised RuntimeError: ", "RuntimeError: ". */
const char *hn_cause_exception(const char *seen)
{
    const char *const raised = strstr(seen, "raised"), *const error = strstr(seen, "Error: ");
    const char *const colon = raised ? strstr(raised, ": ") : NULL;
    if (error && !memchr(seen, '\n', (size_t)(error - seen)))
        return error + strlen("Error: ");
    return colon ? colon + 2 : NULL;
}

static uint64_t mix_words(uint64_t hash, const char *text)
{
    char words[WORDS_SIZE];
    hn_cause_words(text, words, sizeof words);
    return hn_hash_text(hash, words);
}

uint64_t hn_cause_of(const char *seen)
{
    const char *const words = hn_cause_exception(seen);
    return words ? mix_words(HN_HASH_START, words) : HN_CAUSE_NONE;
}

uint64_t hn_cause_of_refusal(const char *seen)
{
    const char *const words = hn_cause_exception(seen);
    return *seen ? mix_words(HN_HASH_START, words ? words : seen) : HN_CAUSE_NONE;
}

/* Adds the innermost function, without its callers. */
static uint64_t mix_frame(uint64_t hash, const char *frames)
{
    char frame[256];
    const char *const next = strstr(frames, " < ");
    snprintf(frame, sizeof frame, "%.*s", (int)(next ? (size_t)(next - frames) : strlen(frames)),
             frames);
    return mix_words(hash, frame);
}

static uint64_t mix_death(const struct hn_failure *failure)
{
    uint64_t hash = hn_hash_text(HN_HASH_START, hn_verdict_table[failure->verdict].name);
    hash = hn_hash_text(hash, failure->signal);
    hash = hn_hash_text(hash, failure->stage);
    /* Every uncaught exception ends in the same function, so the message identifies the cause. */
    if (strcmp(failure->signal, "SIGABRT") == 0)
        hash = mix_words(hash, failure->said);
    return mix_frame(hash, failure->frames);
}

int hn_cause_key(const struct hn_failure *failure, char key[HN_CAUSE_KEY])
{
    const int died = failure->verdict == HN_CRASH || failure->verdict == HN_TIMEOUT;
    uint64_t cause = died ? mix_death(failure) : hn_cause_of(failure->seen);
    const int joins = died ? *failure->frames != '\0' : cause != HN_CAUSE_NONE;
    if (cause == HN_CAUSE_NONE)
        cause = mix_words(hn_hash_text(HN_HASH_START, "value"), failure->expected);
    cause = hn_hash_text(cause, failure->subject);
    snprintf(key, HN_CAUSE_KEY, "%016" PRIx64, cause);
    return joins;
}
