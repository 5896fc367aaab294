/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The backend's only interface to the device. foo_runtime.cc is a stand-in that keeps the "device"
 * in host memory and runs each stream on a thread. Replace it with code for your driver; the files
 * above this header need no change.
 *
 * A function that returns int returns FOO_OK or an error that foo_error_text describes. Only the
 * runtime checks device indices; -1 is no valid index.
 */
#ifndef FOO_RUNTIME_H
#define FOO_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foo_stream foo_stream; /* work on one stream runs in order */
typedef struct foo_event foo_event;   /* a mark in a stream */

enum {
    FOO_OK,
    FOO_NOT_READY, /* not an error: the queried work is not done yet */
    FOO_BAD_DEVICE,
    FOO_NO_MEMORY,
    FOO_BAD_ADDRESS,
    FOO_NOT_RECORDED,
    FOO_FORKED, /* the device was used before this process was forked */
};

const char *foo_error_text(int error);

int foo_device_count(void); /* does not start a device */
int foo_device_get(void);   /* of this thread */
int foo_device_set(int device);
int foo_device_synchronize(int device);
int foo_forked(void);
int foo_used(int device); /* true if this process has used the device */

/* Memory. A freed block is reused only when all work that was enqueued before the call is done. */
int foo_allocate(int device, size_t bytes, void **address);
int foo_free(void *address);
/* The address may lie inside a block. */
int foo_find(const void *address, int *device, size_t *bytes);
int foo_memory(int device, size_t *free_bytes, size_t *total_bytes);

/* Streams. The first of each device is its default stream. */
int foo_stream_default(int device, foo_stream **stream);
int foo_stream_create(int device, foo_stream **stream); /* never destroyed */
int foo_stream_query(foo_stream *stream);
int foo_stream_synchronize(foo_stream *stream);
int foo_stream_wait(foo_stream *stream, const foo_event *event);

int foo_event_create(foo_event **event);
int foo_event_destroy(foo_event *event);
int foo_event_record(foo_event *event, foo_stream *stream);
int foo_event_query(const foo_event *event);
int foo_event_synchronize(const foo_event *event);
int foo_event_elapsed(const foo_event *start, const foo_event *end, double *milliseconds);

/* Work. Both functions return immediately; the arguments must live until the stream has passed the
 * work. */
int foo_copy(foo_stream *stream, void *to, const void *from, size_t bytes);
int foo_launch(foo_stream *stream, void (*kernel)(void *), void *arguments, void (*done)(void *));

#ifdef __cplusplus
}
#endif

#endif
