// Takes the replies of a world under test and decodes them. A snapshot for several receivers
// becomes one reply for each.
#ifndef CAROM_TESTS_UNIT_SERVER_MAILBOX_H
#define CAROM_TESTS_UNIT_SERVER_MAILBOX_H

#include <msgpack.h>

#include "server/world/snapshots/publisher.h"
#include "tests/support/object.h"

enum { MAILBOX_MAX = 256 };

typedef struct mailbox {
    reply *replies[MAILBOX_MAX]; // in order of arrival
    msgpack_unpacked unpacked[MAILBOX_MAX];
    uint8_t *bytes[MAILBOX_MAX];
    uint32_t count;
    uint32_t next; // the first reply that mailbox_take has not returned
} mailbox;

reply_sink mailbox_sink(mailbox *m);
void mailbox_deinit(mailbox *m);

// Takes the next reply, which must exist and be of this kind. The mailbox still owns it.
const reply *mailbox_take(mailbox *m, reply_kind kind);
// The next reply's snapshot: its argument map.
const msgpack_object *mailbox_snapshot(mailbox *m);
// The next reply's result, which must not be an error.
const msgpack_object *mailbox_result(mailbox *m);
// The number of replies that were not taken.
uint32_t mailbox_left(const mailbox *m);

#endif
