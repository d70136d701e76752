// The records of the file of sessions (session_store.h has the list): packed from sessions, and read back
// into them. Network thread only.
#ifndef CAROM_SERVER_SESSION_RESUME_SESSION_STORE_RECORDS_H
#define CAROM_SERVER_SESSION_RESUME_SESSION_STORE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <msgpack.h>

#include "proto/wire/buffer.h"

struct server;
struct session;
struct session_subscription;

typedef enum ledger_kind {
    LEDGER_SESSION,
    LEDGER_SUBSCRIPTION,
    LEDGER_UNSUBSCRIBED,
    LEDGER_END
} ledger_kind;

void ledger_pack_session(buffer *out, const struct session *s);
void ledger_pack_subscription(buffer *out, const struct session *s,
                              const struct session_subscription *of);
void ledger_pack_unsubscribed(buffer *out, const struct session *s, uint64_t subscription);
void ledger_pack_end(buffer *out, const struct session *s);

// Does what a record says to the table of sessions; false: it makes no sense.
bool ledger_read_record(struct server *s, const msgpack_object *o);

#endif
