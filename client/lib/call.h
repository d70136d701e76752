// What the typed helpers have in common.
#ifndef CAROM_CLIENT_LIB_CALL_H
#define CAROM_CLIENT_LIB_CALL_H

#include <carom/client.h>

#include "client/lib/fault.h"

// Calls the method and waits, or, with CAROM_NO_REPLY, only sends it. Takes `args` over. *result
// (may be NULL) is NULL when nothing was awaited, and on failure.
carom_status call_method(carom_client *c, const char *name, carom_value *args, int timeout_ms,
                         carom_value **result, carom_error *err);

// The same for commands that only answer {tick}; *tick (may be NULL) is 0 when nothing was awaited.
carom_status call_command(carom_client *c, const char *name, carom_value *args, int timeout_ms,
                          uint64_t *tick, carom_error *err);

// {world: …}, the beginning of most arguments.
carom_value *world_args(const char *world);

// {world: …, body: …}
carom_value *body_args(const char *world, uint64_t body);

carom_value *vec_value(carom_vec2 v);

#endif
