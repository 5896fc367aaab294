/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface between assay and a shared object: a suite of native checks, or a vendor's
 * adapter.
 *
 * A plugin exports exactly one function, assay_plugin_entry. Order of calls:
 *     entry -> init -> get_factory -> (what the factory offers) -> deinit
 * Rules for both sides
 *   - every struct begins with struct_size, and new fields are added only at its end
 *     (ASSAY_HAS in status.h);
 *   - fixed-width integers only; no exception, exit, longjmp or fork may cross the interface;
 *   - strings are UTF-8, borrowed, and valid as long as their comment says;
 *   - thread tags: [main] only the thread that loaded the plugin; [any] thread-safe.
 */
#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ABI_MAJOR 1u
#define ASSAY_ABI_MINOR 3u

#define ASSAY_CHECK_FACTORY "assay.check-factory/1"   /* struct assay_check_factory, check.h */
#define ASSAY_TARGET_FACTORY "assay.target-factory/1" /* struct assay_target_factory, target.h */

/* Versions that a binary was built against. These versions matter only to plugins that link the
 * bridge. */
struct assay_build {
    uint32_t struct_size;
    uint32_t pointer_size; /* size in bytes */
    uint32_t cxx11_abi;    /* libstdc++'s _GLIBCXX_USE_CXX11_ABI */
    uint32_t reserved;     /* 0 */
    const char *torch;     /* "2.13.0": the release, without local part; static storage */
};

/* The offer of the host, valid during the call of assay_plugin_entry. */
struct assay_plugin_offer {
    uint32_t struct_size;
    uint32_t major;        /* if it differs from the plugin's, the plugin returns NULL */
    uint32_t minor_lowest; /* the plugin chooses a version in [lowest, highest] */
    uint32_t minor_highest;
    const struct assay_build *build; /* NULL: torch is not loaded in this process */
    /* a plugin that returns NULL writes one sentence here, NUL-terminated */
    char *refusal;
    uint32_t refusal_size; /* size of `refusal`, including the terminator */
    uint32_t reserved;     /* 0 */
};

/* Functions that a plugin may call from init until deinit returns. */
struct assay_plugin_host {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    void *context;     /* argument for the functions below */
    /* [any] Reports one sentence about a status that a plugin function returned. The text is
     * copied. */
    void (*report)(void *context, int32_t status, const char *text);
};

/* A plugin. Constant, static storage. Every pointer is required; only `build` may be NULL. */
struct assay_plugin {
    uint32_t struct_size;
    uint32_t minor;                  /* chosen from the offer */
    const char *name;                /* "torch_foo adapter" */
    const char *version;             /* version of the plugin, free text */
    const struct assay_build *build; /* set if the plugin links the bridge; compared by the host */
    /* [main] `host` is valid until deinit returns. A result other than 0 means failure; report
     * the reason through host->report. */
    int32_t (*init)(const struct assay_plugin_host *host);
    /* [main] Called once after a successful init. */
    void (*deinit)(void);
    /* [main] Returns a table of the kind `id`, valid until deinit; NULL: not offered. */
    const void *(*get_factory)(const char *id);
};

/* [main] NULL: the plugin does not accept the offer, and offer->refusal has the reason. */
ASSAY_EXPORT const struct assay_plugin *
assay_plugin_entry(const struct assay_plugin_offer *offer) ASSAY_NOEXCEPT;

typedef const struct assay_plugin *(*assay_plugin_entry_fn)(const struct assay_plugin_offer *offer);

#ifdef __cplusplus
}
#endif
#endif
