// A server that answers POST requests as a test decides: with any bytes, late, in pieces, or never.
// Runs on the test's loop.
#ifndef CAROM_TESTS_UNIT_FLEET_FAKE_ETCD_H
#define CAROM_TESTS_UNIT_FLEET_FAKE_ETCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

typedef struct fake_etcd fake_etcd;
typedef struct fake_client fake_client;

// A whole request has arrived. fake_write, fake_answer and fake_hang_up answer it, now or later.
typedef void (*fake_request)(void *context, fake_client *c, const char *path, const char *body);

fake_etcd *fake_etcd_open(uv_loop_t *loop, fake_request request, void *context);
// http://127.0.0.1:PORT
const char *fake_etcd_url(const fake_etcd *f);
// Closes all; run the loop until it is empty, then free.
void fake_etcd_close(fake_etcd *f);
void fake_etcd_free(fake_etcd *f);

// Raw bytes.
void fake_write(fake_client *c, const void *data, size_t size);
// An answer with a status and a length.
void fake_answer(fake_client *c, int code, const char *body);
// The head of an answer whose body has no given length, for streams.
void fake_stream(fake_client *c);
void fake_hang_up(fake_client *c);

#endif
