// The records of the file of sessions (session_store.h has the list): packed from sessions, and
// read back into them. Network thread only.
#ifndef CAROM_SERVER_SESSION_RESUME_SESSION_STORE_RECORDS_H
#define CAROM_SERVER_SESSION_RESUME_SESSION_STORE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <msgpack.h>

#include "common/world/method.h"
#include "proto/wire/buffer.h"

struct server;
struct session;
struct session_subscription;

// Roles by their numbers in the file, which keep their meaning: later roles are added at the end.
extern const role SESSION_STORE_ROLES[ROLE_COUNT];

typedef enum session_store_kind {
    SESSION_STORE_SESSION,
    SESSION_STORE_SUBSCRIPTION,
    SESSION_STORE_UNSUBSCRIBED,
    SESSION_STORE_END
} session_store_kind;

void session_store_pack_session(buffer *out, const struct session *s);
void session_store_pack_subscription(buffer *out, const struct session *s,
                                     const struct session_subscription *of);
void session_store_pack_unsubscribed(buffer *out, const struct session *s, uint64_t subscription);
void session_store_pack_end(buffer *out, const struct session *s);

// Applies a record to the table of sessions; false: it is not sound.
bool session_store_read_record(struct server *s, const msgpack_object *o);

#endif
